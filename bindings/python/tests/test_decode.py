"""Decoding of bytes and files."""

from __future__ import annotations

import array
import io
import os
import struct
import unittest
import urllib.parse
import zlib
from collections.abc import Callable
from pathlib import Path

from . import png_files
from .support import ROOT, TestCase, jpeg, png, run_python, sdimage

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]
try:
    import PIL.Image
except ImportError:
    PIL = None  # type: ignore[assignment]

FIXTURES = ROOT / "Tests" / "fixtures"


class Decoding(TestCase):
    def test_a_png_becomes_its_own_pixels(self) -> None:
        image = sdimage.decode(png(8, 6, (200, 100, 50)))
        self.assertEqual((image.width, image.height, image.pixel_format, image.format), (8, 6, "rgb8", "png"))
        self.assertEqual(image.tobytes(), bytes((200, 100, 50)) * 48)
        self.assertFalse(image.has_alpha)

    def test_every_kind_of_bytes_and_path_is_taken(self) -> None:
        data = png()
        path = Path(self.folder()) / "tiny.png"
        path.write_bytes(data)
        gaps = memoryview(bytes(2 * len(data))).cast("B")
        for source in (data, bytearray(data), memoryview(data), array.array("B", data), path, str(path)):
            with self.subTest(type(source).__name__):
                self.assertEqual(sdimage.decode(source).width, 8)
        self.assert_error("NOT_AN_IMAGE", sdimage.decode, gaps[::2])
        self.assert_error("INVALID_ARGUMENT", sdimage.decode, 7)

    def test_names_of_files_are_bytes(self) -> None:
        path = os.fsencode(self.folder()) + b"/no text \xff.png"
        with open(path, "wb") as file:
            file.write(png(7, 5))
        self.assertEqual(sdimage.decode(os.fsdecode(path)).width, 7)
        with sdimage.Manager(cache=None) as manager:
            image = manager.load("file://" + urllib.parse.quote(path)).image
            assert image is not None
            self.assertEqual(image.height, 5)

    def test_an_image_tells_the_options_of_its_decode(self) -> None:
        image = sdimage.decode(png(8, 6), thumbnail_size=(4, 4), options={"tint": 7})
        options = image.decode_options
        assert options is not None and options["options"] is not None
        self.assertEqual((options["thumbnail_size"], options["thumbnail_mode"]), ((4, 4), "aspect_fit"))
        self.assertEqual(options["options"]["tint"], 7)
        self.assertIsNone(sdimage.Image.from_pixels(bytes(4), 1, 1, "rgba8").decode_options)

    def test_the_options_of_an_image_decode_another_like_it(self) -> None:
        first = sdimage.decode(png(8, 6), thumbnail_size=(4, 4), pixel_format="native", options={"tint": 7}).decode_options
        assert first is not None
        second = sdimage.decode(png(8, 6), **first).decode_options
        assert second is not None and second["options"] is not None
        self.assertEqual((second["thumbnail_size"], second["pixel_format"]), ((4, 4), "native"))
        self.assertEqual(second["options"]["tint"], 7)

    def test_colors_of_a_rectangle_come_in_rows(self) -> None:
        pixels = bytes(each for y in range(3) for x in range(4) for each in (51 * x, 51 * y, 0, 255))
        image = sdimage.Image.from_pixels(pixels, 4, 3, "rgba8")
        rows = image.colors_in(1, 1, (3, 2))
        self.assertEqual(rows, [[image.color_at(x, y) for x in range(1, 4)] for y in range(1, 3)])
        for x, y, size in ((2, 0, (3, 1)), (0, 0, (0, 1)), (0, 0, (2**32 - 1, 2**32 - 1))):
            self.assert_error("INVALID_ARGUMENT", image.colors_in, x, y, size)

    def test_frames_share_a_limit_of_bytes(self) -> None:
        still = sdimage.decode(png(8, 8), pixel_format="rgba8")
        moving = sdimage.Image.animation([still, still], [100, 100])
        small = moving.limited(2 * 4 * 16)
        self.assertEqual((small.width, small.height, small.frame(1).width), (4, 4, 4))
        self.assertEqual(still.limited(8 * 8 * 4).pointer, still.pointer)
        self.assert_error("INVALID_ARGUMENT", still.limited, 3)

    def test_info_looks_no_further_than_the_first_scan(self) -> None:
        picture = jpeg(64, 48)
        comment = b"\xff\xfe\x00\x06late"
        self.assertTrue(picture.endswith(b"\xff\xd9"))
        self.assertEqual(sdimage.info(picture[:-2] + comment + picture[-2:])["text"], {})
        self.assertEqual(sdimage.info(picture[:2] + comment + picture[2:])["text"], {"comment": "late"})

    def test_thumbnails_fit_the_box_and_never_grow(self) -> None:
        data = jpeg(640, 480)
        self.assertEqual(self.size(data, thumbnail_size=(100, 100)), (100, 75))
        self.assertEqual(self.size(data, thumbnail_size=(100, 100), preserve_aspect_ratio=False), (100, 100))
        self.assertEqual(self.size(data, thumbnail_size=(1000, 1000)), (640, 480))
        image = sdimage.decode(data, thumbnail_size=(64, 64))
        self.assertEqual((image.source_size, image.is_thumbnail), ((640, 480), True))

    def size(self, data: bytes, **options: object) -> tuple[int, int]:
        image = sdimage.decode(data, **options)  # type: ignore[arg-type]
        return image.width, image.height

    def test_limit_bytes_shrinks_until_the_bitmap_fits(self) -> None:
        image = sdimage.decode(jpeg(640, 480), limit_bytes=100_000)
        self.assertLessEqual(image.stride * image.height, 100_000)
        self.assertGreater(image.width, 100)

    def test_every_pixel_format_can_be_asked_for(self) -> None:
        for name in ("gray8", "rgb8", "rgba8", "rgba8_premultiplied", "bgra8_premultiplied", "rgba16", "rgba_float"):
            with self.subTest(name):
                self.assertEqual(sdimage.decode(png(), pixel_format=name).pixel_format, name)

    def test_bad_options_are_refused_and_named(self) -> None:
        self.assert_error("INVALID_ARGUMENT", sdimage.decode, png(), pixel_format="cmyk")
        self.assert_error("INVALID_ARGUMENT", sdimage.decode, png(), thumbnail_size=(-1, 5))
        self.assert_error("INVALID_ARGUMENT", sdimage.decode, png(), thumbnail_size=5)
        with self.assertRaisesRegex(TypeError, "thumbnail"):
            sdimage.decode(png(), thumbnail=(5, 5))  # type: ignore[call-arg]

    def test_bad_bytes_have_distinct_codes(self) -> None:
        data = png(64, 64)
        self.assert_error("EMPTY_DATA", sdimage.decode, b"")
        self.assert_error("NOT_AN_IMAGE", sdimage.decode, b"<html>hello, this is no picture</html>")
        self.assert_error("TRUNCATED", sdimage.decode, jpeg(640, 480)[:-4000])
        self.assert_error(("BAD_DATA", "TRUNCATED"), sdimage.decode, data[:40] + b"\xff" * 40 + data[80:])
        self.assert_error("NOT_FOUND", sdimage.decode, "/nowhere/at/all.png")
        self.assert_error("NOT_A_FILE", sdimage.decode, self.folder())

    def test_only_regular_files_are_read(self) -> None:
        fifo = os.path.join(self.folder(), "fifo")
        os.mkfifo(fifo)
        # The writer ends the wait of a reader that waits for one.
        code = """
            import sys, threading, sdimage
            late = threading.Timer(60, lambda: open(sys.argv[1], "wb").close())
            late.daemon = True
            late.start()
            readers = {
                "decode": sdimage.decode,
                "info": sdimage.info,
                "metadata": lambda path: sdimage.read_metadata(path, "exif"),
                "sniff": sdimage.sniff,
                "can_decode": sdimage.can_decode,
                "animation": sdimage.Animation,
                "coder": lambda path: sdimage.decode(path, coder=sdimage.coders()[0]),
            }
            for path in sys.argv[1:]:
                for name, read in readers.items():
                    try:
                        read(path)
                    except sdimage.Error as error:
                        assert error.code == "NOT_A_FILE", (path, name, error)
                    else:
                        raise AssertionError((path, name))
            assert late.is_alive()
            """
        run_python(code, fifo, self.folder(), "/dev/null")

    def test_a_bytearray_can_grow_while_its_error_is_handled(self) -> None:
        calls: dict[str, Callable[[bytearray], object]] = {
            "decode": sdimage.decode,
            "coder": lambda data: sdimage.decode(data, coder=sdimage.coders()[0]),
            "info": sdimage.info,
            "animation": sdimage.Animation,
            "pixels": lambda data: sdimage.Image.from_pixels(data, 100, 100, "rgb8"),
        }
        for name, call in calls.items():
            data = bytearray(b"no image at all")
            with self.subTest(name):
                try:
                    call(data)
                except sdimage.Error:
                    data.extend(b"more")
                self.assertTrue(data.endswith(b"more"))

    def test_a_header_of_a_billion_pixels_is_too_large(self) -> None:
        header = struct.pack(">IIBBBBB", 30000, 30000, 16, 6, 0, 0, 0)
        data = png()[:8] + png_files.chunk(b"IHDR", header) + png_files.chunk(b"IDAT", b"x\x9c\x03\0\0\0\0\1")
        error = self.assert_error("TOO_LARGE", sdimage.decode, data)
        self.assertTrue(error.message)
        self.assert_error("TOO_LARGE", sdimage.decode, png(100, 100), max_pixels=9999)
        self.assert_error("TOO_LARGE", sdimage.decode, png(100, 100), max_bytes=20000)

    def test_partial_pictures_are_accepted_when_asked_for(self) -> None:
        image = sdimage.decode(jpeg(640, 480)[:-4000], accept_partial=True)
        self.assertEqual((image.width, image.height), (640, 480))

    def test_sniff_looks_at_the_signature_alone(self) -> None:
        self.assertEqual(sdimage.sniff(png()[:16]), "png")
        self.assertEqual(sdimage.sniff(jpeg()[:16]), "jpeg")
        self.assertEqual(sdimage.sniff(b"GIF89a" + bytes(10)), "gif")
        self.assertEqual(sdimage.sniff(b"RIFF\0\0\0\0WEBPVP8 "), "webp")
        self.assertIsNone(sdimage.sniff(b"plain text"))
        self.assertIsNone(sdimage.sniff(b""))

    def test_info_agrees_with_the_image(self) -> None:
        profile = sdimage.read_metadata(FIXTURES / "jpeg" / "ramp_profile.jpg", "icc")
        assert profile is not None
        parts = (profile[at : at + 255] for at in range(0, len(profile), 255))
        blocks = b"".join(bytes([len(part)]) + part for part in parts)
        gif = b"GIF89a\1\0\1\0\x80\0\0\0\0\0\xff\xff\xff!\xff\x0bICCRGBG1012" + blocks + b"\0,\0\0\0\0\1\0\1\0\0\2\2D\1\0;"
        self.assertEqual(sdimage.decode(gif).width, 1)
        self.assertEqual(sdimage.read_metadata(gif, "icc"), profile)
        self.assertTrue(sdimage.info(gif)["has_color_profile"])
        placed = (FIXTURES / "webp" / "placed.webp").read_bytes()
        self.assertTrue(sdimage.decode(placed).has_alpha)
        self.assertTrue(sdimage.info(placed)["has_alpha"])

    def test_info_decodes_no_pixel(self) -> None:
        known = sdimage.info(jpeg(640, 480)[:1000])
        self.assertEqual((known["format"], known["width"], known["height"]), ("jpeg", 640, 480))
        self.assertEqual((known["frame_count"], known["has_alpha"]), (1, False))
        self.assert_error("NOT_AN_IMAGE", sdimage.info, b"nothing of the kind")

    def test_doctor_tells_what_a_report_needs(self) -> None:
        report = sdimage.doctor()
        self.assertEqual(report["version"], sdimage.version())
        self.assertLessEqual({"jpeg", "png", "gif", "webp"}, set(report["formats"]["decode"]))
        self.assertTrue(report["library_path"])

    def test_a_still_is_an_animation_of_one_frame(self) -> None:
        with sdimage.Animation(png(6, 4)) as still:
            self.assertEqual((len(still), still.size, still.durations_ms), (1, (6, 4), [0]))
            self.assertEqual(still[-1].tobytes(), sdimage.decode(png(6, 4)).tobytes())
            self.assertRaises(IndexError, still.__getitem__, 1)

    def test_bytes_that_come_in_pieces_end_in_the_same_picture(self) -> None:
        whole, data = sdimage.decode(jpeg(64, 48)), jpeg(64, 48)
        growing = sdimage.Animation(b"")
        self.assertIsNone(growing.image)
        for at in range(0, len(data), 7):
            growing.update(data[at : at + 7], finished=at + 7 >= len(data))
        last = growing.image
        assert last is not None
        self.assertEqual((last.tobytes(), last.is_incremental), (whole.tobytes(), False))
        self.assertEqual(growing.data, data)

    def test_bytes_that_end_early_are_an_error_at_their_end(self) -> None:
        data = jpeg(640, 480)
        growing = sdimage.Animation(b"")
        growing.update(data[: len(data) // 2])
        self.assert_error("TRUNCATED", growing.update, b"", finished=True)
        self.assert_error("TRUNCATED", growing.update, data[len(data) // 2 :])


def chunked(data: bytes, *chunks: tuple[bytes, bytes]) -> bytes:
    """A PNG with chunks after its header."""
    return data[:33] + b"".join(png_files.chunk(name, body) for name, body in chunks) + data[33:]


class Metadata(TestCase):
    EXIF = b"MM\0*\0\0\0\x08\0\0"

    def test_blocks_are_bytes_or_none(self) -> None:
        data = chunked(png(), (b"eXIf", self.EXIF), (b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0<x/>"))
        self.assertEqual(sdimage.read_metadata(data, "exif"), self.EXIF)
        self.assertEqual(sdimage.read_metadata(data, "xmp"), b"<x/>")
        self.assertIsNone(sdimage.read_metadata(data, "icc"))
        self.assert_error("INVALID_ARGUMENT", sdimage.read_metadata, data, "iptc")
        self.assert_error("NOT_FOUND", sdimage.read_metadata, "/nowhere/at/all.png", "exif")
        self.assert_error("NOT_AN_IMAGE", sdimage.read_metadata, b"plain text, nothing more", "exif")

    def test_info_tells_resolution_and_texts(self) -> None:
        known = sdimage.info(
            chunked(png(), (b"pHYs", struct.pack(">IIB", 3937, 7874, 1)), (b"tEXt", b"Title\0gr\xfcn"), (b"eXIf", self.EXIF))
        )
        self.assertAlmostEqual(known["dpi_x"], 100, places=1)
        self.assertAlmostEqual(known["dpi_y"], 200, places=1)
        self.assertEqual((known["text"], known["exif_bytes"], known["xmp_bytes"]), ({"Title": "grün"}, 10, 0))
        self.assertIsNone(sdimage.info(png())["dpi_x"])

    def test_bright_pictures_say_so(self) -> None:
        data = chunked(png(), (b"cICP", bytes((9, 16, 0, 1))))
        self.assertTrue(sdimage.info(data)["is_hdr"])
        self.assertTrue(sdimage.decode(data, pixel_format="rgba_float").is_hdr)
        self.assertFalse(sdimage.decode(data).is_hdr)
        self.assertTrue(sdimage.decode(data, convert_to_srgb=False).metadata["is_hdr"])


class Animations(TestCase):
    def apng(self, frames: list[bytes], width: int, height: int, level: int = 6) -> bytes:
        """Frames of RGBA pixels that replace each other."""

        def chunk(kind: bytes, body: bytes) -> bytes:
            return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

        file = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0))
        file += chunk(b"acTL", struct.pack(">II", len(frames), 3))
        for index, pixels in enumerate(frames):
            place = struct.pack(">IIIIIHHBB", max(0, 2 * index - 1), width, height, 0, 0, 4, 100, 0, 0)
            rows = (b"\0" + pixels[at : at + width * 4] for at in range(0, len(pixels), width * 4))
            data = zlib.compress(b"".join(rows), level)
            file += chunk(b"fcTL", place)
            file += chunk(b"fdAT", struct.pack(">I", 2 * index) + data) if index else chunk(b"IDAT", data)
        return file + chunk(b"IEND", b"")

    def test_frames_come_in_any_order(self) -> None:
        frames = [bytes((index, 2, 3, 255)) * 12 for index in range(5)]
        animation = sdimage.Animation(self.apng(frames, 4, 3))
        self.assertEqual((len(animation), animation.size, animation.loop_count), (5, (4, 3), 3))
        self.assertEqual(animation.durations_ms, [40] * 5)
        for index in (3, 0, 4, 1):
            self.assertEqual(animation[index].tobytes(), frames[index])
        image = sdimage.decode(self.apng(frames, 4, 3))
        self.assertEqual((image.frame_count, image.duration_ms, image.tobytes()), (5, 200, frames[0]))

    def test_frames_of_many_megabytes_in_one_chunk_are_read(self) -> None:
        frames = [bytes((index, 9, 8, 255)) * (1700 * 1300) for index in range(3)]
        data = self.apng(frames, 1700, 1300, level=0)
        self.assertGreater(len(data), 3 * 8_000_000)
        animation = sdimage.Animation(data)
        self.assertEqual(len(animation), 3)
        self.assertEqual(animation[2].tobytes(), frames[2])

    def test_frames_are_there_before_the_last_byte(self) -> None:
        frames = [bytes((index, 2, 3, 255)) * 12 for index in range(5)]
        data = self.apng(frames, 4, 3)
        growing = sdimage.Animation(b"")
        growing.update(data[: len(data) // 2])
        self.assertIn(len(growing), range(1, 5))
        self.assertEqual(growing[len(growing) - 1].tobytes(), frames[len(growing) - 1])
        growing.update(data[len(data) // 2 :], finished=True)
        self.assertEqual([frame.tobytes() for frame in growing], frames)

    def test_missing_frames_are_an_error_at_the_end(self) -> None:
        data = self.apng([bytes(48), bytes(48)], 4, 3)[:-40]
        self.assert_error("TRUNCATED", sdimage.decode, data)
        self.assert_error("TRUNCATED", sdimage.Animation, data)


class Pixels(TestCase):
    def test_from_pixels_copies_and_checks(self) -> None:
        pixels = bytes(range(24))
        image = sdimage.Image.from_pixels(pixels, 4, 2, "rgb8")
        self.assertEqual((image.tobytes(), image.format), (pixels, None))
        self.assert_error("INVALID_ARGUMENT", sdimage.Image.from_pixels, pixels, 5, 2, "rgb8")
        self.assert_error("INVALID_ARGUMENT", sdimage.Image.from_pixels, pixels, 4, 2, "rgb8", stride=11)
        self.assert_error("INVALID_ARGUMENT", sdimage.Image.from_pixels, pixels, 4, 2, "no such")

    def test_rows_with_padding_become_tight(self) -> None:
        image = sdimage.Image.from_pixels(b"ab--cd--ef", 2, 3, "gray8", stride=4)
        self.assertEqual((image.tobytes(), list(image.rows())), (b"abcdef", [b"ab", b"cd", b"ef"]))

    def test_converting_multiplies_alpha_in_and_out(self) -> None:
        image = sdimage.Image.from_pixels(bytes((200, 100, 50, 128)), 1, 1, "rgba8")
        self.assertEqual(image.convert("bgra8_premultiplied").tobytes(), bytes((25, 50, 100, 128)))
        straight = image.convert("rgba8_premultiplied").convert("rgba8").tobytes()
        for got, want in zip(straight, (200, 100, 50, 128)):
            self.assertAlmostEqual(got, want, delta=1)

    def test_pixels_outlive_every_name_of_the_image(self) -> None:
        view = sdimage.decode(png(100, 100)).pixels
        sdimage.trim_memory(True)
        self.assertEqual(bytes(view[:3]), bytes((200, 100, 50)))
        self.assertTrue(view.readonly)

    def test_metadata_is_a_plain_dictionary(self) -> None:
        metadata = sdimage.decode(png(), scale=2).metadata
        self.assertEqual((metadata["format"], metadata["scale"], metadata["orientation"]), ("png", 2.0, "up"))

    def test_the_notebook_picture_is_a_small_png(self) -> None:
        large = sdimage.decode(jpeg(2400, 800))._repr_png_()
        preview = sdimage.decode(large)
        self.assertEqual((preview.format, preview.width, preview.height), ("png", 1000, 334))
        self.assertEqual(sdimage.decode(sdimage.decode(png())._repr_png_()).convert("rgb8").tobytes()[:3], b"\xc8d2")


@unittest.skipIf(numpy is None, "numpy is not installed")
class Arrays(TestCase):
    def test_an_array_is_the_image_itself(self) -> None:
        image = sdimage.decode(png(8, 6))
        view = numpy.asarray(image)
        self.assertEqual((view.shape, view.dtype, view.flags.writeable), ((6, 8, 3), numpy.uint8, False))
        self.assertEqual(view.ctypes.data, image.__array_interface__["data"][0])
        self.assertEqual(view.strides, (image.stride, 3, 1))
        self.assertEqual(view.tobytes(), image.tobytes())

    def test_an_array_keeps_the_pixels_alive(self) -> None:
        view = numpy.asarray(sdimage.decode(png(200, 200)))
        sdimage.trim_memory(True)
        self.assertTrue((view == (200, 100, 50)).all())

    def test_grey_and_sixteen_bits_keep_their_shape(self) -> None:
        gray = numpy.asarray(sdimage.decode(png(8, 6, (77,))))
        self.assertEqual((gray.shape, int(gray[0, 0, 0])), ((6, 8, 1), 77))
        samples = numpy.arange(2 * 3 * 4, dtype=numpy.uint16) * 1000
        deep = sdimage.Image.from_pixels(samples, 3, 2, "rgba16")
        self.assertTrue((numpy.asarray(deep) == samples.reshape(2, 3, 4)).all())

    def test_light_is_an_array_of_floats(self) -> None:
        light = numpy.asarray(sdimage.decode(png(2, 2, (255, 188, 0, 128)), pixel_format="rgba_float"))
        self.assertEqual((light.dtype, light.shape), (numpy.float32, (2, 2, 4)))
        self.assertTrue(numpy.allclose(light[0, 0], (1, 0.5029, 0, 128 / 255), atol=1e-3))
        image = sdimage.Image.from_pixels(numpy.array([[2, 0.5, -1, 1]], numpy.float32), 1, 1, "rgba_float")
        self.assertEqual(image.convert("rgba8").tobytes(), bytes((255, 188, 0, 255)))

    def test_copies_and_other_types_can_be_asked_for(self) -> None:
        image = sdimage.decode(png())
        copy = numpy.array(image)
        copy[:] = 0
        self.assertEqual(image.tobytes()[:3], bytes((200, 100, 50)))
        self.assertEqual(numpy.asarray(image, dtype=numpy.float32)[0, 0, 1], 100.0)
        self.assertEqual(image.__array__(numpy.uint16).dtype, numpy.uint16)


class EarlyThumbnails(TestCase):
    def test_the_beginning_of_a_picture_is_enough(self) -> None:
        for name, side in (("jpeg/large_progressive.jpg", 100), ("pictures/contour-map.png", 70)):
            data = (ROOT / "Tests" / "fixtures" / name).read_bytes()
            whole = sdimage.decode(data, thumbnail_size=(side, side), early_thumbnail=True)
            self.assertLess(whole.consumed_bytes, len(data) * 2 // 3)
            early = sdimage.decode(data[: whole.consumed_bytes], thumbnail_size=(side, side), early_thumbnail=True)
            self.assertEqual(early.tobytes(), whole.tobytes())
            self.assertEqual(sdimage.decode(data, thumbnail_size=(side, side)).consumed_bytes, 0)


@unittest.skipIf(PIL is None, "Pillow is not installed")
class Pillow(TestCase):
    def test_pillow_gets_straight_alpha(self) -> None:
        image = sdimage.decode(png(8, 6, (200, 100, 50, 128)), pixel_format="bgra8_premultiplied")
        picture = image.to_pil()
        self.assertEqual((picture.mode, picture.size), ("RGBA", (8, 6)))
        for got, want in zip(picture.getpixel((3, 3)), (200, 100, 50, 128)):
            self.assertAlmostEqual(got, want, delta=1)

    def test_modes_follow_the_pixel_format(self) -> None:
        self.assertEqual(sdimage.decode(png(2, 2, (9,))).to_pil().mode, "L")
        self.assertEqual(sdimage.decode(png()).to_pil().mode, "RGB")

    def test_pillow_reads_what_notebooks_see(self) -> None:
        pixels = bytes((y * 7 + x * 5) % 256 for y in range(9) for x in range(40))
        image = sdimage.Image.from_pixels(pixels, 10, 9, "rgba8")
        with PIL.Image.open(io.BytesIO(image._repr_png_())) as picture:
            self.assertEqual((picture.mode, picture.tobytes()), ("RGBA", pixels))
