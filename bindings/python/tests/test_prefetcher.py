"""Prefetchers: lists of URLs, their observers and their end."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable

from .support import TestCase, becomes, png, sdimage
from .test_target import Loop


class Prefetchers(TestCase):
    def setUp(self) -> None:
        self.gate = threading.Event()
        self.gate.set()
        self.addCleanup(self.gate.set)
        self.running: list[int] = []
        self.most = 0
        self.lock = threading.Lock()

    def load(self, request: sdimage.LoadRequest) -> bytes:
        with self.lock:
            self.running.append(1)
            self.most = max(self.most, len(self.running))
        self.gate.wait(120)
        with self.lock:
            self.running.pop()
        if request.url.endswith("broken"):
            raise sdimage.Error("NOT_FOUND", "gone")
        return png()

    def prefetcher(self, **arguments: object) -> sdimage.Prefetcher:
        manager = arguments.pop("manager", None) or self.manager(loader=self.load)
        prefetcher = sdimage.Prefetcher(manager, **arguments)  # type: ignore[arg-type]
        self.addCleanup(prefetcher.close, 120)
        return prefetcher

    def test_a_list_is_loaded_into_the_cache_and_its_end_is_told(self) -> None:
        manager = self.manager(loader=self.load)
        prefetcher = self.prefetcher(manager=manager, thumbnail_size=(4, 4))
        told: list[sdimage.PrefetchGroup] = []
        fetched: list[tuple[int, str]] = []
        progress: list[tuple[int, int]] = []
        group = prefetcher.start(
            ["x:a", b"x:b", "x:broken"],
            on_completed=told.append,
            on_fetched=lambda index, result: fetched.append((index, result.error.code if result.error else "OK")),
            on_progress=lambda *numbers: progress.append(numbers),  # type: ignore[arg-type]
        )
        group.wait()
        self.assertTrue(becomes(lambda: told == [group]))
        self.assertEqual((group.urls, group.total, group.finished, group.skipped), (["x:a", "x:b", "x:broken"], 3, 3, 1))
        self.assertEqual(sorted(fetched), [(0, "OK"), (1, "OK"), (2, "NOT_FOUND")])
        self.assertEqual(progress, [(1, 3), (2, 3), (3, 3)])
        self.assertEqual(manager.load("x:a", thumbnail_size=(4, 4)).source, "memory")
        self.assertEqual((group.options["thumbnail_size"], group.options["priority"]), ((4, 4), "low"))

    def test_observers_hear_of_all_groups(self) -> None:
        fetched: list[tuple[str, int, int]] = []
        idle: list[tuple[int, int]] = []
        prefetcher = self.prefetcher(
            on_fetched=lambda *each: fetched.append(each), on_idle=lambda *each: idle.append(each)
        )
        prefetcher.start(["x:a", "x:b", "x:broken"])
        self.assertTrue(becomes(lambda: idle))
        self.assertEqual(idle, [(3, 1)])
        self.assertEqual({each[0] for each in fetched}, {"x:a", "x:b", "x:broken"})
        self.assertEqual([each[1:] for each in fetched], [(1, 3), (2, 3), (3, 3)])
        self.gate.clear()
        prefetcher.start(["x:c"])
        prefetcher.start(["x:d"])
        self.gate.set()
        self.assertTrue(becomes(lambda: len(fetched) == 5 and len(idle) == 2))
        self.assertEqual({each[0] for each in fetched[3:]}, {"x:c", "x:d"})
        prefetcher.set_observer()
        prefetcher.start(["x:e"]).wait()
        self.assertEqual(len(fetched), 5)

    def test_groups_are_counted_and_cancelled(self) -> None:
        prefetcher = self.prefetcher()
        self.gate.clear()
        ends: list[bool] = []
        first = prefetcher.start(["x:a", "x:b"], on_completed=lambda group: ends.append(group.cancelled))
        second = prefetcher.start(["x:c"], on_completed=lambda group: ends.append(group.cancelled))
        self.assertEqual(prefetcher.groups, [first, second])
        second.cancel()
        self.assertTrue(becomes(lambda: ends == [True]))
        self.assertEqual(prefetcher.groups, [first])
        prefetcher.cancel()
        self.assertTrue(becomes(lambda: ends == [True, True]))
        self.assertEqual(prefetcher.groups, [])
        self.assertTrue(first.cancelled and first.done)

    def test_the_number_of_loads_is_limited_and_may_change(self) -> None:
        prefetcher = self.prefetcher(max_concurrent=1, priority="normal")
        self.gate.clear()
        group = prefetcher.start([f"x:{number}" for number in range(6)])
        self.assertTrue(becomes(lambda: len(self.running) == 1))
        prefetcher.max_concurrent = 2
        self.assertTrue(becomes(lambda: len(self.running) == 2))
        self.gate.set()
        group.wait()
        self.assertEqual((prefetcher.max_concurrent, self.most), (2, 2))

    def test_settings_are_readable(self) -> None:
        manager = self.manager(loader=self.load)
        prefetcher = self.prefetcher(manager=manager, max_concurrent=5, on_idle=print, priority="normal")
        config = prefetcher.config
        self.assertEqual((config["manager"], config["max_concurrent"], config["on_idle"]), (manager, 5, print))
        self.assertEqual((config["on_fetched"], config["post"], prefetcher.manager), (None, None, manager))
        self.assertEqual(dict(prefetcher.options), {"priority": "normal"})
        self.assertEqual(dict(self.prefetcher().options), {"priority": "low"})
        for wrong in ({"manager": 5}, {"on_idle": 5}, {"floppy": 1}, {"max_concurrent": "2"}):
            with self.assertRaises(TypeError):
                self.prefetcher(**wrong)

    def test_callbacks_run_on_the_toolkits_loop(self) -> None:
        loop, threads = Loop(), set()
        prefetcher = self.prefetcher(post=loop.post, on_idle=lambda *_: threads.add(threading.get_ident()))
        ends: list[object] = []
        prefetcher.start(["x:a"], on_completed=ends.append)
        loop.run_until(lambda: bool(ends))
        self.assertEqual(threads, {threading.get_ident()})
        # Closing on the loop's own thread does not wait for it.
        self.gate.clear()
        prefetcher.start(["x:b"])
        prefetcher.close()

    def test_closing_cancels_and_forgets(self) -> None:
        prefetcher = self.prefetcher()
        self.gate.clear()
        ends: list[object] = []
        group = prefetcher.start(["x:a"], on_completed=ends.append)
        prefetcher.close()
        self.assertEqual((ends, group.cancelled), ([group], True))
        prefetcher.close()
        self.assert_error("SHUTDOWN", prefetcher.start, ["x:b"])

    def test_a_running_list_holds_its_prefetcher(self) -> None:
        self.gate.clear()
        ends: list[int] = []
        manager = self.manager(loader=self.load)
        sdimage.Prefetcher(manager).start(["x:a"], on_completed=lambda group: ends.append(group.skipped))
        gc.collect()
        self.gate.set()
        self.assertTrue(becomes(lambda: ends == [0]))

    def test_it_works_with_the_defaults_of_the_process(self) -> None:
        sdimage.set_default_cache(self.cache())
        sdimage.set_default_loader(self.load)
        self.addCleanup(sdimage.set_default_cache, None)
        self.addCleanup(sdimage.set_default_loader, None)
        with sdimage.Prefetcher() as prefetcher:
            self.assertEqual(prefetcher.start(["x:a"]).wait().skipped, 0)
            self.assertIsNone(prefetcher.manager)
            self.assertEqual(prefetcher.start([]).wait().total, 0)

    def test_closing_in_a_callback_does_not_wait_for_it(self) -> None:
        done = threading.Event()

        def close(each: sdimage.Prefetcher | sdimage.Manager) -> None:
            each.close(600)
            done.set()

        urls = ["x:a", "x:b", "x:c"]
        first, second, third = self.prefetcher(), self.prefetcher(), self.prefetcher()
        manager = self.manager(loader=self.load)
        observed = self.prefetcher(on_fetched=lambda url, finished, total: finished == 1 and close(observed))
        starts: tuple[Callable[[], object], ...] = (
            lambda: first.start(urls, on_fetched=lambda index, result: close(first)),
            lambda: second.start(urls, on_progress=lambda finished, total: close(second)),
            lambda: third.start(urls, on_completed=lambda group: close(third)),
            lambda: observed.start(urls),
            lambda: manager.prefetch(urls, lambda finished, total: close(manager)),
        )
        for start in starts:
            done.clear()
            start()
            self.assertTrue(done.wait(120))
