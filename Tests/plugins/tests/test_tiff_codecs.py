"""TIFF with the compressions of libtiff, and inks with an embedded profile: compared with the written samples."""

from __future__ import annotations

import struct
import unittest

from . import libtiff, profiles
from .support import TestCase, needs, sdimage
from .tiffs import HEIGHT, LONG, SHORT, WIDTH, Directory, Pixel, file, gray, picture, ramp, row

FAX, LZW, JPEG, DEFLATE, PIXARLOG, JBIG, LERC, LZMA, ZSTD, WEBP = 4, 5, 7, 8, 32909, 34661, 34887, 34925, 50000, 50001


def raw(pixel: Pixel = ramp, bits: int = 8, is_float: bool = False) -> bytes:
    return b"".join(row((value for x in range(WIDTH) for value in pixel(x, y)), bits, "<", is_float) for y in range(HEIGHT))


@needs("tiff")
class Compressions(TestCase):
    def assert_exact(self, compression: int, tags: dict[int, int] | None = None, bits: int = 8) -> None:
        samples = raw(bits=bits)
        data = libtiff.write(samples, WIDTH, HEIGHT, compression, bits=bits, tags=tags)
        image = sdimage.decode(data, pixel_format="native")
        self.assertEqual((image.width, image.height, image.pixel_format), (WIDTH, HEIGHT, f"rgb{bits}"))
        self.assertEqual(image.tobytes(), samples)
        self.assertNotIn(samples[:WIDTH], data, "the samples were not compressed")
        self.assert_close(self.pixel(sdimage.decode(data, thumbnail_size=(1, 1)), 0, 0)[:3], (128, 128, 191), 4)
        self.assert_hardened(data, 8, 16)

    def test_lzw(self) -> None:
        for bits in (8, 16):
            for predictor in (1, 2):
                with self.subTest(bits=bits, predictor=predictor):
                    self.assert_exact(LZW, {317: predictor}, bits)

    def test_zstandard(self) -> None:
        self.assert_exact(ZSTD, {317: 2})

    def test_lzma(self) -> None:
        self.assert_exact(LZMA)

    def test_webp_without_loss(self) -> None:
        self.assert_exact(WEBP, {65569: 1})

    def test_webp(self) -> None:
        image = sdimage.decode(libtiff.write(raw(), WIDTH, HEIGHT, WEBP))
        for x, y in ((3, 3), (31, 15), (60, 28)):
            self.assert_close(self.pixel(image, x, y)[:3], tuple(round(value * 255) for value in ramp(x, y)), 12)

    def test_lerc(self) -> None:
        for bits in (8, 16):
            with self.subTest(bits=bits):
                self.assert_exact(LERC, bits=bits)
        samples = raw(gray, 32, True)
        data = libtiff.write(samples, WIDTH, HEIGHT, LERC, samples=1, bits=32, photometric=1, is_float=True)
        image = sdimage.decode(data, pixel_format="native")
        self.assertEqual(image.pixel_format, "rgba_float")
        light = struct.unpack(f"={WIDTH * HEIGHT * 4}f", image.tobytes())
        self.assertEqual(struct.pack(f"<{WIDTH * HEIGHT}f", *light[::4]), samples)

    def test_jpeg(self) -> None:
        # YCbCr with subsampled colors, by libjpeg's own conversion; RGB unchanged; gray.
        colors = libtiff.write(raw(), WIDTH, HEIGHT, JPEG, photometric=6, tags={65538: 1, 65537: 95})
        plain = libtiff.write(raw(), WIDTH, HEIGHT, JPEG, tags={65537: 95})
        for name, data in (("colors", colors), ("plain", plain)):
            image = sdimage.decode(data)
            self.assertEqual((image.width, image.height, image.pixel_format), (WIDTH, HEIGHT, "rgb8"))
            for x, y in ((3, 3), (31, 15), (60, 28), (10, 30)):
                with self.subTest(name, x=x, y=y):
                    self.assert_close(self.pixel(image, x, y)[:3], tuple(round(value * 255) for value in ramp(x, y)), 5)
            self.assert_hardened(data, 8, 16)
        levels = libtiff.write(raw(gray), WIDTH, HEIGHT, JPEG, samples=1, photometric=1, tags={65537: 95})
        image = sdimage.decode(levels)
        self.assertEqual(image.pixel_format, "gray8")
        self.assertLessEqual(max(abs(a - b) for a, b in zip(image.tobytes(), raw(gray))), 3)

    def test_jbig(self) -> None:
        lines = [bytes((0x0F, 0xF0 if y % 2 else 0x33)) * 4 for y in range(HEIGHT)]
        data = libtiff.write(b"".join(lines), WIDTH, HEIGHT, JBIG, samples=1, bits=1, photometric=1, rows=HEIGHT)
        image = sdimage.decode(data)
        for y in (0, 1, HEIGHT - 1):
            bits = "".join(f"{byte:08b}" for byte in lines[y])
            self.assertEqual("".join(str(self.pixel(image, x, y)[0] // 255) for x in range(WIDTH)), bits)

    def test_jbig_data_have_at_most_the_size_of_their_strip(self) -> None:
        # libjbig allocates what the header announces, and aborts if it cannot. Strips are limited by tiles, too.
        for name, size in {"rows": (WIDTH, HEIGHT + 1), "columns": (WIDTH + 1, HEIGHT), "both": (2**31, 2**31)}.items():
            for tile in (0, 32):
                with self.subTest(name, tile=tile):
                    made = picture(gray, photometric=1, bits=1, rows=HEIGHT, compression=JBIG, tile=tile)
                    self.assert_refused_header(made, 1, *size)
        # Planes, of which libtiff returns one.
        many = picture(gray, photometric=1, bits=1, rows=HEIGHT, compression=JBIG).set(257, LONG, 2**20).set(278, LONG, 2**20)
        self.assert_refused_header(many, 255, WIDTH, 2**20)

    def assert_refused_header(self, made: Directory, planes: int, width: int, height: int) -> None:
        head = struct.pack(">BBBBIIIBBBB", 0, 0, planes, 0, width, height, height, 0, 0, 3, 0)
        for order in (1, 2):
            # In order 1 libtiff reverses the bits for libjbig.
            reverse = [int(f"{byte:08b}"[::-1], 2) for byte in head]
            made.set(266, SHORT, order).blocks = [head if order == 2 else bytes(reverse)] * len(made.blocks)
            self.assertIn("JBIG", self.assert_error("BAD_DATA", file(made)).message)

    def test_working_memory_of_libtiff_is_limited(self) -> None:
        def empty(compression: int, width: int, height: int, bits: int, samples: int, photometric: int, planar: bool) -> Directory:
            made = Directory().set(256, LONG, width).set(257, LONG, height).set(258, SHORT, *[bits] * samples)
            made.set(259, SHORT, compression).set(262, SHORT, photometric).set(277, SHORT, samples)
            made.set(284, SHORT, 2 if planar else 1).set(530, SHORT, 1, 1)
            return made

        # Width and height of a strip or tile, bits, samples, photometric interpretation, separate planes.
        worst = {
            "run lengths": (FAX, 1 << 24, 16, 1, 1, 0, False),
            "a dictionary": (LZMA, 17000, 17000, 8, 1, 1, False),
            "a window beside planes": (ZSTD, 8500, 8500, 8, 3, 2, True),
            "pixels of WebP": (WEBP, 6400, 6400, 8, 3, 2, False),
            "samples of LERC": (LERC, 12000, 12000, 8, 1, 1, False),
            "samples of PixarLog": (PIXARLOG, 12000, 12000, 8, 1, 1, False),
            "strips to convert": (DEFLATE, 5200, 5200, 8, 3, 6, False),
            "planes to convert": (DEFLATE, 5200, 5200, 8, 3, 6, True),
            "unpacked samples": (DEFLATE, 40_000_000, 1, 32, 1, 1, False),
        }
        for name, (compression, width, height, *layout) in worst.items():
            # Tiles have at least 16 rows.
            for tiled in (False, True) if height > 1 else (False,):
                # Data are missing: the limit is found before they are read.
                for factor, codes in ((1, "TOO_LARGE"), (4, "BAD_DATA")):
                    across, down = width // factor // 16 * 16, max(1, height // factor // 16 * 16)
                    made = empty(compression, across, down, *layout)  # type: ignore[arg-type]
                    made.set(278, LONG, down).blocks = [b""] * (3 if layout[-1] else 1)
                    if tiled:
                        made.block_tags = 324, 325
                        made.set(322, LONG, across).set(323, LONG, max(16, down))
                    with self.subTest(name, tiled=tiled, factor=factor):
                        self.assert_error(codes, file(made), thumbnail_size=(16, 16), max_pixels=1 << 30)

    def test_fax(self) -> None:
        """ITU-T T.4 (compressions 2 and 3) and T.6 (4)."""
        def dots(x: int, y: int) -> tuple[int]:
            return (int((x * x + 3 * y) % 11 < 4 or x == y),)

        samples = raw(dots, 1)
        # 1 is black if the lowest number is white.
        wanted = bytes(255 * (1 - dots(x, y)[0]) for y in range(HEIGHT) for x in range(WIDTH))
        for compression, tags in ((2, {}), (3, {}), (3, {292: 1}), (4, {})):
            with self.subTest(compression=compression, tags=tags):
                data = libtiff.write(samples, WIDTH, HEIGHT, compression, samples=1, bits=1, photometric=0, tags=tags)
                self.assertNotIn(samples[:32], data)
                image = sdimage.decode(data)
                self.assertEqual((image.pixel_format, image.tobytes()), ("gray8", wanted))
                self.assertEqual(sdimage.decode(data, thumbnail_size=(16, 16)).width, 16)
                self.assert_hardened(data, 8, 16)

    def test_rows_without_codes_that_are_marked_as_group_3(self) -> None:
        """Compression 3, but without the code that ITU-T T.4 requires before each row; rows start at a byte or do not."""
        def dots(x: int, y: int) -> tuple[int]:
            return (int((x * x + 3 * y) % 11 < 4 or x == y),)

        samples = raw(dots, 1)
        for order in (1, 2):
            aligned = libtiff.write(samples, WIDTH, HEIGHT, 2, samples=1, bits=1, photometric=0, tags={266: order})
            marked = aligned.replace(struct.pack("<HHIHH", 259, 3, 1, 2, 0), struct.pack("<HHIHH", 259, 3, 1, 3, 0))
            coded = libtiff.write(samples, WIDTH, HEIGHT, 3, samples=1, bits=1, photometric=0, tags={266: order})
            for data in (marked, self.without_codes(coded, order)):
                self.assertNotIn(data, (aligned, coded))
                self.assertEqual(sdimage.decode(data).tobytes(), sdimage.decode(aligned).tobytes())
                self.assert_hardened(data, 8, 16)

    @staticmethod
    def without_codes(data: bytes, order: int) -> bytes:
        """Removes the codes from the rows of every strip, which is filled with zeros."""
        made = bytearray(data)
        directory = struct.unpack_from("<I", data, 4)[0]
        tags = {}
        for entry in range(struct.unpack_from("<H", data, directory)[0]):
            tag, kind, count, value = struct.unpack_from("<HHII", data, directory + 2 + 12 * entry)
            tags[tag] = value, count, "H" if kind == 3 else "I"
        offsets, lengths = (struct.unpack_from(f"<{count}{code}", data, value) for value, count, code in (tags[273], tags[279]))
        for offset, length in zip(offsets, lengths):
            digits = [f"{byte:08b}"[:: 1 if order == 1 else -1] for byte in data[offset : offset + length]]
            bits = "".join(digits).replace("000000000001", "").ljust(8 * length, "0")
            made[offset : offset + length] = (int(bits[at : at + 8][:: 1 if order == 1 else -1], 2) for at in range(0, 8 * length, 8))
        return bytes(made)


@needs("tiff")
class Inks(TestCase):
    #: The profile's colors of full inks, all different from those of their names. With black all are black, so that
    #: nothing is to be compensated.
    COLORS = {(0, 0, 0, 0): (100, 0, 0), (1, 0, 0, 0): (50, 50, 30), (0, 1, 0, 0): (70, -40, 40), (0, 0, 1, 0): (40, 10, -40)}

    def color(self, inks: tuple[int, int, int, int]) -> profiles.Lab:
        return (0, 0, 0) if inks[3] else self.COLORS.get(inks, (30, 0, 0))

    def test_inks_become_the_colors_of_their_profile(self) -> None:
        columns = [*self.COLORS, (0, 0, 0, 1), (1, 1, 1, 1), (1, 1, 0, 0)]
        profile = profiles.inks(self.color)
        for bits, planar, tile in ((8, False, 0), (16, False, 0), (8, True, 0), (16, True, 16)):
            made = picture(lambda x, y: columns[x // 8 % len(columns)], photometric=5, bits=bits, planar=planar, tile=tile)
            data = file(made.set_bytes(34675, profile))
            image, as_stored = sdimage.decode(data, pixel_format="native"), sdimage.decode(data, convert_to_srgb=False)
            self.assertEqual(image.pixel_format, f"rgb{bits}")
            for place, inks in enumerate(columns):
                with self.subTest(bits=bits, planar=planar, inks=inks):
                    self.assert_close(self.pixel(image, place * 8 + 4, 9)[:3], profiles.srgb(self.color(inks)), 3)
            # Without the profile cyan removes all red.
            self.assertEqual(self.pixel(as_stored, 12, 9)[:3], (0, 255, 255))
            self.assertEqual(sdimage.read_metadata(data, "icc"), profile)

    def test_multi_process_elements_of_the_profile_are_ignored(self) -> None:
        made = [picture(lambda x, y: (1, 0, 0, 0), photometric=5).set_bytes(34675, profiles.inks(self.color, extra=extra))
                for extra in ((), [profiles.black_element(4)])]
        plain, both = (sdimage.decode(file(each)).tobytes() for each in made)
        self.assertEqual(both, plain)

    def test_between_full_inks_the_profile_decides_too(self) -> None:
        made = picture(lambda x, y: (0.5, 0, 0, 0), photometric=5).set_bytes(34675, profiles.inks(self.color))
        paper, full = self.COLORS[0, 0, 0, 0], self.COLORS[1, 0, 0, 0]
        half = tuple((a + b) / 2 for a, b in zip(paper, full))
        self.assert_close(self.pixel(sdimage.decode(file(made)), 5, 5)[:3], profiles.srgb(half), 4)  # type: ignore[arg-type]

    def test_a_profile_of_something_else_is_no_profile_of_inks(self) -> None:
        colors = bytearray(profiles.inks(self.color))
        colors[16:20] = b"RGB "
        for profile in (bytes(colors), profiles.inks(self.color)[:150], b"words"):
            made = picture(lambda x, y: (1, 0, 0, 0), photometric=5).set_bytes(34675, profile)
            self.assertEqual(self.pixel(sdimage.decode(file(made)), 5, 5)[:3], (0, 255, 255))

    def test_alpha_beside_inks_is_kept(self) -> None:
        made = picture(lambda x, y: (1, 0, 0, 0, 0.5), photometric=5).set(338, SHORT, 2)
        image = sdimage.decode(file(made.set_bytes(34675, profiles.inks(self.color))))
        self.assert_close(self.pixel(image, 5, 5), (*profiles.srgb(self.COLORS[1, 0, 0, 0]), 128), 3)


if __name__ == "__main__":
    unittest.main()
