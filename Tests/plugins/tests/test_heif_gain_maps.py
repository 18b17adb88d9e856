"""HEIC and AVIF with gain maps: derived images of type `tmap`, and auxiliary images of Apple's format."""

from __future__ import annotations

import random
import struct

from . import heifs
from .support import TestCase, sdimage
from .test_jxl import ramp
from .test_jxl_gain_maps import STOPS, light, linear, logged, parameters

APPLE = b"urn:com:apple:photo:2020:aux:hdrgainmap\0"
FORMATS = ("heic", "avif")


def maker_note() -> bytes:
    """An EXIF block with Apple's maker note, whose numbers 0 and 0.01 stand for a headroom of 1.6 stops."""

    def directory(*entries: tuple[int, int, int, bytes]) -> bytes:
        return struct.pack(">H", len(entries)) + b"".join(struct.pack(">HHI", *entry[:3]) + entry[3] for entry in entries) + bytes(4)

    # The values lie behind the label, the version, the byte order and a directory of two entries.
    place = 14 + 2 + 2 * 12 + 4
    note = b"Apple iOS\0\0\x01MM" + directory(
        (0x21, 10, 1, struct.pack(">I", place)), (0x30, 10, 1, struct.pack(">I", place + 8)))
    note += struct.pack(">iiii", 0, 1, 1, 100)
    first = directory((0x8769, 4, 1, struct.pack(">I", 26)))
    second = directory((0x927C, 7, len(note), struct.pack(">I", 26 + 18)))
    return b"MM\0*\0\0\0\x08" + first + second + note


