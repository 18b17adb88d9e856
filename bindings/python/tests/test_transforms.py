"""Transformers: their keys, what they do to pixels, and those made of Python functions."""

from __future__ import annotations

import base64
import gc
import math
import os
import random
import threading
import time
import weakref

from sdimage import transforms

from .support import TestCase, becomes, png, sdimage


def picture(width: int = 6, height: int = 4) -> sdimage.Image:
    """Red grows by 10 a column, green by 20 a row."""
    pixels = bytes(value for y in range(height) for x in range(width) for value in (x * 10 % 256, y * 20 % 256, 7))
    return sdimage.Image.from_pixels(pixels, width, height, "rgb8")


class Keys(TestCase):
    def test_keys_tell_everything(self) -> None:
        made = {
            transforms.resize((100, 50), mode="aspect_fill"): "SDImageResizingTransformer({100.000000,50.000000},2)",
            transforms.crop((1, 2, 3, 4)): "SDImageCroppingTransformer({1.000000,2.000000,3.000000,4.000000})",
            transforms.round_corner(8, ["top_left", "bottom_right"]): (
                "SDImageRoundCornerTransformer(8.000000,9,0.000000,(null))"
            ),
            transforms.flip(vertical=True): "SDImageFlippingTransformer(0,1)",
            transforms.rotate(math.pi): "SDImageRotationTransformer(3.141593,1)",
            transforms.tint("#ff000080"): "SDImageTintTransformer(#80ff0000,18)",
            transforms.tint("#0F08"): "SDImageTintTransformer(#8800ff00,18)",
            transforms.tint((0, 1, 0), "multiply"): "SDImageTintTransformer(#ff00ff00,1)",
            transforms.blur(2.5): "SDImageBlurTransformer(2.500000)",
            transforms.filter("CIColorInvert"): "SDImageFilterTransformer(CIColorInvert)",
        }
        for transformer, key in made.items():
            self.assertEqual(transformer.key, key)
        both = transforms.pipeline([transforms.flip(horizontal=True), transforms.blur(1)])
        self.assertEqual(both.key, "SDImageFlippingTransformer(1,0)-SDImageBlurTransformer(1.000000)")
        self.assertEqual(both, transforms.pipeline([transforms.flip(horizontal=True), transforms.blur(1)]))

    def test_bad_wishes_are_refused(self) -> None:
        for make in (
            lambda: transforms.resize((0, 5)),
            lambda: transforms.resize((5, math.nan)),
            lambda: transforms.resize((5, 5), mode="stretch"),
            lambda: transforms.crop((0, 0, -1, 5)),
            lambda: transforms.round_corner(-1),
            lambda: transforms.tint("red"),
            lambda: transforms.tint((1, 2)),  # type: ignore[arg-type]
            lambda: transforms.blur(math.inf),
            lambda: transforms.filter("no such filter"),
            lambda: transforms.filter("sepia", strength=1),
        ):
            with self.assertRaises(sdimage.Error) as caught:
                make()
            self.assertEqual(caught.exception.code, "INVALID_ARGUMENT")


