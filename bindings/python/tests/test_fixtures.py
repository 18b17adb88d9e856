"""The project's own images decode to the expected pixels."""

from __future__ import annotations

import json
import unittest

from .support import PICTURES, TestCase, sdimage


def shown(rgba: list[int]) -> list[int]:
    """Colors weighted by alpha: transparent pixels have no color."""
    *colors, alpha = rgba
    return [*(color * alpha // 255 for color in colors), alpha]


@unittest.skipUnless((PICTURES / "manifest.json").exists(), "Tests/fixtures/pictures is not there")
class Fixtures(TestCase):
    def test_every_picture_is_what_its_manifest_says(self) -> None:
        pictures = json.loads((PICTURES / "manifest.json").read_text())["pictures"]
        self.assertGreaterEqual(len(pictures), 24)
        for entry in pictures:
            with self.subTest(entry["name"]):
                path = PICTURES / entry["name"]
                self.assertEqual(sdimage.sniff(path), entry["format"])
                known = sdimage.info(path)
                self.assertEqual((known["width"], known["height"]), (entry["width"], entry["height"]))
                natural = sdimage.decode(path)
                self.assertEqual((natural.format, natural.has_alpha), (entry["format"], entry["has_alpha"]))
                self.check_probes(sdimage.decode(path, pixel_format="rgba8"), entry["probes"])

    def check_probes(self, image: sdimage.Image, probes: list[dict[str, object]]) -> None:
        for probe in probes:
            x, y, rgba, tolerance = (probe[name] for name in ("x", "y", "rgba", "tolerance"))
            at = y * image.stride + x * 4  # type: ignore[operator]
            got = shown(list(image.pixels[at : at + 4]))
            for have, want in zip(got, shown(rgba)):  # type: ignore[arg-type]
                self.assertAlmostEqual(have, want, delta=tolerance, msg=f"at {x}, {y}")  # type: ignore[arg-type]

    def test_thumbnails_look_like_their_pictures(self) -> None:
        for path in sorted(PICTURES.glob("*.*")):
            if path.suffix == ".json":
                continue
            with self.subTest(path.name):
                small = sdimage.decode(path, thumbnail_size=(32, 32), pixel_format="rgb8")
                self.assertEqual(max(small.width, small.height), 32)
                mean = sum(small.tobytes()) / (3 * small.width * small.height)
                full = sdimage.decode(path, pixel_format="rgb8")
                if not sdimage.decode(path).has_alpha:  # without alpha, transparent pixels have any color
                    self.assertAlmostEqual(mean, sum(full.tobytes()) / (3 * full.width * full.height), delta=4)
