"""The pictures of the demo, and what their manifest says about them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sdimage


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
    thumbnail: sdimage.Image | None = None

    @property
    def size(self) -> int:
        """Encoded bytes."""
        return self.path.stat().st_size

    @property
    def label(self) -> str:
        return f"{self.known['format']} {self.known['width']}x{self.known['height']}"

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
    names = list(entries) or sorted(path.name for path in folder.iterdir() if path.is_file())
    pictures = []
    for name in names:
        try:
            known = sdimage.info(folder / name)
        except sdimage.Error:
            if name in entries:
                raise
            continue
        pictures.append(Picture(name, folder / name, known, entries.get(name, {}).get("probes", [])))
    return pictures
