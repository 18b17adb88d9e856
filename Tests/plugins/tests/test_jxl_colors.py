"""High dynamic range in JPEG XL, written by libjxl alone: compared with the formulas of PQ and HLG, and with PNG."""

from __future__ import annotations

import math
import struct
import unittest
import zlib

from . import writers
from .support import TestCase, lib, needs, sdimage

BT709, BT2020, P3, PQ, HLG = 1, 9, 12, 16, 18
#: cd/m² of reference white (ITU-R BT.2408), which is 1 in linear float.
WHITE = 203
#: Linear light of BT.2020 and of Display P3 as linear light of sRGB.
MATRICES = {
    BT709: ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    BT2020: ((1.660491, -0.587641, -0.072850), (-0.124550, 1.132900, -0.008349), (-0.018151, -0.100579, 1.118730)),
    P3: ((1.224940, -0.224940, 0), (-0.042057, 1.042057, 0), (-0.019638, -0.078636, 1.098274)),
}
#: The luminance weights of their primaries.
WEIGHTS = {BT709: (0.2126, 0.7152, 0.0722), BT2020: (0.2627, 0.6780, 0.0593), P3: (0.2290, 0.6917, 0.0793)}
LEVELS = (0.0, 0.1, 0.3, 0.5, 0.58, 0.75, 0.9, 1.0)
PIXELS = [*((level,) * 3 for level in LEVELS), (0.6, 0.2, 0.1), (0.1, 0.6, 0.3), (0.2, 0.1, 0.6), (0.7, 0.65, 0.5)]
WIDTH, HEIGHT = len(PIXELS), 8


def samples() -> bytes:
    """The rows of pixels, a column for each sample."""
    return b"".join(struct.pack("=3H", *(round(value * 65535) for value in pixel)) for pixel in PIXELS) * HEIGHT


def png(primaries: int, transfer: int) -> bytes:
    """The same samples in PNG with cICP."""
    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    rows = b"\0".join([b"", *[b"".join(struct.pack(">3H", *(round(value * 65535) for value in pixel)) for pixel in PIXELS)]
                       * HEIGHT])
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 16, 2, 0, 0, 0))
            + chunk(b"cICP", bytes((primaries, transfer, 0, 1))) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def pq(value: float) -> float:
    """SMPTE ST 2084: cd/m² for a signal."""
    power = value ** (1 / 78.84375)
    return 10000 * (max(power - 0.8359375, 0) / (18.8515625 - 18.6875 * power)) ** (1 / 0.1593017578125)


def hlg(pixel: tuple[float, ...], primaries: int) -> list[float]:
    """ITU-R BT.2100: cd/m² for a signal on a display of 1000 cd/m²."""
    a, b, c = 0.17883277, 0.28466892, 0.55991073
    scene = [value * value / 3 if value <= 0.5 else (math.exp((value - c) / a) + b) / 12 for value in pixel]
    level = sum(weight * part for weight, part in zip(WEIGHTS[primaries], scene))
    return [1000 * level**0.2 * part for part in scene]


def wanted(pixel: tuple[float, ...], primaries: int, transfer: int) -> list[float]:
    """Linear light of sRGB's primaries."""
    light = [pq(value) for value in pixel] if transfer == PQ else hlg(pixel, primaries)
    return [sum(weight * part for weight, part in zip(row, light)) / WHITE for row in MATRICES[primaries]]


