"""Writes test files in TIFF (Adobe, TIFF 6.0) and BigTIFF."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterable, Sequence

SHORT, LONG, RATIONAL, UNDEFINED, LONG8 = 3, 4, 5, 7, 16
SIZES = {1: 1, 2: 1, SHORT: 2, LONG: 4, RATIONAL: 8, UNDEFINED: 1, LONG8: 8}

WIDTH, HEIGHT = 64, 32
#: Samples of a pixel as fractions of the maximum.
Pixel = Callable[[int, int], Sequence[float]]


def ramp(x: int, y: int) -> tuple[float, float, float]:
    """Red from left to right, green from top to bottom, blue three quarters."""
    return x / (WIDTH - 1), y / (HEIGHT - 1), 0.75


def gray(x: int, y: int) -> tuple[float]:
    return (x / (WIDTH - 1),)


class Directory:
    """The tags of one image, and its blocks of samples."""

    def __init__(self, order: str = "<", big: bool = False) -> None:
        self.order, self.big = order, big
        self.tags: dict[int, tuple[int, list[int]]] = {}
        self.values: dict[int, tuple[int, bytes]] = {}
        self.blocks: list[bytes] = []
        self.block_tags = (273, 279)

    def set(self, tag: int, kind: int, *numbers: int) -> Directory:
        self.tags[tag] = kind, list(numbers)
        return self

    def set_bytes(self, tag: int, data: bytes, kind: int = UNDEFINED) -> Directory:
        self.values[tag] = kind, data
        return self

    def _packed(self, kind: int, numbers: Iterable[int]) -> bytes:
        code = {1: "B", 2: "B", UNDEFINED: "B", SHORT: "H", LONG: "I", RATIONAL: "I", LONG8: "Q"}[kind]
        return b"".join(struct.pack(self.order + code, number) for number in numbers)

    def write(self, at: int, following: int | None = None) -> bytes:
        """The directory at offset `at`, followed by its values and blocks; `following`: the offset of the next
        directory, None for directly after it, 0 for none."""
        entries = {tag: (kind, len(numbers) // (2 if kind == RATIONAL else 1), self._packed(kind, numbers))
                   for tag, (kind, numbers) in self.tags.items()}
        entries |= {tag: (kind, len(data) // SIZES[kind], data) for tag, (kind, data) in self.values.items()}
        offsets, lengths = self.block_tags
        kind = LONG8 if self.big else LONG
        entries[offsets] = kind, len(self.blocks), bytes(SIZES[kind] * len(self.blocks))
        entries[lengths] = kind, len(self.blocks), self._packed(kind, map(len, self.blocks))
        word, entry = (8, 20) if self.big else (4, 12)
        head = (8 if self.big else 2) + entry * len(entries) + word
        places, end = {}, at + head
        for tag, (_, _, data) in sorted(entries.items()):
            if len(data) > word:
                places[tag] = end
                end += len(data) + len(data) % 2
        starts = []
        for block in self.blocks:
            starts.append(end)
            end += len(block)
        entries[offsets] = kind, len(self.blocks), self._packed(kind, starts)
        code, count = ("Q", "Q") if self.big else ("I", "H")
        out = struct.pack(self.order + count, len(entries))
        for tag, (kind, number, data) in sorted(entries.items()):
            value = struct.pack(self.order + code, places[tag]) if tag in places else data.ljust(word, b"\0")
            out += struct.pack(self.order + "HH" + code, tag, kind, number) + value
        out += struct.pack(self.order + code, end if following is None else following)
        for tag, (_, _, data) in sorted(entries.items()):
            if tag in places:
                out += data + b"\0" * (len(data) % 2)
        return out + b"".join(self.blocks)


def file(*directories: Directory) -> bytes:
    """A file of these directories in sequence."""
    first = directories[0]
    mark = b"II" if first.order == "<" else b"MM"
    if first.big:
        out = mark + struct.pack(first.order + "HHHQ", 43, 8, 0, 16)
    else:
        out = mark + struct.pack(first.order + "HI", 42, 8)
    for number, directory in enumerate(directories):
        out += directory.write(len(out), None if number + 1 < len(directories) else 0)
    return out


def sample(value: float, bits: int, order: str, is_float: bool) -> int | bytes:
    if is_float:
        return struct.pack(order + {16: "e", 32: "f", 64: "d"}[bits], value)
    number = round(value * (2**bits - 1))
    if bits in (8, 16, 32):
        return struct.pack(order + {8: "B", 16: "H", 32: "I"}[bits], number)
    return number.to_bytes(3, "little" if order == "<" else "big") if bits == 24 else number


def row(values: Iterable[float], bits: int, order: str, is_float: bool = False) -> bytes:
    """Packed samples, padded to a byte."""
    made = [sample(value, bits, order, is_float) for value in values]
    if made and isinstance(made[0], bytes):
        return b"".join(made)  # type: ignore[arg-type]
    number = 0
    for one in made:
        number = number << bits | int(one)  # type: ignore[arg-type]
    spare = -len(made) * bits % 8
    return (number << spare).to_bytes((len(made) * bits + spare) // 8, "big")


def packed(lines: list[bytes], compression: int) -> bytes:
    """The stored rows: deflated, or each in PackBits (section 9) without a run."""
    if compression in (8, 32946):
        return zlib.compress(b"".join(lines))
    if compression == 32773:
        lines = [bytes([min(128, len(line) - at) - 1]) + line[at : at + 128] for line in lines
                 for at in range(0, len(line), 128)]
    return b"".join(lines)


def picture(pixel: Pixel = ramp, *, photometric: int = 2, bits: int = 8, order: str = "<", big: bool = False,
            planar: bool = False, tile: int = 0, rows: int = 10, compression: int = 1, is_float: bool = False,
            width: int = WIDTH, height: int = HEIGHT, predictor: bool = False) -> Directory:
    """A directory with the samples that `pixel` returns."""
    samples = len(pixel(0, 0))
    made = Directory(order, big).set(256, LONG, width).set(257, LONG, height).set(262, SHORT, photometric)
    made.set(258, SHORT, *[bits] * samples).set(259, SHORT, compression).set(277, SHORT, samples)
    if planar:
        made.set(284, SHORT, 2)
    if is_float:
        made.set(339, SHORT, *[3] * samples)
    if predictor:
        made.set(317, SHORT, 2)

    def block(left: int, top: int, across: int, down: int, chosen: Sequence[int]) -> bytes:
        lines = []
        for y in range(top, top + down):
            pixels = [pixel(min(x, width - 1), min(y, height - 1)) for x in range(left, left + across)]
            line = row((one[s] for one in pixels for s in chosen), bits, order, is_float)
            if predictor:
                step = len(chosen)
                line = bytes(line[:step]) + bytes((line[i] - line[i - step]) & 255 for i in range(step, len(line)))
            lines.append(line)
        return packed(lines, compression)

    planes = [[s] for s in range(samples)] if planar else [list(range(samples))]
    if tile:
        made.block_tags = 324, 325
        made.set(322, SHORT, tile).set(323, SHORT, tile)
        made.blocks = [block(x, y, tile, tile, plane) for plane in planes
                       for y in range(0, height, tile) for x in range(0, width, tile)]
    else:
        made.set(278, LONG, rows)
        made.blocks = [block(0, y, width, min(rows, height - y), plane) for plane in planes for y in range(0, height, rows)]
    return made
