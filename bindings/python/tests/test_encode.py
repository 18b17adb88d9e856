"""Encoding, and decoding of the result."""

from __future__ import annotations

import math
import os
from pathlib import Path

from sdimage import placeholders

from .support import TestCase, sdimage

LOSSLESS = ("png", "webp", "bmp")


def gradient(width: int = 40, height: int = 30, alpha: bool = False) -> sdimage.Image:
    """Red increases to the right, green downwards; alpha, if present, to the right."""
    pixels = bytearray()
    for y in range(height):
        for x in range(width):
            pixels += bytes((x * 255 // max(1, width - 1), y * 255 // max(1, height - 1), 60))
            if alpha:
                pixels.append(x * 255 // max(1, width - 1))
    return sdimage.Image.from_pixels(pixels, width, height, "rgba8" if alpha else "rgb8")


def worst(one: sdimage.Image, other: sdimage.Image) -> int:
    """The largest difference of two samples."""
    pairs = zip(one.convert("rgba8").tobytes(), other.convert("rgba8").tobytes(), strict=True)
    return max(abs(a - b) for a, b in pairs)


class Encoding(TestCase):
    def test_lossless_formats_give_the_pixels_back(self) -> None:
        for alpha in (False, True):
            image = gradient(alpha=alpha)
            for name in LOSSLESS:
                with self.subTest(name, alpha=alpha):
                    data = image.encode(name, lossless=True)
                    self.assertEqual(sdimage.sniff(data), name)
                    self.assertEqual(worst(sdimage.decode(data), image), 0)

    def test_lossy_formats_come_near(self) -> None:
        image = gradient()
        for name in ("jpeg", "webp"):
            with self.subTest(name):
                self.assertLess(worst(sdimage.decode(image.encode(name, quality=0.95)), image), 16)

    def test_the_default_format_depends_on_alpha(self) -> None:
        self.assertEqual(sdimage.sniff(gradient().encode()), "jpeg")
        self.assertEqual(sdimage.sniff(gradient(alpha=True).encode()), "png")

    def test_alpha_is_laid_on_the_background_for_jpeg(self) -> None:
        clear = sdimage.Image.from_pixels(bytes(16 * 16 * 4), 16, 16, "rgba8")
        red = sdimage.decode(clear.encode("jpeg", background_color="#ff0000"))
        white = sdimage.decode(clear.encode("jpeg"))
        self.assertGreater(red.color_at(8, 8)[0], 0.95)
        self.assertLess(red.color_at(8, 8)[1], 0.05)
        self.assertGreater(min(white.color_at(8, 8)), 0.95)

    def test_quality_and_size_limits_are_kept(self) -> None:
        image = gradient(200, 150)
        for name in ("jpeg", "webp"):
            low, high = len(image.encode(name, quality=0.1)), len(image.encode(name, quality=1.0))
            self.assertLess(low, high)
            limit = (low + high) // 2
            data = image.encode(name, max_file_size=limit)
            self.assertLessEqual(len(data), limit)
            self.assertGreater(len(data), low // 2)

    def test_pictures_are_shrunk_into_a_box_and_never_enlarged(self) -> None:
        image = gradient(200, 150)
        small = sdimage.decode(image.encode("png", max_pixel_size=(50, 50)))
        self.assertEqual((small.width, small.height), (50, 38))
        same = sdimage.decode(image.encode("png", max_pixel_size=(900, 900)))
        self.assertEqual((same.width, same.height), (200, 150))

    def test_blocks_come_back(self) -> None:
        xmp = b"<x:xmpmeta xmlns:x='adobe:ns:meta/'/>"
        for name in ("jpeg", "png", "webp"):
            with self.subTest(name):
                data = gradient().encode(name, xmp=xmp)
                self.assertEqual(sdimage.read_metadata(data, "xmp"), xmp)

    def test_bad_wishes_are_refused(self) -> None:
        image = gradient()
        self.assert_error("INVALID_ARGUMENT", image.encode, "jpg")
        self.assert_error("UNSUPPORTED", image.encode, "pdf")
        self.assert_error("UNSUPPORTED", image.encode, "jpeg", lossless=True)
        self.assert_error("INVALID_ARGUMENT", image.encode, "webp", webp={"method": 99})
        self.assert_error("INVALID_ARGUMENT", image.encode, "webp", webp={"speed": 1})
        self.assert_error("INVALID_ARGUMENT", image.encode, "jpeg", background_color="red")
        self.assert_error("INVALID_ARGUMENT", image.encode, "png", effort=-1)
        self.assert_error("TOO_LARGE", gradient(16384, 1).encode, "webp")
        with self.assertRaises(TypeError):
            image.encode("png", color="red")  # type: ignore[call-arg]
        for number in (math.nan, -0.1, 1.1, math.inf):
            self.assert_error("INVALID_ARGUMENT", image.encode, "jpeg", quality=number)
            self.assert_error("INVALID_ARGUMENT", image.encode, "gif", dithering=number)


class Animations(TestCase):
    def moving(self) -> sdimage.Image:
        frames = [sdimage.Image.from_pixels(bytes((n * 60, 0, 255 - n * 60)) * 48, 8, 6, "rgb8") for n in range(4)]
        return sdimage.Image.animation(frames, [100, 200, 50, 70], loop_count=3)

    def test_moving_formats_keep_frames_durations_and_loops(self) -> None:
        image = self.moving()
        for name in ("png", "gif", "webp"):
            with self.subTest(name):
                back = sdimage.decode(image.encode(name, lossless=True))
                self.assertEqual(back.durations_ms, [100, 200, 50, 70])
                self.assertEqual((back.frame_count, back.loop_count), (4, 3))
                self.assertLess(worst(back.frame(2), image.frame(2)), 3)

    def test_the_first_frame_alone_is_a_still(self) -> None:
        for name in ("png", "gif", "webp", "jpeg"):
            with self.subTest(name):
                back = sdimage.decode(self.moving().encode(name, first_frame_only=True))
                self.assertEqual(back.frame_count, 1)

    def test_the_loop_count_can_be_replaced(self) -> None:
        for name in ("png", "gif", "webp"):
            with self.subTest(name):
                self.assertEqual(sdimage.decode(self.moving().encode(name, loop_count=0)).loop_count, 0)

    def test_frames_that_do_not_fit_together_are_refused(self) -> None:
        make = sdimage.Image.animation
        self.assert_error("INVALID_ARGUMENT", make, [], [])
        self.assert_error("INVALID_ARGUMENT", make, [gradient(4, 4)], [])
        self.assert_error("INVALID_ARGUMENT", make, [gradient(4, 4), gradient(4, 5)], [10, 10])


class Files(TestCase):
    def test_a_file_appears_whole_in_the_format_of_its_name(self) -> None:
        folder = Path(self.folder())
        for name, kind in (("a.PNG", "png"), ("b.jpg", "jpeg"), ("c.webp", "webp"), ("d.gif", "gif"), ("e", "jpeg")):
            gradient().save(folder / name)
            self.assertEqual(sdimage.sniff(folder / name), kind)
        self.assertEqual(len(list(folder.iterdir())), 5)

    def test_a_file_that_cannot_be_written_leaves_nothing(self) -> None:
        folder = Path(self.folder())
        self.assert_error("NOT_FOUND", gradient().save, folder / "none" / "a.png")
        self.assert_error("UNSUPPORTED", gradient().save, folder / "a.pdf")
        self.assertEqual(os.listdir(folder), [])


class Placeholders(TestCase):
    def test_a_blurhash_comes_back_as_a_blur(self) -> None:
        text = placeholders.blurhash_encode(gradient(), 4, 3)
        self.assertEqual(len(text), 28)
        back = placeholders.blurhash_decode(text, 40, 30)
        self.assertEqual((back.width, back.height), (40, 30))
        self.assertGreater(back.color_at(35, 15)[0], back.color_at(5, 15)[0])

    def test_a_thumbhash_keeps_proportions_and_alpha(self) -> None:
        data = placeholders.thumbhash_encode(gradient(80, 40, alpha=True))
        self.assertLessEqual(len(data), 25)
        back = placeholders.thumbhash_decode(data)
        self.assertEqual(back.width, 32)
        self.assertTrue(back.has_alpha)

    def test_nonsense_is_refused(self) -> None:
        self.assert_error("BAD_DATA", placeholders.blurhash_decode, "nonsense")
        self.assert_error("BAD_DATA", placeholders.thumbhash_decode, b"12")
        self.assert_error("INVALID_ARGUMENT", placeholders.blurhash_encode, gradient(), 0, 3)


class Coders(TestCase):
    def test_a_coder_of_python_encodes(self) -> None:
        class Raw(sdimage.Coder):
            def can_decode(self, head: bytes) -> bool:
                return False

            def can_encode(self, format: str) -> bool:  # noqa: A002
                return format == "raw"

            def encode(self, image: sdimage.Image, format: str, options: sdimage.EncodeOptions) -> bytes:  # noqa: A002
                if image.width > 30:
                    raise sdimage.Error("TOO_LARGE", "30 columns at most")
                return image.tobytes() + bytes([round(options["quality"] * 100)])

        coder = Raw()
        sdimage.register_coder(coder)
        self.addCleanup(sdimage.unregister_coder, coder)
        image = gradient(20, 10)
        self.assertEqual(image.encode("raw", quality=0.5), image.tobytes() + bytes([50]))
        self.assert_error("TOO_LARGE", gradient(31, 2).encode, "raw")
