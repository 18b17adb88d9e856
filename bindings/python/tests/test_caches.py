"""Caches from Python methods, and chains of caches."""

from __future__ import annotations

import gc
import threading
import weakref

from .support import TestCase, becomes, png, sdimage


class Dictionary(sdimage.Cache):
    """Bytes in a dictionary, without images."""

    def __init__(self) -> None:
        self.entries: dict[bytes, bytes] = {}
        self.lock = threading.Lock()

    def query(self, key: bytes) -> bytes | None:
        with self.lock:
            return self.entries.get(key)

    def store(self, key: bytes, data: bytes) -> None:
        with self.lock:
            self.entries[key] = data

    def remove(self, key: bytes, memory: bool, disk: bool) -> None:
        with self.lock:
            self.entries.pop(key, None)


class WithPictures(Dictionary):
    def __init__(self) -> None:
        super().__init__()
        self.pictures: dict[bytes, sdimage.Image] = {}

    def memory_image(self, key: bytes) -> sdimage.Image | None:
        return self.pictures.get(key)

    def set_memory_image(self, key: bytes, image: sdimage.Image) -> None:
        self.pictures[key] = image


class Shared(Dictionary):
    shared = True


class Broken(sdimage.Cache):
    def query(self, key: bytes) -> bytes | None:
        raise ZeroDivisionError("by nought")

    def store(self, key: bytes, data: bytes) -> None:
        raise sdimage.Error("DISK_FULL", "no room")

    def remove(self, key: bytes, memory: bool, disk: bool) -> None:
        raise OSError("no")


class Custom(TestCase):
    def test_a_shared_cache_is_given_no_private_response(self) -> None:
        origin = self.origin()
        origin.add("cat.png", png())
        for control, kinds in (("private", [Dictionary]), ("public", [Dictionary, Shared])):
            for kind in (Dictionary, Shared):
                cache, url = kind(), origin.url(f"cat.png?cache={control}")
                self.manager(cache=cache).load(url, wait_for_store=True)
                self.assertEqual(url.encode() in cache.entries, kind in kinds, (control, kind))

    def test_an_entry_key_names_a_variant_exactly(self) -> None:
        cache = Dictionary()
        manager = self.manager(cache=cache, loader=lambda request: png())
        manager.load("x:a.png", thumbnail_size=(2, 2), wait_for_store=True)
        key = manager.entry_key("x:a.png", thumbnail_size=(2, 2))
        self.assertEqual(key, b"x:a.png\x1fThumbnail({2.000000,2.000000},1)")
        self.assertEqual(manager.cache_key("x:a.png", thumbnail_size=(2, 2)), b"x:a-Thumbnail(%7B2.000000,2.000000%7D,1).png")
        self.assertEqual(manager.entry_key("x:a.png"), b"x:a.png")
        self.assertIn(key, cache.entries)

    def test_a_variant_is_encoded_in_the_format_of_the_request(self) -> None:
        cache = Dictionary()
        manager = self.manager(cache=cache, loader=lambda request: png())
        for size, chosen, expected in ((2, "bmp", "bmp"), (3, None, "png")):
            manager.load("x:a.png", thumbnail_size=(size, size), encode_format=chosen, wait_for_store=True)
            entry = cache.entries[manager.entry_key("x:a.png", thumbnail_size=(size, size))]
            self.assertEqual(sdimage.info(entry)["format"], expected)

    def test_a_cache_of_python_is_asked_and_filled(self) -> None:
        cache, calls = Dictionary(), []

        def paint(request: sdimage.LoadRequest) -> bytes:
            calls.append(request.url)
            return png()

        with self.manager(cache=cache, loader=paint) as manager:
            self.assertIs(manager.cache, cache)
            first = manager.load("test://a.png", wait_for_store=True)
            second = manager.load("test://a.png")
        self.assertEqual((first.source, second.source), ("loader", "disk"))
        self.assertEqual(cache.entries, {b"test://a.png": png()})
        self.assertEqual(len(calls), 1)

    def test_pictures_in_memory_are_answered_at_once(self) -> None:
        cache = WithPictures()
        with self.manager(cache=cache, loader=lambda request: png()) as manager:
            manager.load("test://a.png")
            self.assertEqual(manager.load("test://a.png").source, "memory")
        self.assertEqual(list(cache.pictures), [b"test://a.png"])

    def test_a_cache_that_fails_fails_no_load(self) -> None:
        with self.manager(cache=Broken(), loader=lambda request: png()) as manager:
            result = manager.load("test://a.png", wait_for_store=True)
        self.assertEqual(result.source, "loader")

    def test_a_load_holds_its_own_cache(self) -> None:
        with self.manager(loader=lambda request: png()) as manager:
            task = manager.start("test://a.png", cache=Dictionary(), wait_for_store=True)
            gc.collect()
            self.assertEqual(task.wait().source, "loader")

    def test_a_cache_of_one_load_receives_what_is_stored_after_it(self) -> None:
        stored: dict[bytes, bytes] = {}

        class Storing(Dictionary):
            def __init__(self) -> None:
                super().__init__()
                self.entries = stored

        gone: list[weakref.ref[Storing]] = []
        with self.manager(loader=lambda request: png(128, 128)) as manager:
            for index in range(40):
                cache = Storing()
                gone.append(weakref.ref(cache))
                task = manager.start(f"test://{index}", cache=cache, thumbnail_size=(100, 100))
                del cache
                task.wait()
                del task
                gc.collect()
            self.assertTrue(becomes(lambda: len(stored) == 80), stored.keys())
        self.assertTrue(becomes(lambda: gc.collect() >= 0 and not any(each() for each in gone)))


