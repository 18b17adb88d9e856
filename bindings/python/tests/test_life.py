"""Lifetimes of objects that the library references by number, and calls into the interpreter."""

from __future__ import annotations

import asyncio
import gc
import threading
import unittest
import weakref
from collections.abc import Callable, Iterator
from typing import Any, cast
from unittest import mock

from sdimage import _callbacks, prefetch, transforms
from sdimage._ffi import lib

from .support import TestCase, png, run_python, sdimage


class Speechless(Exception):
    """An exception whose text cannot be obtained."""

    def __str__(self) -> str:
        raise ValueError("no words")


def speechless(*_: object) -> Any:
    raise Speechless


class BadCoder(sdimage.Coder):
    def can_decode(self, head: bytes) -> bool:
        return head.startswith(b"speechless")

    def decode(self, data: bytes, options: sdimage.DecodeOptions) -> sdimage.Image:
        raise Speechless


class OneKey(sdimage.Cache):
    def query(self, key: bytes) -> bytes | None:
        return png()

    def store(self, key: bytes, data: bytes) -> None: ...
    def remove(self, key: bytes, memory: bool, disk: bool) -> None: ...


class Defaults(TestCase):
    def test_a_manager_holds_the_defaults_that_it_was_made_with(self) -> None:
        self.addCleanup(sdimage.set_default_loader, None)
        self.addCleanup(sdimage.set_default_cache, None)
        sdimage.set_default_cache(sdimage.ImageCache(memory_only=True))
        sdimage.set_default_loader(lambda request: png())
        loading, shared = sdimage.Manager(cache=None), sdimage.Manager.shared()
        self.addCleanup(loading.close)
        self.addCleanup(shared.close)
        sdimage.set_default_loader(None)
        sdimage.set_default_cache(OneKey())
        caching = sdimage.Manager(loader=lambda request: b"")
        self.addCleanup(caching.close)
        self.assertIsInstance(caching.cache, OneKey)
        sdimage.set_default_cache(None)
        gc.collect()
        self.assertEqual([manager.load("test://a").source for manager in (loading, shared)], ["loader"] * 2)
        self.assertEqual(caching.load("test://a").source, "disk")


class Lock:
    """A lock with an event for the first thread that waits for it."""

    def __init__(self) -> None:
        self.lock, self.has_waiter = threading.Lock(), threading.Event()

    def __enter__(self) -> None:
        if not self.lock.acquire(blocking=False):
            self.has_waiter.set()
            self.lock.acquire()

    def __exit__(self, *_: object) -> None:
        self.lock.release()


class Addresses(unittest.TestCase):
    def test_threads_that_ask_at_once_get_the_same(self) -> None:
        made: dict[str, tuple[str, sdimage.Cache | sdimage.Coder]] = {
            "sdimage_cache_new_custom": ("sdimage.caches._making", OneKey()),
            "sdimage_coder_new_custom": ("sdimage.coder._making", BadCoder()),
        }
        for name, (lock_name, each) in made.items():
            make, seen, lock = getattr(lib, name), set[int](), Lock()

            def ask(each: sdimage.Cache | sdimage.Coder = each, seen: set[int] = seen) -> None:
                seen.add(each.pointer)

            second = threading.Thread(target=ask)

            def meanwhile(
                *arguments: Any, make: Any = make, second: threading.Thread = second, lock: Lock = lock
            ) -> Any:
                if second.ident is None:
                    second.start()
                    self.assertTrue(lock.has_waiter.wait(120))
                return make(*arguments)

            with mock.patch.object(lib, name, meanwhile), mock.patch(lock_name, lock):
                ask()
                second.join()
            self.assertEqual(len(seen), 1)


