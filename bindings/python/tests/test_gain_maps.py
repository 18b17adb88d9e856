"""Gain maps in HEIC, AVIF and JPEG XL: files are made of an image and of a map of the same size."""

from __future__ import annotations

import struct
import unittest
from ctypes import byref, sizeof
from pathlib import Path

from sdimage._ffi import lib
from sdimage._prototypes import DESTROY, LOG_HANDLER_MESSAGE, LogHandler
from sdimage.errors import call

from .bombs import PRIMARY, Container, Item, coded, reference, size
from .support import TestCase, sdimage
from .test_heif_parts import box, full, inside
from .test_modules import usable

FIXTURES = Path(__file__).parents[3] / "Tests/fixtures"
APPLE = b"urn:com:apple:photo:2020:aux:hdrgainmap\0"
WIDTH, HEIGHT = 128, 64
LOG_LEVEL_WARNING = 2
#: Headroom and highest gain of the maps, in stops.
STOPS = 2


def parameters(headroom: int = STOPS, version: int = 0) -> bytes:
    """Those of ISO 21496-1, annex C: gains from 0 to `headroom` stops, without gamma and offsets."""
    numbers = (0, headroom, 0, headroom, 1, 0, 0)
    return struct.pack(">HHB", version, 0, 0x40) + b"".join(struct.pack(">ii", number, 1) for number in numbers)


def apple_exif() -> bytes:
    """A maker note with the numbers 44 and 1, which stand for 1.5 stops and less."""
    def entry(tag: int, kind: int, count: int, value: int) -> bytes:
        return struct.pack(">HHII", tag, kind, count, value)

    note = b"Apple iOS\0\0\1MM" + struct.pack(">H", 2) + entry(0x21, 10, 1, 44) + entry(0x30, 10, 1, 52)
    note += struct.pack(">Iiiii", 0, 1, 1, 0, 1)
    main = b"MM\0*" + struct.pack(">IH", 8, 1) + entry(0x8769, 4, 1, 26) + bytes(4)
    return bytes(4) + main + struct.pack(">H", 1) + entry(0x927C, 7, len(note), 44) + bytes(4) + note


def heif(brand: bytes, kind: bytes, base: tuple[bytes, bytes], samples: tuple[bytes, bytes], tone_map: bytes | None,
         own: tuple[bytes, ...] = (), derived: tuple[bytes, ...] = ()) -> bytes:
    """A file with an image and its map: with parameters in an item `tmap`, or as Apple's auxiliary image. `own` are
    properties of the image, and `derived` those of the item `tmap`."""
    properties = [size(WIDTH, HEIGHT), base[1], samples[1], full(b"auxC", 0, APPLE), *own, *derived]
    first = len(properties) - len(own) - len(derived) + 1
    colors = tuple(range(first, first + len(own)))
    items = [Item(PRIMARY, kind, 0, (1, 0x82, *colors)), Item(2, kind, 1, (1, 0x83) + (() if tone_map else (4,)))]
    if tone_map is not None:
        items.append(Item(3, b"tmap", 2, (1, *range(first + len(own), len(properties) + 1))))
        references = reference(b"dimg", 3, [PRIMARY, 2])
    else:
        items.append(Item(3, b"Exif", 2))
        references = reference(b"auxl", 2, [PRIMARY]) + reference(b"cdsc", 3, [PRIMARY])
    bodies = [base[0], samples[0], apple_exif() if tone_map is None else tone_map]
    return Container(brand, properties, items, bodies, references).bytes()


def streamed(data: bytes) -> sdimage.Image:
    """The image of a decoder that receives the bytes in two parts."""
    growing = sdimage.Animation(b"", dynamic_range="hdr")
    growing.update(data[:100])
    growing.update(data[100:], finished=True)
    assert growing.image is not None
    return growing.image


def linear(sample: int) -> float:
    value = sample / 255
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


