"""The photo library: its index and its loader."""

from __future__ import annotations

import os
import unittest
from datetime import datetime, timedelta, timezone
from pathlib import Path

from .support import HEADERS, TestCase, jpeg, png, sdimage

try:
    from sdimage import photos
except ImportError as error:
    raise unittest.SkipTest(str(error)) from None


class Photos(TestCase):
    def album(self) -> Path:
        album = Path(self.folder())
        os.environ["XDG_CACHE_HOME"] = self.folder()
        (album / "walk").mkdir()
        (album / "a.jpg").write_bytes(jpeg(64, 48))
        (album / "walk" / "b.png").write_bytes(png(8, 6))
        return album

    def test_photos_are_listed_and_found_after_they_moved(self) -> None:
        album = self.album()
        with photos.PhotoLibrary(album, watch=False) as library:
            self.assertEqual(library.name, "tree")
            self.assertFalse(library.is_watching)
            first, second = library.photos(order="name", descending=False)
            self.assertEqual((first.name, first.size, first.type), ("a.jpg", (64, 48), "image/jpeg"))
            self.assertEqual((first.media, first.playback, first.origin), ("image", "still", "own"))
            self.assertEqual((first.albums, second.albums), ([""], ["walk"]))
            self.assertEqual(Path(second.path), (album / "walk" / "b.png").resolve())
            self.assertLess(abs(first.taken - datetime.now(timezone.utc)), timedelta(minutes=5))
            self.assertEqual(first.file_size, (album / "a.jpg").stat().st_size)
            self.assertEqual([photo.name for photo in library.photos(album="walk")], ["b.png"])
            self.assertEqual(library.photos(media="video"), [])
            self.assertEqual(library.photos(taken=(datetime(2100, 1, 1), None)), [])
            self.assertEqual(len(library.photos(taken=(datetime(1600, 1, 1), datetime(9999, 1, 1)))), 2)
            self.assertEqual(len(library.photos(limit=1)), 1)
            self.assertEqual([photo.name for photo in library.photos(filter=lambda photo: photo.size[0] > 10)], ["a.jpg"])
            (album / "a.jpg").rename(album / "walk" / "c.jpg")
            library.scan()
            self.assertEqual(library.find(first.identifier).name, "c.jpg")
            with self.assertRaises(sdimage.Error) as caught:
                library.find("nobody")
            self.assertEqual(caught.exception.code, "PHOTOS_NOT_FOUND")

    def test_urls_go_both_ways(self) -> None:
        self.assertEqual(photos.url_of_identifier("a b/1"), "ph://a%20b/1")
        self.assertEqual(photos.identifier_of_url("ph://a%20b/1"), "a b/1")
        self.assertIsNone(photos.identifier_of_url("http://a"))
        with self.assertRaises(sdimage.Error):
            photos.url_of_identifier("")

    def test_a_manager_loads_photos(self) -> None:
        with photos.PhotoLibrary(self.album(), watch=False) as library:
            photo = library.photos(order="name", descending=False)[0]
            with sdimage.Manager(cache=None, loader=library.loader(target=(32, 32))) as manager:
                self.assertEqual(manager.load(photo.url).image.width, 32)
                result = manager.load(photo.url, thumbnail_size=(16, 16))
                self.assertEqual((result.image.width, result.data), (16, None))
                result = manager.load(photo.url, options={"photosRequestImageData": True}, cache_key=photo.cache_key)
                self.assertEqual(result.image.width, 64)
                self.assertIsNotNone(result.data)
            with self.assertRaises(sdimage.Error):
                library.loader(target="huge")

    # With the plug-in that decodes videos.
    def test_a_video_gives_its_poster(self) -> None:
        plugin = sdimage.load_plugins().get("av")
        if plugin is None or plugin.error is not None:
            self.skipTest("the plug-in av is not installed")
        album = self.album()
        (album / "clip.mp4").write_bytes((HEADERS.parents[1] / "Tests/fixtures/av/clip.mp4").read_bytes())
        with photos.PhotoLibrary(album, watch=False) as library:
            (video,) = library.photos(media="video")
            for images_only in True, False:
                with sdimage.Manager(cache=None, loader=library.loader(images_only=images_only)) as manager:
                    if images_only:
                        with self.assertRaises(sdimage.Error) as caught:
                            manager.load(video.url)
                        self.assertEqual(caught.exception.code, "PHOTOS_NOT_AN_IMAGE")
                    else:
                        poster = manager.load(video.url, thumbnail_size=(32, 32)).image
                        self.assertEqual((poster.width, poster.frame_count), (32, 1))

    def test_thumbnails_are_written_when_asked(self) -> None:
        with photos.PhotoLibrary(self.album(), watch=False) as library:
            cache = Path(os.environ["XDG_CACHE_HOME"]) / "thumbnails"
            photo = library.photos(limit=1)[0]
            self.assertFalse(cache.exists())
            photo.write_thumbnail(128)
            self.assertEqual(len(list((cache / "normal").iterdir())), 1)

    def test_exceptions_of_callbacks_come_back(self) -> None:
        def fail(*_: object) -> bool:
            raise KeyError("mine")

        with photos.PhotoLibrary(self.album(), watch=False) as library:
            with self.assertRaises(KeyError):
                library.scan(fail)
            with self.assertRaises(sdimage.Error) as caught:
                library.scan(lambda found, read: False)
            self.assertEqual(caught.exception.code, "CANCELLED")
            with self.assertRaises(KeyError):
                library.photos(filter=fail)

    def test_a_loader_of_python_shows_a_picture_first(self) -> None:
        seen: list[tuple[int, int]] = []
        small, large = sdimage.decode(png(4, 4)), sdimage.decode(png(40, 40))

        def load(request: sdimage.LoadRequest) -> sdimage.Image:
            request.show(small)
            request.progress(1, 2)
            request.keep_off_disk()
            return large

        with sdimage.Manager(cache=None, loader=sdimage.Loader(load)) as manager:
            task = manager.start("own:x", on_partial=lambda result: seen.append((result.image.width, result.image.height)))
            self.assertEqual(task.wait().image.width, 40)
        # If the preview was not read before the final picture arrived, the final picture is the only one.
        self.assertIn(seen, ([], [(4, 4)]))
