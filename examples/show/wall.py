"""The gallery while it loads: a tile for each image, with a progress bar below it, on the terminal and as an
animation."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import contact
import sdimage
from pictures import Missing, Picture
from screen import NONE, Screen
from sdimage import transforms
from terminal import Terminal

#: Pixels of a tile of the animation, and the gaps around it.
_TILE, _GAP, _BAR = (84, 63), 6, 3
_GREY, _BLUE = (52, 56, 66), (95, 160, 250)
_FRAME_MS = 160


@dataclass
class Tile:
    """The current image of a tile, and its progress."""

    picture: Picture
    image: sdimage.Image | None = None
    part: float = 0.0
    #: Times of changes, each with the new image.
    seen: list[tuple[float, sdimage.Image]] = field(default_factory=list)
    #: Times and fractions.
    progress: list[tuple[float, float]] = field(default_factory=list)
    drawn: tuple[int, int] = (-1, -1)


class Wall:
    """Tiles that are redrawn repeatedly; records their history."""

    def __init__(self, terminal: Terminal, screen: Screen, pictures: list[Picture], missing: list[Missing]) -> None:
        self._terminal, self._screen = terminal, screen
        self.tiles = [Tile(picture) for picture in pictures]
        #: Images that cannot be loaded; their tiles follow the others, and name the missing packages.
        self._missing = missing
        self._began = time.perf_counter()
        self._grid = _grid(len(pictures) + len(missing), *screen.size) if screen.kind != NONE else None
        if self._grid:
            lines = self._lines(self._grid)
            print("\n" * lines + "".join(self._packages(self._grid)), end="", flush=True)

    def show(self, index: int, image: sdimage.Image) -> None:
        """Sets the current image of a tile. May be called on any thread; does not draw."""
        tile = self.tiles[index]
        tile.image = image
        tile.seen.append((time.perf_counter() - self._began, image))

    def advance(self, index: int, part: float) -> None:
        """Sets the progress, from 0 to 1."""
        tile = self.tiles[index]
        if part != tile.part:
            tile.part = part
            tile.progress.append((time.perf_counter() - self._began, part))

    def _lines(self, grid: tuple[int, int, int]) -> int:
        across, _columns, rows = grid
        return -(-(len(self.tiles) + len(self._missing)) // across) * (rows + 1) + 1

    def _packages(self, grid: tuple[int, int, int]) -> Iterator[str]:
        """The tiles of missing images as text, drawn with the cursor below the wall, where it returns to."""
        across, columns, rows = grid
        lines = self._lines(grid)
        for index, missing in enumerate(self._missing, len(self.tiles)):
            down, right = index // across * (rows + 1), 3 + index % across * (columns + 1)
            texts = [missing.format, *contact.lines(missing.package, columns)]
            for line, text in enumerate(texts[:rows]):
                up = lines - down - line
                yield f"\033[{up}A\r\033[{right}C{text:^{columns}}\033[{up}B\r"

    def draw(self, last: str) -> None:
        """Draws changed tiles, and a line below; only on a terminal."""
        if not self._grid:
            self._terminal.draw([last])
            return
        across, columns, rows = self._grid
        lines, parts = self._lines(self._grid), []
        for index, tile in enumerate(self.tiles):
            state = len(tile.seen), round(tile.part * columns * 8)
            if state == tile.drawn:
                continue
            down, right = index // across * (rows + 1), 3 + index % across * (columns + 1)
            parts.append(f"\r\033[{down}B" * (down > 0) + f"\r\033[{right}C")
            if state[0] != tile.drawn[0] and tile.image:
                image = laid(tile.seen[0][1], tile.image, (columns * 8, rows * 16))
                parts.append(self._screen.draw(image, columns, rows))
            parts.append(f"\033[{rows}B{self._terminal.bar(tile.part, columns)}\033[{down + rows}A\r")
            tile.drawn = state
        print(f"\033[{lines}A\r{''.join(parts)}\033[{lines - 1}B\r\033[2K{last}\n", end="", flush=True)

    def film(self) -> sdimage.Image:
        """The wall from its first moment to its last as an animation."""
        end = max((moment for tile in self.tiles for moment, _ in tile.seen), default=0.0)
        count = len(self.tiles) + len(self._missing)
        across = min(count, 8)
        step = _TILE[0] + _GAP, _TILE[1] + _BAR + _GAP + 2
        size = across * step[0] + _GAP, -(-count // across) * step[1] + _GAP
        canvas, frames = contact.Canvas(*size), []
        for index, missing in enumerate(self._missing, len(self.tiles)):
            x, y = _GAP + index % across * step[0], _GAP + index // across * step[1]
            canvas.image(contact.missing_tile(missing, _TILE), x, y)
        drawn: list[tuple[object, object]] = [(None, None)] * len(self.tiles)
        for moment in (number * _FRAME_MS / 1000 for number in range(int(end * 1000 / _FRAME_MS) + 2)):
            for index, tile in enumerate(self.tiles):
                image = next((each for when, each in reversed(tile.seen) if when <= moment), None)
                part = next((each for when, each in reversed(tile.progress) if when <= moment), 0.0)
                x, y = _GAP + index % across * step[0], _GAP + index // across * step[1]
                if drawn[index] != (image, part):
                    drawn[index] = image, part
                    if image:
                        canvas.image(laid(tile.seen[0][1], image, _TILE), x, y)
                    _bar(canvas, x, y + _TILE[1] + 2, part)
            frames.append(canvas.as_image())
        # The last frame is shown longer.
        return sdimage.Image.animation(frames, [_FRAME_MS] * (len(frames) - 1) + [2500], 0)


def laid(below: sdimage.Image, image: sdimage.Image, size: tuple[int, int]) -> sdimage.Image:
    """An image at a size; missing rows show the image below."""
    fill = transforms.resize(size, "aspect_fill")
    small = image.transform(fill)
    if not image.is_incremental:
        return small
    rows = zip(below.transform(fill).convert("rgba8").rows(), small.convert("rgba8").rows())
    return sdimage.Image.from_pixels(
        b"".join(row if any(row[3::4]) else ground for ground, row in rows), *size, "rgba8"
    )


def _bar(canvas: contact.Canvas, x: int, y: int, part: float) -> None:
    full = round(_TILE[0] * part)
    for line in range(_BAR):
        canvas.put(x, y + line, bytes(_BLUE) * full + bytes(_GREY) * (_TILE[0] - full))


def _grid(count: int, columns: int, lines: int) -> tuple[int, int, int] | None:
    """The number of tiles side by side, and their columns and rows of characters: the largest tiles that fit."""
    best = None
    for across in range(4, count + 1):
        width = (columns - 4) // across - 1
        rows = round(width * 3 / 8)
        if width < 6 or rows < 2:
            break
        if -(-count // across) * (rows + 1) + 3 <= lines:
            best = best or (across, width, rows)
    return best
