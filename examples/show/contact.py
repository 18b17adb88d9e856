"""The contact sheet: all images on one PNG, transparency over a checkerboard. Uses only the standard library."""

from __future__ import annotations

import sdimage
from pictures import BOX, Missing, Picture

#: Pixels: the height of the caption below an image, and the gap between two images.
CAPTION, GAP = 46, 20
_BACKGROUND, BRIGHT, DIM = (22, 24, 29), (232, 234, 240), (140, 146, 160)
_CHECKS = ((92, 96, 104), (120, 124, 132))

#: Letters of 5 x 7 dots and two rows for descenders, a row in each pair of digits.
_GLYPHS = {
    "a": "00000e010f110f", "b": "10101e1111111e", "c": "00000e1010110e", "d": "01010f1111110f",
    "e": "00000e111f100e", "f": "0609081c080808", "g": "00000f1111110f010e", "h": "10101619111111",
    "i": "04000c0404040e", "j": "02000602020202120c", "k": "10101214181412", "l": "0c04040404040e",
    "m": "00001a15151111", "n": "00001619111111", "o": "00000e1111110e", "p": "00001e1111111e1010",
    "q": "00000f1111110f0101", "r": "00001619101010", "s": "00000e100e011e", "t": "08081c08080906",
    "u": "0000111111130d", "v": "00001111110a04", "w": "0000111115150a", "x": "0000110a040a11",
    "y": "0000111111110f010e", "z": "00001f0204081f", "0": "0e11131519110e", "1": "040c040404040e",
    "2": "0e11010204081f", "3": "1f02040201110e", "4": "02060a121f0202", "5": "1f101e0101110e",
    "6": "0608101e11110e", "7": "1f010204080808", "8": "0e11110e11110e", "9": "0e11110f01020c",
    ".": "00000000000c0c", "-": "0000001f000000", ",": "00000000000c0408", ":": "000c0c000c0c00", "%": "18190204081303",
    "(": "02040808080402", ")": "08040202020408", "/": "00010204081000", "+": "0004041f040400", "=": "00001f001f0000",
    "<": "02040810080402", "_": "0000000000001f", "'": "04040800000000",
}  # fmt: skip


class Canvas:
    """An RGB canvas."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self._pixels = bytearray(bytes(_BACKGROUND) * (width * height))

    def put(self, x: int, y: int, row: bytes) -> None:
        """Replaces pixels of one row."""
        at = (y * self.width + x) * 3
        self._pixels[at : at + len(row)] = row

    def image(self, image: sdimage.Image, x: int, y: int) -> None:
        """Draws an image over a checkerboard."""
        if not image.has_alpha:
            for line, row in enumerate(image.convert("rgb8").rows()):
                self.put(x, y + line, row)
            return
        for line, row in enumerate(image.convert("rgba8_premultiplied").rows()):
            self.put(x, y + line, _over_checks(row, line))

    def text(self, text: str, x: int, y: int, color: tuple[int, int, int], size: int = 2) -> None:
        """Draws a text in small letters."""
        for index, letter in enumerate(text.lower()):
            for line, digits in enumerate(bytes.fromhex(_GLYPHS.get(letter, ""))):
                for column in range(5):
                    if digits >> (4 - column) & 1:
                        left = x + (index * 6 + column) * size
                        for step in range(size):
                            self.put(left, y + line * size + step, bytes(color) * size)

    def as_image(self) -> sdimage.Image:
        """A copy of the canvas."""
        return sdimage.Image.from_pixels(bytes(self._pixels), self.width, self.height, "rgb8")

    def png(self) -> bytes:
        return self.as_image().encode("png")


#: The contribution of a check's color below each alpha value, for each check and each of its samples.
_BELOW = [[bytes(value * (255 - alpha) // 255 for alpha in range(256)) for value in check] for check in _CHECKS]


def _over_checks(row: bytes, line: int) -> bytes:
    """Premultiplied pixels over checks of eight pixels. No sum is above 255, so that rows are added as whole numbers."""
    width, first = len(row) // 4, line // 8 % 2
    out, alpha = bytearray(width * 3), row[3::4]
    for channel in range(3):
        below = bytearray(alpha.translate(_BELOW[first][channel]))
        other = alpha.translate(_BELOW[1 - first][channel])
        for start in range(8, width, 16):
            below[start : start + 8] = other[start : start + 8]
        total = int.from_bytes(row[channel::4], "little") + int.from_bytes(below, "little")
        out[channel::3] = total.to_bytes(width, "little")
    return bytes(out)


def _columns(count: int) -> int:
    """The number of columns, from five to eight, that fills the last row best."""
    return min(range(5, 9), key=lambda columns: (-count % columns, -columns))


def lines(package: str, columns: int) -> list[str]:
    """The name of a package in lines of at most that number of letters, divided after hyphens where possible."""
    found = [""]
    for part in package.replace("-", "- ").split():
        if found[-1] and len(found[-1] + part) > columns:
            found.append("")
        found[-1] += part
    return [line[:columns] for line in found]


def missing_tile(missing: Missing, size: tuple[int, int]) -> sdimage.Image:
    """The tile of a missing image: its format and its package, in a frame."""
    scale = 2 if size[0] >= 160 else 1
    canvas, edge = Canvas(*size), bytes(_CHECKS[0])
    for y in range(size[1]):
        canvas.put(0, y, edge * size[0] if y in (0, size[1] - 1) else edge)
        canvas.put(size[0] - 1, y, edge)
    texts = [(missing.format, BRIGHT), ("needs", DIM)]
    texts += [(line, DIM) for line in lines(missing.package, (size[0] - 4) // (6 * scale))]
    top = (size[1] - len(texts) * 11 * scale) // 2
    for index, (text, color) in enumerate(texts):
        canvas.text(text, (size[0] - len(text) * 6 * scale) // 2, top + index * 11 * scale, color, scale)
    return canvas.as_image()


def sheet(pictures: list[Picture], missing: list[Missing]) -> bytes:
    """The contact sheet as PNG."""
    count = len(pictures) + len(missing)
    columns = _columns(count)
    step = (BOX[0] + GAP, BOX[1] + CAPTION + GAP)
    canvas = Canvas(columns * step[0] + GAP, -(-count // columns) * step[1] + GAP)
    tiles = [(picture.shown(), picture.path.stem, picture.label) for picture in pictures]
    tiles += [(missing_tile(each, BOX), each.stem, f"{each.format} missing") for each in missing]
    for index, (image, name, label) in enumerate(tiles):
        x, y = GAP + index % columns * step[0], GAP + index // columns * step[1]
        canvas.image(image, x, y + BOX[1] - image.height)
        canvas.text(name[:16], x, y + BOX[1] + 8, BRIGHT)
        canvas.text(label, x, y + BOX[1] + 30, DIM)
    return canvas.png()
