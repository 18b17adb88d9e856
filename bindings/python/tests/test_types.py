"""Arguments of wrong types: the errors name the argument, the expected type and the actual one."""

from __future__ import annotations

import copy
import io
import math
import pickle
from collections.abc import Callable
from unittest import mock

from .support import TestCase, png, sdimage


class WrongTypes(TestCase):
    def test_the_error_names_argument_expected_and_actual_type(self) -> None:
        manager = self.manager(cache=None, loader=lambda request: png())
        image = sdimage.decode(png())
        cache = "ImageCache, Cache, CacheChain, LayeredCache"
        calls: dict[str, Callable[[], object]] = {
            "url must be str, bytes or a path, not int": lambda: manager.load(5),
            "url must be str, bytes or a path, not None": lambda: manager.start(None),
            "transformer must be Transformer or None, not str": lambda: manager.load("x:a", transformer="blur"),
            f"cache must be {cache}, TieredCache or None, not str": lambda: manager.load("x:a", cache="/tmp"),
            "headers must be a mapping or None, not list": lambda: manager.load("x:a", headers=["A: b"]),
            "the header field 'A' must be str, not int": lambda: manager.load("x:a", headers={"A": 5}),
            "options must be a mapping or None, not int": lambda: manager.load("x:a", options=5),
            "option 'a' must be bytes, not None": lambda: manager.load("x:a", options={"a": None}),
            "acceptable_statuses must be a tuple of 2, not int": lambda: sdimage.Loader.http(acceptable_statuses=[200]),
            "acceptable_statuses must be int, not str": lambda: sdimage.Loader.http(acceptable_statuses=[("200", 299)]),
            "loader must be Loader or a function, not int": lambda: manager.load("x:a", loader=5),
            "first_frame_only must be True or False, not str": lambda: sdimage.decode(png(), first_frame_only="no"),
            "progressive must be True or False, not list": lambda: manager.load("x:a", progressive=[]),
            "lossless must be True or False, not int": lambda: image.encode("png", lossless=1),
            "memory must be True or False, not str": lambda: sdimage.ImageCache("wrong").clear("memory"),
            "timeout_ms must be int, not str": lambda: manager.load("x:a", timeout_ms="5"),
            "priority is 5, expected one of low, normal, high": lambda: manager.load("x:a", priority=5),
            "cache_policy must be str or a collection of str, not int": lambda: manager.load("x:a", cache_policy=5),
            "on_result must be a function or None, not int": lambda: manager.start("x:a", on_result=5),
            "events must be EventQueue, not int": lambda: manager.start("x:a", events=5),
            "urls must be an iterable of URLs, not str": lambda: manager.prefetch("x:a"),
            "urls[1] must be str, bytes or a path, not None": lambda: manager.prefetch(["x:a", None]),
            "manager must be Manager, not None": lambda: sdimage.Target(None),
            f"cache must be {cache} or TieredCache, not the class ImageCache": lambda: sdimage.Manager(sdimage.ImageCache),
            f"local must be {cache} or TieredCache, not int": lambda: sdimage.TieredCache(1, 2),
            "transformer must be Transformer, not function": lambda: image.transform(lambda: None),
            "frames[0] must be Image, not bytes": lambda: sdimage.Image.animation([b""], [1]),
            "quality must be a number, not str": lambda: image.encode("jpeg", quality="high"),
            "rect must be a tuple of 4, not of 3": lambda: sdimage.transforms.crop((1, 2, 3)),
            "radius must be a number, not str": lambda: sdimage.transforms.blur("2"),
            "data must be bytes or a path, not int": lambda: sdimage.decode(5),
            "data must be bytes or a path, not BytesIO": lambda: sdimage.info(io.BytesIO()),
            "pixels must be bytes, not None": lambda: sdimage.Image.from_pixels(None, 1, 1, "gray8"),
            "coder must be Coder or LibraryCoder, not type": lambda: sdimage.register_coder(type("Own", (), {})),
            "image must be Image or None, not bytes": lambda: sdimage.AnimatedView().set(b""),
            "view must be AnimatedView or None, not int": lambda: sdimage.Target(manager).set_view(5),
            "hooks must be DownloadHooks, not LoadHooks": lambda: sdimage.Loader.http(hooks=sdimage.LoadHooks()),
            "key must be str or bytes, not int": lambda: self.cache().data(7),
            "decrypt must be a function or None, not bytes": lambda: sdimage.DownloadHooks(decrypt=b""),
        }
        for message, call in calls.items():
            with self.subTest(message), self.assertRaises(TypeError) as caught:
                call()
            self.assertEqual(str(caught.exception).replace("the class Own", "type"), message)

    def test_flags_take_only_true_and_false(self) -> None:
        manager = self.manager(cache=None, loader=lambda request: png())
        view = sdimage.AnimatedView()
        self.addCleanup(view.close)
        calls: dict[str, Callable[[], object]] = {
            "memory_only": lambda: sdimage.ImageCache(self.folder(), memory_only="false"),
            "keep": lambda: self.cache().set_keep_in_memory("no"),
            "promote": lambda: sdimage.CacheChain(promote="no"),
            "ignore_signatures": lambda: sdimage.Manager(ignore_signatures="no"),
            "offline": lambda: setattr(manager, "offline", "no"),
            "suspended": lambda: setattr(sdimage.Loader.http(), "suspended", "no"),
            "autoplay": lambda: sdimage.AnimatedView(autoplay="no"),
            "visible": lambda: setattr(view, "visible", "no"),
            "drop_late_frames": lambda: sdimage.AnimatedView(drop_late_frames="no"),
            "finished": lambda: sdimage.Animation(b"").update(png(), "no"),
            "horizontal": lambda: sdimage.transforms.flip("no"),
            "fit_size": lambda: sdimage.transforms.rotate(1, "no"),
            "is_fraction": lambda: sdimage.transforms.round_corner(0.5, is_fraction="no"),
            "frames": lambda: sdimage.decode(png()).transform(sdimage.transforms.flip(True), frames="no"),
            "has_alpha": lambda: sdimage.decode(png()).with_metadata(has_alpha="no"),
            "show_image_in_transition": lambda: sdimage.Target(manager).load("x:a", show_image_in_transition="no"),
            "preserve_aspect_ratio": lambda: sdimage.decode(png(), preserve_aspect_ratio="no"),
            "empty_caches": lambda: sdimage.trim_memory("no"),
        }
        for name, call in calls.items():
            with self.subTest(name), self.assertRaisesRegex(TypeError, f"^{name} must be True or False, not str$"):
                call()

    def test_whole_numbers_are_not_rounded(self) -> None:
        image = sdimage.decode(png())
        calls: dict[str, Callable[[object], object]] = {
            "limit_bytes": lambda number: sdimage.decode(png(), limit_bytes=number),
            "width": lambda number: sdimage.decode(png(), thumbnail_size=(number, 5)),
            "max_retries": lambda number: self.manager(cache=None).load("x:a", max_retries=number),
            "effort": lambda number: image.encode("webp", effort=number),
            "max_memory_cost": lambda number: sdimage.ImageCache(memory_only=True, max_memory_cost=number),
        }
        for name, call in calls.items():
            for number in (0.9, 5.5, True):
                with self.subTest(name, number=number), self.assertRaisesRegex(TypeError, f"^{name} must be int, not "):
                    call(number)
        for number in (float("nan"), float("inf"), -0.5):
            self.assert_error("INVALID_ARGUMENT", sdimage.decode, png(), limit_bytes=number)
        self.assertEqual(sdimage.decode(png(), thumbnail_size=(4.0, 3.0)).width, 4)

    def test_times_that_do_not_fit_are_refused(self) -> None:
        cache = self.cache()
        cache.store("a", data=png())
        calls: dict[str, Callable[[float], object]] = {
            "date": lambda time: cache.set_expiry("a", time),
            "used_until": lambda time: list(cache.entries(used_until=time)),
            "max_age": lambda time: cache.set_disk_limits(max_age=time),
            "max_disk_age": lambda time: sdimage.ImageCache(self.folder(), max_disk_age=time),
            "failed_url_retry_after": lambda time: sdimage.Manager(failed_url_retry_after=time),
        }
        for name, call in calls.items():
            for time in (math.nan, 1e30):
                with self.subTest(name, time=time):
                    error = self.assert_error("INVALID_ARGUMENT", call, time)
                    self.assertIn(f"{name} is {time}", error.message)
        self.assert_error("INVALID_ARGUMENT", cache.set_expiry, "a", math.inf)
        self.assert_error("INVALID_ARGUMENT", cache.set_expiry, "a", 1e12)
        cache.set_disk_limits(max_age=math.inf)
        with self.assertRaisesRegex(TypeError, "used_until must be a number, not str"):
            list(cache.entries(used_until="now"))

    def test_objects_of_the_library_are_not_copied(self) -> None:
        result = self.manager(cache=None, loader=lambda request: png()).load("test://a")
        for copied in (copy.deepcopy, pickle.dumps):
            with mock.patch("sys.unraisablehook") as unraisable:
                with self.assertRaisesRegex(TypeError, "cannot be pickled or copied"):
                    copied(result)
                unraisable.assert_not_called()

    def test_a_copy_of_a_transformer_is_the_same_object(self) -> None:
        flip = sdimage.transforms.flip(horizontal=True)
        self.assertIs(copy.copy(flip), flip)
        self.assertIs(copy.deepcopy([flip])[0], flip)

    def test_objects_of_a_process_are_not_pickled(self) -> None:
        manager = self.manager(cache=None)
        for thing in (manager, self.cache(), sdimage.EventQueue()):
            with self.subTest(thing), self.assertRaisesRegex(TypeError, f"^{type(thing).__name__} cannot be pickled"):
                pickle.dumps(thing)
            self.addCleanup(thing.close)

    def test_absent_arguments_are_named(self) -> None:
        target = sdimage.Target(self.manager(cache=None, loader=lambda request: png()))
        self.addCleanup(target.close)
        calls: dict[str, Callable[[], object]] = {
            "blurhash must be str, not None": lambda: target.load("x:a", blurhash=None),
            "thumbhash must be bytes, not None": lambda: target.load("x:a", thumbhash=None),
            "url must be str, bytes or a path, not None": lambda: sdimage.Loader.file().load(None),
        }
        for message, call in calls.items():
            with self.subTest(message), self.assertRaisesRegex(TypeError, f"^{message}$"):
                call()

    def test_an_option_may_be_no_number(self) -> None:
        found: list[object] = []

        def load(request: sdimage.LoadRequest) -> bytes:
            found.append(request.options["weight"])
            return png()

        self.manager(cache=None, loader=load).load("x:a", options={"weight": math.nan})
        self.assertEqual(str(found), "[nan]")

    def test_it_is_an_error_of_the_package_too(self) -> None:
        error = self.assert_error("INVALID_ARGUMENT", sdimage.decode, 5)
        self.assertIsInstance(error, TypeError)
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((type(again), str(again), again.code), (type(error), str(error), error.code))
