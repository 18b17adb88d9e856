"""A small film, drawn by code, and files of it that use every disposal method.

The moon passes and leaves what was behind it ("previous"), stars come and stay ("keep"), and a door is cut into
the hill ("background"). The expected frames are painted here without a decoder, to be compared with the output of
decoders."""

from __future__ import annotations

import functools
import struct
import zlib
from dataclasses import dataclass

import sdimage

WIDTH, HEIGHT, FRAME_MS = 192, 128, 120
KEEP, BACKGROUND, PREVIOUS = "keep", "background", "previous"
_TRANSPARENT = 255
#: 64 blues of the sky, 8 greens of the hill, and four named colors.
_MOON, _CRATER, _STAR, _LAMP = 80, 81, 82, 83


def _palette() -> list[tuple[int, int, int]]:
    colors = [(0, 0, 0)] * 256
    for step in range(64):
        colors[step] = (12 + step * 3, 16 + step * 2, 58 + step * 2)
    for step in range(8):
        colors[64 + step] = (14 + step * 4, 46 + step * 9, 40 + step * 4)
    colors[_MOON], colors[_CRATER], colors[_STAR], colors[_LAMP] = (
        (250, 236, 190),
        (222, 200, 150),
        (255, 255, 255),
        (255, 190, 80),
    )
    return colors


PALETTE = _palette()
#: Four bytes for each color; transparent pixels are all zero.
_RGBA = [bytes((*color, 255)) for color in PALETTE[:_TRANSPARENT]] + [bytes(4)]


@dataclass(frozen=True)
class Frame:
    """A rectangle of palette indices, and its disposal before the next frame."""

    x: int
    y: int
    width: int
    height: int
    indices: bytes
    dispose: str