class Closing(unittest.TestCase):
    def test_what_is_closed_in_the_middle_of_a_call_goes_after_it(self) -> None:
        gone: list[str] = []
        real_unref, real_count = lib.sdimage_decoder_unref, lib.sdimage_decoder_frame_count

        def unref(pointer: int) -> None:
            gone.append("gone")
            real_unref(pointer)

        def count(pointer: int) -> int:
            animation.close()  # as if on another thread
            self.assertEqual(gone, [])
            return cast(int, real_count(pointer))

        with (
            mock.patch.object(lib, "sdimage_decoder_unref", unref),
            mock.patch.object(lib, "sdimage_decoder_frame_count", count),
        ):
            animation = sdimage.Animation(png())
            self.assertEqual(len(animation), 1)
        self.assertEqual(gone, ["gone"])
        with self.assertRaises(sdimage.Error) as raised:
            len(animation)
        self.assertEqual(raised.exception.code, "SHUTDOWN")


class Reentrancy(TestCase):
    """Calls while a lock of the package is held, as those of a signal handler or of a finalizer."""

    def ends(self, function: Callable[[], object]) -> None:
        thread = threading.Thread(target=function, daemon=True)
        thread.start()
        thread.join(120)
        self.assertFalse(thread.is_alive(), "the thread waits for itself")

    def test_a_manager_loads_in_the_middle_of_a_load(self) -> None:
        manager = self.manager(cache=sdimage.ImageCache(memory_only=True), loader=lambda request: png())
        urls: list[str] = []

        class Name(str):
            def __hash__(self) -> int:
                if len(urls) < 3:
                    urls.append(manager.load("test://b").url)
                return super().__hash__()

        manager.load("test://b")
        manager.load("test://a")
        self.ends(lambda: manager.load(Name("test://a")))
        self.assertEqual(urls, ["test://b"] * 3)

    def test_a_group_is_cancelled_in_the_middle_of_its_cancellation(self) -> None:
        gate = threading.Event()
        self.addCleanup(gate.set)
        manager = self.manager(cache=None, loader=lambda request: gate.wait(120) and png())
        group = manager.prefetch(["test://a"])
        pointer, depth = group._pointer, 0

        def asked(_group: sdimage.PrefetchGroup) -> int | None:
            nonlocal depth
            depth += 1
            if depth == 1:
                group.cancel()
            return pointer

        with mock.patch.object(sdimage.PrefetchGroup, "_pointer", property(asked)):
            self.ends(group.cancel)
        self.assertTrue(group.cancelled)


class Cycles(TestCase):
    def test_an_object_is_collected_whose_function_belongs_to_its_holder(self) -> None:
        manager = self.manager(cache=None)
        makers: dict[str, Callable[[Callable[..., Any]], object]] = {
            "Target": lambda show: sdimage.Target(manager, show),
            "AnimatedView": lambda show: sdimage.AnimatedView(show),
            "Prefetcher": lambda show: sdimage.Prefetcher(manager, on_fetched=show),
            "Loader": lambda show: sdimage.Loader(show),
            "DownloadHooks": lambda show: sdimage.DownloadHooks(event=show),
            "LoadHooks": lambda show: sdimage.LoadHooks(cache_key=show),
            "Manager": lambda show: sdimage.Manager(cache=None, on_load=show),
            "Transport": lambda show: sdimage.Transport(show),
        }

        class Cell:
            def __init__(self, make: Callable[[Callable[..., Any]], object]) -> None:
                self.made = make(self.show)

            def show(self, *_: object) -> Any: ...

        for name, make in makers.items():
            cells = [weakref.ref(Cell(make)) for _ in range(3)]
            gc.collect()
            self.assertEqual([cell() for cell in cells], [None] * 3, name)

    def test_a_collected_target_cancels_its_loads(self) -> None:
        gate, ended, codes = threading.Event(), threading.Event(), list[str]()
        self.addCleanup(gate.set)
        manager = self.manager(cache=None, loader=lambda request: gate.wait(120) and png())

        class Cell:
            def __init__(self) -> None:
                self.target = sdimage.Target(manager, self.show)

            def show(self, key: str, image: object, result: object) -> None: ...

        def end(result: sdimage.Result) -> None:
            codes.append(result.error.code if result.error else "none")
            ended.set()

        cell = Cell()
        cell.target.load("test://a", on_result=end)
        del cell
        gc.collect()
        self.assertTrue(ended.wait(120))
        self.assertEqual(codes, ["CANCELLED"])


