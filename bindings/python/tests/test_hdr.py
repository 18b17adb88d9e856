"""HDR renditions: a JPEG with a gain map compared with libultrahdr, and PQ in PNG."""

from __future__ import annotations

import copy
import math
import pickle
import struct
import zlib
from pathlib import Path

from .support import TestCase, png, sdimage

FOLDER = Path(__file__).parents[3] / "Tests/fixtures/hdr"
#: Pixels between two in sunset.f16, and columns and rows there (Tests/fixtures/make_gain_maps.py).
STEP, COLUMNS, ROWS = 8, 30, 20


def luminance(red: float, green: float, blue: float) -> float:
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


class Renditions(TestCase):
    sunset = FOLDER / "sunset.jpg"

    def test_the_light_is_that_of_libultrahdr(self) -> None:
        reference = (FOLDER / "sunset.f16").read_bytes()
        half = len(reference) // 2
        for part, options in ((reference[:half], {"dynamic_range": "hdr"}),
                              (reference[half:], {"dynamic_range": "automatic", "display_headroom": 1.0})):
            image = sdimage.decode(self.sunset, **options)  # type: ignore[arg-type]
            self.assertEqual((image.pixel_format, image.is_hdr), ("rgba_float", True))
            samples = struct.unpack(f"={image.width * image.height * 4}f", image.tobytes())
            expected = struct.unpack(f"<{COLUMNS * ROWS * 3}e", part)
            errors = []
            for at in range(COLUMNS * ROWS):
                offset = (at // COLUMNS * STEP * image.width + at % COLUMNS * STEP) * 4
                wanted = luminance(*expected[3 * at : 3 * at + 3])
                errors.append(abs(luminance(*samples[offset : offset + 3]) - wanted) / max(wanted, 0.01))
            self.assertLess(max(errors), 0.01)

    def test_the_image_tells_its_headroom_and_its_map(self) -> None:
        image = sdimage.decode(self.sunset, dynamic_range="automatic", display_headroom=2)
        self.assertEqual(image.headroom, 2)
        self.assertAlmostEqual(image.content_headroom, 5.622, places=3)
        gains = image.gain_map
        assert gains is not None
        self.assertEqual((gains.image.width, gains.image.height, gains.image.pixel_format), (240, 160, "rgb8"))
        self.assertEqual((gains.base_headroom, gains.alternate_headroom, gains.is_linear), (0, image.content_headroom, False))
        self.assertEqual({channel.gamma for channel in gains.channels}, {1.0})
        self.assertTrue(sdimage.info(self.sunset)["has_gain_map"])
        plain = sdimage.decode(self.sunset)
        self.assertEqual((plain.pixel_format, plain.is_hdr, plain.headroom, plain.gain_map), ("rgb8", False, 0, None))

    def test_the_options_are_read_back(self) -> None:
        options = sdimage.decode(self.sunset, dynamic_range="automatic", display_headroom=1.5).decode_options
        assert options is not None
        self.assertEqual((options["dynamic_range"], options["display_headroom"]), ("automatic", 1.5))
        self.assert_error("INVALID_ARGUMENT", sdimage.decode, png(), dynamic_range="wide")

    def test_loads_have_renditions(self) -> None:
        manager = self.manager()
        url = self.origin().add("sunset.jpg", self.sunset.read_bytes(), "image/jpeg")
        for dynamic_range, is_hdr in (("hdr", True), ("sdr", False), ("hdr", True)):
            image = manager.load(url, dynamic_range=dynamic_range, thumbnail_size=(60, 60)).image
            assert image
            self.assertEqual((image.is_hdr, image.width), (is_hdr, 60))

    def test_pq_is_light_on_request(self) -> None:
        def chunk(name: bytes, body: bytes) -> bytes:
            return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

        # SMPTE ST 2084: the signal 0.75 is 983 cd/m², 4.84 times the white of SDR.
        rows = (b"\0" + struct.pack(">3H", *(round(0.75 * 65535),) * 3) * 16) * 16
        data = (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 16, 16, 16, 2, 0, 0, 0))
                + chunk(b"cICP", bytes((9, 16, 0, 1))) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
        image = sdimage.decode(data, dynamic_range="hdr")
        self.assertEqual(image.pixel_format, "rgba_float")
        self.assertAlmostEqual(struct.unpack("=f", image.tobytes()[:4])[0], 4.84, delta=0.05)
        self.assertAlmostEqual(image.headroom, 5.622, places=3)
        shown = sdimage.decode(data, dynamic_range="automatic", display_headroom=1)
        self.assertEqual((shown.pixel_format, shown.is_hdr, shown.headroom), ("rgba_float", True, 1))
        self.assertAlmostEqual(struct.unpack("=f", shown.tobytes()[:4])[0], 2, delta=0.02)
        header = sdimage.info(data)
        self.assertEqual((header["is_hdr"], header["transfer_characteristics"], header["has_gain_map"]), (True, 16, False))
        small = sdimage.decode(data, dynamic_range="hdr", limit_bytes=64 * 16)
        self.assertEqual((small.width, small.height, small.pixel_format), (8, 8, "rgba_float"))
        plain = sdimage.decode(data)
        self.assertEqual((plain.pixel_format, plain.headroom), ("rgb8", 0))
        self.assertAlmostEqual(plain.content_headroom, 5.622, places=3)


