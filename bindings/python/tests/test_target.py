"""Targets: images for widgets."""

from __future__ import annotations

import base64
import gc
import queue
import threading
import unittest
import weakref
from collections.abc import Callable

from .support import TestCase, becomes, png, run_python, sdimage


class Loop:
    """A toolkit's event loop that runs functions when the test requests it."""

    def __init__(self) -> None:
        self._posted: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()

    def post(self, function: Callable[[], None]) -> None:
        self._posted.put(function)

    def run_until(self, is_true: Callable[[], bool]) -> None:
        while not is_true():
            self._posted.get(timeout=120)()


class Cell:
    """A widget that records its calls."""

    def __init__(self, manager: sdimage.Manager, post: Callable[[Callable[[], None]], object] | None = None) -> None:
        self.log: list[object] = []
        self.threads: set[int] = set()
        self.told = threading.Event()
        self.target = sdimage.Target(
            manager,
            self.set_image,
            start_indicator=lambda key: self.log.append("start"),
            stop_indicator=lambda key: self.log.append("stop"),
            prepare_transition=lambda key, transition, ms, image: self.log.append(("prepare", transition, ms)),
            end_transition=lambda key, finished: self.log.append(("end", finished)),
            post=post,
        )

    def set_image(self, key: str, image: sdimage.Image | None, result: sdimage.Result | None) -> None:
        self.threads.add(threading.get_ident())
        self.log.append((key, image and image.width, result and result.source))

    def on_result(self, result: sdimage.Result) -> None:
        self.log.append(("told", result.error and result.error.code))
        self.told.set()


