"""Prefetching of lists."""

from __future__ import annotations

import asyncio
import threading
import unittest

from .support import TestCase, png, sdimage


class Prefetching(TestCase):
    def test_a_list_is_loaded_and_found_in_the_cache(self) -> None:
        manager = self.manager(loader=lambda request: png())
        seen: list[tuple[int, int]] = []
        told = threading.Event()

        def on_progress(finished: int, total: int) -> None:
            seen.append((finished, total))
            if finished == total:
                told.set()

        group = manager.prefetch([f"test://{n}" for n in range(9)], on_progress).wait(120)
        self.assertTrue(told.wait(120))
        self.assertEqual(seen, [(n + 1, 9) for n in range(9)])
        self.assertEqual((group.total, group.finished, group.skipped, group.failed), (9, 9, 0, []))
        self.assertTrue(group.done)
        self.assertFalse(group.cancelled)
        self.assertEqual(manager.load("test://4").source, "memory")

    def test_failures_are_told_with_their_urls(self) -> None:
        manager = self.manager(loader=lambda request: png() if request.url.endswith("good") else b"no picture")
        group = manager.prefetch(["test://good", "test://bad", b"test://worse"], max_concurrent=1).wait(120)
        self.assertEqual((group.finished, group.skipped), (3, 2))
        self.assertEqual([(url, error.code) for url, error in group.failed],
                         [("test://bad", "NOT_AN_IMAGE"), ("test://worse", "NOT_AN_IMAGE")])

    def test_an_empty_list_is_done(self) -> None:
        group = self.manager().prefetch([]).wait(120)
        self.assertEqual((group.total, group.finished, group.failed, group.done), (0, 0, [], True))
        asyncio.run(self._await(group))

    def test_options_are_those_of_loads_and_the_priority_is_low(self) -> None:
        manager = self.manager(loader=lambda request: png(64, 64))
        manager.prefetch(["test://a"], thumbnail_size=(16, 16)).wait(120)
        result = manager.load("test://a", thumbnail_size=(16, 16))
        self.assertEqual((result.source, result.image and result.image.width), ("memory", 16))
        with self.assertRaises(TypeError):
            manager.prefetch(["test://a"], nonsense=1)  # type: ignore[call-arg]

    def test_cancelling_ends_it(self) -> None:
        gate = threading.Event()
        self.addCleanup(gate.set)
        manager = self.manager(loader=lambda request: gate.wait(120) and png())
        group = manager.prefetch([f"test://{n}" for n in range(5)])
        group.cancel()
        self.assertTrue(group.wait(120).cancelled)
        self.assertLess(group.finished, 5)

    async def _await(self, group: sdimage.PrefetchGroup) -> sdimage.PrefetchGroup:
        return await group

    def test_a_group_can_be_awaited(self) -> None:
        manager = self.manager(loader=lambda request: png())
        group = asyncio.run(self._await(manager.prefetch(["test://a", "test://b"])))
        self.assertEqual(group.finished, 2)
        self.assertEqual(asyncio.run(self._await(group)).finished, 2)

    def test_cancelling_the_awaiting_task_cancels_the_group(self) -> None:
        gate = threading.Event()
        self.addCleanup(gate.set)
        manager = self.manager(loader=lambda request: gate.wait(120) and png())
        group = manager.prefetch(["test://a"])

        async def run() -> None:
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(self._await(group), 0.05)

        asyncio.run(run())
        self.assertTrue(group.wait(120).cancelled)

    def test_closing_the_manager_ends_its_groups(self) -> None:
        gate = threading.Event()
        self.addCleanup(gate.set)
        manager = sdimage.Manager(None, lambda request: gate.wait(120) and png())
        group = manager.prefetch([f"test://{n}" for n in range(50)])
        manager.close()
        self.assertTrue(group.done)

    def test_waiting_has_a_limit(self) -> None:
        gate = threading.Event()
        self.addCleanup(gate.set)
        manager = self.manager(loader=lambda request: gate.wait(120) and png())
        with self.assertRaises(sdimage.Error) as caught:
            manager.prefetch(["test://a"]).wait(0.01)
        self.assertEqual(caught.exception.code, "TIMEOUT")


if __name__ == "__main__":
    unittest.main()
