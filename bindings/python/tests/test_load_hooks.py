"""Load hooks."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

from .support import TestCase, becomes, png, sdimage


def painting(calls: list[str]) -> sdimage.Loader:
    """A loader that records its requests."""

    def paint(request: sdimage.LoadRequest) -> bytes:
        calls.append(request.url)
        if request.url.endswith("broken"):
            raise sdimage.Error("NOT_FOUND", "gone")
        return png(8, 6)

    return sdimage.Loader(paint)


class Hooks(TestCase):
    def test_a_key_filter_names_entries_or_keeps_loads_out_of_caches(self) -> None:
        calls: list[str] = []

        def without_query(request: sdimage.LoadRequest) -> str | None:
            return None if "private" in request.url else request.url.partition("?")[0]

        hooks = sdimage.LoadHooks(cache_key=without_query)
        manager = self.manager(loader=painting(calls), load_hooks=hooks)
        self.assertEqual(manager.cache_key("x:a?token=1"), b"x:a")
        for url in ("x:a?token=1", "x:a?token=2", "x:private", "x:private"):
            manager.load(url)
        self.assertEqual(calls, ["x:a?token=1", "x:private", "x:private"])
        # The request's own hooks come first.
        own = sdimage.LoadHooks(cache_key=lambda request: b"own")
        self.assertEqual(manager.cache_key("x:a", load_hooks=own), b"own")

    def test_a_serializer_chooses_what_the_disk_keeps(self) -> None:
        seen: list[tuple[int, bool]] = []

        def keep(request: sdimage.LoadRequest, image: sdimage.Image, data: bytes | None) -> bytes | None:
            seen.append((image.width, data is not None))
            return png(2, 2) if data is None else data[:-1] + data[-1:]

        cache = self.cache()
        manager = self.manager(cache=cache, loader=painting([]), load_hooks=sdimage.LoadHooks(serialize=keep))
        manager.load("x:a.png", thumbnail_size=(4, 4), wait_for_store=True)
        self.assertEqual(seen, [(4, False), (4, True)])
        self.assertEqual(cache.data("x:a.png"), png(8, 6))
        key = manager.cache_key("x:a.png", thumbnail_size=(4, 4))
        self.assertEqual(cache.data(key), png(2, 2))

    def test_a_draft_leaves_what_is_not_set_and_none_is_the_default(self) -> None:
        seen: list[tuple[object, ...]] = []

        def process(request: sdimage.RequestDraft) -> None:
            def box() -> tuple[object, ...]:
                return request.decode_options["thumbnail_size"], request.decode_options["thumbnail_mode"]

            request.set(thumbnail_size=(4, 4))
            seen.append(box())
            request.set(preserve_aspect_ratio=False)
            seen.append(box())
            request.set(thumbnail_mode=None)
            seen.append(box())
            request.set(thumbnail_size=None)
            seen.append(box())
            request.set(pixel_format=None, dynamic_range=None, transfer_characteristics=None, isolation=None)
            request.set(options=None, format_hint=None, method=None, body=None, cache_key=None, encode=None)
            options = request.decode_options
            seen.append((options["pixel_format"], options["dynamic_range"], options["transfer_characteristics"]))
            seen.append((options["isolation"], options["format_hint"], len(request.options), len(options["options"])))
            seen.append((request.method, request.body, request.headers))

        hooks = sdimage.LoadHooks(process_request=process)
        manager = self.manager(loader=painting([]), load_hooks=hooks)
        result = manager.load(
            "x:a",
            thumbnail_size=(3, 2),
            thumbnail_mode="aspect_fill",
            pixel_format="rgba8",
            dynamic_range="hdr",
            transfer_characteristics="pq",
            isolation="none",
            format_hint="ico",
            options={"a": 1},
            method="POST",
            body=b"x",
            headers={"A": "b"},
            cache_key="mine",
        )
        boxes = [((4, 4), "aspect_fill"), ((4, 4), "fill"), ((4, 4), "aspect_fit"), (None, "aspect_fit")]
        self.assertEqual(seen[:4], boxes)
        self.assertEqual(seen[4:6], [(None, "sdr", None), (None, None, 0, 0)])
        self.assertEqual(seen[6], ("GET", None, [("A", "b")]))
        self.assertEqual(result.cache_key, "x:a")

    def test_unknown_options_are_refused_and_named(self) -> None:
        messages: list[str] = []

        def process(request: sdimage.RequestDraft) -> None:
            try:
                request.set(prioritty="high")  # type: ignore[call-arg]
            except TypeError as error:
                messages.append(str(error))

        manager = self.manager(loader=painting([]), load_hooks=sdimage.LoadHooks(process_request=process))
        manager.load("x:a")
        self.assertEqual(messages, ["unexpected keyword argument 'prioritty'"])
        with self.assertRaisesRegex(TypeError, "'qualty'"):
            manager.load("x:a", encode={"qualty": 0.1})  # type: ignore[typeddict-unknown-key]
        with self.assertRaisesRegex(TypeError, "encode must be a mapping or None"):
            manager.load("x:a", encode="png")  # type: ignore[arg-type]

    def test_a_processor_changes_one_choice_and_leaves_the_others(self) -> None:
        calls: list[str] = []

        def process(request: sdimage.RequestDraft) -> None:
            if request.option("small", False):
                request.set(thumbnail_size=(4, 4))
            if request.url == "x:old":
                request.redirect("x:new")
            request.set(scale=3.0, source_policy="loader_only")

        hooks = sdimage.LoadHooks(process_request=process)
        manager = self.manager(loader=painting(calls), load_hooks=hooks)
        for _ in range(2):
            image = manager.load("x:old", options={"small": True}, first_frame_only=True).image
            self.assertEqual((image.width, image.scale) if image else None, (4, 3.0))
        self.assertEqual(calls, ["x:new", "x:new"])
        self.assertIn(b"FirstFrame", manager.cache_key("x:a", first_frame_only=True))

    def test_a_program_refuses_loads(self) -> None:
        calls: list[str] = []
        hooks = sdimage.LoadHooks(should_load=lambda request: request.option("allowed", True))
        manager = self.manager(loader=painting(calls), load_hooks=hooks)
        self.assertIsNone(manager.load("x:a", options={"allowed": False}).image)
        self.assertIsNotNone(manager.load("x:a").image)
        self.assertIsNotNone(manager.load("x:a", options={"allowed": False}).image)
        self.assertEqual(calls, ["x:a"])

    def test_a_program_judges_failures(self) -> None:
        calls: list[str] = []
        judged: list[str] = []

        def judge(request: sdimage.LoadRequest, error: sdimage.Error) -> bool:
            judged.append(error.code)
            return request.option("remember", False)

        hooks = sdimage.LoadHooks(should_remember_failure=judge)
        manager = self.manager(loader=painting(calls), load_hooks=hooks)
        self.assert_error("NOT_FOUND", manager.load, "x:broken")
        self.assert_error("NOT_FOUND", manager.load, "x:broken", options={"remember": True})
        self.assert_error("FAILED_URL", manager.load, "x:broken")
        self.assertEqual((judged, len(calls)), (["NOT_FOUND", "NOT_FOUND"], 2))

    def test_one_that_raises_counts_as_one_that_is_not_there(self) -> None:
        def fail(*_arguments: object) -> bytes:
            raise ZeroDivisionError("by nought")

        cache = self.cache()
        hooks = sdimage.LoadHooks(
            process_request=fail, cache_key=fail, serialize=fail, should_load=fail, should_remember_failure=fail  # type: ignore[arg-type]
        )
        manager = self.manager(cache=cache, loader=painting([]), load_hooks=hooks)
        results: list[sdimage.Result] = []
        with self.assertLogs("sdimage"):
            task = manager.start("x:a", wait_for_store=True, on_result=results.append)
            # A caller that waits receives the exception.
            self.assert_error("INTERNAL_ERROR", task.wait)
            self.assertTrue(becomes(lambda: bool(results)))
            self.assertIsNotNone(results[0].image)
            self.assertEqual(cache.data("x:a"), png(8, 6))
            self.assert_error("NOT_FOUND", manager.load, "x:broken")

    def test_hooks_of_one_load_live_as_long_as_it(self) -> None:
        manager = self.manager(loader=painting([]))
        hooks = sdimage.LoadHooks(should_load=lambda request: False)
        gone = weakref.ref(hooks)
        task = manager.start("x:a", load_hooks=hooks)
        del hooks
        self.assertIsNone(task.wait().image)
        manager.close()
        gc.collect()
        self.assertIsNone(gone())

    def test_a_serializer_is_held_until_the_last_store(self) -> None:
        cache = self.cache()

        class Sealing:
            def seal(self, request: sdimage.LoadRequest, image: sdimage.Image, data: bytes | None) -> bytes:
                return b"sealed" + request.url.encode()

        sealing = Sealing()
        gone = weakref.ref(sealing)
        with sdimage.Manager(cache, painting([])) as manager:
            for index in range(8):
                task = manager.start(f"x:{index}", load_hooks=sdimage.LoadHooks(serialize=sealing.seal))
                task.wait()
                del task
            del sealing
            manager.flush()
        stored = [cache.data(f"x:{index}") for index in range(8)]
        self.assertEqual(stored, [f"sealedx:{index}".encode() for index in range(8)])
        self.assertTrue(becomes(lambda: gc.collect() >= 0 and gone() is None))


class Choices(TestCase):
    def test_originals_may_lie_in_a_cache_of_their_own(self) -> None:
        cache, originals = self.cache(), self.cache()
        manager = self.manager(cache=cache, loader=painting([]))
        manager.load("x:a.png", thumbnail_size=(4, 4), original_cache=originals, wait_for_store=True)
        self.assertEqual(originals.data("x:a.png"), png(8, 6))
        self.assertIsNone(cache.data("x:a.png"))

    def test_a_still_is_an_error_where_only_an_animation_will_do(self) -> None:
        manager = self.manager(loader=painting([]))
        self.assert_error("UNSUPPORTED", manager.load, "x:a", require_animation=True)
        self.assertIsNotNone(manager.load("x:a", preload_frames=True).image)

    def test_a_transformed_picture_says_that_it_is(self) -> None:
        manager = self.manager(loader=painting([]))
        flip = sdimage.transforms.flip(horizontal=True)
        plain, flipped = manager.load("x:a").image, manager.load("x:a", transformer=flip).image
        self.assertEqual((plain and plain.is_transformed, flipped and flipped.is_transformed), (False, True))

    def test_a_cache_of_python_sees_the_options_of_the_request(self) -> None:
        seen: list[tuple[str, int]] = []

        class Noting(sdimage.Cache):
            def query(self, key: bytes) -> bytes | None:
                seen.append(("query", self.option("n", -1)))
                return None

            def store(self, key: bytes, data: bytes) -> None:
                seen.append(("store", self.option("n", -1)))

            def remove(self, key: bytes, memory: bool, disk: bool) -> None:
                pass

        cache = Noting()
        manager = self.manager(cache=cache, loader=painting([]))
        manager.load("x:a", options={"n": 5}, wait_for_store=True)
        manager.load("x:b", wait_for_store=True)
        self.assertEqual(seen, [("query", 5), ("store", 5), ("query", -1), ("store", -1)])
        self.assertEqual(cache.option("n", 3), 3)

    def test_a_task_and_a_result_tell_the_answer_of_the_server(self) -> None:
        origin, manager = self.origin(), self.manager()
        url = origin.add("a.png", png())
        task = manager.start(url)
        result = task.wait()
        for response in (task.response, result.response):
            assert response is not None
            self.assertEqual((response.status, response.url), (200, url))
            self.assertEqual(response.header("content-type"), "image/png")
            self.assertIsNone(response.header("X-None"))
        self.assertIsNone(manager.load(url).response)


class Shared(TestCase):
    def test_the_process_shares_a_manager_with_its_defaults(self) -> None:
        calls: list[str] = []
        cache = sdimage.ImageCache(str(Path(self.folder())))
        sdimage.set_default_cache(cache)
        sdimage.set_default_loader(painting(calls))
        self.addCleanup(sdimage.set_default_cache, None)
        self.addCleanup(sdimage.set_default_loader, None)
        first, second = sdimage.Manager.shared(), sdimage.Manager.shared()
        self.assertEqual(first.load("x:a").source, "loader")
        self.assertEqual(second.load("x:a").source, "memory")
        with sdimage.Manager() as free:
            self.assertEqual(free.load("x:a").source, "memory")
        first.close()
        self.assert_error("SHUTDOWN", second.load, "x:a")
        again = sdimage.Manager.shared()
        self.assertEqual(again.load("x:a").source, "memory")
        again.close()
        self.assertEqual(calls, ["x:a"])
