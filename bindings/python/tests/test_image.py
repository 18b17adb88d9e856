"""Images: metadata, the program's own bytes, vector rendering, original bytes, pickle and copy."""

from __future__ import annotations

import copy
import multiprocessing
import pickle

from .support import TestCase, png, sdimage
from .test_animated_view import moving
from .test_coder import Disc


class Metadata(TestCase):
    def test_it_is_an_object_with_a_type(self) -> None:
        metadata = sdimage.decode(png()).metadata
        self.assertIsInstance(metadata, sdimage.ImageMetadata)
        self.assertEqual((metadata.format, metadata.scale, metadata.source_size), ("png", 1.0, (8, 6)))
        self.assertEqual((metadata["format"], dict(metadata)["frame_count"], "format" in metadata), ("png", 1, True))
        self.assertEqual(metadata, sdimage.decode(png()).metadata)
        self.assertRaises(KeyError, metadata.__getitem__, "__len__")
        with self.assertRaises(AttributeError):
            metadata.format = "gif"  # type: ignore[misc]

    def test_it_is_changed_in_an_image_of_the_same_pixels(self) -> None:
        image = sdimage.decode(png())
        changed = image.with_metadata(
            scale=2, format="webp", orientation="right", extended_data=b"mine", source_size=(80, 60), memory_cost=5
        )
        self.assertEqual(changed.pixels, image.pixels)
        self.assertEqual(
            (changed.scale, changed.format, changed.orientation, changed.extended_data, changed.source_size),
            (2.0, "webp", "right", b"mine", (80, 60)),
        )
        self.assertEqual(changed.memory_cost, 5)
        again = changed.with_metadata(memory_cost=None, extended_data=None, format=None)
        self.assertEqual((again.extended_data, again.format, again.scale), (None, None, 2.0))
        self.assertGreater(again.memory_cost, 5)
        self.assertIsNone(image.extended_data)
        wide = image.with_metadata(cicp=(9, 16, 0, True))
        self.assertEqual((wide.color_primaries, wide.transfer_characteristics, wide.is_hdr), (9, 16, True))
        self.assertEqual(wide.with_metadata(cicp=None).color_primaries, 0)
        with self.assertRaises(TypeError):
            image.with_metadata(size=5)

    def test_a_cache_stores_the_programs_own_bytes(self) -> None:
        cache = self.cache()
        cache.store("a", sdimage.decode(png()).with_metadata(extended_data=b"mine"))
        self.assertEqual(cache.extended_data("a"), b"mine")
        cache.clear(disk=False)
        image = cache.image("a")
        self.assertEqual(image.extended_data if image else None, b"mine")


class Sources(TestCase):
    def test_an_animation_has_the_bytes_of_its_file(self) -> None:
        file = moving(3)
        self.assertEqual(sdimage.decode(file).encoded_data, file)
        self.assertIsNone(sdimage.decode(png()).encoded_data)
        frames = [sdimage.decode(png()), sdimage.decode(png())]
        self.assertIsNone(sdimage.Image.animation(frames, [10, 10]).encoded_data)

    def test_a_vector_image_is_rendered(self) -> None:
        coder = Disc()
        sdimage.register_coder(coder)
        self.addCleanup(sdimage.unregister_coder, coder)
        image = sdimage.decode(b"disc\x07")
        self.assertTrue(image.is_vector)
        large = image.render((300, 200))
        self.assertEqual((large.size, large.width, large.height, large.pixels[0]), ((300, 200), 300, 200, 7))
        raster = sdimage.decode(png())
        self.assertFalse(raster.is_vector)
        self.assert_error("UNSUPPORTED", raster.render, (5, 5))
        self.assert_error("INVALID_ARGUMENT", image.render, 5)


class Copies(TestCase):
    def test_an_image_is_pickled_with_its_metadata(self) -> None:
        plain = sdimage.decode(png(), pixel_format="rgba8").with_metadata(
            scale=2, orientation="left", extended_data=b"mine", cicp=(9, 16, 0, True)
        )
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            again = pickle.loads(pickle.dumps(plain, protocol))
            self.assertEqual(again.tobytes(), plain.tobytes())
            before, after = dict(plain.metadata), dict(again.metadata)
            for name in ("memory_cost",):
                del before[name], after[name]
            self.assertEqual(after, before)

    def test_a_memory_cost_is_pickled(self) -> None:
        plain = sdimage.decode(png())
        image = plain.with_metadata(memory_cost=12345)
        self.assertEqual(pickle.loads(pickle.dumps(image)).memory_cost, 12345)
        self.assertEqual(pickle.loads(pickle.dumps(plain)).memory_cost, plain.memory_cost)
        self.assertNotIn("memory_cost", plain.__reduce__()[1][-1])

    def test_an_animation_is_pickled_with_all_frames(self) -> None:
        image = sdimage.decode(moving(3, 40, loops=2))
        again = pickle.loads(pickle.dumps(image))
        self.assertEqual((again.frame_count, again.durations_ms, again.loop_count), (3, [40] * 3, 2))
        for index in range(3):
            self.assertEqual(again.frame(index).tobytes(), image.frame(index).tobytes())

    def test_images_travel_between_processes(self) -> None:
        image = sdimage.decode(png())
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            back = pool.apply(copy.copy, (image,))
        self.assertEqual(back.tobytes(), image.tobytes())

    def test_a_copy_is_the_same_object(self) -> None:
        image = sdimage.decode(png())
        self.assertIs(copy.copy(image), image)
        self.assertIs(copy.deepcopy([image])[0], image)
