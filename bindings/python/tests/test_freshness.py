"""Freshness of cached images, and loads without a network."""

from __future__ import annotations

import queue

from .support import TestCase, png, sdimage


class Freshness(TestCase):
    def test_a_refresh_delivers_the_cached_picture_and_then_what_the_origin_has(self) -> None:
        origin, manager = self.origin(), self.manager()
        url = origin.add("cat.png", png())
        manager.load(url, wait_for_store=True)
        partial: list[sdimage.Result] = []

        def refreshed() -> sdimage.Result:
            ended: queue.SimpleQueue[sdimage.Result] = queue.SimpleQueue()  # the task may end before its callbacks
            manager.start(url, on_partial=partial.append, on_result=ended.put, freshness="refresh")
            return ended.get(timeout=120)

        same = refreshed()
        self.assertEqual((same.source, same.changed, same.stale, same.freshness), ("memory", False, False, "refresh"))
        origin.add("cat.png", png(9, 9))
        other = refreshed()
        self.assertEqual((other.source, other.changed), ("network", True))
        assert other.image
        self.assertEqual(other.image.width, 9)
        self.assertEqual([(each.kind, each.image and each.image.width) for each in partial], [("cached", 8)] * 2)

    def test_a_refresh_does_not_confirm_an_image_read_before_its_entry_was_replaced(self) -> None:
        origin, folder = self.origin(), self.folder()
        ours, theirs = sdimage.ImageCache(folder), sdimage.ImageCache(folder)
        url = origin.add("cat.png", png())
        with self.manager(cache=ours) as manager, self.manager(cache=theirs) as other:
            manager.load(url, wait_for_store=True)
            ours.clear(disk=False)
            self.assertEqual(ours.image(url).width, 8)
            origin.add("cat.png", png(9, 9))
            other.load(url, source_policy="loader_only", wait_for_store=True)
            refreshed = manager.load(url, freshness="refresh")
            self.assertEqual((refreshed.image.width, refreshed.changed), (9, True))
        ours.close()
        theirs.close()

    def test_a_stale_picture_is_better_than_none(self) -> None:
        origin, manager = self.origin(), self.manager(freshness="respect")
        url = origin.add("cat.png", png()) + "?max_age=0"
        self.assertEqual(manager.load(url, wait_for_store=True).freshness, "none")
        confirmed = manager.load(url)
        self.assertEqual((confirmed.source, confirmed.freshness), ("memory", "expired"))
        self.assertEqual(origin.hits("cat.png"), 2)
        manager.offline = True
        kept = manager.load(url)
        self.assertEqual((kept.source, kept.stale, kept.freshness), ("memory", True, "offline"))
        self.assertIsNotNone(kept.image)
        assert kept.error
        self.assertEqual(kept.error.code, "OFFLINE")
        self.assertEqual(manager.load(url, freshness="ignore").freshness, "none")

    def test_offline_only_what_is_cached_is_found(self) -> None:
        origin, manager = self.origin(), self.manager()
        cached, other = origin.add("a.png", png()), origin.add("b.png", png())
        manager.load(cached)
        self.assertFalse(manager.offline)
        manager.offline = True
        self.assertTrue(manager.offline)
        self.assertEqual(manager.load(cached).source, "memory")
        with self.assertRaises(sdimage.Error) as raised:
            manager.load(other)
        self.assertEqual(raised.exception.code, "OFFLINE")
        manager.offline = False
        self.assertEqual(manager.load(other).source, "network")

    def test_a_url_signed_again_finds_its_image(self) -> None:
        manager = self.manager(ignore_signatures=True)
        self.assertEqual(manager.cache_key("https://x/a.png?w=1&X-Amz-Signature=2"), b"https://x/a.png?w=1")
        self.assertEqual(self.manager().cache_key("https://x/a.png?sig=2"), b"https://x/a.png?sig=2")

    def test_an_unknown_word_is_refused(self) -> None:
        with self.assertRaises(sdimage.Error) as raised:
            self.manager().load("https://x/a.png", freshness="fresh")
        self.assertEqual(raised.exception.code, "INVALID_ARGUMENT")