def entry(tag: int, kind: int, count: int, value: int) -> bytes:
    """An entry of a TIFF directory."""
    return struct.pack(">HHII", tag, kind, count, value)


#: An EXIF block with Apple's maker note: the numbers 0x21 and 0x30 are 1 and 0, which stand for 3 stops.
APPLE_EXIF = (
    b"MM\0*" + struct.pack(">IH", 8, 1) + entry(0x8769, 4, 1, 26) + bytes(4)
    + b"\0\1" + entry(0x927C, 7, 60, 44) + bytes(4)
    + b"Apple iOS\0\0\1MM\0\2" + entry(0x21, 10, 1, 44) + entry(0x30, 10, 1, 52) + struct.pack(">5I", 0, 1, 1, 0, 1)
)
#: Parameters of one channel (ISO 21496-1, annex C) with a denominator of 16: 2 stops, gains of -0.5 to 3 stops, the gamma 1.5,
#: and the offsets 1/16 and 1/8.
PARAMETERS = b"\0\0\0\0\x48" + struct.pack(">IIIiiIII", 16, 0, 32, -8, 48, 24, 1, 2)


class GainMaps(TestCase):
    sunset = FOLDER / "sunset.jpg"

    def gray(self, value: int) -> sdimage.Image:
        return sdimage.Image.from_pixels(bytes([value]) * 32, 8, 4, "gray8")

    def light(self, value: float) -> sdimage.Image:
        return sdimage.Image.from_pixels(struct.pack("=4f", value, value, value, 1) * 32, 8, 4, "rgba_float")

    def first(self, image: sdimage.Image) -> float:
        self.assertEqual(image.pixel_format, "rgba_float")
        return float(struct.unpack("=f", image.tobytes()[:4])[0])

    def test_a_kept_map_is_applied_later(self) -> None:
        base = sdimage.decode(self.sunset, keep_gain_map=True, dynamic_range="hdr")
        self.assertEqual((base.pixel_format, base.is_hdr, base.headroom), ("rgb8", False, 0))
        assert base.decode_options
        self.assertTrue(base.decode_options["keep_gain_map"])
        bright, fitting = base.apply_gain_map(), base.apply_gain_map(headroom=1.5)
        self.assertEqual((bright.headroom, fitting.headroom), (base.content_headroom, 1.5))
        self.assertEqual(base.apply_gain_map(0).pointer, base.pointer)
        decoded = sdimage.decode(self.sunset, dynamic_range="hdr")
        self.assertAlmostEqual(self.first(bright), self.first(decoded), delta=0.02 * self.first(decoded))
        self.assert_error("UNSUPPORTED", bright.apply_gain_map)
        self.assert_error("UNSUPPORTED", self.gray(1).apply_gain_map)
        self.assert_error("INVALID_ARGUMENT", base.apply_gain_map, math.nan)
        self.assertRaises(sdimage.Error, base.apply_gain_map, "1")

    def test_a_kept_map_is_written_again(self) -> None:
        base = sdimage.decode(self.sunset, keep_gain_map=True)
        small = sdimage.decode(base.encode("jpeg", embed_gain_map=True, max_pixel_size=(60, 60)), dynamic_range="hdr")
        self.assertEqual(small.width, 60)
        self.assertAlmostEqual(small.headroom, base.content_headroom, places=5)
        self.assertFalse(sdimage.decode(base.encode("jpeg"), dynamic_range="hdr").is_hdr)

    def test_light_above_white_is_written(self) -> None:
        image = sdimage.decode(self.light(3).encode("jpeg", embed_gain_map=True), dynamic_range="hdr")
        self.assertAlmostEqual(self.first(image), 3, delta=0.06)
        gains = image.gain_map
        assert gains is not None
        self.assertEqual((gains.image.width, gains.image.pixel_format), (8, "gray8"))

    def test_a_map_is_made_from_its_parameters(self) -> None:
        gains = sdimage.GainMap(self.gray(255), PARAMETERS)
        self.assertEqual((gains.base_headroom, gains.alternate_headroom), (0, 2))
        self.assertEqual(gains.channels, (sdimage.GainMapChannel(-0.5, 3, 1.5, 1 / 16, 1 / 8),) * 3)
        self.assertTrue(gains.is_in_base_color_space and not gains.is_linear)
        for again in (sdimage.GainMap(gains.image, gains.parameters), pickle.loads(pickle.dumps(gains))):
            self.assertEqual((again.channels, again.alternate_headroom), (gains.channels, 2))
        self.assertIs(copy.deepcopy(gains), gains)
        self.assertIn("8x4 gray8", repr(gains))
        self.assert_error("BAD_DATA", sdimage.GainMap, self.gray(1), PARAMETERS[:-1])
        self.assert_error("INVALID_ARGUMENT", sdimage.GainMap, self.light(1), PARAMETERS)
        self.assertRaisesRegex(sdimage.Error, "samples must be Image, not str", sdimage.GainMap, "", PARAMETERS)

    def test_a_map_is_attached_to_an_image(self) -> None:
        gains = sdimage.GainMap(self.gray(255), PARAMETERS)
        base = self.gray(255).with_metadata(gain_map=gains)
        self.assertEqual(base.gain_map and base.gain_map.pointer, gains.pointer)
        # 2 ** 3 times the sum of white and 1/16, less 1/8.
        self.assertAlmostEqual(self.first(base.apply_gain_map()), 8 * 17 / 16 - 1 / 8, places=3)
        self.assertEqual(pickle.loads(pickle.dumps(base)).apply_gain_map().headroom, 2)
        self.assertIsNone(base.with_metadata(gain_map=None).gain_map)
        self.assertRaises(sdimage.Error, base.with_metadata, gain_map=b"map")

    def test_a_map_of_apple_s_format_is_linear(self) -> None:
        gains = sdimage.GainMap.apple(self.gray(255), APPLE_EXIF)
        self.assertTrue(gains.is_linear)
        self.assertAlmostEqual(gains.alternate_headroom, 3, places=3)
        base = self.gray(255).with_metadata(gain_map=gains)
        self.assertAlmostEqual(self.first(base.apply_gain_map()), 8, delta=0.01)
        self.assert_error("UNSUPPORTED", lambda: gains.parameters)
        self.assert_error("BAD_DATA", sdimage.GainMap.apple, self.gray(255), b"MM")
        self.assertIsNone(pickle.loads(pickle.dumps(base)).gain_map)

    def test_the_map_between_two_renditions_is_measured(self) -> None:
        gains = sdimage.GainMap.between(self.gray(255), self.light(4))
        self.assertEqual(gains.alternate_headroom, 2)
        pair = self.gray(255).with_metadata(gain_map=gains)
        self.assertAlmostEqual(self.first(pair.apply_gain_map()), 4, delta=0.1)
        self.assertAlmostEqual(self.first(sdimage.decode(pair.encode("jpeg", embed_gain_map=True), dynamic_range="hdr")), 4, delta=0.1)
        self.assert_error("UNSUPPORTED", sdimage.GainMap.between, self.gray(255), self.light(1))
        self.assert_error("INVALID_ARGUMENT", sdimage.GainMap.between, self.light(4), self.gray(255))

    def test_coders_of_the_program_see_the_options_and_give_maps(self) -> None:
        seen: list[object] = []
        gains = sdimage.GainMap(self.gray(255), PARAMETERS)
        base = self.gray(255).with_metadata(gain_map=gains)

        class Mapped(sdimage.Coder):
            def can_decode(self, head: bytes) -> bool:
                return head.startswith(b"mapped")

            def decode(self, data: bytes, options: sdimage.DecodeOptions) -> sdimage.Image:
                seen.append(options["keep_gain_map"])
                return base

            def can_encode(self, format: str) -> bool:  # noqa: A002
                return format == "ico"

            def encode(self, image: sdimage.Image, format: str, options: sdimage.EncodeOptions) -> bytes:  # noqa: A002
                seen.append(options["embed_gain_map"])
                return b"bytes"

        coder = Mapped()
        sdimage.register_coder(coder)
        self.addCleanup(sdimage.unregister_coder, coder)
        self.assertIsNone(sdimage.decode(b"mapped").gain_map)
        self.assertIsNotNone(sdimage.decode(b"mapped", keep_gain_map=True).gain_map)
        self.assertEqual(sdimage.decode(b"mapped", dynamic_range="automatic", display_headroom=1).headroom, 1)
        self.assertEqual((base.encode("ico"), base.encode("ico", embed_gain_map=True)), (b"bytes", b"bytes"))
        self.assertEqual(seen, [False, True, False, False, True])