class Maps(TestCase):
    def assert_rendition(self, data: bytes, stops: float = STOPS, is_linear: bool = False) -> None:
        """Compares light with that of the base image and the samples of the map."""
        base, image = sdimage.decode(data, pixel_format="rgb8"), sdimage.decode(data, dynamic_range="hdr")
        self.assertEqual((image.pixel_format, image.is_hdr, base.is_hdr), ("rgba_float", True, False))
        self.assertEqual((image.width, image.height), (base.width, base.height))
        self.assertAlmostEqual(image.headroom, stops, places=3)
        self.assertAlmostEqual(sdimage.info(data)["content_headroom"], stops, places=3)
        gains = image.gain_map
        assert gains is not None
        self.assertEqual((gains.is_linear, gains.image.width), (is_linear, base.width))
        pixels, samples = base.tobytes(), gains.image.convert("gray8").tobytes()
        light = struct.unpack(f"={image.width * image.height * 4}f", image.tobytes())
        for index in range(0, image.width * image.height, 97):
            sample = samples[index]
            gain = 1 + (2**stops - 1) * linear(sample) if is_linear else 2 ** (stops * sample / 255)
            for channel in range(3):
                expected = linear(pixels[3 * index + channel]) * gain
                self.assertAlmostEqual(light[4 * index + channel], expected, delta=0.005 + 0.01 * expected)

    def assert_plain(self, data: bytes) -> None:
        """A map that cannot be used leaves the base image, and a warning in the log."""
        lines: list[bytes] = []
        handler = LogHandler(sizeof(LogHandler), LOG_HANDLER_MESSAGE(lambda _, level, text: lines.append(text)))
        call(lib.sdimage_log_set_handler, LOG_LEVEL_WARNING, byref(handler), None, DESTROY())
        try:
            image = sdimage.decode(data, dynamic_range="hdr")
        finally:
            call(lib.sdimage_log_set_handler, 0, None, None, DESTROY())
        self.assertEqual((image.is_hdr, image.pixel_format, image.gain_map), (False, "rgb8", None))
        self.assertTrue([line for line in lines if line.startswith(b"decode: gain map is not used: ")], lines)

    def assert_every_change_is_survived(self, data: bytes) -> None:
        for index in range(0, len(data), 11):
            for changed in (data[:index], data[:index] + bytes([data[index] ^ (index | 1) & 255]) + data[index + 1 :]):
                try:
                    sdimage.decode(changed, dynamic_range="hdr")
                except sdimage.Error:
                    pass


@unittest.skipUnless(usable("heic"), f"no HEIF module: {sdimage.doctor()['libraries'].get('heif')}")
class HEICMaps(Maps):
    def setUp(self) -> None:
        super().setUp()
        self.base = coded((FIXTURES / "heif/still.heic").read_bytes())
        self.samples = coded((FIXTURES / "heif/gray.heic").read_bytes())

    def file(self, tone_map: bytes | None, *own: bytes, derived: tuple[bytes, ...] = ()) -> bytes:
        return heif(b"heic", b"hvc1", self.base, self.samples, tone_map, own, derived)

    def test_an_item_of_tone_mapping_is_applied(self) -> None:
        self.assert_rendition(self.file(b"\0" + parameters()))

    def test_the_auxiliary_image_of_apple_is_applied(self) -> None:
        self.assert_rendition(self.file(None), 3, is_linear=True)

    def test_the_map_turns_with_the_image(self) -> None:
        data = self.file(b"\0" + parameters(), box(b"irot", b"\1"))
        self.assert_rendition(data)
        small = sdimage.decode(data, keep_gain_map=True, thumbnail_size=(16, 16))
        assert small.gain_map is not None
        samples = small.gain_map.image
        self.assertEqual((small.width, small.height, samples.width, samples.height), (8, 16, 8, 16))

    def test_a_file_whose_first_image_is_derived(self) -> None:
        data = self.file(b"\0" + parameters())
        at = data.index(b"pitm") + 8
        self.assert_rendition(data[:at] + b"\0\3" + data[at + 2 :])

    def test_maps_that_cannot_be_used_leave_the_image(self) -> None:
        for tone_map in (b"", b"\0", b"\1" + parameters(), b"\0" + parameters(version=1), b"\0" + parameters(0)):
            self.assert_plain(self.file(tone_map))
        self.samples = (self.samples[0][:20], self.samples[1])
        self.assert_plain(self.file(b"\0" + parameters()))

    def test_damage(self) -> None:
        self.assert_every_change_is_survived(self.file(b"\0" + parameters()))


@unittest.skipUnless(usable("avif"), f"no AVIF module: {sdimage.doctor()['libraries'].get('avif')}")
class AVIFMaps(Maps):
    def file(self, tone_map: bytes, *own: bytes, derived: tuple[bytes, ...] = ()) -> bytes:
        parts = []
        for name in ("full_chroma", "gray"):
            data = (FIXTURES / f"avif/{name}.avif").read_bytes()
            parts.append((inside(data, b"mdat"), box(b"av1C", inside(data, b"ipco", b"av1C"))))
        return heif(b"avif", b"av01", parts[0], parts[1], tone_map, own, derived)

    def test_an_item_of_tone_mapping_is_applied(self) -> None:
        self.assert_rendition(self.file(b"\0" + parameters()))

    def test_gains_may_apply_to_the_colors_of_the_other_rendition(self) -> None:
        """With equal gains of all channels, the primaries make no difference."""
        plain = bytearray(parameters())
        plain[4] = 0
        wide = box(b"colr", b"nclx", struct.pack(">HHHB", 9, 16, 9, 0x80))
        self.assert_rendition(self.file(b"\0" + plain, derived=(wide,)))

    def test_a_stream_has_the_rendition_too(self) -> None:
        data = self.file(b"\0" + parameters())
        self.assertEqual(streamed(data).tobytes(), sdimage.decode(data, dynamic_range="hdr").tobytes())

    def test_maps_that_cannot_be_used_leave_the_image(self) -> None:
        for tone_map in (b"", b"\0", b"\1" + parameters(), b"\0" + parameters(version=1), b"\0" + parameters(0)):
            self.assert_plain(self.file(tone_map))

    def test_damage(self) -> None:
        self.assert_every_change_is_survived(self.file(b"\0" + parameters()))
