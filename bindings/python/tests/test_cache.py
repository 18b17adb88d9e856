"""The cache on its own."""

from __future__ import annotations

import os
import time
from pathlib import Path

from .support import TestCase, becomes, jpeg, png, run_python, sdimage


class Caching(TestCase):
    def test_bytes_come_back_after_the_cache_was_closed(self) -> None:
        folder = self.folder()
        with sdimage.ImageCache(folder) as cache:
            cache.store("a", data=png())
            cache.store(b"\xc3\xa9\0large", data=bytes(200_000))
        with sdimage.ImageCache(folder) as cache:
            self.assertEqual(cache.data("a"), png())
            self.assertEqual(cache.data(b"\xc3\xa9\0large"), bytes(200_000))
            self.assertEqual(cache.disk_count(), 2)
            self.assertGreaterEqual(cache.disk_size(), 200_000)

    def test_an_image_is_decoded_from_disk_and_kept(self) -> None:
        cache = self.cache()
        cache.store("a", data=png())
        self.assertEqual(cache.contains("a"), "disk")
        image = cache.image("a")
        assert image
        self.assertEqual((image.width, cache.contains("a")), (8, "memory"))
        small = cache.image("a", thumbnail_size=(4, 4))
        assert small
        self.assertEqual((small.width, small.height), (4, 3))

    def test_a_picture_alone_can_be_kept_in_memory_only(self) -> None:
        cache = self.cache()
        cache.store("a", image=sdimage.decode(png()), disk=False)
        self.assertEqual((cache.contains("a"), cache.data("a")), ("memory", None))
        self.assertIsNotNone(cache.memory_image("a"))
        self.assert_error("INVALID_ARGUMENT", cache.store, "a")

    def test_what_is_absent_is_none(self) -> None:
        cache = self.cache()
        for answer in (cache.image("x"), cache.data("x"), cache.path("x"), cache.memory_image("x")):
            self.assertIsNone(answer)
        self.assertEqual(cache.contains("x"), "none")
        cache.remove("x")

    def test_a_path_can_be_read(self) -> None:
        cache = self.cache()
        cache.store("a", data=png())
        path = cache.path("a")
        assert path
        cache.clear()
        with open(path, "rb") as file:
            self.assertEqual(file.read(), png())

    def test_entries_are_removed_from_the_named_layers(self) -> None:
        cache = self.cache()
        image = sdimage.decode(png())
        for key in "abc":
            cache.store(key, image=image, data=png())
        cache.remove("a", memory=False)
        self.assertEqual((cache.contains("a"), cache.data("a")), ("memory", None))
        cache.remove("b", disk=False)
        self.assertEqual(cache.contains("b"), "disk")
        cache.clear(disk=False)
        self.assertEqual((cache.contains("a"), cache.contains("c")), ("none", "disk"))
        cache.clear()
        self.assertEqual(cache.disk_count(), 0)

    def test_memory_limits_are_strict(self) -> None:
        cache = self.cache(max_memory_count=2)
        for key in "abcd":
            cache.store(key, image=sdimage.decode(png()))
        self.assertEqual(sum(cache.contains(key) == "memory" for key in "abcd"), 2)
        cache.set_memory_limits(cost=1)
        self.assertEqual(sum(cache.contains(key) == "memory" for key in "abcd"), 0)

    def test_the_oldest_leaves_where_that_is_the_wish(self) -> None:
        cache = self.cache(max_memory_count=2, eviction="lru")
        for key in "ab":
            cache.store(key, image=sdimage.decode(png()))
        self.assertIsNotNone(cache.memory_image("a"))
        cache.store("c", image=sdimage.decode(png()))
        self.assertEqual([key for key in "abc" if cache.contains(key) == "memory"], ["a", "c"])
        with self.assertRaises(sdimage.Error):
            self.cache(eviction="oldest")

    def test_a_held_picture_is_found_again(self) -> None:
        cache = self.cache(keep_weakly=True)
        held = sdimage.decode(png())
        cache.store("a", image=held)
        sdimage.trim_memory(empty_caches=True)
        self.assertIsNotNone(cache.memory_image("a"))
        cache.set_keep_weakly(False)
        sdimage.trim_memory(empty_caches=True)
        self.assertIsNone(cache.memory_image("a"))

    def test_a_cache_may_keep_nothing_in_memory(self) -> None:
        cache = self.cache(keep_in_memory=False)
        cache.store("a", data=png())
        cache.image("a")
        self.assertEqual(cache.contains("a"), "disk")
        cache.store("b", sdimage.decode(png()), disk=False)
        self.assertEqual(cache.contains("b"), "none")
        cache.set_memory_image("b", sdimage.decode(png()))
        self.assertEqual(cache.contains("b"), "memory")
        cache.set_keep_in_memory(True)
        cache.image("a")
        self.assertEqual(cache.contains("a"), "memory")

    def test_watching_memory_pressure_starts_no_thread(self) -> None:
        done = run_python(
            """
            import sdimage
            def threads():
                lines = sdimage.metrics().splitlines()
                return next(int(line.split()[1]) for line in lines if line.startswith("sdimage_threads "))
            with sdimage.Manager(cache=None, loader=lambda request: b"") as manager:
                try:
                    manager.load("x://a")
                except sdimage.Error:
                    pass
                before = threads()
                sdimage.watch_memory_pressure()
                sdimage.watch_memory_pressure()
                print(before > 0, threads() <= before)
                sdimage.watch_memory_pressure(False)
            """
        )
        self.assertEqual(done.stdout.split(), ["True", "True"])

    def test_old_entries_go_when_asked(self) -> None:
        cache = self.cache(max_disk_size=100_000, inline_entry_limit=0)
        for index in range(8):
            cache.store(f"{index}", data=bytes(20_000))
        cache.delete_old_files()
        self.assertLess(cache.disk_count(), 8)

    def test_statistics_count(self) -> None:
        cache = self.cache()
        cache.store("a", data=png())
        cache.image("a")
        cache.image("a")
        cache.image("b")
        statistics = cache.statistics()
        self.assertEqual(statistics["disk"]["stores"], 1)
        self.assertGreaterEqual(statistics["memory"]["hits"], 1)
        self.assertGreaterEqual(statistics["memory"]["misses"], 1)

    def test_a_closed_cache_says_so(self) -> None:
        cache = self.cache()
        cache.close()
        cache.close()
        self.assert_error("SHUTDOWN", cache.store, "a", data=b"x")
        self.assert_error("SHUTDOWN", cache.data, "a")

    def test_a_folder_that_cannot_be_used_is_told_by_stores(self) -> None:
        with sdimage.ImageCache("/proc/no/such/place") as cache:
            self.assert_error("CACHE_UNUSABLE", cache.store, "a", image=sdimage.decode(png()))
            self.assertEqual(cache.contains("a"), "memory")
            self.assert_error("CACHE_UNUSABLE", cache.store, "a", data=b"x")
            self.assertIn("/proc/no/such/place", self.assert_error("CACHE_UNUSABLE", cache.check).message)
        self.cache().check()

    def test_a_cache_in_memory_has_no_disk(self) -> None:
        cache = sdimage.ImageCache(memory_only=True)
        self.addCleanup(cache.close)
        self.assert_error("UNSUPPORTED", cache.store, "a", data=b"x")

    def test_a_namespace_is_a_part_of_its_own(self) -> None:
        folder = self.folder()
        with sdimage.ImageCache(folder, "one") as one, sdimage.ImageCache(folder, "two") as two:
            one.store("a", data=b"1")
            self.assertIsNone(two.data("a"))
        self.assert_error("INVALID_ARGUMENT", sdimage.ImageCache, folder, "a/b")

    def test_thumbnails_of_images_that_are_for_memory_only_are_not_on_disk(self) -> None:
        file = Path(self.folder()) / "a.png"
        file.write_bytes(png(40, 30))
        image = sdimage.decode(png(40, 30))
        for url, loader in ((file.as_uri(), None), ("test://a", lambda request: image)):
            cache = self.cache()
            with self.manager(cache=cache, loader=loader) as manager:
                manager.load(url, thumbnail_size=(20, 20), transformer=sdimage.transforms.flip(True))
                manager.load(url)
                policy = ["read_original_from_memory"]
                found = manager.load(url, thumbnail_size=(10, 10), cache_policy=policy, wait_for_store=True)
            self.assertEqual((found.source, found.image.size), ("memory", (10, 8)))
            cache.flush()
            self.assertEqual([entry.key for entry in cache.entries()], [])

    def test_an_alpha_channel_of_a_transformer_does_not_depend_on_the_disk(self) -> None:
        corners = sdimage.transforms.round_corner(8)
        for pixel_format in ("gray8", "rgb8", "rgba8"):
            cache = self.cache()
            with self.manager(cache=cache, loader=lambda request: jpeg()) as manager:
                manager.load("test://a.jpg", transformer=corners, wait_for_store=True)
                cache.clear(disk=False)
                found = manager.load("test://a.jpg", transformer=corners, pixel_format=pixel_format)
            expected = sdimage.decode(jpeg(), pixel_format=pixel_format).transform(corners)
            self.assertEqual(found.source, "disk")
            self.assertEqual(found.image.pixel_format, expected.pixel_format)
            self.assertEqual(found.image.tobytes(), expected.tobytes())


