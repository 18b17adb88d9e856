"""The pictures of the demo, and what their manifest says about them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sdimage
from sdimage import placeholders

#: Pixels of the box of a thumbnail.
BOX = (200, 150)


def still(image: sdimage.Image) -> sdimage.Image:
    """Of what moves, a frame in which something has begun."""
    return image.frame(min(3, image.frame_count - 1)) if image.is_animated else image


@dataclass
class Picture:
    """One picture, and what was measured of it; times in milliseconds."""

    name: str
    path: Path
    known: dict[str, Any]
    probes: list[dict[str, Any]]
    url: str = ""
    times: dict[str, float] = field(default_factory=dict)
    network_loads: int = 0
    requests: int = 0
    _thumbnail: sdimage.Image | None = None

    def shown(self) -> sdimage.Image:
        """Its thumbnail, made when first asked for."""
        self._thumbnail = self._thumbnail or still(sdimage.decode(self.path, thumbnail_size=BOX))
        return self._thumbnail

    def blurhash(self) -> str:
        """What a service would send ahead of the picture."""
        return placeholders.blurhash_encode(self.shown())

    @property
    def size(self) -> int:
        """Encoded bytes."""
        return self.path.stat().st_size

    @property
    def label(self) -> str:
        return f"{self.format} {self.known['width']}x{self.known['height']}"

    @property
    def format(self) -> str:
        """Of a format that only a plug-in knows, its extension."""
        return self.known["format"] if self.known["format"] != "undefined" else self.path.suffix[1:]

    def wrong_probes(self) -> list[str]:
        """Points of the decoded picture that differ from what the manifest says."""
        if not self.probes:
            return []
        image = sdimage.decode(self.path, pixel_format="rgba8")
        wrong = []
        for probe in self.probes:
            at = probe["y"] * image.stride + probe["x"] * 4
            got = tuple(image.pixels[at : at + 4])
            if max(abs(a - b) for a, b in zip(_shown(got), _shown(probe["rgba"]))) > probe["tolerance"]:
                wrong.append(f"{self.name} at {probe['x']},{probe['y']}: {got}, not {tuple(probe['rgba'])}")
        return wrong


def _shown(rgba: Sequence[int]) -> list[int]:
    """Colours as far as alpha lets them be seen: what is transparent has none."""
    *colours, alpha = rgba
    return [*(colour * alpha // 255 for colour in colours), alpha]


def find(folder: Path) -> list[Picture]:
    """The pictures of a folder that can be read, in the order of its manifest or by name."""
    manifest = folder / "manifest.json"
    entries = {}
    if manifest.exists():
        entries = {entry["name"]: entry for entry in json.loads(manifest.read_text())["pictures"]}
    others = sorted(path.name for path in folder.iterdir() if path.is_file() and path.name not in entries)
    names = [*entries, *others]
    pictures = []
    for name in names:
        try:
            known = sdimage.info(folder / name)
        except sdimage.Error:
            # Of a folder of the user's own, what is a picture; all that the manifest promises.
            if name in entries:
                raise
            continue
        pictures.append(Picture(name, folder / name, known, entries.get(name, {}).get("probes", [])))
    return pictures
