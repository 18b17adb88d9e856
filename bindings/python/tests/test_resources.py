"""Images of the program by name."""

from __future__ import annotations

import threading
from pathlib import Path

from .support import TestCase, png, sdimage


class Names(TestCase):
    def icons(self, **pictures: int) -> Path:
        """A folder of squares with the given widths; ``cat_2x`` is ``cat@2x.png``."""
        folder = Path(self.folder())
        for name, side in pictures.items():
            (folder / (name.replace("_", "@") + ".png")).write_bytes(png(side, side))
        return folder

    def test_a_name_is_a_picture_at_the_preferred_scale(self) -> None:
        folder = self.icons(cat=8, cat_2x=16)
        icons = sdimage.Resources(folder, scales=(2, 1))
        self.assertEqual((icons["cat"].width, icons["cat"].scale), (16, 2))
        icons.scales = (1, 2)
        self.assertEqual((icons["cat"].width, icons["cat"].scale), (8, 1))
        self.assertEqual(icons.scales, (1.0, 2.0))
        self.assertEqual(icons.image("cat@2x").scale, 2)
        self.assertEqual(sdimage.Resources(str(folder))["cat"].width, 8)
        self.assertEqual(sdimage.Resources(folder, scales=())[Path("cat.png")].width, 8)

    def test_options_say_how_to_decode(self) -> None:
        icons = sdimage.Resources(self.icons(cat=8), pixel_format="bgra8_premultiplied", thumbnail_size=(4, 4))
        self.assertEqual((icons["cat"].pixel_format, icons["cat"].width), ("bgra8_premultiplied", 4))
        with self.assertRaises(TypeError):
            sdimage.Resources(self.folder(), color="red")  # type: ignore[call-arg]

    def test_the_same_name_is_the_same_picture_until_it_is_forgotten(self) -> None:
        icons = sdimage.Resources(self.icons(cat=8))
        first = icons["cat"]
        found: list[int] = []
        threads = [threading.Thread(target=lambda: found.append(icons["cat"].pointer)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [first.pointer] * 4)
        icons.clear()
        second = icons["cat"]
        self.assertNotEqual(second.pointer, first.pointer)
        sdimage.trim_memory(True)
        self.assertNotEqual(icons["cat"].pointer, second.pointer)
        self.assertEqual(first.tobytes(), second.tobytes())

    def test_what_is_not_there_says_what_was_looked_for(self) -> None:
        icons = sdimage.Resources(self.folder(), scales=(2, 1.5))
        error = self.assert_error("NOT_FOUND", icons.image, "dog")
        self.assertIn("dog@2x.png, dog@1.5x.png, dog.png", error.message)
        with self.assertRaisesRegex(KeyError, "dog@2x.png"):
            icons["dog"]

    def test_names_stay_in_the_folder(self) -> None:
        folder = self.icons(cat=8)
        (folder / "below").mkdir()
        (folder / "broken.png").write_bytes(b"<html>")
        icons = sdimage.Resources(folder / "below")
        for name in ("../cat", "/cat", "", "cat\0", "./cat"):
            with self.subTest(name):
                self.assert_error("INVALID_ARGUMENT", icons.image, name)
                self.assert_error("INVALID_ARGUMENT", icons.__getitem__, name)
        self.assert_error("NOT_AN_IMAGE", sdimage.Resources(folder).__getitem__, "broken")
        self.assert_error("NOT_FOUND", sdimage.Resources, folder / "none")
        self.assert_error("INVALID_ARGUMENT", sdimage.Resources, folder, scales=(0,))
        with self.assertRaises(TypeError):
            icons.image(7)  # type: ignore[arg-type]

    def test_a_folder_is_not_listed(self) -> None:
        icons = sdimage.Resources(self.icons(cat=8))
        with self.assertRaises(TypeError):
            "cat" in icons  # type: ignore[operator]
        with self.assertRaises(TypeError):
            list(icons)  # type: ignore[call-overload]
