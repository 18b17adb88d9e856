"""Loads on an asyncio loop."""

from __future__ import annotations

import asyncio
import gc
import threading

from sdimage import _asyncio

from .support import PICTURES, Origin, TestCase, in_quarters, jpeg, png, sdimage


class Asynchronous(TestCase):
    def test_a_load_is_awaited(self) -> None:
        origin, manager = self.origin(), self.manager()
        url = origin.add("cat.jpg", jpeg())

        async def main() -> list[str]:
            return [(await manager.load_async(url)).source for _ in range(2)]

        self.assertEqual(asyncio.run(main()), ["network", "memory"])

    def test_a_picture_in_memory_costs_the_loop_nothing_later(self) -> None:
        manager = self.manager(loader=lambda request: png())

        async def main() -> tuple[str, int]:
            await manager.load_async("test://a")
            await asyncio.sleep(0)
            _asyncio.queue().drain()
            for _ in range(10):
                source = (await manager.load_async("test://a", on_progress=lambda *_: None)).source
            return source, _asyncio.queue().drain()

        self.assertEqual(asyncio.run(main()), ("memory", 0))

    def test_fifty_loads_run_at_once(self) -> None:
        origin, manager = self.origin(), self.manager()
        urls = [origin.add(f"{index}.jpg", jpeg(16 + index, 16)) + "?delay_ms=20" for index in range(50)]

        async def main() -> list[sdimage.Result]:
            return await asyncio.gather(*(manager.load_async(url) for url in urls))

        widths = [result.image.width for result in asyncio.run(main()) if result.image]
        self.assertEqual(widths, [16 + index for index in range(50)])

    def test_the_loop_goes_on_meanwhile(self) -> None:
        origin, manager = self.origin(), self.manager()
        url = origin.add("cat.jpg", jpeg()) + "?gate=1"

        async def main() -> int:
            ticks = 0
            load = asyncio.ensure_future(manager.load_async(url))
            while not load.done():
                ticks += 1
                if ticks == 10:
                    origin.open_gate()
                await asyncio.sleep(0.01)
            return ticks

        self.assertGreaterEqual(asyncio.run(main()), 10)

    def test_parts_come_before_the_whole(self) -> None:
        origin, manager = self.origin(), self.manager()
        url = origin.add("aurora.jpg", (PICTURES / "aurora.jpg").read_bytes()) + "?gate=1"
        seen: list[tuple[str, int, bool]] = []

        async def main() -> None:
            async for result in manager.results(url, progressive_interval_ms=1, thumbnail_size=(500, 500)):
                assert result.image
                seen.append((result.kind, result.image.width, result.image.is_incremental))
                origin.open_gate()

        asyncio.run(main())
        self.assertGreater(len(seen), 1)
        self.assertEqual(set(seen[:-1]), {("partial", 500, True)})
        self.assertEqual(seen[-1], ("final", 500, False))

    def test_leaving_the_deliveries_cancels_the_load(self) -> None:
        origin, manager = self.origin(), self.manager()
        url = origin.add("aurora.jpg", (PICTURES / "aurora.jpg").read_bytes()) + "?gate=1"

        async def main() -> None:
            deliveries = manager.results(url, progressive_interval_ms=1)
            async for result in deliveries:
                self.assertEqual(result.kind, "partial")
                break
            await deliveries.aclose()  # type: ignore[attr-defined]
            while manager.running_count:
                await asyncio.sleep(0.005)

        asyncio.run(asyncio.wait_for(main(), 120))

    def test_a_failing_load_raises_where_its_deliveries_are_taken(self) -> None:
        manager = self.manager()

        async def main() -> None:
            async for _ in manager.results(self.origin().url("nothing")):
                self.fail("a delivery")

        self.assert_error("HTTP_STATUS", lambda: asyncio.run(main()))

    def test_cancelling_the_asyncio_task_cancels_the_load(self) -> None:
        origin, manager = self.origin(), self.manager()
        url = origin.add("cat.jpg", jpeg()) + "?fault=hang"

        async def main() -> None:
            load = asyncio.ensure_future(manager.load_async(url))
            while not origin.hits("cat.jpg"):
                await asyncio.sleep(0.005)
            self.assertEqual(manager.running_count, 1)
            load.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await load
            while manager.running_count:
                await asyncio.sleep(0.005)

        asyncio.run(asyncio.wait_for(main(), 120))

    def test_a_time_limit_of_asyncio_works(self) -> None:
        origin, manager = self.origin(), self.manager()
        url = origin.add("cat.jpg", jpeg()) + "?fault=hang"

        async def main() -> None:
            with self.assertRaises(TimeoutError):
                await asyncio.wait_for(manager.load_async(url), 0.1)

        asyncio.run(main())

    def test_errors_are_raised_where_they_are_awaited(self) -> None:
        origin, manager = self.origin(), self.manager()

        async def main() -> str:
            try:
                await manager.load_async(origin.url("nothing"))
            except sdimage.Error as error:
                return error.code
            return "none"

        self.assertEqual(asyncio.run(main()), "HTTP_STATUS")

    def test_progress_is_told_on_the_loop(self) -> None:
        data = jpeg(1600, 1200)
        seen: list[tuple[int, int | None]] = []
        manager = self.manager(loader=in_quarters(data, lambda count: seen and seen[-1][0] >= count))
        threads = set()

        def on_progress(received: int, expected: int | None) -> None:
            seen.append((received, expected))
            threads.add(threading.current_thread())

        asyncio.run(self.load(manager, "x:a", on_progress))
        self.assertEqual((seen, threads), (sorted(seen), {threading.main_thread()}))
        # The last counts are dropped if the result is there before they are delivered.
        self.assertEqual((seen[-1][0] <= len(data), seen[-1][1]), (True, len(data)))
        self.assertGreater(len(seen), 1)

    async def load(self, manager: sdimage.Manager, url: str, on_progress: object) -> None:
        await manager.load_async(url, on_progress=on_progress)  # type: ignore[arg-type]

    def test_one_manager_serves_several_loops(self) -> None:
        origin, manager = self.origin(), self.manager()
        url = origin.add("cat.jpg", jpeg())
        sources: list[str] = []

        def run(index: int) -> None:
            sources.append(asyncio.run(manager.load_async(f"{url}?{index}")).source)

        threads = [threading.Thread(target=run, args=(index,)) for index in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sources, ["network"] * 4)

    def test_closing_ends_what_is_awaited(self) -> None:
        origin = self.origin()
        url = origin.add("cat.jpg", jpeg()) + "?fault=hang"
        for close in (self.close_at_once, self.close_gently):
            origin.reset()
            asyncio.run(asyncio.wait_for(close(origin, url), 120))

    def test_a_closed_loop_is_told_nothing(self) -> None:
        gate, loop = threading.Event(), asyncio.new_event_loop()
        self.addCleanup(gate.set)
        ready = jpeg()

        def load(request: sdimage.LoadRequest) -> bytes:
            gate.wait(120)
            return ready

        manager = self.manager(cache=None, loader=load)
        received: list[int] = []

        async def start() -> asyncio.Future[sdimage.Result]:
            load = asyncio.ensure_future(manager.load_async("x:a", lambda now, of: received.append(now)))
            await asyncio.sleep(0)
            return load

        awaited = loop.run_until_complete(start())
        loop.close()
        gate.set()
        manager.close(120)
        self.assertEqual((awaited.done(), received), (False, []))
        with self.assertLogs("asyncio"):  # an awaited load that is dropped with its loop
            del awaited
            gc.collect()

    async def close_at_once(self, origin: Origin, url: str) -> None:
        manager = self.manager(cache=None)
        load = asyncio.ensure_future(manager.load_async(url))
        while not origin.hits():
            await asyncio.sleep(0.005)
        manager.close()
        with self.assertRaisesRegex(sdimage.Error, "SHUTDOWN"):
            await load

    async def close_gently(self, origin: Origin, url: str) -> None:
        async with sdimage.Manager(cache=None) as manager:
            load = asyncio.ensure_future(manager.load_async(url))
            while not origin.hits():
                await asyncio.sleep(0.005)
        with self.assertRaisesRegex(sdimage.Error, "SHUTDOWN"):
            await load
