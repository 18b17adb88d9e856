"""Images on a terminal: half blocks in 24-bit color, sixels, or the graphics protocol of kitty, as the terminal
supports."""

from __future__ import annotations

import base64
import fcntl
import os
import re
import select
import shutil
import struct
import sys
import termios
import time
from collections.abc import Sequence

import sdimage
from sdimage import transforms

NONE, BLOCKS, SIXEL, KITTY = "none", "blocks", "sixel", "kitty"
#: A graphics query, and a query to which all terminals respond, so that there is no wait when a terminal ignores the
#: first.
_QUESTION = "\033_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\033\\\033[c"
#: Height of a strip on the terminal, in character rows.
_STRIP_ROWS = 8


class Screen:
    """A terminal that shows images, or none."""

    def __init__(self, kind: str = NONE, cell: tuple[int, int] = (8, 16)) -> None:
        self.kind = kind
        #: Width and height of a character in pixels.
        self.cell = cell

    @classmethod
    def open(cls, plain: bool) -> Screen:
        """The terminal of standard output; none if that is a file, or if the output must be plain."""
        if plain or not sys.stdout.isatty():
            return cls()
        rows, columns, width, height = struct.unpack("HHHH", fcntl.ioctl(sys.stdout, termios.TIOCGWINSZ, bytes(8)))
        cell = (width // columns, height // rows) if rows and columns and width and height else (8, 16)
        return cls(_asked(), cell)

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows of characters."""
        return tuple(shutil.get_terminal_size())

    def draw(self, image: sdimage.Image, columns: int, rows: int) -> str:
        """The sequence that draws the image into a box of characters, cropped to its shape; the cursor remains at
        the box's start."""
        wide, high = self.cell if self.kind != BLOCKS else (1, 2)
        side = columns * wide, rows * high
        plain = image.convert("rgba8").transform(transforms.resize(side, "aspect_fill")).convert("rgba8")
        if self.kind == BLOCKS:
            return "".join(f"{line}\033[{columns}D\033[B" for line in _blocks(plain)) + f"\033[{rows}A"
        text = _kitty(plain, columns, rows) if self.kind == KITTY else _sixel(plain)
        return f"\0337{text}\0338"

    def show(self, rows: Sequence[Sequence[sdimage.Image | None]]) -> None:
        """Draws rows of images, one below the other."""
        if self.kind == NONE or not rows:
            return
        columns, lines = self.size
        height = max(2, min(_STRIP_ROWS, lines // 2))
        for row in rows:
            shapes = [image.width / image.height if image else 1.0 for image in row]
            widths = [max(2, round(height * 2 * shape)) for shape in shapes]
            if sum(widths) + len(row) * 2 + 3 > columns:
                scale = (columns - len(row) * 2 - 3) / sum(widths)
                widths = [max(2, int(width * scale)) for width in widths]
            tall = max(2, min(height, round(max(width / shape / 2 for width, shape in zip(widths, shapes)))))
            parts, left = ["\n" * tall + f"\033[{tall}A"], 3
            for image, width in zip(row, widths):
                if image:
                    parts.append(f"\r\033[{left}C" + self.draw(image, width, tall))
                left += width + 2
            print("".join(parts) + f"\r\033[{tall}B", flush=True)


def _asked() -> str:
    """The terminal's response."""
    try:
        before = termios.tcgetattr(sys.stdin)
    except (termios.error, OSError, ValueError):
        return BLOCKS
    descriptor, raw, answer, end = sys.stdin.fileno(), before[:], b"", time.monotonic() + 0.3
    raw[3] &= ~(termios.ICANON | termios.ECHO)
    termios.tcsetattr(sys.stdin, termios.TCSANOW, raw)
    try:
        print(_QUESTION, end="", flush=True)
        while (
            not re.search(rb"\x1b\[\?[\d;]*c", answer)
            and select.select([descriptor], [], [], max(0, end - time.monotonic()))[0]
        ):
            answer += os.read(descriptor, 256)
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSANOW, before)
        # A terminal that does not support the query may have printed it.
        print("\r\033[K", end="", flush=True)
    attributes = re.search(rb"\x1b\[\?([\d;]*)c", answer)
    if b"_Gi=31;OK" in answer:
        return KITTY
    return SIXEL if attributes and b"4" in attributes[1].split(b";")[1:] else BLOCKS


def _on_black(image: sdimage.Image) -> list[bytes]:
    """Rows with three samples per pixel, composed on black."""
    black = sdimage.Image.from_pixels(image.tobytes(), image.width, image.height, "rgba8").convert(
        "rgba8_premultiplied"
    )
    rows = []
    for row in black.rows():
        samples = bytearray(len(row) // 4 * 3)
        for channel in range(3):
            samples[channel::3] = row[channel::4]
        rows.append(bytes(samples))
    return rows


def _blocks(image: sdimage.Image) -> list[str]:
    """A line for each two rows: the upper half of each character is the foreground, the lower half the background."""
    rows, lines = _on_black(image), []
    for upper, lower in zip(rows[::2], rows[1::2]):
        parts = []
        for at in range(0, len(upper), 3):
            colors = ";".join(map(str, upper[at : at + 3])), ";".join(map(str, lower[at : at + 3]))
            parts.append(f"\033[38;2;{colors[0]};48;2;{colors[1]}m▀")
        lines.append("".join(parts) + "\033[0m")
    return lines


#: Bits to characters.
_SIXELS = bytes(63 + bits for bits in range(64)) + bytes(192)


def _sixel(image: sdimage.Image) -> str:
    """A color cube of six levels a side, in bands of six rows (DEC STD 070, chapter 9)."""
    rows = [
        bytes(
            (r + 25) // 51 * 36 + (g + 25) // 51 * 6 + (b + 25) // 51 for r, g, b in zip(row[::3], row[1::3], row[2::3])
        )
        for row in _on_black(image)
    ]
    parts = [f'\033P7;1q"1;1;{image.width};{image.height}']
    parts += [
        f"#{level};2;{level // 36 * 20};{level // 6 % 6 * 20};{level % 6 * 20}" for level in sorted(set(b"".join(rows)))
    ]
    for top in range(0, len(rows), 6):
        # For each level the six dots of each column, one bit each.
        columns: dict[int, bytearray] = {}
        for y, row in enumerate(rows[top : top + 6]):
            for x, level in enumerate(row):
                if level not in columns:
                    columns[level] = bytearray(image.width)
                columns[level][x] |= 1 << y
        parts += [f"#{level}{bits.translate(_SIXELS).decode()}$" for level, bits in columns.items()]
        parts.append("-")
    return "".join(parts) + "\033\\"


def _kitty(image: sdimage.Image, columns: int, rows: int) -> str:
    """Chunks of at most 4,096 characters; the cursor does not move, and the terminal sends no response."""
    data = base64.b64encode(image.tobytes()).decode()
    pieces = [data[at : at + 4096] for at in range(0, len(data), 4096)]
    parts = []
    for index, piece in enumerate(pieces):
        about = f"a=T,f=32,s={image.width},v={image.height},c={columns},r={rows},C=1,q=2," if not index else ""
        parts.append(f"\033_G{about}m={int(index + 1 < len(pieces))};{piece}\033\\")
    return "".join(parts)