def _background() -> Frame:
    rows = bytearray()
    for y in range(HEIGHT):
        for x in range(WIDTH):
            hill = HEIGHT - 34 - ((x - 70) ** 2) // -260 - 18
            if y >= hill:
                rows.append(64 + min(7, (y - hill) // 6))
            else:
                # Bands with ragged edges, so that few colors look like more.
                rows.append(min(63, y * 64 // HEIGHT + (x * 7 + y * 13) % 3))
    return Frame(0, 0, WIDTH, HEIGHT, bytes(rows), KEEP)


def _moon(step: int) -> Frame:
    side, indices = 35, bytearray()
    for y in range(side):
        for x in range(side):
            away = (x - 17) ** 2 + (y - 17) ** 2
            crater = min((x - 11) ** 2 + (y - 12) ** 2 - 9, (x - 22) ** 2 + (y - 21) ** 2 - 16) < 0
            indices.append(_TRANSPARENT if away > 289 else _CRATER if crater else _MOON)
    x = 8 + step * 28
    return Frame(x, 8 + (x - 78) ** 2 // 160, side, side, bytes(indices), PREVIOUS)


def _star(x: int, y: int) -> Frame:
    rows = ("....#....", "....#....", "...###...", ".#######.", "...###...", "....#....", "....#....", ".........")
    return Frame(x, y, 9, 8, bytes(_STAR if each == "#" else _TRANSPARENT for row in rows for each in row), KEEP)


def _door(x: int) -> Frame:
    rows = [_LAMP if 2 <= column < 14 and row >= 2 else 66 for row in range(26) for column in range(16)]
    return Frame(x, HEIGHT - 30, 16, 26, bytes(rows), BACKGROUND)


@functools.cache
def script() -> list[Frame]:
    """The twelve rectangles of the film."""
    stars = [_star(*place) for place in ((28, 20), (96, 34), (150, 14), (62, 44))]
    return [_background(), *(_moon(step) for step in range(5)), *stars, _door(62), _door(118)]


def painted() -> list[bytes]:
    """Each expected frame: RGBA rows, without padding."""
    canvas = bytearray([_TRANSPARENT]) * (WIDTH * HEIGHT)
    shown = []
    for frame in script():
        before = canvas[:]
        for row in range(frame.height):
            line = frame.indices[row * frame.width : (row + 1) * frame.width]
            at = (frame.y + row) * WIDTH + frame.x
            for column, index in enumerate(line):
                if index != _TRANSPARENT:
                    canvas[at + column] = index
            if frame.dispose == BACKGROUND:
                before[at : at + frame.width] = bytes([_TRANSPARENT]) * frame.width
        shown.append(b"".join(_RGBA[index] for index in canvas))
        if frame.dispose != KEEP:
            canvas = before
    return shown


def gif() -> bytes:
    """The film as GIF 89a; its codes are nine bits wide throughout, as every decoder must read them."""
    disposals = {KEEP: 1, BACKGROUND: 2, PREVIOUS: 3}
    table = b"".join(bytes(color) for color in PALETTE)
    parts = [
        b"GIF89a",
        struct.pack("<HHBBB", WIDTH, HEIGHT, 0xF7, 0, 0),
        table,
        b"\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0",
    ]
    for frame in script():
        flags = disposals[frame.dispose] << 2 | 1
        parts.append(struct.pack("<BBBBHBB", 0x21, 0xF9, 4, flags, FRAME_MS // 10, _TRANSPARENT, 0))
        parts.append(struct.pack("<BHHHHB", 0x2C, frame.x, frame.y, frame.width, frame.height, 0))
        parts.append(b"\x08" + _blocks(_codes(frame.indices)))
    return b"".join([*parts, b"\x3b"])


def _codes(indices: bytes) -> bytes:
    """LZW that never uses its table: a clear code precedes the growth to codes of ten bits."""
    clear, end, bits, count = 256, 257, 0, 0
    for at in range(0, len(indices), 254):
        for code in (clear, *indices[at : at + 254]):
            bits |= code << count
            count += 9
    bits |= end << count
    return bits.to_bytes((count + 9 + 7) // 8, "little")


def _blocks(data: bytes) -> bytes:
    pieces = (data[at : at + 255] for at in range(0, len(data), 255))
    return b"".join(bytes([len(piece)]) + piece for piece in pieces) + b"\0"


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def apng() -> bytes:
    """The film as APNG: every frame is blended over the canvas."""
    disposals = {KEEP: 0, BACKGROUND: 1, PREVIOUS: 2}
    frames = script()
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 6, 0, 0, 0)
    parts = [
        b"\x89PNG\r\n\x1a\n",
        _chunk(b"IHDR", header),
        _chunk(b"acTL", struct.pack(">II", len(frames), 0)),
    ]
    number = 0
    for index, frame in enumerate(frames):
        place = struct.pack(">IIIII", number, frame.width, frame.height, frame.x, frame.y)
        parts.append(_chunk(b"fcTL", place + struct.pack(">HHBB", FRAME_MS, 1000, disposals[frame.dispose], 1)))
        pixels = zlib.compress(b"".join(b"\0" + row for row in _rows(frame)))
        parts.append(_chunk(b"fdAT", struct.pack(">I", number + 1) + pixels) if index else _chunk(b"IDAT", pixels))
        number += 1 if not index else 2
    return b"".join([*parts, _chunk(b"IEND", b"")])


def _rows(frame: Frame) -> list[bytes]:
    pixels = [_RGBA[index] for index in frame.indices]
    return [b"".join(pixels[row * frame.width : (row + 1) * frame.width]) for row in range(frame.height)]


def webp() -> bytes:
    """The film as WebP, which has no "previous" disposal: a frame that repaints the background follows such a frame."""
    disposals = {KEEP: 0, BACKGROUND: 1, PREVIOUS: 0}
    shown = painted()
    parts = [
        b"WEBP",
        _riff(b"VP8X", struct.pack("<B3x", 0x12) + _three(WIDTH - 1) + _three(HEIGHT - 1)),
        _riff(b"ANIM", struct.pack("<IH", 0, 0)),
    ]
    hole: tuple[int, int, int, int] | None = None
    for index, frame in enumerate(script()):
        box = _even(frame.x, frame.y, frame.x + frame.width, frame.y + frame.height)
        for other in filter(None, (hole, _moved(shown, index))):
            box = min(box[0], other[0]), min(box[1], other[1]), max(box[2], other[2]), max(box[3], other[3])
        hole = None
        still = _still(shown[index], box)
        place = _three(box[0] // 2) + _three(box[1] // 2) + _three(box[2] - box[0] - 1) + _three(box[3] - box[1] - 1)
        # Bit 1: pixels replace those below, including transparent ones.
        parts.append(_riff(b"ANMF", place + _three(FRAME_MS) + bytes([2 | disposals[frame.dispose]]) + still))
    return _riff(b"RIFF", b"".join(parts))


def _moved(shown: list[bytes], index: int) -> tuple[int, int, int, int] | None:
    """The box of the previous frame if its disposal is "previous", otherwise None; this frame must repaint it."""
    frames = script()
    if index == 0 or frames[index - 1].dispose != PREVIOUS:
        return None
    before = frames[index - 1]
    return _even(before.x, before.y, before.x + before.width, before.y + before.height)


def _even(left: int, top: int, right: int, bottom: int) -> tuple[int, int, int, int]:
    return left & ~1, top & ~1, min(WIDTH, right), min(HEIGHT, bottom)


def _still(rgba: bytes, box: tuple[int, int, int, int]) -> bytes:
    left, top, right, bottom = box
    rows = (rgba[(y * WIDTH + left) * 4 : (y * WIDTH + right) * 4] for y in range(top, bottom))
    file = sdimage.Image.from_pixels(b"".join(rows), right - left, bottom - top, "rgba8").encode("webp", lossless=True)
    at = file.index(b"VP8L")
    size = int.from_bytes(file[at + 4 : at + 8], "little")
    return file[at : at + 8 + size + size % 2]


def _riff(name: bytes, body: bytes) -> bytes:
    return name + struct.pack("<I", len(body)) + body + b"\0" * (len(body) % 2)


def _three(number: int) -> bytes:
    return number.to_bytes(3, "little")