@needs("jxl")
class HighDynamicRange(TestCase):
    def assert_light(self, image: sdimage.Image, primaries: int, transfer: int, loss: float) -> None:
        self.assertEqual((image.width, image.height, image.pixel_format), (WIDTH, HEIGHT, "rgba_float"))
        self.assertTrue(image.is_hdr)
        values = struct.unpack(f"={WIDTH * HEIGHT * 4}f", image.tobytes())
        for place, pixel in enumerate(PIXELS):
            got = values[(4 * WIDTH + place) * 4 :][:3]
            for one, other in zip(got, wanted(pixel, primaries, transfer)):
                with self.subTest(pixel=pixel, primaries=primaries, transfer=transfer):
                    self.assertLessEqual(abs(one - other), max(abs(other), 0.02) * loss, f"{got}")

    def test_pq_and_hlg_are_light(self) -> None:
        for primaries in (BT709, BT2020, P3):
            for transfer in (PQ, HLG):
                data = writers.jxl(samples(), WIDTH, HEIGHT, primaries, transfer)
                self.assert_light(sdimage.decode(data, pixel_format="rgba_float"), primaries, transfer, 0.01)

    def test_samples_that_are_left_alone_keep_their_code_points(self) -> None:
        for primaries, transfer in ((BT2020, PQ), (BT2020, HLG), (P3, PQ), (BT709, HLG)):
            data = writers.jxl(samples(), WIDTH, HEIGHT, primaries, transfer)
            image = sdimage.decode(data, convert_to_srgb=False, pixel_format="native")
            with self.subTest(primaries=primaries, transfer=transfer):
                self.assertEqual((image.pixel_format, image.tobytes()), ("rgb16", samples()))
                said = lib.sdimage_image_color_primaries(image.pointer), lib.sdimage_image_transfer_characteristics(image.pointer)
                self.assertEqual(said, (primaries, transfer))
                self.assertAlmostEqual(image.headroom, 5.622 if transfer == PQ else 2.3, places=2)
                self.assertTrue(sdimage.info(data)["is_hdr"])
                # The plug-in's own encoding gives the same values.
                again = sdimage.decode(image.encode("jxl", lossless=True, effort=1), pixel_format="rgba_float")
                self.assert_light(again, primaries, transfer, 0.01)

    def test_light_is_written_in_pq_and_hlg(self) -> None:
        for transfer, name in ((PQ, "pq"), (HLG, "hlg")):
            light = sdimage.decode(png(BT2020, transfer), pixel_format="rgba_float")
            for bits in (8, 10, 12, 16):
                data = light.encode("jxl", lossless=True, transfer_characteristics=name, bits_per_channel=bits)
                image = sdimage.decode(data, convert_to_srgb=False, pixel_format="rgb16")
                with self.subTest(transfer=transfer, bits=bits):
                    self.assertEqual((image.color_primaries, image.transfer_characteristics), (BT2020, transfer))
                    self.assertEqual(sdimage.info(data)["bits_per_channel"], bits)
                    steps = 2**bits - 1
                    for one, other in zip(struct.iter_unpack("=H", image.tobytes()), struct.iter_unpack("=H", samples())):
                        self.assertLessEqual(abs(one[0] - other[0]), 65535 / steps / 2 + 64)

    def test_the_light_level_is_the_peak_of_pq_only(self) -> None:
        """The header has it (`intensity_target`), and the samples do not depend on it."""
        light = sdimage.decode(png(BT2020, PQ), pixel_format="rgba_float")
        for name, differs in (("pq", True), ("hlg", False)):
            plain, told = (light.encode("jxl", lossless=True, effort=1, transfer_characteristics=name, max_content_light_level=level)
                           for level in (0, 600))
            with self.subTest(name):
                self.assertEqual(plain != told, differs)
                one, other = (sdimage.decode(data, pixel_format="rgba_float").tobytes() for data in (plain, told))
                self.assertEqual(one, other)

    def test_srgb_is_what_a_png_of_the_same_samples_gives(self) -> None:
        for primaries, transfer in ((BT2020, PQ), (BT2020, HLG)):
            for wish in ("rgb8", "rgb16", "native", None):
                options = {"pixel_format": wish} if wish else {}
                one = sdimage.decode(writers.jxl(samples(), WIDTH, HEIGHT, primaries, transfer), **options)
                other = sdimage.decode(png(primaries, transfer), **options)
                with self.subTest(transfer=transfer, wish=wish):
                    self.assertEqual((one.pixel_format, one.tobytes()), (other.pixel_format, other.tobytes()))
                    self.assertFalse(one.is_hdr)

    def test_known_code_points_are_written(self) -> None:
        colors = bytes((200, 60, 60, 60, 200, 60, 60, 60, 200, 20, 90, 160, 250, 250, 250, 5, 5, 5))
        for plain in (sdimage.Image.from_pixels(colors, 6, 1, "rgb8"), sdimage.Image.from_pixels(colors, 18, 1, "gray8")):
            for primaries in (1, 5, 6, 7, 9, 12):
                for transfer in (1, 4, 5, 6, 8, 13, 14, 15):
                    image = plain.with_metadata(cicp=(primaries, transfer, 0, True))
                    got, wanted = (sdimage.decode(image.encode(name, lossless=True, effort=1)).tobytes() for name in ("jxl", "png"))
                    with self.subTest(pixels=plain.pixel_format, primaries=primaries, transfer=transfer):
                        self.assert_close(tuple(got), tuple(wanted), 2)

    def test_lossy_pictures_keep_their_light(self) -> None:
        for transfer in (PQ, HLG):
            flat = struct.pack("=3H", *(round(value * 65535) for value in (0.6, 0.6, 0.6))) * (64 * 64)
            data = writers.jxl(flat, 64, 64, BT2020, transfer, 0.5)
            image = sdimage.decode(data, pixel_format="rgba_float")
            got = struct.unpack_from("=3f", image.tobytes(), 16 * (32 * 64 + 32))
            with self.subTest(transfer=transfer):
                for one, other in zip(got, wanted((0.6, 0.6, 0.6), BT2020, transfer)):
                    self.assertLessEqual(abs(one - other), other * 0.05, f"{got}")