class GainMaps(TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.base = ramp()
        self.samples = ramp(96, 64, 1)

    def encoded(self, image: sdimage.Image, image_format: str) -> heifs.File:
        return heifs.read(image.encode(image_format, lossless=image_format == "avif", effort=1))

    def tone_mapped(self, image_format: str, fields: bytes | None = None) -> bytes:
        """A file with a map in an item `tmap`."""
        file = self.encoded(self.base, image_format)
        samples = file.add(self.encoded(self.samples, image_format))
        size = [(essential, body) for essential, body in file.items[file.primary].properties if body[4:8] == b"ispe"]
        derived = file.attach(heifs.Item(b"tmap", b"\0" + parameters() if fields is None else fields, size))
        file.references.append((b"dimg", derived, [file.primary, samples]))
        return file.bytes()

    def auxiliary(self, image_format: str, exif: bytes | None) -> bytes:
        """A file with a map of Apple's."""
        return self.with_auxiliary(self.encoded(self.base, image_format), image_format, exif)

    def with_auxiliary(self, file: heifs.File, image_format: str, exif: bytes | None) -> bytes:
        samples = file.add(self.encoded(self.samples, image_format))
        file.items[samples].properties.append((True, heifs.box(b"auxC", bytes(4) + APPLE)))
        file.references.append((b"auxl", samples, [file.primary]))
        if exif is not None:
            block = file.attach(heifs.Item(b"Exif", bytes(4) + exif))
            file.references.append((b"cdsc", block, [file.primary]))
        return file.bytes()

    def assert_light(self, image: sdimage.Image, base: sdimage.Image, headroom: float, gain_of: object) -> None:
        self.assertEqual((image.is_hdr, image.pixel_format), (True, "rgba_float"))
        self.assertAlmostEqual(image.headroom, headroom, places=4)
        assert image.gain_map is not None
        samples, pixels = image.gain_map.image.tobytes(), base.tobytes()
        for index, pixel in enumerate(light(image)):
            if index % 89:
                continue
            for channel in range(3):
                expected = linear(pixels[3 * index + channel]) * gain_of(samples[index])  # type: ignore[operator]
                self.assertAlmostEqual(pixel[channel], expected, delta=0.006 + 0.006 * expected)

    def test_a_tone_map_is_applied(self) -> None:
        for image_format in FORMATS:
            with self.subTest(image_format):
                data = self.tone_mapped(image_format)
                plain = sdimage.decode(data)
                self.assertEqual((plain.is_hdr, plain.pixel_format, plain.gain_map), (False, "rgb8", None))
                self.assertEqual(plain.tobytes(), sdimage.decode(self.encoded(self.base, image_format).bytes()).tobytes())
                known = sdimage.info(data)
                self.assertEqual((known["has_gain_map"], known["content_headroom"]), (True, STOPS))
                bright = sdimage.decode(data, dynamic_range="hdr")
                self.assert_light(bright, plain, STOPS, lambda sample: 2 ** (STOPS * sample / 255))
                for pixel, sample in zip(self.samples.tobytes(), bright.gain_map.image.tobytes()):  # type: ignore[union-attr]
                    self.assertLessEqual(abs(pixel - sample), 3)

    def test_a_part_of_the_gains_is_applied_for_a_display(self) -> None:
        for image_format in FORMATS:
            data = self.tone_mapped(image_format)
            with self.subTest(image_format):
                shown = sdimage.decode(data, dynamic_range="automatic", display_headroom=0.5)
                self.assert_light(shown, sdimage.decode(data), 0.5, lambda sample: 2 ** (0.5 * sample / 255))
                self.assertEqual(sdimage.decode(data, dynamic_range="automatic").pixel_format, "rgb8")

    def test_thumbnails_have_the_rendition(self) -> None:
        for image_format in FORMATS:
            with self.subTest(image_format):
                small = sdimage.decode(self.tone_mapped(image_format), dynamic_range="hdr", thumbnail_size=(24, 16))
                self.assertEqual((small.width, small.height, small.is_hdr), (24, 16, True))
                # In the middle both the base image and the gains are half.
                middle = list(light(small))[8 * 24 + 12]
                self.assertAlmostEqual(middle[0], linear(131) * 2 ** (STOPS * 0.513), delta=0.03)

    def test_the_map_of_apple_is_applied(self) -> None:
        for image_format in FORMATS:
            with self.subTest(image_format):
                data = self.auxiliary(image_format, maker_note())
                plain = sdimage.decode(data)
                self.assertFalse(plain.is_hdr)
                self.assertAlmostEqual(sdimage.info(data)["content_headroom"], 1.6, places=4)
                most = 2**1.6 - 1
                self.assert_light(
                    sdimage.decode(data, dynamic_range="hdr"), plain, 1.6, lambda sample: 1 + most * linear(sample))

    def test_a_derived_image_that_is_turned_or_cropped_has_no_map(self) -> None:
        """libheif turns and crops its pixels, and the map remains as it is stored."""
        crop = heifs.box(b"clap", struct.pack(">8I", 48, 1, 64, 1, 0, 1, 0, 1))
        for change, size in ((None, (96, 64)), (heifs.box(b"irot", b"\1"), (64, 96)), (heifs.box(b"imir", b"\0"), (96, 64)),
                             (crop, (48, 64))):
            file = self.encoded(self.base, "heic")
            coded = file.items[file.primary]
            properties = [each for each in coded.properties if each[1][4:8] == b"ispe"] + ([(True, change)] if change else [])
            derived = file.attach(heifs.Item(b"iden", b"", properties))
            file.references.append((b"dimg", derived, [file.primary]))
            file.primary = derived
            data = self.with_auxiliary(file, "heic", maker_note())
            with self.subTest(change):
                image, lines = logged(lambda: sdimage.decode(data, dynamic_range="hdr"))
                self.assertEqual((image.width, image.height, image.is_hdr), (*size, change is None), lines)
                self.assertEqual(len(lines), int(change is not None), lines)

    def test_maps_that_cannot_be_used_leave_the_image(self) -> None:
        for image_format in FORMATS:
            fields = b"\0" + parameters()
            files = [self.tone_mapped(image_format, each) for each in (b"", b"\1" + fields[1:], fields[:30], b"\0" + parameters(0))]
            files += [self.auxiliary(image_format, each) for each in (None, maker_note().replace(b"Apple", b"Other"))]
            for number, data in enumerate(files):
                with self.subTest(image_format, number=number):
                    image, lines = logged(lambda: sdimage.decode(data, dynamic_range="hdr"))
                    self.assertEqual((image.is_hdr, image.pixel_format, image.gain_map), (False, "rgb8", None))
                    self.assertTrue([line for line in lines if line.startswith(b"decode: gain map is not used: ")], lines)
                    self.assertFalse(sdimage.info(data)["has_gain_map"])

    def test_damage_outside_of_the_base_image_never_fails_it(self) -> None:
        for image_format in FORMATS:
            file = self.encoded(self.base, image_format)
            whole = self.tone_mapped(image_format)
            base = sdimage.decode(whole).tobytes()
            # The bytes of the map and of its parameters are the last ones.
            start = whole.index(b"mdat") + 4 + len(file.items[file.primary].data)
            choice = random.Random(1)
            with self.subTest(image_format):
                for _ in range(60):
                    data = bytearray(whole)
                    data[choice.randrange(start, len(data))] ^= 1 << choice.randrange(8)
                    image = sdimage.decode(bytes(data), dynamic_range="hdr")
                    self.assertEqual((image.width, image.height), (96, 64))
                    self.assertEqual(sdimage.decode(bytes(data)).tobytes(), base)
