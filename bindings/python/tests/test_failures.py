"""Exceptions of the program's own functions: logged, and raised to callers that wait."""

from __future__ import annotations

import asyncio
import collections
import gc
import logging
import threading
import weakref

from .support import TestCase, becomes, png, sdimage


def fail(*_arguments: object) -> bytes:
    raise ZeroDivisionError("by nought")


class Failures(TestCase):
    def caught(self, manager: sdimage.Manager, url: str, code: str = "INTERNAL_ERROR", **options: object) -> sdimage.Error:
        """The error of a load in which a function divides by zero, which is logged."""
        with self.assertLogs("sdimage", logging.ERROR) as logged:
            error = self.assert_error(code, manager.load, url, **options)
        self.assertIsInstance(error.__cause__, ZeroDivisionError)
        self.assertIn("by nought", logged.output[0])
        self.assertIn("Traceback", logged.output[0])
        return error

    def test_those_of_load_hooks(self) -> None:
        for name in ("process_request", "cache_key", "should_load", "serialize"):
            with self.subTest(name):
                hooks = sdimage.LoadHooks(**{name: fail})  # type: ignore[arg-type]
                manager = self.manager(loader=lambda request: png(), load_hooks=hooks)
                error = self.caught(manager, "x:a", wait_for_store=True)
                self.assertEqual(error.message, f"{name}: raised ZeroDivisionError: by nought")
                self.assertEqual(error.url, "x:a")
                # The load itself was successful.
                self.assertEqual(manager.cache.contains("x:a"), "memory")

    def test_those_of_loaders_and_download_hooks_are_the_cause(self) -> None:
        manager = self.manager(cache=None, loader=fail)
        self.assertIn("by nought", self.caught(manager, "x:a").message)
        origin = self.origin()
        url = origin.add("a.png", png())
        for name, code in (("modify_request", "INVALID_REQUEST"), ("modify_response", "INVALID_RESPONSE"), ("decrypt", "BAD_DATA")):
            with self.subTest(name):
                hooks = sdimage.DownloadHooks(**{name: fail})  # type: ignore[arg-type]
                self.caught(self.manager(cache=None), f"{url}?{name}", code, hooks=hooks)

    def test_those_of_transformers(self) -> None:
        broken = sdimage.transforms.custom("broken", fail)  # type: ignore[arg-type]
        manager = self.manager(loader=lambda request: png())
        self.caught(manager, "x:a.png", "TRANSFORM_FAILED", transformer=broken)
        self.assertIsNotNone(manager.load("x:a.png").image)
        with self.assertLogs("sdimage"):
            error = self.assert_error("INTERNAL_ERROR", sdimage.decode(png()).transform, broken)
        self.assertIsInstance(error.__cause__, ZeroDivisionError)

    def test_they_are_raised_by_every_way_to_wait(self) -> None:
        hooks = sdimage.LoadHooks(cache_key=fail)  # type: ignore[arg-type]
        manager = self.manager(cache=None, loader=lambda request: png(), load_hooks=hooks)
        with self.assertLogs("sdimage"):
            task = manager.start("x:a")
            self.assert_error("INTERNAL_ERROR", task.wait)
            self.assert_error("INTERNAL_ERROR", task.result)
            with self.assertRaises(sdimage.Error) as caught:
                asyncio.run(manager.load_async("x:a"))
        self.assertIsInstance(caught.exception.__cause__, ZeroDivisionError)

    def test_another_load_is_not_concerned(self) -> None:
        calls: list[int] = []

        def once(request: sdimage.LoadRequest) -> str:
            calls.append(1)
            if len(calls) == 1:
                raise ZeroDivisionError("by nought")
            return request.url

        manager = self.manager(cache=None, loader=lambda request: png(), load_hooks=sdimage.LoadHooks(cache_key=once))
        self.caught(manager, "x:a")
        self.assertIsNotNone(manager.load("x:a").image)

    def test_a_load_of_another_manager_is_not_concerned(self) -> None:
        gate = threading.Event()
        self.addCleanup(gate.set)
        plain = self.manager(cache=None)
        url = self.origin().add("a.png", png())
        broken = self.manager(cache=None, load_hooks=sdimage.LoadHooks(cache_key=fail))  # type: ignore[arg-type]
        with self.assertLogs("sdimage"):
            task = plain.start(url)
            self.assert_error("INTERNAL_ERROR", broken.load, url)
            self.assertIsNotNone(task.wait().image)

    def test_ctrl_c_in_a_hook_is_passed_on(self) -> None:
        def interrupt(request: sdimage.LoadRequest) -> str:
            raise KeyboardInterrupt

        hooks = sdimage.LoadHooks(cache_key=interrupt)
        manager = self.manager(cache=None, loader=lambda request: png(), load_hooks=hooks)
        with self.assertLogs("sdimage"), self.assertRaises(KeyboardInterrupt):
            manager.load("x:a")

    def test_an_error_of_a_result_has_its_cause(self) -> None:
        results: list[sdimage.Result] = []
        manager = self.manager(cache=None, loader=fail)
        with self.assertLogs("sdimage"):
            manager.start("x:a", on_result=results.append)
            self.assertTrue(becomes(lambda: bool(results)))
            group = manager.prefetch(["x:b"]).wait()
        error = results[0].error
        self.assertIsInstance(error.__cause__ if error else None, ZeroDivisionError)
        self.assertIsInstance(group.errors[0].__cause__, ZeroDivisionError)

    def test_an_error_of_the_package_is_an_answer_and_is_not_logged(self) -> None:
        def refuse(request: sdimage.LoadRequest) -> bytes:
            raise sdimage.Error("NOT_FOUND", "gone")

        with self.assertNoLogs("sdimage"):
            self.assert_error("NOT_FOUND", self.manager(cache=None, loader=refuse).load, "x:a")

    def test_those_of_callbacks_are_logged_and_do_not_end_the_load(self) -> None:
        seen: list[str] = []
        delivered = threading.Event()

        def load(request: sdimage.LoadRequest) -> sdimage.Image:
            request.progress(1, 2)
            self.assertTrue(delivered.wait(120))
            return sdimage.decode(png())

        def fail_on_progress(*arguments: object) -> None:
            delivered.set()
            fail()

        manager = self.manager(cache=None, loader=load, on_load=fail)
        with self.assertLogs("sdimage") as logged:
            task = manager.start("x:a", on_progress=fail_on_progress, on_result=fail)
            self.assertIsNotNone(task.wait().image)
            self.assertTrue(becomes(lambda: len(logged.output) >= 3))
        seen = [line.split(":")[2].split()[0] for line in logged.output]
        self.assertEqual(set(seen), {"on_progress", "on_result", "on_load"})

    def test_those_of_caches_count_as_misses(self) -> None:
        class Broken(sdimage.Cache):
            query = store = remove = fail  # type: ignore[assignment]

        manager = self.manager(cache=Broken(), loader=lambda request: png())
        with self.assertLogs("sdimage") as logged:
            self.assertIsNotNone(manager.load("x:a", wait_for_store=True).image)
        self.assertIn("query raised ZeroDivisionError: by nought", logged.output[0])

    def test_they_do_not_keep_what_the_function_used(self) -> None:
        class Large:
            pass

        gone: list[weakref.ref[Large]] = []

        def load(request: sdimage.LoadRequest) -> bytes:
            large = Large()
            gone.append(weakref.ref(large))
            raise ZeroDivisionError("by nought")

        self.caught(self.manager(cache=None, loader=load), "x:a")
        gc.collect()
        self.assertIsNone(gone[0]())


