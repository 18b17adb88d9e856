"""The functions that all kinds of caches have."""

from __future__ import annotations

import asyncio
import threading

from .support import TestCase, becomes, jpeg, png, sdimage


class Dictionary(sdimage.Cache):
    """Encoded images by key."""

    def __init__(self) -> None:
        self.entries: dict[bytes, bytes] = {}
        self.gate = threading.Event()
        self.gate.set()
        self.asked = threading.Semaphore(0)

    def query(self, key: bytes) -> bytes | None:
        self.asked.release()
        self.gate.wait(120)
        return self.entries.get(key)

    def store(self, key: bytes, data: bytes) -> None:
        self.entries[key] = data

    def remove(self, key: bytes, memory: bool, disk: bool) -> None:
        if disk:
            self.entries.pop(key, None)

    def clear(self, memory: bool, disk: bool) -> None:
        if disk:
            self.entries.clear()


class Caches(TestCase):
    def every(self) -> dict[str, sdimage.ImageCache | sdimage.CacheChain | sdimage.LayeredCache | sdimage.TieredCache]:
        chain = sdimage.CacheChain([self.cache()])
        return {
            "image cache": self.cache(),
            "chain": chain,
            "chain of Python": sdimage.CacheChain([Dictionary()]),
            "layered": sdimage.LayeredCache(self.cache(), self.cache()),
            "tiered": sdimage.TieredCache(self.cache(), Dictionary()),
        }

    def test_images_are_stored_found_and_removed(self) -> None:
        image = sdimage.decode(png())
        for name, cache in self.every().items():
            with self.subTest(name):
                self.assertEqual(cache.contains("a"), "none")
                self.assertEqual((cache.image("a"), cache.data("a"), cache.lookup("a").image), (None, None, None))
                self.assertEqual(cache.lookup("a").source, "none")
                cache.store("a", image, png())
                cache.store_image(b"b", image)
                self.assertIn(cache.contains("a"), ("memory", "disk"))
                self.assertEqual(cache.data("a"), png())
                found = cache.lookup("a")
                self.assertIsNotNone(found.image)
                self.assertIn(found.source, ("memory", "disk", "remote"))
                self.assertEqual(cache.lookup("a", thumbnail_size=(4, 4)).image.width, 4)
                cache.remove("a")
                self.assertEqual((cache.contains("a"), cache.image("a")), ("none", None))
                self.assertIsNotNone(cache.image("b"))
                cache.clear()
                self.assertEqual((cache.contains("b"), cache.lookup("b").image), ("none", None))

    def test_a_lookup_tells_the_layer(self) -> None:
        cache = self.cache()
        cache.store("a", sdimage.decode(png()), png())
        self.assertEqual(cache.lookup("a").source, "memory")
        self.assertEqual(cache.lookup("a", cache_policy="disk_only").source, "disk")
        cache.clear(disk=False)
        self.assertEqual(cache.lookup("a", include_data=True).data, png())
        self.assertEqual(asyncio.run(cache.lookup_async("a")).source, "memory")
        self.assertIsNone(asyncio.run(cache.lookup_async("b")).image)
        seen: list[sdimage.Result] = []
        task = cache.start_lookup("a", seen.append)
        self.assertEqual((task.wait().source, task.url), ("memory", "a"))
        self.assertTrue(becomes(lambda: len(seen) == 1))
        cache.set_memory_image("c", sdimage.decode(png()))
        self.assertEqual((cache.contains("c"), cache.data("c")), ("memory", None))

    def test_an_alpha_channel_that_a_transformer_adds_is_stored(self) -> None:
        cache = self.cache()
        for data in (jpeg(), sdimage.decode(jpeg()).encode("gif"), sdimage.decode(jpeg()).encode("bmp")):
            image = sdimage.decode(data).transform(sdimage.transforms.round_corner(8))
            cache.store_image("a", image, memory=False)
            again = cache.image("a")
            self.assertEqual((again.format, again.color_at(0, 0)[3]), ("png", 0.0))
            cache.clear()

    def test_a_partial_animation_is_stored_with_the_frames_received(self) -> None:
        cache = self.cache()
        frames = [sdimage.Image.from_pixels(bytes((10 * n, 0, 0)) * 36, 6, 6, "rgb8") for n in range(5)]
        for name in ("png", "webp", "gif"):
            data = sdimage.Image.animation(frames, [100] * 5).encode(name)
            part = sdimage.Animation(b"")
            part.update(data[:-40])
            assert part.image is not None and part.image.is_incremental
            cache.store_image(name, part.image, memory=False)
            stored = cache.image(name)
            self.assertEqual((stored.format, stored.frame_count), (name, part.image.frame_count))
            self.assertEqual(cache.data(name), part.image.encode(name))

    def test_custom_caches_have_lookups_beside_their_methods(self) -> None:
        cache = Dictionary()
        cache.store_image("a", sdimage.decode(png()), png())
        self.assertEqual(cache.entries, {b"a": png()})
        self.assertEqual((cache.data("a"), cache.data("b")), (png(), None))
        self.assertEqual(cache.image("a", thumbnail_size=(4, 4)).width, 4)
        self.assertEqual(cache.lookup("a").source, "disk")
        self.assertIsNone(cache.lookup("b").image)

    def test_a_lookup_is_cancelled(self) -> None:
        cache = Dictionary()
        self.addCleanup(cache.gate.set)
        cache.store_image("a", data=png())
        cache.gate.clear()
        task = cache.start_lookup("a")
        self.assertTrue(cache.asked.acquire(timeout=120))
        task.cancel()
        self.assertTrue(becomes(lambda: task.done))
        self.assertTrue(task.is_cancelled)
        self.assert_error("CANCELLED", task.wait)

        async def leave() -> None:
            with self.assertRaises(TimeoutError):
                await asyncio.wait_for(cache.lookup_async("a"), 0.05)

        asyncio.run(leave())
        cache.gate.set()
        self.assertIsNotNone(cache.lookup("a").image)


