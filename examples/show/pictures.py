"""The images of the demo, and the expected values in their manifest."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sdimage
from sdimage import placeholders

#: Pixels of the bounding box of a thumbnail.
BOX = (200, 150)


def still(image: sdimage.Image) -> sdimage.Image:
    """A characteristic frame of an animation; a still image unchanged."""
    return image.frame(min(3, image.frame_count - 1)) if image.is_animated else image


@dataclass
class Picture:
    """One image and its measurements; times in milliseconds."""

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
        """The thumbnail, made on first use."""
        self._thumbnail = self._thumbnail or still(sdimage.decode(self.path, thumbnail_size=BOX))
        return self._thumbnail

    def blurhash(self) -> str:
        """The placeholder hash that a service would send ahead of the image."""
        return placeholders.blurhash_encode(self.shown())

    @property
    def size(self) -> int:
        """Number of encoded bytes."""
        return self.path.stat().st_size

    @property
    def label(self) -> str:
        return f"{self.format} {self.known['width']}x{self.known['height']}"

    @property
    def format(self) -> str:
        """The name of the format; the file's extension for a format of a plug-in."""
        return self.known["format"] if self.known["format"] != "unknown" else self.path.suffix[1:]

    def wrong_probes(self) -> list[str]:
        """Sampled pixels of the decoded image that differ from the manifest."""
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
    """Premultiplied samples: colors of transparent pixels do not count."""
    *colors, alpha = rgba
    return [*(color * alpha // 255 for color in colors), alpha]


@dataclass(frozen=True)
class Missing:
    """An image that the library cannot write or read, because it was built without a Debian package."""

    name: str
    package: str
    #: The library's error code.
    code: str

    @property
    def stem(self) -> str:
        return Path(self.name).stem

    @property
    def format(self) -> str:
        """The file's extension."""
        return Path(self.name).suffix[1:]


def find(folder: Path) -> list[Picture]:
    """The readable images of a folder, in the order of its manifest or by name."""
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
            # In the user's own folder, only files that are images; with a manifest, every listed file.
            if name in entries:
                raise
            continue
        pictures.append(Picture(name, folder / name, known, entries.get(name, {}).get("probes", [])))
    return pictures
