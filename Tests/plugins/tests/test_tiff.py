"""TIFF: every sample format gives the same pixels; pages, metadata blocks, limits."""

from __future__ import annotations

import base64
import ctypes
import itertools
import struct
import unittest

from . import tiffs
from .support import FIXTURES, PLUGINS, ROOT, TestCase, _bytes, apart, from_source, lib, needs, sdimage
from .tiffs import HEIGHT, LONG, RATIONAL, SHORT, WIDTH, file, gray, picture, ramp

POINTS = ((0, 0), (WIDTH - 1, 0), (31, 15), (0, HEIGHT - 1), (WIDTH - 1, HEIGHT - 1), (17, 29))


def with_alpha(x: int, y: int) -> tuple[float, ...]:
    return (*ramp(x, y), (x + y) / (WIDTH + HEIGHT - 2))


def multiplied(x: int, y: int) -> tuple[float, ...]:
    *colors, alpha = with_alpha(x, y)
    return (*(color * alpha for color in colors), alpha)


@needs("tiff")
class Tiff(TestCase):
    def assert_samples(self, image: sdimage.Image, pixel: tiffs.Pixel, loss: int = 0, most: int = 255) -> None:
        code = {"8": "B", "6": "H"}[image.pixel_format[-1]]
        channels = {"gray": 1, "rgb8": 3, "rgb1": 3, "rgba": 4}[image.pixel_format[:4]]
        self.assertEqual((image.width, image.height), (WIDTH, HEIGHT))
        values = struct.unpack(f"={WIDTH * HEIGHT * channels}{code}", image.tobytes())
        for x, y in POINTS:
            got = values[(y * WIDTH + x) * channels :][:channels]
            wanted = [round(value * most) for value in pixel(x, y)]
            self.assertLessEqual(max(abs(g - w) for g, w in zip(got, wanted)), loss, f"{got} {wanted} at {x}, {y}")

    def test_colors_come_back_however_they_are_laid_out(self) -> None:
        for order, big, planar, tile in itertools.product("<>", (False, True), (False, True), (0, 16, 48)):
            with self.subTest(order=order, big=big, planar=planar, tile=tile):
                image = sdimage.decode(file(picture(order=order, big=big, planar=planar, tile=tile)))
                self.assertEqual((image.format, image.pixel_format), ("tiff", "rgb8"))
                self.assert_samples(image, ramp)

    def test_compressions_and_predictors_are_undone(self) -> None:
        for compression in (1, 8, 32946, 32773):
            with self.subTest(compression):
                self.assert_samples(sdimage.decode(file(picture(compression=compression))), ramp)
        self.assert_samples(sdimage.decode(file(picture(compression=8, predictor=True, tile=32))), ramp)

    def test_deep_samples_keep_their_depth(self) -> None:
        for bits, order, planar in itertools.product((9, 10, 12, 14, 16, 24, 32), "<>", (False, True)):
            with self.subTest(bits=bits, order=order, planar=planar):
                data = file(picture(bits=bits, order=order, planar=planar))
                image = sdimage.decode(data, pixel_format="native")
                self.assertEqual(image.pixel_format, "rgb16")
                self.assertEqual(sdimage.decode(data).pixel_format, "rgb8")
                self.assert_samples(image, ramp, 65535 // (2**bits - 1) if bits < 16 else 1, 65535)
                self.assert_samples(sdimage.decode(data, pixel_format="rgb8"), ramp, 1)
                self.assertEqual(sdimage.info(data)["bits_per_channel"], bits)

    def test_grey_is_grey_from_either_end(self) -> None:
        for bits, photometric in itertools.product((1, 2, 4, 8), (0, 1)):
            most = 2**bits - 1
            with self.subTest(bits=bits, photometric=photometric):
                image = sdimage.decode(file(picture(gray, bits=bits, photometric=photometric)))
                self.assertEqual(image.pixel_format, "gray8")
                for x in (0, 21, 40, 63):
                    value = round(x / 63 * most) * 255 / most
                    self.assertAlmostEqual(image.tobytes()[x], value if photometric else 255 - value, delta=0.51)
        deep = file(picture(gray, bits=16, photometric=1))
        self.assertEqual(sdimage.decode(deep).pixel_format, "gray8")
        self.assertEqual(sdimage.decode(deep, pixel_format="native").pixel_format, "gray16")

    def test_a_palette_has_its_colors(self) -> None:
        for bits, shift in ((1, 8), (2, 8), (4, 0), (8, 8)):
            count = 2**bits
            colors = [[(index * step + step) % 256 for index in range(count)] for step in (3, 7, 11)]
            made = picture(gray, bits=bits, photometric=3)
            made.set(320, SHORT, *(value << shift for plane in colors for value in plane))
            image = sdimage.decode(file(made))
            self.assertEqual(image.pixel_format, "rgb8")
            for x in (0, 30, 63):
                index = round(x / 63 * (count - 1))
                with self.subTest(bits=bits, x=x):
                    self.assertEqual(tuple(image.tobytes()[3 * x :][:3]), tuple(plane[index] for plane in colors))

    def test_alpha_is_straight_also_where_it_was_multiplied_in(self) -> None:
        for bits, kind, planar in itertools.product((8, 16), (1, 2), (False, True)):
            with self.subTest(bits=bits, kind=kind, planar=planar):
                made = picture(multiplied if kind == 1 else with_alpha, bits=bits, planar=planar).set(338, SHORT, kind)
                image = sdimage.decode(file(made), pixel_format="native")
                self.assertEqual((image.pixel_format, image.has_alpha), (f"rgba{bits}", True))
                self.assertEqual(sdimage.decode(file(made)).pixel_format, "rgba8")
                for x, y in ((31, 15), (63, 31), (40, 8)):
                    wanted = tuple(round(value * 255) for value in with_alpha(x, y))
                    self.assert_close(self.pixel(image, x, y), wanted, 3)
        grey_alpha = picture(lambda x, y: (*gray(x, y), 0.5), photometric=1).set(338, SHORT, 2)
        self.assertEqual(self.pixel(sdimage.decode(file(grey_alpha)), 63, 0), (255, 255, 255, 128))

    def test_more_samples_than_colors_do_no_harm(self) -> None:
        made = picture(lambda x, y: (*ramp(x, y), 0.1, 0.2)).set(338, SHORT, 0, 0)
        image = sdimage.decode(file(made))
        self.assertEqual((image.pixel_format, image.has_alpha), ("rgb8", False))
        self.assert_samples(image, ramp)

    def test_inks_become_colors(self) -> None:
        for bits in (8, 16):
            made = picture(lambda x, y: (1 - x / 63, 0, 0, y / 31), photometric=5, bits=bits)
            image = sdimage.decode(file(made))
            for x, y in POINTS:
                with self.subTest(bits=bits, x=x, y=y):
                    light = 1 - y / 31
                    wanted = round(x / 63 * light * 255), round(light * 255), round(light * 255)
                    self.assert_close(self.pixel(image, x, y)[:3], wanted, 1)

    def test_floating_point_samples_are_light(self) -> None:
        for bits, planar in itertools.product((16, 32, 64), (False, True)):
            with self.subTest(bits=bits, planar=planar):
                data = file(picture(bits=bits, planar=planar, is_float=True))
                self.assertEqual(sdimage.decode(data).pixel_format, "rgb8")
                image = sdimage.decode(data, pixel_format="native")
                self.assertEqual(image.pixel_format, "rgba_float")
                red, green, blue, alpha = struct.unpack_from("=4f", image.tobytes(), 16 * (15 * WIDTH + 31))
                self.assertAlmostEqual(red, ramp(31, 15)[0], delta=0.001)
                self.assertEqual((green, blue, alpha), (green, 0.75, 1))
        strange = picture(lambda x, y: (float("nan") if x else float("inf"),), photometric=1, bits=32, is_float=True)
        self.assertEqual(self.pixel(sdimage.decode(file(strange)), 5, 5), (0, 0, 0, 255))

    def test_the_orientation_is_applied_or_kept(self) -> None:
        for number in range(1, 9):
            data = file(picture().set(274, SHORT, number))
            upright, kept = sdimage.decode(data), sdimage.decode(data, apply_orientation=False)
            with self.subTest(number):
                turned = number > 4
                self.assertEqual((upright.width, upright.height), (HEIGHT, WIDTH) if turned else (WIDTH, HEIGHT))
                self.assertEqual((kept.width, kept.height), (WIDTH, HEIGHT))
                self.assert_samples(kept, ramp)
                known = sdimage.info(data)
                self.assertEqual((known["width"], known["orientation"]), (upright.width, number))

    def test_without_the_tag_the_orientation_in_xmp_counts(self) -> None:
        packet = b'<x:xmpmeta><rdf:Description tiff:Orientation="6"/></x:xmpmeta>'
        for number, size in ((None, (HEIGHT, WIDTH)), (0, (HEIGHT, WIDTH)), (1, (WIDTH, HEIGHT)), (3, (WIDTH, HEIGHT))):
            made = picture().set_bytes(700, packet, 1)
            if number is not None:
                made.set(274, SHORT, number)
            with self.subTest(number):
                image = sdimage.decode(file(made))
                self.assertEqual((image.width, image.height), size)

    def test_what_is_beside_the_pixels_is_told(self) -> None:
        for order, big in itertools.product("<>", (False, True)):
            made = picture(order=order, big=big).set(282, RATIONAL, 300, 1).set(283, RATIONAL, 150, 1).set(296, SHORT, 2)
            made.set_bytes(700, b"<x:xmpmeta/>", 1).set_bytes(0x010E, b"a ramp\0", 2).set(274, SHORT, 3)
            made.set(0x8769, LONG, 0)
            data = file(made)
            # The Exif directory is at the end.
            entry = struct.pack(f"{order}HH", 0x8769, LONG)
            place = data.index(entry) + (12 if big else 8)
            head = struct.pack(f"{order}Q" if big else f"{order}H", 1)
            code, padded = ("Q", 20) if big else ("I", 20)
            text = b"2001:02:03 04:05:06\0"
            behind = len(data) + len(head) + (20 if big else 12) + (8 if big else 4)
            tail = head + struct.pack(f"{order}HH{code}{code}", 0x9003, 2, padded, behind) + bytes(8 if big else 4) + text
            data = data[:place] + struct.pack(f"{order}I", len(data)) + data[place + 4 :] + tail
            with self.subTest(order=order, big=big):
                known = sdimage.info(data)
                self.assertEqual((known["dpi_x"], known["dpi_y"], known["has_alpha"]), (300, 150, False))
                self.assertEqual(sdimage.read_metadata(data, "xmp"), b"<x:xmpmeta/>")
                block = sdimage.read_metadata(data, "exif")
                assert block is not None
                self.assertEqual(block[:4], b"II*\0" if order == "<" else b"MM\0*")
                self.assertIn(b"a ramp\0", block)
                self.assertIn(text, block)

    def test_pointers_into_the_file_are_no_part_of_its_exif_block(self) -> None:
        for order in "<>":
            data = file(picture(order=order).set(0x8769, LONG, 0))
            place = data.index(struct.pack(f"{order}HH", 0x8769, LONG)) + 8
            pointers = (0x014A, 0x8769, 0x8825, 0xA005)
            # LensModel has the highest tag.
            entries = [struct.pack(f"{order}HHII", tag, LONG, 1, len(data)) for tag in pointers]
            entries.append(struct.pack(f"{order}HHI", 0xA434, 2, 4) + b"50m\0")
            tail = struct.pack(f"{order}H", len(entries)) + b"".join(entries) + bytes(4)
            data = data[:place] + struct.pack(f"{order}I", len(data)) + data[place + 4 :] + tail
            with self.subTest(order=order):
                block = sdimage.read_metadata(data, "exif")
                assert block is not None
                at = struct.unpack_from(f"{order}I", block, block.index(struct.pack(f"{order}HH", 0x8769, LONG)) + 8)[0]
                self.assertEqual(block[at:], struct.pack(f"{order}H", 1) + entries[-1] + bytes(4))

    def test_a_profile_is_applied_or_kept(self) -> None:
        profile = sdimage.read_metadata((FIXTURES / "jpeg" / "ramp_profile.jpg").read_bytes(), "icc")
        assert profile is not None
        data = file(picture().set_bytes(34675, profile))
        kept = sdimage.decode(data, convert_to_srgb=False)
        self.assertEqual(kept.color_profile, profile)
        self.assert_samples(kept, ramp)
        self.assertIsNone(sdimage.decode(data).color_profile)
        self.assertEqual(sdimage.read_metadata(data, "icc"), profile)

    def test_the_scale_is_that_of_the_options(self) -> None:
        self.assertEqual([sdimage.decode(file(picture()), scale=scale).scale for scale in (1.0, 2.0)], [1, 2])

    def test_pages_are_stills_and_chosen_by_an_option(self) -> None:
        pages = [picture(lambda x, y, level=level: (level,), photometric=1) for level in (0, 0.5, 1)]
        data = file(*pages)
        image = sdimage.decode(data)
        self.assertEqual((image.frame_count, image.is_animated, self.pixel(image, 0, 0)[0]), (1, False, 0))
        for page, level in ((0, 0), (1, 128), (2, 255)):
            image = sdimage.decode(data, options={"tiff.page": page})
            self.assertEqual(self.pixel(image, 3, 3)[0], level)
        for page in (3, -1, 10**12):
            self.assert_error("INVALID_ARGUMENT", data, options={"tiff.page": page})
        with sdimage.Manager(cache=None) as manager:
            url = "data:image/tiff;base64," + base64.b64encode(data).decode()
            loaded = manager.load(url, options={"tiff.page": 1}).image
            self.assertEqual(self.pixel(loaded, 3, 3)[0], 128)

    def count(self, data: bytes) -> int:
        counting = ctypes.CDLL(PLUGINS["tiff"].path).sdimage_tiff_page_count
        counting.argtypes, counting.restype = (ctypes.c_char_p, ctypes.c_size_t), ctypes.c_uint32
        return int(counting(data, len(data)))

    def test_pages_are_counted(self) -> None:
        pages = file(*[picture(gray, photometric=1)] * 3)
        self.assertEqual([self.count(data) for data in (pages, b"II*\0", b"")], [3, 0, 0])

    def test_directories_in_a_circle_end(self) -> None:
        first = picture(gray, photometric=1)
        body = first.write(8, 8)
        data = struct.pack("<2sHI", b"II", 42, 8) + body
        self.assertEqual(sdimage.decode(data).width, WIDTH)
        self.assertLessEqual(self.count(data), 1)
        self.assert_error("INVALID_ARGUMENT", data, options={"tiff.page": 5})

    def test_thumbnails_are_means_of_all_layouts(self) -> None:
        for options in ({}, {"tile": 16}, {"planar": True}, {"bits": 16}, {"planar": True, "tile": 16, "bits": 16}):
            big = file(picture(lambda x, y: (x / 511, y / 255, 0.75), width=512, height=256, **options))
            with self.subTest(**options):
                small = sdimage.decode(big, thumbnail_size=(32, 32))
                self.assertEqual((small.width, small.height, small.source_size, small.is_thumbnail),
                                 (32, 16, (512, 256), True))
                self.assert_close(self.pixel(small, 16, 8)[:3], (131, 135, 191), 2)
        clear = file(picture(lambda x, y: (1, 0, 0, 1) if x % 2 else (0, 1, 0, 0), width=256, height=256).set(338, SHORT, 2))
        small = sdimage.decode(clear, thumbnail_size=(16, 16))
        self.assert_close(self.pixel(small, 8, 8), (255, 0, 0, 128), 1)

    def test_thumbnails_are_not_distorted_by_incomplete_blocks(self) -> None:
        pictures = {"bytes": picture(), "words": picture(bits=16, tile=16), "gray": picture(gray, photometric=1),
                    "alpha": picture(with_alpha).set(338, SHORT, 2)}
        for name, made in pictures.items():
            whole = sdimage.decode(file(made))
            for box in ((6, 3), (5, 5), (12, 5), (4, 2), (7, 3)):
                small = sdimage.decode(file(made), thumbnail_size=box)
                wanted = sdimage.decode(whole.encode("png"), thumbnail_size=box)
                with self.subTest(name, box=box):
                    self.assertEqual((small.width, small.height), (wanted.width, wanted.height))
                    pixels = small.convert("rgba8").tobytes(), wanted.convert("rgba8").tobytes()
                    self.assert_close(tuple(pixels[0]), tuple(pixels[1]), 8)

    def test_thumbnails_have_the_proportions_of_the_original(self) -> None:
        for width, height, box in ((590, 88, (17, 13)), (3444, 2464, (17, 13)), (333, 1000, (40, 50)), (1000, 333, (50, 40))):
            data = file(picture(lambda x, y: (x % 2,), bits=1, photometric=0, width=width, height=height))
            for mode in ("aspect_fit", "aspect_fill", "fill"):
                with self.subTest(width=width, mode=mode):
                    small = sdimage.decode(data, thumbnail_size=box, thumbnail_mode=mode)
                    self.assertEqual((small.width, small.height), sdimage.size_scaled((width, height), box, mode))

    def test_a_thumbnail_never_takes_the_whole_bitmap(self) -> None:
        done = apart(
            """
            import memory, struct, sys, zlib
            sys.path.insert(0, sys.argv[1])
            from tests import tiffs
            side, rows = 12000, 100
            made = tiffs.Directory().set(256, 4, side).set(257, 4, side).set(262, 3, 1).set(258, 3, 8).set(259, 3, 8)
            made.set(277, 3, 1).set(278, 4, rows)
            made.blocks = [zlib.compress(bytes([200]) * side * rows)] * (side // rows)
            data = tiffs.file(made)
            memory.allow(64 << 20)
            try:
                sdimage.decode(data)
            except sdimage.Error as error:
                print(error.code)
            small = sdimage.decode(data, thumbnail_size=(100, 100))
            print(small.width, small.height, small.tobytes()[5050])
            """, str(ROOT / "Tests" / "plugins"))
        self.assertEqual(done.stdout.split(), ["TOO_LARGE", "100", "100", "200"], done.stderr)

    def test_sizes_are_refused_before_memory_is_taken(self) -> None:
        data = file(picture())
        self.assert_error("TOO_LARGE", data, max_pixels=2000)
        self.assert_error("TOO_LARGE", data, max_bytes=6000)
        # Rows of the bitmap are padded to 64 bytes.
        narrow = file(picture(lambda *_: (0, 0.5, 1), width=1, height=200))
        self.assert_error("TOO_LARGE", narrow, max_bytes=200 * 64 - 1)
        self.assertEqual(sdimage.decode(narrow, max_bytes=200 * 64).stride, 64)
        for width, height in ((2**31, 2**31), (2**32 - 1, 2**32 - 1), (2**32 - 1, 1), (1, 2**32 - 1), (70000, 70000)):
            with self.subTest(width=width, height=height):
                huge = picture()
                huge.set(256, LONG, width).set(257, LONG, height)
                self.assert_error(("TOO_LARGE", "BAD_DATA"), file(huge))
        huge = picture(tile=16)
        huge.set(322, LONG, 2**20).set(323, LONG, 2**20)
        self.assert_error(("TOO_LARGE", "BAD_DATA"), file(huge))
        self.assert_error(("UNSUPPORTED", "BAD_DATA", "TOO_LARGE"), file(picture().set(277, SHORT, 65535)))
        # Samples of one bit, which take sixteen when unpacked.
        wide = tiffs.Directory().set(256, LONG, 2**26).set(257, LONG, 1).set(262, SHORT, 1).set(258, SHORT, *[1] * 15)
        wide.set(277, SHORT, 15).set(278, LONG, 1).set(338, SHORT, *[0] * 14).blocks = [b""]
        self.assertIn("samples", self.assert_error("TOO_LARGE", file(wide)).message)

    def test_tags_that_share_their_bytes_count_each(self) -> None:
        # libtiff keeps a copy of every unknown value: 1040 of 256 KiB.
        size, count = 1 << 18, 1040
        shared = picture().set_bytes(40000, bytes(size))
        plain = file(shared)
        self.assertEqual(sdimage.decode(plain).width, WIDTH)
        place = plain.rindex(bytes(size))
        entries = b"".join(struct.pack("<HHII", 40000 + index, 1, size, place) for index in range(count))
        known = [entry for entry in struct.iter_unpack("<HHI4s", plain[10 : 10 + 12 * plain[8]]) if entry[0] < 40000]
        head = b"".join(struct.pack("<HHI4s", *entry) for entry in known) + entries + bytes(4)
        crowded = struct.pack("<H", len(known) + count) + head
        for data, options in (
            (struct.pack("<2sHI", b"II", 42, len(plain)) + plain[8:] + crowded, {}),
            # As the second page, whose offset follows the entries of the first.
            (plain[: 10 + 12 * plain[8]] + struct.pack("<I", len(plain)) + plain[14 + 12 * plain[8] :] + crowded, {"tiff.page": 1}),
        ):
            with self.subTest(options=options):
                self.assertIn("directory", self.assert_error("TOO_LARGE", data, options=options).message)
        self.assertEqual(sdimage.decode(data).width, WIDTH)

    def test_a_file_that_ends_early_is_truncated_and_its_rows_are_kept_on_request(self) -> None:
        data = file(picture(rows=4))
        cut = data[: len(data) - WIDTH * 3 * 8]
        self.assert_error("TRUNCATED", cut)
        image = sdimage.decode(cut, accept_partial=True)
        self.assertEqual(self.pixel(image, 40, 5)[:3], tuple(round(value * 255) for value in ramp(40, 5)))
        self.assertEqual(self.pixel(image, 40, HEIGHT - 1)[:3], (0, 0, 0))

    def test_a_damaged_tile_is_black_in_a_thumbnail_too(self) -> None:
        made = picture(lambda x, y: (1, 1, 1), width=512, height=512, tile=256, compression=8)
        made.blocks[2] = bytes(8)
        small = sdimage.decode(file(made), thumbnail_size=(32, 32), accept_partial=True)
        self.assertEqual((self.pixel(small, 4, 24)[:3], self.pixel(small, 28, 24)[:3]), ((0, 0, 0), (255, 255, 255)))

    def test_damage_is_an_error_or_a_picture(self) -> None:
        for made in (picture(compression=8), picture(tile=16, planar=True, bits=16), picture(gray, bits=1, photometric=0),
                     picture(big=True, order=">"), picture(bits=32, is_float=True)):
            self.assert_hardened(file(made))

    def test_the_same_picture_comes_from_pieces_and_from_a_source(self) -> None:
        data = file(picture(tile=16))
        self.assert_pieces_agree(data)
        self.assertEqual(from_source(data).tobytes(), sdimage.decode(data).tobytes())
        self.assertEqual(from_source(data, thumbnail_size=(16, 16)).width, 16)

    def test_a_source_has_one_frame(self) -> None:
        source, decoder, image = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        with _bytes.new_data(file(picture())) as block:
            sdimage.errors.call(lib.sdimage_source_new_data, block.pointer, ctypes.byref(source))
        sdimage.errors.call(lib.sdimage_decoder_new_source, source, None, None, ctypes.byref(decoder))
        self.assertEqual(lib.sdimage_decoder_frame_count(decoder), 1)
        sdimage.errors.call(lib.sdimage_decoder_get_frame, decoder, 0, ctypes.byref(image))
        frame = sdimage.Image.owned(image.value)
        self.assertEqual((frame.width, frame.height, frame.is_animated), (WIDTH, HEIGHT, False))
        with self.assertRaises(sdimage.Error) as caught:
            sdimage.errors.call(lib.sdimage_decoder_get_frame, decoder, 1, ctypes.byref(image))
        self.assertEqual(caught.exception.code, "INVALID_ARGUMENT")
        lib.sdimage_decoder_unref(decoder)
        lib.sdimage_source_unref(source)

    def test_nothing_is_printed_about_damage(self) -> None:
        data = file(picture(compression=8))
        done = apart("""
            import sys
            data = bytes.fromhex(sys.argv[1])
            for at in range(0, len(data), 3):
                try:
                    sdimage.decode(data[:at] + b"\\xff" + data[at + 1:])
                except sdimage.Error:
                    pass
            """, data.hex())
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))


if __name__ == "__main__":
    unittest.main()