class Pixels(TestCase):
    def test_flip_and_crop_move_pixels(self) -> None:
        image = picture()
        flipped = image.transform(transforms.flip(horizontal=True))
        self.assertEqual(next(flipped.rows())[:3], bytes((50, 0, 7)))
        part = image.transform(transforms.crop((2, 1, 3, 2)))
        self.assertEqual((part.width, part.height), (3, 2))
        self.assertEqual(part.tobytes()[:3], bytes((20, 20, 7)))

    def test_resize_has_exactly_the_size(self) -> None:
        image = picture(60, 40)
        for mode in ("fill", "aspect_fit", "aspect_fill"):
            for resampling in ("lanczos", "area", "cubic", "linear", "nearest"):
                small = image.transform(transforms.resize((20, 20), mode, resampling=resampling, linear_light=True))
                self.assertEqual((small.width, small.height), (20, 20))
        fitted = image.transform(transforms.resize((20, 20), "aspect_fit"))
        self.assertTrue(fitted.has_alpha)
        self.assertEqual(fitted.color_at(10, 0)[3], 0)

    def test_corners_are_rounded_by_a_fraction_of_the_shorter_side(self) -> None:
        image = picture(8, 8)
        points = image.transform(transforms.round_corner(4))
        self.assertEqual(image.transform(transforms.round_corner(0.5, is_fraction=True)).tobytes(), points.tobytes())
        with self.assertRaises(sdimage.Error):
            transforms.round_corner(-0.5, is_fraction=True)

    def test_several_are_applied_in_order(self) -> None:
        image = picture().transform(transforms.rotate(math.pi / 2), transforms.round_corner(2))
        self.assertEqual((image.width, image.height, image.pixel_format), (4, 6, "rgba8"))
        self.assertLess(image.color_at(0, 0)[3], 0.5)
        self.assertEqual(image.color_at(2, 3)[3], 1)

    def test_transformers_that_are_made_on_access_are_held(self) -> None:
        class Crops:
            def __len__(self) -> int:
                return 40

            def __getitem__(self, index: int) -> transforms.Transformer:
                if index == 40:
                    raise IndexError
                return transforms.crop((0, 0, 100 - index, 100))

        key = transforms.pipeline(Crops()).key  # type: ignore[arg-type]
        self.assertEqual(key, "-".join(each.key for each in list(Crops())))  # type: ignore[call-overload]

    def test_every_filter_runs_with_its_defaults(self) -> None:
        image = picture(12, 9)
        found = transforms.filters()
        self.assertIn("CIColorInvert", found)
        for name, about in found.items():
            with self.subTest(name):
                self.assertTrue(about["summary"])
                defaults = {each["name"]: each["default"] for each in about["parameters"]}
                changed = image.transform(transforms.filter(name, **defaults))
                self.assertEqual((changed.width, changed.height), (12, 9))
        inverted = image.transform(transforms.filter("CIColorInvert"))
        # In light, not in its encoding: 110 is 0.156 of white, and 0.844 of it is 237.
        self.assertEqual(round(inverted.color_at(11, 0)[0] * 255), 237)


class Custom(TestCase):
    def test_a_function_transforms_and_sees_the_cache_key(self) -> None:
        keys = []

        def double(image: sdimage.Image, key: str) -> sdimage.Image:
            keys.append(key)
            return image.transform(transforms.resize((image.width * 2, image.height), resampling="nearest"))

        wide = transforms.custom("double", double)
        self.assertEqual(picture().transform(wide).width, 12)
        with self.manager() as manager:
            data = picture().encode("png")
            url = data_url(data)
            first = manager.load(url, cache_key="a.png", transformer=wide)
            second = manager.load(url, cache_key="a.png", transformer=wide)
            plain = manager.load(url, cache_key="a.png")
        self.assertEqual([each.image.width for each in (first, second, plain) if each.image], [12, 12, 6])
        self.assertEqual(second.source, "memory")
        self.assertEqual(keys, ["", "a-double.png"])

    def test_exceptions_become_errors(self) -> None:
        def fail(image: sdimage.Image, key: str) -> sdimage.Image:
            raise sdimage.Error("BUSY", "not today")

        def nonsense(image: sdimage.Image, key: str) -> sdimage.Image:
            return None  # type: ignore[return-value]

        for function, code in ((fail, "BUSY"), (nonsense, "INTERNAL_ERROR")):
            with self.assertRaises(sdimage.Error) as caught:
                picture().transform(transforms.custom("fails", function))
            self.assertEqual(caught.exception.code, code)

    def test_a_function_is_released(self) -> None:
        class Same:
            def __call__(self, image: sdimage.Image, key: str) -> sdimage.Image:
                return image

        function = Same()
        gone = threading.Event()
        weakref.finalize(function, gone.set)
        transformer = transforms.custom("same", function)
        image = picture()
        self.assertEqual(image.transform(transformer).tobytes(), image.tobytes())
        del function, transformer
        gc.collect()
        self.assertTrue(gone.wait(120))