@needs("jxl")
class Layers(TestCase):
    """A still of two layers is one image: opaque green, and half-transparent red in its middle."""

    SIDE, SRGB = 512, 13
    BASE, ABOVE = (0, 65535, 0, 65535), (65535, 0, 0, 32768)

    def test_layers_are_blended_to_one_image(self) -> None:
        samples = struct.pack("=4H", *self.BASE) * self.SIDE**2 + struct.pack("=4H", *self.ABOVE) * (self.SIDE // 2) ** 2
        for distance in (0, 1):
            data = writers.jxl(samples, self.SIDE, self.SIDE, BT709, self.SRGB, distance, "layers")
            self.assertEqual(sdimage.info(data)["frame_count"], 1)
            for side in (self.SIDE, 32):
                image = sdimage.decode(data, pixel_format="rgba8", thumbnail_size=(side, side))
                self.assertEqual((image.width, image.frame_count), (side, 1))
                for x, color in ((side // 8, (0, 255, 0, 255)), (side // 2, (128, 127, 0, 255))):
                    with self.subTest(distance=distance, side=side, x=x):
                        self.assert_close(self.pixel(image, x, side // 2), color, 9 if distance else 1)
            self.assert_pieces_agree(data)

    def test_multiplied_alpha_is_divided_out_exactly(self) -> None:
        # Dark colors of low alpha lose their low bits if the division takes place in 8 bits.
        alphas = [round(65535 * level / 255) for level in (1, 2, 5, 40, 200, 255)]
        row = b"".join(struct.pack("=4H", *(round(part * alpha) for part in (0.8, 0.3, 0.1)), alpha) for alpha in alphas)
        data = writers.premultiplied(writers.jxl(row * 8, len(alphas), 8, BT709, self.SRGB, 0, "alpha"))
        for converts in (True, False):
            image = sdimage.decode(data, pixel_format="rgba8", convert_to_srgb=converts)
            self.assertEqual(image.pixel_format, "rgba8")
            for x, level in enumerate((1, 2, 5, 40, 200, 255)):
                with self.subTest(converts=converts, alpha=level):
                    self.assert_close(self.pixel(image, x, 3), (204, 77, 26, level), 1)


if __name__ == "__main__":
    unittest.main()
