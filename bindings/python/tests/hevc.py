"""Writes H.265 pictures (ITU-T H.265) whose blocks are plain samples, and slices of their own."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass

from .test_heif_parts import box

BLOCK = 16
VIDEO, SEQUENCE, PICTURE, IDR, CRA = 32, 33, 34, 19, 21


class Bits:
    """A bit stream, most significant bits first."""

    def __init__(self) -> None:
        self.text = ""

    def put(self, value: int, count: int = 1) -> Bits:
        self.text += f"{value:0{count}b}" if count else ""
        return self

    def number(self, *values: int) -> Bits:
        """ue(v), 9.2. se(v) is the same for 0."""
        for value in values:
            self.put(value + 1, 2 * (value + 1).bit_length() - 1)
        return self

    def align(self) -> Bits:
        return self.put(0, -len(self.text) % 8)

    def bytes(self) -> bytes:
        return int("1" + self.align().text, 2).to_bytes(len(self.text) // 8 + 1, "big")[1:]


def final_bin(width: int) -> str:
    """The arithmetic coding of a last bin of value 1 in a range from 0 to `width`, and the bit of value 1 that ends it
    (9.3.4.3.5)."""
    return f"{width - 2 | 1:09b}"


def unit(kind: int, payload: bytes, header: bytes | None = None) -> bytes:
    """A NAL unit, with emulation prevention."""
    out = bytearray(header if header is not None else bytes([kind << 1, 1]))
    zeros = 0
    for byte in payload:
        if zeros >= 2 and byte <= 3:
            out.append(3)
            zeros = 0
        out.append(byte)
        zeros = zeros + 1 if byte == 0 else 0
    return bytes(out)


@dataclass
class Picture:
    """A picture of one value for each plane. Its sides are multiples of 16."""

    width: int
    height: int
    values: tuple[int, int, int] = (128, 128, 128)
    chroma: int = 1
    depth: int = 8
    has_offsets: bool = False  # sample adaptive offset, which no slice uses
    references: int = 0  # earlier pictures that it refers to, although no block uses them

    def sequence(self, level: int = 120) -> bytes:
        """The fields of the sequence parameter set (7.3.2.2)."""
        bits = Bits().put(0, 4).put(0, 3).put(1)
        bits.put(4, 8).put(1 << 27, 32).put(0, 48).put(level, 8)
        bits.number(0, self.chroma).put(0, int(self.chroma == 3)).number(self.width, self.height)
        bits.put(0).number(self.depth - 8, self.depth - 8, 0).put(1).number(self.references, 0, 0)
        bits.number(1, 0, 0, 2, 0, 0).put(0).put(0).put(self.has_offsets).put(1)
        bits.put(self.depth - 1, 4).put(self.depth - 1, 4).number(1, 0).put(1)
        return bits.number(0).put(0, 5).put(1).bytes()

    def sets(self, sequence: bytes | None = None) -> list[bytes]:
        video = Bits().put(0, 4).put(3, 2).put(0, 6).put(0, 3).put(1).put(0xFFFF, 16)
        video.put(4, 8).put(1 << 27, 32).put(0, 48).put(120, 8)
        video.put(1).number(0, 0, 0).put(0, 6).number(0).put(0, 2).put(1)
        picture = Bits().number(0, 0).put(0, 7).number(0, 0, 0).put(0, 3).number(0, 0).put(0, 7)
        picture.put(1).put(0).put(1).put(0, 2).number(0).put(0, 2).put(1)
        return [unit(VIDEO, video.bytes()), sequence or unit(SEQUENCE, self.sequence()), unit(PICTURE, picture.bytes())]

    def slices(self, most: int | None = None) -> list[bytes]:
        """A slice for each block, or for the first `most` ones, row by row (7.3.6)."""
        blocks = (self.width // BLOCK) * (self.height // BLOCK)
        across, down = (1, 1) if self.chroma == 3 else (2, 1) if self.chroma == 2 else (2, 2)
        samples = Bits()
        counts = [BLOCK * BLOCK] + [BLOCK * BLOCK // across // down if self.chroma else 0] * 2
        for value, count in zip(self.values, counts):
            samples.text += f"{value:0{self.depth}b}" * count
        units = []
        for number in range(blocks if most is None else most):
            bits = Bits().put(number == 0).put(0).number(0)
            bits.put(number, math.ceil(math.log2(blocks)) if number else 0).number(2)
            if self.references:
                # The order of the picture, and its set of references (7.3.7).
                bits.put(0, 4).put(0).number(self.references, 0)
                for _ in range(self.references):
                    bits.number(0).put(1)
            bits.put(0, (1 + (self.chroma > 0)) * self.has_offsets).number(0).put(1).align()
            # part_mode takes 240 of the initial range of 510. pcm_flag follows, then the samples.
            bits.text += final_bin(510 - 240)
            bits.align().text += samples.text
            # end_of_slice_segment_flag, whose last bit is that of the trailing bits.
            bits.text += final_bin(510)
            units.append(unit(CRA if self.references else IDR, bits.bytes()))
        return units

    def configuration(self, sets: list[bytes] | None = None) -> bytes:
        """hvcC (ISO/IEC 14496-15, 8.3.3.1)."""
        head = struct.pack(">BBI6xBHBBBBHBB", 1, 4, 1 << 27, 120, 0xF000, 0xFC, 0xFC | self.chroma,
                           0xF8 | self.depth - 8, 0xF8 | self.depth - 8, 0, 0x0F, 3)
        arrays = b"".join(struct.pack(">BHH", 0x80 | one[0] >> 1, 1, len(one)) + one for one in sets or self.sets())
        return box(b"hvcC", head, arrays)


def stream(units: list[bytes]) -> bytes:
    return b"".join(struct.pack(">I", len(one)) + one for one in units)
