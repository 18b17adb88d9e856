"""The state that the scenes share: the terminal, the origin, the images, and the results."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import contact
import sdimage
from pictures import Missing, Picture
from screen import Screen
from sdimage import transforms
from origin import Origin
from terminal import Terminal

#: Pixels: the largest box of an image in a strip, and the gap between two.
_BOX, _GAP = (220, 200), 14
#: Height below an image.
_CAPTION = 56


@dataclass(frozen=True)
class Cell:
    """An image of a strip; only its caption while there is no image yet."""

    image: sdimage.Image | None
    caption: str
    note: str = ""


@dataclass
class Stage:
    """One run of the show."""

    terminal: Terminal
    screen: Screen
    origin: Origin
    pictures: list[Picture]
    #: The folder of this run's caches; the folder of generated files, which later runs reuse; and the output folder.
    folder: Path
    made: Path
    out: Path
    #: Images that the library cannot read.
    missing: list[Missing] = field(default_factory=list)
    #: True if extra requests are sent to the origin, so that figures are wrong: tests that the demo can fail.
    has_stray: bool = False
    strips: dict[str, list[list[Cell]]] = field(default_factory=dict)
    _numbers: Any = field(default_factory=itertools.count)

    def cache(self, **config: Any) -> sdimage.ImageCache:
        """A new, empty cache, which the caller closes."""
        return sdimage.ImageCache(self.folder, f"cache-{next(self._numbers)}", **config)

    def picture(self, name: str) -> Picture:
        """The image of that name, or the first one: the user's folder has other images."""
        return next((picture for picture in self.pictures if picture.name == name), self.pictures[0])

    def strip(self, name: str, rows: list[list[Cell]]) -> None:
        """Stores a strip for the report, writes ``strip-NAME.png``, and shows it on the terminal."""
        self.strips[name] = rows
        (self.out / f"strip-{name}.png").write_bytes(sheet(rows))
        self.screen.show([[cell.image for cell in row] for row in rows])


def fitted(image: sdimage.Image, box: tuple[int, int] = _BOX) -> sdimage.Image:
    """The image scaled down into a box, never enlarged."""
    if image.width <= box[0] and image.height <= box[1]:
        return image
    scale = min(box[0] / image.width, box[1] / image.height)
    size = max(1, round(image.width * scale)), max(1, round(image.height * scale))
    return image.transform(transforms.resize(size))


def sheet(rows: list[list[Cell]]) -> bytes:
    """A strip as PNG."""
    images = [[fitted(cell.image) if cell.image else None for cell in row] for row in rows]
    flat = [image for row in images for image in row if image]
    across = max((image.width for image in flat), default=_BOX[0]) + _GAP
    down = [max((image.height for image in row if image), default=_BOX[1]) + _CAPTION for row in images]
    canvas = contact.Canvas(max(len(row) for row in rows) * across + _GAP, sum(down) + _GAP)
    letters, y = (across - _GAP) // 6, _GAP
    for row, shown, step in zip(rows, images, down):
        for column, (cell, image) in enumerate(zip(row, shown)):
            x = _GAP + column * across
            if image:
                canvas.image(image, x, y)
            canvas.text(cell.caption[: letters // 2], x, y + step - 50, contact.BRIGHT)
            canvas.text(cell.note[:letters], x, y + step - 28, contact.DIM, 1)
        y += step
    return canvas.png()