class Tasks(TestCase):
    def test_a_task_tells_whether_it_was_cancelled(self) -> None:
        gate = threading.Event()
        self.addCleanup(gate.set)
        manager = self.manager(cache=None, loader=lambda request: gate.wait(120) and png())
        task, other = manager.start("x:a"), manager.start("x:b")
        self.assertFalse(task.is_cancelled)
        task.cancel()
        self.assertTrue(becomes(lambda: task.done))
        self.assertTrue(task.is_cancelled)
        gate.set()
        other.wait()
        other.cancel()
        self.assertFalse(other.is_cancelled)
        broken = self.manager(cache=None, loader=lambda request: b"no picture").start("x:c")
        self.assert_error("NOT_AN_IMAGE", broken.wait)
        self.assertFalse(broken.is_cancelled)

    def test_progress_tells_of_which_load(self) -> None:
        seen: list[tuple[object, ...]] = []
        #: By URL: the progress has been delivered.
        delivered = collections.defaultdict[str, threading.Event](threading.Event)

        def load(request: sdimage.LoadRequest) -> sdimage.Image:
            request.progress(5, 10)
            self.assertTrue(delivered[request.url].wait(120))
            return sdimage.decode(png())

        def told(received: int, expected: int | None, task: sdimage.Task) -> None:
            seen.append((received, expected, task.url, task))
            delivered[task.url].set()

        manager = self.manager(cache=None, loader=load)
        tasks = [manager.start(url, on_progress=told) for url in ("x:a", b"x:b")]
        for task in tasks:
            task.wait()
        self.assertEqual([task.url for task in tasks], ["x:a", "x:b"])
        self.assertEqual({line[:3] for line in seen}, {(5, 10, "x:a"), (5, 10, "x:b")})
        self.assertTrue({line[3] for line in seen} <= set(tasks))
        asyncio.run(manager.load_async("x:c", told))
        self.assertEqual(seen[-1][:3], (5, 10, "x:c"))
        # Functions of two parameters, and those that take any number, receive two.
        pairs: list[tuple[object, ...]] = []

        def any_number(*pair: object) -> None:
            pairs.append(pair)
            delivered["x:d"].set()

        def two(received: int, expected: int | None, extra: int = 0) -> None:
            pairs.append((received, expected))
            delivered["x:e"].set()

        manager.start("x:d", on_progress=any_number).wait()
        manager.start("x:e", on_progress=two).wait()
        self.assertEqual(pairs, [(5, 10)] * 2)