class Callbacks(TestCase):
    def counted(self, module: Any, name: str) -> list[int]:
        """The tables that callbacks use, during loads."""
        asked: list[int] = []
        tokens = getattr(module, name)

        class Counting:
            def __getattr__(self, attribute: str) -> Any:
                return getattr(tokens, attribute)

            def get(self, token: int) -> object:
                asked.append(token)
                return tokens.get(token)

        patch = mock.patch.object(module, name, Counting())
        patch.start()
        self.addCleanup(patch.stop)
        return asked

    def test_progress_without_a_function_does_not_enter_the_interpreter(self) -> None:
        may_end = threading.Event()

        def load(request: sdimage.LoadRequest) -> Iterator[bytes]:
            yield png()[:20]
            may_end.wait(120)
            yield png()[20:]

        manager = self.manager(cache=None, loader=load)
        may_end.set()
        asked = self.counted(prefetch, "_groups")
        manager.load_many(["test://a"] * 50, (4, 4))
        self.assertEqual(asked, [])
        told: list[int] = []
        manager.load_many(["test://a"] * 50, (4, 4), on_progress=lambda finished, total: told.append(finished))
        self.assertEqual((len(asked), told[-1]), (len(told), 50))
        asked = self.counted(_callbacks, "_running")
        ended = threading.Event()
        manager.start("test://a", on_result=lambda result: ended.set())
        self.assertTrue(ended.wait(120))
        self.assertEqual(asked, [])
        ended.clear()
        may_end.clear()
        manager.start("test://a", on_progress=lambda *_: may_end.set(), on_result=lambda result: ended.set())
        self.assertTrue(may_end.wait(120) and ended.wait(120))
        self.assertNotEqual(asked, [])

    def test_an_exception_without_words_is_an_error_all_the_same(self) -> None:
        sdimage.register_coder(coder := BadCoder())
        self.addCleanup(sdimage.unregister_coder, coder)
        unsaid = sdimage.Error(5, 6)  # type: ignore[arg-type]

        def raises(request: sdimage.LoadRequest) -> bytes:
            raise unsaid

        calls: list[Callable[[], object]] = [
            lambda: sdimage.decode(b"speechless"),
            lambda: sdimage.decode(png()).transform(transforms.custom("speechless", speechless)),
            lambda: self.manager(cache=None, loader=speechless).load("test://a"),
            lambda: self.manager(cache=None, loader=raises).load("test://a"),
        ]
        messages = [self.assert_error("INTERNAL_ERROR", call).message for call in calls]
        self.assertEqual(messages, ["Speechless", "Speechless", "Speechless", "6"])

    def test_a_failure_without_memory_for_its_error_is_a_failure(self) -> None:
        def torn(request: sdimage.LoadRequest) -> Iterator[bytes]:
            yield png()
            raise sdimage.Error("CONNECTION_LOST", "all had come")

        def send(request: sdimage.TransportRequest) -> Any:
            return 200, {"Content-Type": "image/png"}, torn(request)  # type: ignore[arg-type]

        loaders = sdimage.Loader(torn), sdimage.Loader.http(transport=sdimage.Transport(send), max_retries=0)
        with mock.patch.object(lib, "sdimage_error_new", lambda code, message: None):
            for loader in loaders:
                with self.assertRaises(sdimage.Error):
                    self.manager(cache=None, loader=loader).load("http://example.org/a.png")

    def test_an_array_stays_where_it_is_while_it_is_filled(self) -> None:
        manager = self.manager(cache=None, loader=lambda request: png())
        memory = bytearray(4 * 4 * 4 * 3)
        view = memoryview(memory).cast("B", (4, 4, 4, 3))
        refused: list[BufferError] = []

        def grow(finished: int, total: int) -> None:
            view.release()
            try:
                memory.clear()
            except BufferError as error:
                refused.append(error)

        manager.load_many(["test://a"] * 4, (4, 4), out=view, on_progress=grow)
        self.assertEqual(len(refused), 4)

    def test_numbers_that_do_not_fit_are_refused(self) -> None:
        manager = self.manager(cache=None, loader=lambda request: png())
        self.assert_error("INVALID_ARGUMENT", manager.prefetch, ["test://a"], max_concurrent=-1)
        self.assert_error("INVALID_ARGUMENT", sdimage.decode(png()).frame, 2**32)

    def test_what_ends_at_a_nul_in_c_is_refused(self) -> None:
        manager = self.manager(cache=None, loader=lambda request: png())
        place = self.folder() + "/a.png"
        sdimage.decode(png()).save(place)
        calls: list[Callable[[], object]] = [
            lambda: sdimage.decode(place + "\0.jpg"),
            lambda: sdimage.info(place + "\0.jpg"),
            lambda: sdimage.decode(png()).save(place + "\0.jpg"),
            lambda: sdimage.ImageCache(self.folder() + "\0", memory_only=True),
            lambda: manager.load("test://a", headers={"X-A": "a\0b"}),
            lambda: manager.load("test://a", options={"name\0": "a"}),
            lambda: transforms.custom("key\0of another", lambda image, key: image),
            lambda: sdimage.Loader.http(user_agent="a\0b"),
            lambda: sdimage.Target(manager).load("test://a", key="a\0b"),
        ]
        for index, call in enumerate(calls):
            with self.subTest(index):
                self.assert_error("INVALID_ARGUMENT", call)
        self.assert_error("INVALID_URL", manager.load, "http://example.org/\0")

    def test_a_part_of_a_second_is_not_none(self) -> None:
        asked: list[str] = []
        set_time, times = lib.sdimage_manager_config_set_failed_url_retry_after, list[int]()

        def record(config: int, time: int) -> None:
            times.append(time)
            set_time(config, 3600)

        def load(request: sdimage.LoadRequest) -> bytes:
            asked.append(request.url)
            return b"no picture"

        with mock.patch.object(lib, "sdimage_manager_config_set_failed_url_retry_after", record):
            manager = self.manager(cache=None, loader=load, failed_url_retry_after=0.5)
        self.assertEqual(times, [1])
        self.assert_error("NOT_AN_IMAGE", manager.load, "test://a")
        self.assert_error("FAILED_URL", manager.load, "test://a")
        manager.forget_failed([b"test://a"])
        self.assert_error("NOT_AN_IMAGE", manager.load, "test://a")
        self.assertEqual(len(asked), 2)


