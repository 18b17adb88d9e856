"""Deliveries through a descriptor, with poll, trio and anyio."""

from __future__ import annotations

import select
import threading
import unittest
from collections.abc import Iterator

from .support import TestCase, becomes, jpeg, sdimage

try:
    import trio
except ImportError:
    trio = None
try:
    import anyio
except ImportError:
    anyio = None


class Queues(TestCase):
    def test_poll_takes_what_is_there_on_its_own_thread(self) -> None:
        origin, manager = self.origin(), self.manager()
        url = origin.add("cat.jpg", jpeg(32, 24))
        seen: list[tuple[str, int]] = []

        def hear(result: sdimage.Result) -> None:
            seen.append((result.source, threading.get_ident()))

        with sdimage.EventQueue() as events:
            poll = select.poll()
            poll.register(events, select.POLLIN)
            for source in "network", "memory":
                manager.start(url, on_result=hear, events=events)
                while not seen or seen[-1][0] != source:
                    self.assertTrue(poll.poll(120_000), "nothing came")
                    events.drain()
            self.assertEqual(events.drain(), 0)
            self.assertEqual(poll.poll(0), [])
        self.assertEqual({thread for _, thread in seen}, {threading.get_ident()})

    def test_a_load_without_on_progress_has_one_delivery(self) -> None:
        data, is_half_written, may_end = jpeg(), threading.Event(), threading.Event()

        def load(request: sdimage.LoadRequest) -> Iterator[bytes]:
            request.expect(len(data))
            yield data[:100]
            is_half_written.set()
            may_end.wait(120)
            yield data[100:]

        manager = self.manager(loader=load, cache=None)
        with sdimage.EventQueue() as events:
            task = manager.start("x:a", events=events)
            self.assertTrue(is_half_written.wait(120))
            self.assertTrue(becomes(lambda: task.progress[0] == 100))
            self.assertEqual(events.drain(), 0)
            may_end.set()
            task.wait(120)

    def test_a_closed_queue_is_not_called_and_its_loads_go_on(self) -> None:
        origin, manager = self.origin(), self.manager()
        url = origin.add("cat.jpg", jpeg()) + "?delay_ms=50"
        events = sdimage.EventQueue()
        task = manager.start(url, on_result=self.fail, events=events)
        events.close()
        events.close()
        self.assertEqual(task.wait(120).source, "network")

    def test_a_manager_closes_after_the_queue_of_a_running_load(self) -> None:
        started, gate = threading.Event(), threading.Event()
        self.addCleanup(gate.set)

        def load(request: sdimage.LoadRequest) -> bytes:
            started.set()
            gate.wait(120)
            return b""

        manager = self.manager(cache=None, loader=load)
        with sdimage.EventQueue() as events:
            manager.start("x:a", on_result=self.fail, events=events)
            self.assertTrue(started.wait(120))
        manager.close(10)

    def test_a_callback_may_close_the_queue(self) -> None:
        origin, manager = self.origin(), self.manager()
        url = origin.add("cat.jpg", jpeg())
        events = sdimage.EventQueue()
        told: list[str] = []

        def close(result: sdimage.Result) -> None:
            told.append(result.url)
            events.close()

        for _ in range(2):
            manager.start(url, on_result=close, events=events)
        self.assertTrue(select.select([events], [], [], 120)[0], "nothing came")
        events.drain()
        self.assertEqual((len(told), events.drain()), (1, 0))

    def test_closing_the_manager_drains_the_queue_of_this_thread(self) -> None:
        origin, manager = self.origin(), self.manager()
        url = origin.add("cat.jpg", jpeg()) + "?fault=hang"
        ended: list[str] = []
        with sdimage.EventQueue() as events:
            manager.start(url, on_result=lambda result: ended.append(result.error.code), events=events)
            manager.close(120)
        self.assertEqual(ended, ["SHUTDOWN"])

    def test_an_exception_of_a_callback_is_raised_when_the_manager_is_closed(self) -> None:
        manager = self.manager(cache=None, loader=lambda request: b"")
        told: list[str] = []

        def fail(result: sdimage.Result) -> None:
            told.append(result.url)
            raise ValueError(result.url)

        with sdimage.EventQueue() as events:
            for index in range(3):
                manager.start(f"x:{index}", on_result=fail, events=events)
            with self.assertLogs("sdimage") as logged, self.assertRaisesRegex(ValueError, "x:"):
                manager.close(120)
        self.assertEqual((sorted(told), len(logged.records)), (["x:0", "x:1", "x:2"], 2))
        self.assert_error("SHUTDOWN", manager.load, "x:3")

    @unittest.skipIf(trio is None, "trio is not installed")
    def test_trio_waits_for_the_descriptor_and_cancels(self) -> None:
        origin, manager = self.origin(), self.manager()
        urls = [origin.add(f"{index}.jpg", jpeg(16 + index, 16)) for index in range(20)]
        slow = origin.add("slow.jpg", jpeg()) + "?fault=hang"
        widths: list[int] = []

        async def load(events: sdimage.EventQueue, url: str) -> None:
            done = trio.Event()
            results: list[sdimage.Result] = []

            def hear(result: sdimage.Result) -> None:
                results.append(result)
                done.set()

            task = manager.start(url, on_result=hear, events=events)
            try:
                await done.wait()
            except trio.Cancelled:
                task.cancel()
                raise
            widths.append(results[0].image.width)

        async def pump(events: sdimage.EventQueue) -> None:
            while True:
                await trio.lowlevel.wait_readable(events)
                events.drain()

        async def main() -> bool:
            with sdimage.EventQueue() as events:
                async with trio.open_nursery() as pumps:
                    pumps.start_soon(pump, events)
                    async with trio.open_nursery() as loads:
                        for url in urls:
                            loads.start_soon(load, events, url)
                    with trio.move_on_after(0.05) as scope:
                        await load(events, slow)
                    pumps.cancel_scope.cancel()
            return scope.cancelled_caught

        self.assertTrue(trio.run(main))
        self.assertEqual(sorted(widths), list(range(16, 36)))
        self.assertEqual(manager.running_count, 0)

    @unittest.skipIf(anyio is None, "anyio is not installed")
    def test_anyio_awaits_loads_on_asyncio(self) -> None:
        origin, manager = self.origin(), self.manager()
        urls = [origin.add(f"{index}.jpg", jpeg(16 + index, 16)) for index in range(8)]
        widths: list[int] = []

        async def load(url: str) -> None:
            widths.append((await manager.load_async(url)).image.width)

        async def main() -> None:
            async with anyio.create_task_group() as group:
                for url in urls:
                    group.start_soon(load, url)

        anyio.run(main)
        self.assertEqual(sorted(widths), list(range(16, 24)))