class Configurations(TestCase):
    def test_caches_tell_their_configuration(self) -> None:
        folder = self.folder()
        cache = sdimage.ImageCache(folder, max_memory_cost=1 << 20, eviction="lru")
        self.addCleanup(cache.close)
        self.assertEqual((cache.config["directory"], cache.config["namespace"]), (folder, "default"))
        self.assertEqual((cache.config["max_memory_cost"], cache.config["eviction"]), (1 << 20, "lru"))
        cache.set_memory_limits(5, 6)
        cache.set_keep_weakly(True)
        cache.set_disk_limits(1000)
        config = cache.config
        self.assertEqual((config["max_memory_cost"], config["max_memory_count"], config["keep_weakly"]), (5, 6, True))
        self.assertEqual((config["max_disk_size"], config["max_disk_age"]), (1000, 604800))
        with self.assertRaises(TypeError):
            config["eviction"] = "adaptive"  # type: ignore[index]

    def test_combinations_tell_their_parts(self) -> None:
        first, second = Dictionary(), self.cache()
        chain = sdimage.CacheChain([first], promote=True)
        chain.add(second)
        self.assertEqual((chain.members, chain.promote), ((first, second), True))
        chain.promote = False
        chain.set_policy("store", "serial")
        self.assertEqual((chain.policies["store"], chain.policies["query"], chain.promote), ("serial", "serial", False))
        chain.set_policy("all", "lowest_only")
        self.assertEqual(set(chain.policies.values()), {"lowest_only"})
        chain.add(first)
        self.assertEqual(chain.members, (second, first))
        chain.remove(second)
        chain.remove_member(first)
        self.assertEqual(chain.config["caches"], ())
        self.assert_error("NOT_FOUND", chain.remove_member, first)
        self.assertEqual(dict(sdimage.TieredCache(second, first).config), {"local": second, "shared": first})
        self.assertEqual(dict(sdimage.LayeredCache(second, first).config), {"memory": second, "disk": first})