class Signals(TestCase):
    """Samples in PQ and HLG with the primaries of BT.2020, of the sunset."""

    CODES = {"pq": 16, "hlg": 18}

    def expected(self, transfer: str) -> sdimage.Image:
        return sdimage.decode(FOLDER / "sunset.jpg", dynamic_range="hdr", transfer_characteristics=transfer)

    def errors(self, image: sdimage.Image, transfer: str) -> tuple[float, int]:
        """Mean and largest difference from the expected samples, in steps of ten bits."""
        one, other = (struct.unpack(f"={picture.width * picture.height * 3}H", picture.tobytes())
                      for picture in (image, self.expected(transfer)))
        differences = [abs(a - b) for a, b in zip(one, other)]
        return sum(differences) / len(differences) / 64, max(differences) // 64

    def test_images_are_decoded_to_samples(self) -> None:
        for transfer, code in self.CODES.items():
            image = self.expected(transfer)
            self.assertEqual((image.pixel_format, image.color_primaries, image.transfer_characteristics), ("rgb16", 9, code))
            self.assertTrue(image.is_hdr)
            options = image.decode_options
            assert options is not None
            self.assertEqual(options["transfer_characteristics"], transfer)
        self.assert_error("INVALID_ARGUMENT", sdimage.decode, png(), transfer_characteristics="gamma")
        self.assert_error("INVALID_ARGUMENT", sdimage.decode, png(), transfer_characteristics="pq", pixel_format="rgba8")

    def test_loads_with_other_transfers_are_other_images(self) -> None:
        manager = self.manager()
        url = self.origin().add("sunset.jpg", (FOLDER / "sunset.jpg").read_bytes(), "image/jpeg")
        for transfer, code in (("pq", 16), (None, 0), ("hlg", 18), ("pq", 16)):
            image = manager.load(url, dynamic_range="hdr", transfer_characteristics=transfer, thumbnail_size=(60, 60)).image
            assert image
            self.assertEqual((image.transfer_characteristics, image.width, image.is_hdr), (code, 60, True))

    def test_files_have_the_samples_and_their_code_points(self) -> None:
        light = sdimage.decode(FOLDER / "sunset.jpg", dynamic_range="hdr")
        # Subsampled chroma differs at edges.
        for form, bits, mean in (("png", 16, 0), ("avif", 10, 4), ("avif", 12, 4), ("heic", 10, 4), ("heic", 12, 4)):
            if not sdimage.can_encode(form):
                continue
            for transfer, code in self.CODES.items():
                data = light.encode(form, transfer_characteristics=transfer, bits_per_channel=bits)
                back = sdimage.decode(data, convert_to_srgb=False, pixel_format="rgb16")
                with self.subTest(form=form, bits=bits, transfer=transfer):
                    self.assertEqual((back.color_primaries, back.transfer_characteristics, back.is_hdr), (9, code, True))
                    self.assertEqual(sdimage.info(data)["bits_per_channel"], bits)
                    self.assertLessEqual(self.errors(back, transfer)[0], mean)

    def test_samples_are_written_as_they_are(self) -> None:
        for form in ("png", "avif", "heic"):
            for transfer, code in self.CODES.items():
                if not sdimage.can_encode(form):
                    continue
                data = self.expected(transfer).encode(form)
                with self.subTest(form=form, transfer=transfer):
                    self.assertEqual(data, self.expected(transfer).encode(form, transfer_characteristics=transfer))
                    back = sdimage.decode(data, convert_to_srgb=False, pixel_format="rgb16")
                    self.assertEqual((back.color_primaries, back.transfer_characteristics), (9, code))
                    self.assertLessEqual(self.errors(back, transfer)[0], 4)

    def test_animations_keep_their_light(self) -> None:
        light = sdimage.decode(FOLDER / "sunset.jpg", dynamic_range="hdr")
        moving = sdimage.Image.animation([light, light], [100, 100])
        data = moving.encode("png", transfer_characteristics="pq")
        self.assertTrue(sdimage.info(data)["is_hdr"])
        back = sdimage.decode(data, transfer_characteristics="pq", pixel_format="rgb16")
        self.assertEqual((back.frame_count, back.transfer_characteristics, back.is_hdr), (2, 16, True))
        # The canvas of an animation has eight bits.
        self.assertLessEqual(self.errors(back.frame(0), "pq")[1], 4)

    def test_light_levels_are_properties(self) -> None:
        if not any(map(sdimage.can_encode, ("avif", "heic"))):
            self.skipTest("no encoder of AVIF or HEIC")
        for name in ("hdr/sunset.jpg", "pictures/glass-icon.png"):
            light = sdimage.decode(FOLDER.parent / name, dynamic_range="hdr", thumbnail_size=(64, 64))
            for form in ("avif", "heic"):
                if not sdimage.can_encode(form):
                    continue
                plain = light.encode(form, transfer_characteristics="pq")
                data = light.encode(form, transfer_characteristics="pq", max_content_light_level=1000,
                                    max_frame_average_light_level=400)
                with self.subTest(form=form, name=name):
                    self.assertNotIn(b"clli", plain)
                    self.assertIn(b"\0\0\0\x0cclli" + struct.pack(">2H", 1000, 400), data)
                    one, other = (sdimage.decode(file, pixel_format="rgba_float") for file in (plain, data))
                    self.assertEqual((one.tobytes(), one.has_alpha), (other.tobytes(), light.has_alpha))

    def test_sdr_files_need_no_option(self) -> None:
        light = sdimage.decode(FOLDER / "sunset.jpg", dynamic_range="hdr")
        for form in ("png", "avif", "jpeg"):
            if sdimage.can_encode(form):
                self.assertFalse(sdimage.decode(light.encode(form), dynamic_range="hdr").is_hdr)
        self.assert_error("UNSUPPORTED", light.encode, "jpeg", transfer_characteristics="pq")
        self.assert_error("UNSUPPORTED", light.encode, "avif", bits_per_channel=16)