def data_url(data: bytes) -> str:
    return "data:image/png;base64," + base64.b64encode(data).decode()


class Bounds(TestCase):
    def test_working_memory_counts_rows_of_transformers(self) -> None:
        wide = sdimage.Image.from_pixels(bytes(30_000_000), 30_000_000, 1, "gray8")
        for transformer in (transforms.blur(5), transforms.rotate(10), transforms.filter("CIBoxBlur")):
            with self.subTest(transformer.key):
                self.assert_error("TOO_LARGE", wide.transform, transformer)

    def test_a_filter_with_a_large_radius_ends_at_the_time_limit(self) -> None:
        picture = png(2_000_000, 8)
        manager = self.manager(cache=None, loader=lambda request: picture)
        wide = transforms.filter("CIBoxBlur", radius=100)
        # The filter takes more than ten seconds of processor time; the decode, within the same limit, a quarter of one.
        image = None
        for limit in (3000, 6000, 12000, 24000):  # a busy machine may not complete the decode within the first
            try:
                image = manager.load("x://wide", transformer=wide, scale=30, max_work_ms=limit).image
                break
            except sdimage.Error as error:
                self.assertEqual(error.code, "TIMEOUT")
        assert image is not None
        # A load whose transformer fails has the image without it.
        self.assertFalse(image.is_transformed)

    def test_cancelled_loads_abandon_their_encodes(self) -> None:
        pixels = random.Random(1).randbytes(600 * 600 * 3)
        noise = sdimage.Image.from_pixels(pixels, 600, 600, "rgb8").encode("png")
        cache = self.cache()
        manager = self.manager(cache=cache, loader=lambda request: noise)
        large = transforms.resize((8000, 8000), mode="fill")
        # Seconds of processor time for each load: decoded and resized by the first moment, then filtered and compressed.
        for moment in (1, 3):
            # On a busy machine, all loads may end before they are cancelled.
            self.assertTrue(becomes(lambda moment=moment: self.cancel_encodes(manager, large, moment), 1200))

    def cancel_encodes(self, manager: sdimage.Manager, large: transforms.Transformer, moment: int) -> bool:
        """Cancels loads after `moment` seconds of processor time for each; returns false if all had ended before."""
        assert isinstance(manager.cache, sdimage.ImageCache)
        urls = [f"x://{time.monotonic_ns()}/{i}" for i in range(len(os.sched_getaffinity(0)))]
        end = time.process_time() + moment * len(urls)
        tasks = [manager.start(url, transformer=large, wait_for_store=True) for url in urls]
        self.assertTrue(becomes(lambda: time.process_time() >= end, 600))
        running = [url for url, task in zip(urls, tasks) if not task.done]
        for task in tasks:
            task.cancel()
        # Processor time of all threads: a busy machine does not lengthen it.
        began = time.process_time()
        # The workers are free when this returns. A complete encode would have been stored.
        manager.load(f"x://good/{time.monotonic_ns()}", thumbnail_size=(20, 20))
        self.assertLess(time.process_time() - began, 1.5)
        manager.cache.flush()
        variants = {manager.entry_key(url, transformer=large).decode() for url in running}
        self.assertFalse(variants & {entry.key for entry in manager.cache.entries()})
        return bool(running)

    def test_large_variants_come_back_from_disk(self) -> None:
        noise = sdimage.Image.from_pixels(random.Random(1).randbytes(300 * 300 * 3), 300, 300, "rgb8").encode("png")
        cache = self.cache()
        manager = self.manager(cache=cache, loader=lambda request: noise)
        large = transforms.resize((2800, 2800), mode="fill")
        made = manager.load("x://large", transformer=large, wait_for_store=True)
        cache.clear(disk=False)
        stored = manager.load("x://large", transformer=large, source_policy="cache_only")
        self.assertEqual((made.source, stored.source), ("loader", "disk"))
        assert made.image is not None and stored.image is not None
        self.assertEqual(made.image.tobytes(), stored.image.tobytes())