class Disk(TestCase):
    def test_entries_are_listed_by_prefix_length_and_use(self) -> None:
        with sdimage.ImageCache(self.folder(), inline_entry_limit=500) as cache:
            for index in range(1200):
                cache_key = f"http://{'a' if index % 2 else 'b'}/{index}"
                cache.store(cache_key, data=bytes(index % 1000))
            found = list(cache.entries())
            self.assertEqual(len(found), 1200)
            self.assertEqual(found[3].key, "http://a/3")
            self.assertEqual((found[3].length, found[3].is_file, found[3].expires), (3, False, None))
            self.assertLess(abs(found[3].stored - time.time()), 600)
            self.assertEqual(len(list(cache.entries("http://a/"))), 600)
            self.assertEqual([entry.key for entry in cache.entries("http://b/1", min_length=998)], [])
            self.assertEqual([entry.length for entry in cache.entries(min_length=998)], [998, 999])
            self.assertEqual(len(list(cache.entries(order="used", max_length=1))), 4)
            self.assertEqual(list(cache.entries(used_until=1)), [])
            self.assert_error("INVALID_ARGUMENT", list, cache.entries(order="size"))

    def test_extended_data_and_expiry_belong_to_an_entry(self) -> None:
        folder = self.folder()
        with sdimage.ImageCache(folder) as cache:
            cache.store("a", data=b"1")
            self.assertIsNone(cache.extended_data("a"))
            cache.set_extended_data("a", b"more")
            cache.set_expiry("a", time.time() + 1000)
        with sdimage.ImageCache(folder) as cache:
            self.assertEqual(cache.extended_data("a"), b"more")
            expires = next(cache.entries()).expires
            assert expires
            self.assertLess(abs(expires - time.time() - 1000), 100)
            cache.set_extended_data("a", None)
            self.assertIsNone(cache.extended_data("a"))
            cache.set_expiry("a", time.time() - 1)
            self.assertIsNone(cache.data("a"))
            self.assert_error("NOT_FOUND", cache.set_expiry, "a", None)
            self.assert_error("NOT_FOUND", cache.set_extended_data, "b", b"")

    def test_an_unpinned_path_is_gone(self) -> None:
        cache = self.cache()
        cache.store("a", data=png())
        path = cache.path("a")
        folder = cache.path()
        assert path and folder
        self.assertTrue(path.startswith(os.path.realpath(folder)))
        cache.unpin(path)
        self.assertFalse(os.path.exists(path))
        self.assert_error("NOT_FOUND", cache.unpin, path)

    def test_damage_is_found_and_repaired(self) -> None:
        with sdimage.ImageCache(self.folder(), inline_entry_limit=0) as cache:
            for key in "abc":
                cache.store(key, data=key.encode() * 1000)
            self.assertTrue(cache.verify()["sound"])
            folder = cache.path()
            assert folder
            for root, _, names in os.walk(folder):
                for name in names:
                    if "-" in name and "index" not in name:
                        with open(os.path.join(root, name), "r+b") as file:
                            if file.read(1) == b"b":
                                file.write(b"!")
            found = cache.verify(repair=True)
            self.assertEqual((found["damaged"], found["keys"], found["entries"]), (1, ["b"], 3))
            self.assertEqual((cache.verify()["sound"], cache.disk_count()), (True, 2))

    def test_limits_change_while_it_runs(self) -> None:
        cache = self.cache(inline_entry_limit=0)
        for index in range(20):
            cache.store(f"{index}", data=bytes(20_000))
        cache.trim(cache.statistics()["disk"]["allocated_bytes"] // 2)
        self.assertIsNone(cache.data("0"))
        self.assertIsNotNone(cache.data("19"))
        cache.set_disk_limits(max_age=0)
        self.assertIsNone(cache.data("19"))
        cache.delete_old_files()
        self.assertEqual(cache.disk_count(), 0)

    def test_limits_that_change_while_free_pages_are_returned_apply(self) -> None:
        cache = self.cache()
        for number in range(200):
            cache.store(f"{number}", data=bytes([number]) * 60_000)
        index = os.path.join(cache.path() or "", "v1", "index-1.db")
        whole = os.path.getsize(index)
        cache.trim(4 << 20)
        # Entries have been removed, and the index shrinks in steps.
        self.assertTrue(becomes(lambda: os.path.getsize(index) < whole))
        cache.set_disk_limits(max_size=2 << 20)
        self.assertTrue(becomes(lambda: cache.statistics()["disk"]["allocated_bytes"] < 2 << 20))

    def test_modes_are_kept_from_others(self) -> None:
        folder = self.folder()
        with sdimage.ImageCache(folder, folder_mode=0o777, file_mode=0o666, inline_entry_limit=0) as cache:
            cache.store("a", data=b"1")
            path = cache.path("a")
            assert path
            self.assertEqual(os.stat(path).st_mode & 0o777, 0o644)
            self.assertEqual(os.stat(os.path.join(folder, "default")).st_mode & 0o777, 0o755)

    def test_keys_that_are_not_utf8_are_refused(self) -> None:
        cache = self.cache()
        self.assert_error("INVALID_ARGUMENT", cache.store, b"\xff", data=b"1")
        self.assert_error("INVALID_ARGUMENT", cache.data, b"a\xc3")

    def test_a_picture_without_bytes_is_encoded(self) -> None:
        cache = self.cache()
        image = sdimage.decode(jpeg(64, 48))
        cache.store("whole", image, memory=False)
        cache.store("small", image, memory=False, max_pixel_size=(16, 16), quality=0.5)
        whole, small = cache.data("whole"), cache.data("small")
        assert whole and small
        self.assertEqual(sdimage.info(whole)["format"], "jpeg")
        self.assertEqual(sdimage.info(small)["width"], 16)
        self.assertIsNone(cache.memory_image("whole"))

    def test_files_that_came_with_the_program_are_found(self) -> None:
        folder = self.folder()
        shipped = os.path.join(folder, "shipped.png")
        with open(shipped, "wb") as file:
            file.write(png(7, 5))
        names = {b"here": shipped, b"gone": "/nowhere/at/all"}
        with sdimage.ImageCache(os.path.join(folder, "cache"), additional_path=names.get) as cache:
            image = cache.image("here")
            assert image
            self.assertEqual(image.width, 7)
            self.assertIsNone(cache.data("gone"))
            self.assertIsNone(cache.data("unknown"))
            self.assertEqual(cache.disk_count(), 0)