class Targets(TestCase):
    def test_a_picture_comes_after_its_placeholder(self) -> None:
        cell = Cell(self.manager(loader=lambda request: png(8, 6)))
        placeholder = sdimage.decode(png(4, 4))
        task = cell.target.load("test://a", placeholder, on_result=cell.on_result)
        self.assertIsNotNone(task)
        self.assertTrue(cell.told.wait(120))
        self.assertEqual(
            cell.log,
            [("image", 4, None), "start", "stop", ("image", 8, "loader"), ("told", None)],
        )
        self.assertEqual((cell.target.url(), cell.target.latest_key), ("test://a", "image"))

    def test_a_picture_in_memory_is_there_when_load_returns_on_the_thread_of_the_toolkit(self) -> None:
        loop = Loop()
        manager = self.manager(loader=lambda request: png(8, 6))
        manager.load("test://a")
        cell = Cell(manager, loop.post)
        cell.target.load("test://a", on_result=cell.on_result)
        self.assertEqual(cell.log[-2:], [("image", 8, "memory"), ("told", None)])

    def test_everything_runs_on_the_thread_of_the_toolkit(self) -> None:
        loop = Loop()
        cell = Cell(self.manager(loader=lambda request: png(8, 6)), loop.post)
        cell.target.load("test://a", on_result=cell.on_result, transition="fade", transition_ms=5)
        loop.run_until(lambda: ("end", True) in cell.log)
        self.assertEqual(cell.threads, {threading.get_ident()})
        self.assertEqual(
            cell.log[1:],
            ["start", "stop", ("prepare", "fade", 5), ("image", 8, "loader"), ("told", None), ("end", True)],
        )

    def test_the_next_load_cancels_the_one_before(self) -> None:
        loop = Loop()
        gate = threading.Event()
        self.addCleanup(gate.set)
        cell = Cell(self.manager(loader=lambda request: gate.wait(120) and png()), loop.post)
        cell.target.load("test://a", on_result=cell.on_result)
        cell.target.load(None, sdimage.decode(png(4, 4)), on_result=cell.on_result)
        self.assertEqual(
            [line for line in cell.log if isinstance(line, tuple)],
            [("image", None, None), ("told", "CANCELLED"), ("image", 4, None), ("told", "INVALID_URL")],
        )

    def test_the_priority_of_a_slot_is_that_of_its_loads(self) -> None:
        loop = Loop()
        gate = threading.Event()
        self.addCleanup(gate.set)
        cell = Cell(self.manager(loader=lambda request: gate.wait(120) and png()), loop.post)
        cell.target.load("test://a", on_result=cell.on_result)
        task = cell.target.task()
        assert task is not None
        cell.target.set_priority("high")
        self.assertEqual(task.priority, "high")
        cell.target.set_priority("low", key="none")
        self.assertEqual(task.priority, "high")
        self.assert_error("INVALID_ARGUMENT", cell.target.set_priority, "highest")

    def test_hashes_cached_pictures_and_failures_have_placeholders(self) -> None:
        loop = Loop()
        manager = self.manager(loader=lambda request: b"no picture")
        cell = Cell(manager, loop.post)
        cell.target.load("test://a", blurhash="LEHV6nWB2yk8pyo0adR*.7kCMdnj")
        cell.target.load(
            "test://b", sdimage.decode(png(4, 4)), placeholder_time="on_failure", cached_placeholder="memory",
            on_result=cell.on_result,
        )
        loop.run_until(lambda: ("told", "NOT_AN_IMAGE") in cell.log)
        self.assertEqual(
            [line for line in cell.log if isinstance(line, tuple) and line[0] == "image"],
            [("image", 32, None), ("image", 4, None)],
        )

    def test_progress_is_that_of_the_load_in_the_slot(self) -> None:
        loop, gate = Loop(), threading.Event()
        self.addCleanup(gate.set)

        def load(request: sdimage.LoadRequest) -> bytes:
            request.progress(10, 40)
            gate.wait(120)
            return png()

        cell = Cell(self.manager(loader=load), loop.post)
        self.assertIsNone(cell.target.progress())
        cell.target.load("test://a", key="left", on_result=cell.on_result)
        self.assertTrue(becomes(lambda: cell.target.progress() == (10, 40)))
        self.assertEqual(cell.target.progress("left"), (10, 40))
        self.assertIsNone(cell.target.progress("right"))
        gate.set()
        loop.run_until(cell.told.is_set)
        self.assertIsNone(cell.target.progress("left"))

    def test_options_of_loads_are_those_of_the_load(self) -> None:
        loop, gate, asked = Loop(), threading.Event(), []
        self.addCleanup(gate.set)

        def load(request: sdimage.LoadRequest) -> bytes:
            gate.wait(120)
            return b"no picture" if request.url == "test://b" else png(80, 60)

        def remember(request: sdimage.LoadRequest, error: sdimage.Error) -> bool:
            asked.append(error.code)
            return False

        cell = Cell(self.manager(loader=load), loop.post)
        cell.target.load("test://a", thumbnail_size=(8, 8), on_result=cell.on_result)
        gate.set()
        loop.run_until(cell.told.is_set)
        self.assertIn(("image", 8, "loader"), cell.log)
        gate.clear()
        cell.told.clear()
        # No other reference to the hooks exists.
        cell.target.load(
            "test://b", load_hooks=sdimage.LoadHooks(should_remember_failure=remember), on_result=cell.on_result
        )
        gc.collect()
        gate.set()
        loop.run_until(cell.told.is_set)
        self.assertEqual(asked, ["NOT_AN_IMAGE"])

    def test_slots_are_independent(self) -> None:
        loop = Loop()
        gate = threading.Event()
        self.addCleanup(gate.set)
        cell = Cell(self.manager(loader=lambda request: gate.wait(120) and png()), loop.post)
        cell.target.load("test://a")
        cell.target.load("test://b", key="hover", on_result=cell.on_result)
        self.assertIsNotNone(cell.target.task("hover"))
        cell.target.cancel("hover")
        self.assertIsNone(cell.target.task("hover"))
        self.assertIsNotNone(cell.target.task())
        self.assertTrue(cell.told.is_set())

    def test_a_closed_target_calls_nothing_more(self) -> None:
        loop = Loop()
        gate = threading.Event()
        self.addCleanup(gate.set)
        cell = Cell(self.manager(loader=lambda request: gate.wait(120) and png()), loop.post)
        cell.target.load("test://a", on_result=cell.on_result)
        cell.log.clear()
        cell.target.close()
        cell.target.close()
        self.assertEqual(cell.log, [("told", "CANCELLED")])
        with self.assertRaises(sdimage.Error) as caught:
            cell.target.load("test://b")
        self.assertEqual(caught.exception.code, "SHUTDOWN")

    def test_dropping_a_target_closes_it(self) -> None:
        gate = threading.Event()
        self.addCleanup(gate.set)
        told: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        target = sdimage.Target(self.manager(loader=lambda request: gate.wait(120) and png()))
        target.load("test://a", on_result=lambda result: told.put(result.error and result.error.code))
        del target
        gc.collect()
        self.assertEqual(told.get(timeout=120), "CANCELLED")

    def test_a_loop_lives_as_long_as_its_users(self) -> None:
        manager = self.manager(loader=lambda request: png())
        for make in (
            lambda post: sdimage.Target(manager, lambda key, image, result: None, post=post),
            lambda post: sdimage.AnimatedView(post=post),
            lambda post: sdimage.Prefetcher(manager, post=post),
        ):
            loop = Loop()
            first, second = make(loop.post), make(loop.post)
            gone = weakref.ref(loop)
            del loop
            first.close()
            gc.collect()
            self.assertIsNotNone(gone())
            second.close()
            del first, second
            gc.collect()
            self.assertIsNone(gone())

    def test_a_load_of_a_closed_target_still_ends_on_its_loop(self) -> None:
        gate = threading.Event()
        self.addCleanup(gate.set)
        loop = Loop()
        manager = self.manager(loader=lambda request: gate.wait(120) and png())
        told: list[threading.Thread] = []
        target = sdimage.Target(manager, post=loop.post)
        target.load("test://a", on_result=lambda result: told.append(threading.current_thread()))
        closer = threading.Thread(target=target.close)
        closer.start()
        closer.join(120)
        del target
        gc.collect()
        if not told:
            loop.run_until(lambda: bool(told))
        self.assertEqual(len(told), 1)
        group = sdimage.Prefetcher(manager, post=loop.post).start(["test://b"], on_completed=told.append)
        group._owner.close()
        loop.run_until(lambda: len(told) == 2)

    def test_a_posted_function_runs_once_however_often_the_toolkit_calls_it(self) -> None:
        code = """
            import base64, queue, sys, sdimage
            shown, posted = [], queue.SimpleQueue()
            def post(function):
                posted.put(function)
                posted.put(function)
            with sdimage.Manager(cache=None, loader=lambda request: base64.b64decode(sys.argv[1])) as manager:
                target = sdimage.Target(manager, lambda key, image, result: shown.append(image), post=post)
                kept = []
                for number in range(20):
                    target.load(f"test://{number}")
                    while not (shown and shown[-1]):
                        kept.append(posted.get(timeout=120))
                        kept[-1]()
                    before = len(shown)
                    for function in kept:
                        function()
                    assert len(shown) == before, (number, before, len(shown))
                    shown.clear()
                target.close()
            """
        run_python(code, base64.b64encode(png()).decode())


if __name__ == "__main__":
    unittest.main()