class Loops(unittest.TestCase):
    def test_leaving_an_iteration_leaves_no_task_behind(self) -> None:
        gate = threading.Event()
        manager = sdimage.Manager(cache=None, loader=lambda request: gate.wait(120) and b"")
        self.addCleanup(manager.close)
        self.addCleanup(gate.set)

        async def watch(started: asyncio.Event) -> None:
            started.set()
            async for _ in manager.results("test://a"):
                pass

        async def left() -> int:
            started = asyncio.Event()
            watching = asyncio.ensure_future(watch(started))
            await started.wait()
            await asyncio.sleep(0)
            watching.cancel()
            await asyncio.wait([watching])
            for _ in range(10):
                await asyncio.sleep(0)
            return len(asyncio.all_tasks())

        self.assertEqual(asyncio.run(left()), 1)


class Forks(unittest.TestCase):
    def test_a_child_waits_for_nothing_of_its_parent_when_it_ends(self) -> None:
        code = """
            import os, sdimage, sys, threading
            from unittest import mock
            gate = threading.Event()
            manager = sdimage.Manager(cache=None, loader=lambda request: gate.wait(120) and b"")
            group = manager.prefetch(["test://a", "test://b"])
            child = os.fork()
            if child == 0:
                waits = []
                group._ended.wait = waits.append
                manager.close = lambda *_: waits.append("close")
                try:
                    type(manager).close(manager)
                except sdimage.Error as error:
                    assert error.code == "FORKED", error
                os.write(1, f"{waits} ".encode())
                sys.exit(3)
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            gate.set()
            print(status)
        """
        self.assertEqual(run_python(code).stdout, "[] 3\n")


if __name__ == "__main__":
    unittest.main()
