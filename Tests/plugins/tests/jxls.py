"""Writes JPEG XL codestreams of black frames (ISO/IEC 18181-1), for which libjxl has no encoder: hidden and oversized ones.

Frames are modular, lossless RGB with groups of 1024 pixels, and coded with an alphabet of one symbol, which takes no bits.
"""

from __future__ import annotations

import struct

REGULAR, REFERENCE_ONLY, SKIP_PROGRESSIVE = 0, 2, 3
GROUP = 1024
#: Ranges of U32() of the standard, a number with a selector of two bits, as offset and bits.
SIDE = ((1, 9), (1, 13), (1, 18), (1, 30))
CROP = ((0, 8), (256, 11), (2304, 14), (18688, 30))
LENGTH = ((0, 10), (1024, 14), (17408, 22), (4211712, 30))


class Bits:
    """Bits of bytes, the lowest first."""

    def __init__(self) -> None:
        self.value, self.count = 0, 0

    def put(self, value: int, count: int) -> Bits:
        self.value |= value << self.count
        self.count += count
        return self

    def choose(self, value: int, ranges: tuple[tuple[int, int], ...]) -> Bits:
        selector = next(n for n, (offset, bits) in enumerate(ranges) if offset <= value < offset + (1 << bits))
        offset, bits = ranges[selector]
        return self.put(selector, 2).put(value - offset, bits)

    def code(self, contexts: int) -> Bits:
        """A prefix code of one symbol: no LZ77, one cluster, one symbol."""
        if contexts > 1:
            self.put(0, 1).put(1, 1).put(0, 2)
        else:
            self.put(0, 1)
        return self.put(1, 1).put(0, 4).put(0, 1)

    def samples(self) -> Bits:
        """The coding of a modular image of zeros: defaults without transforms, a tree of one leaf, no bits of samples."""
        return self.put(0, 1).put(1, 1).put(0, 2).code(6).code(1)

    def __bytes__(self) -> bytes:
        return self.value.to_bytes((self.count + 7) // 8, "little")


def header(width: int, height: int, extra_channels: int = 0) -> bytes:
    """A codestream up to its frames. Extra channels are alpha with 8 bits."""
    bits = Bits().put(0x0AFF, 16).put(0, 1).choose(height, SIDE).put(0, 3).choose(width, SIDE)
    bits.put(0, 1).put(0, 1)  # not all defaults; no orientation, preview or animation
    bits.put(0, 3).put(1, 1)  # 8 bits per sample
    bits.choose(extra_channels, ((0, 0), (1, 0), (2, 4), (1, 12))).put((1 << extra_channels) - 1, extra_channels)
    return bytes(bits.put(0, 1).put(1, 1).put(0, 2).put(1, 1))  # not XYB; sRGB; no extensions


def frame(width: int, height: int, kind: int = REGULAR, upsampling: int = 1, slot: int = 1, is_last: bool = False,
          is_permuted: bool = False) -> bytes:
    """A frame that covers the image, or more."""
    layer = kind != REFERENCE_ONLY
    bits = Bits().put(0, 1).put(kind, 2).put(1, 1).put(0, 2).put(0, 1)  # modular, no flags, not YCbCr
    bits.put((upsampling - 1).bit_length(), 2).put(3, 2).put(0, 2 * layer)  # groups, one pass
    bits.put(1, 1).put(0, 20 * layer).choose(width, CROP).choose(height, CROP)
    bits.put(0, 2 * layer).put(is_last, layer)  # replaces
    if not is_last:
        bits.put(slot, 2).put(1, 1)
    bits.put(0, 2).put(0, 4).put(0, 2).put(0, 2)  # no name, no loop filter, no extensions
    across, down = (-(-side // (GROUP * upsampling)) for side in (width, height))
    coarse = -(-across // 8) * -(-down // 8)
    sections = [bytes(Bits().put(1, 1).put(0, 1).samples())]
    if across * down > 1:
        group = bytes(Bits().samples())
        sections += [group] * coarse + [b""] + [group] * (across * down)
    bits.put(is_permuted, 1)
    if is_permuted:  # but no section is moved
        bits.code(8)
    lengths = Bits()
    for section in sections:
        lengths.choose(len(section), LENGTH)
    return bytes(bits) + bytes(lengths) + b"".join(sections)


def boxed(codestream: bytes, step: int) -> bytes:
    """A file whose boxes have at most `step` bytes of the codestream each, with boxes of another type between them."""
    file = b"\0\0\0\x0cJXL \r\n\x87\n\0\0\0\x14ftypjxl \0\0\0\0jxl "
    for number, at in enumerate(range(0, len(codestream), step)):
        part = codestream[at : at + step]
        index = number | (at + step >= len(codestream)) << 31
        file += struct.pack(">I4sI", 12 + len(part), b"jxlp", index) + part + struct.pack(">I4s", 9, b"more") + b"\0"
    return file