class Chains(TestCase):
    def test_a_fast_cache_is_filled_from_the_large_one_below_it(self) -> None:
        large, fast = Dictionary(), self.cache()
        large.entries[b"test://a.png"] = png()
        chain = sdimage.CacheChain([large, fast], promote=True)
        with self.manager(cache=chain, loader=lambda request: b"") as manager:
            self.assertEqual(manager.load("test://a.png").source, "disk")
        fast.flush()
        self.assertEqual(fast.data("test://a.png"), png())

    def test_only_the_caches_above_a_chain_are_filled_from_it(self) -> None:
        low, middle, high = self.cache(), self.cache(), self.cache()
        middle.store("a", data=png())
        inner = sdimage.CacheChain([middle])
        self.assertEqual(sdimage.CacheChain([low, inner, high], promote=True).data("a"), png())
        for cache in (low, middle, high):
            cache.flush()
        self.assertEqual([cache.contains("a") for cache in (low, middle, high)], ["none", "disk", "disk"])
        self.assertEqual(middle.statistics()["disk"]["stores"], 1)

    def test_policies_say_which_cache_stores(self) -> None:
        for policy, expected in (("highest_only", (0, 1)), ("lowest_only", (1, 0)), ("serial", (1, 1)), ("concurrent", (1, 1))):
            low, high = Dictionary(), Dictionary()
            chain = sdimage.CacheChain([low, high])
            chain.set_policy("store", policy)
            with self.manager(cache=chain, loader=lambda request: png()) as manager:
                manager.load("test://a.png", wait_for_store=True)
            self.assertEqual((len(low.entries), len(high.entries)), expected)

    def test_a_chain_cannot_hold_itself(self) -> None:
        inner = sdimage.CacheChain()
        outer = sdimage.CacheChain([inner])
        self.assert_error("INVALID_ARGUMENT", inner.add, outer)
        self.assert_error("INVALID_ARGUMENT", outer.set_policy, "store", "some")
        outer.remove(inner)
        self.assert_error("NOT_FOUND", outer.remove, inner)

    def test_a_cache_of_two_halves_uses_one_of_each(self) -> None:
        memory, disk = WithPictures(), sdimage.ImageCache(self.folder())
        with sdimage.Manager(cache=sdimage.LayeredCache(memory, disk), loader=lambda request: png()) as manager:
            manager.load("test://a", wait_for_store=True)
            self.assertEqual(list(memory.pictures), [b"test://a"])
            self.assertEqual(memory.entries, {})
            self.assertEqual(disk.contains("test://a"), "disk")
        disk.close()

    def test_a_thumbnail_is_read_back_with_its_bytes(self) -> None:
        cache = sdimage.ImageCache(self.folder())
        with sdimage.Manager(cache=cache, loader=lambda request: png(40, 30)) as manager:
            manager.load("test://a.png", thumbnail_size=(20, 20), wait_for_store=True)
            cache.clear(disk=False)
            cache.remove("test://a.png")
            again = manager.load("test://a.png", thumbnail_size=(20, 20), source_policy="cache_only")
            self.assertEqual((again.source, again.image.width), ("disk", 20))
            self.assertIsNotNone(again.data)
            warm = manager.load("test://a.png", thumbnail_size=(20, 20), include_data=True, blocking_reads="all")
            self.assertEqual(warm.source, "memory")
            self.assertIsNotNone(warm.data)
        cache.close()
