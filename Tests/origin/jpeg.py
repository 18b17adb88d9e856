"""Generated JPEGs of any size: the large image of the demo and of tests (ITU-T T.81, baseline)."""

from __future__ import annotations

import struct
from collections.abc import Iterator

#: The number of distinct block rows, which repeat downwards.
_ROWS = 32
#: Code of "no further coefficient".
_END_OF_BLOCK = "0"


def _segment(marker: int, body: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, marker, len(body) + 2) + body


def _headers(width: int, height: int) -> Iterator[bytes]:
    yield b"\xff\xd8"
    # All quantization steps are 8, so a flat block's coefficient is its sample minus 128.
    yield _segment(0xDB, b"\0" + b"\x08" * 64)
    components = b"".join(bytes((number, 0x11, 0)) for number in (1, 2, 3))
    yield _segment(0xC0, struct.pack(">BHHB", 8, height, width, 3) + components)
    # Twelve sizes of differences with four bits each; one code of one bit for "no further coefficient".
    yield _segment(0xC4, b"\x00" + bytes((0, 0, 0, 12)) + bytes(12) + bytes(range(12)))
    yield _segment(0xC4, b"\x10" + bytes((1,)) + bytes(15) + b"\0")
    # A restart after each row of blocks makes rows independent of each other.
    yield _segment(0xDD, struct.pack(">H", -(-width // 8)))
    scan = b"".join(bytes((number, 0)) for number in (1, 2, 3))
    yield _segment(0xDA, b"\x03" + scan + b"\0\x3f\0")


def _difference(value: int) -> str:
    size = abs(value).bit_length()
    bits = value if value > 0 else value + (1 << size) - 1
    return f"{size:04b}" + (f"{bits:0{size}b}" if size else "")


def _block_row(blocks: int, row: int) -> bytes:
    before = [0, 0, 0]
    codes: list[str] = []
    for column in range(blocks):
        across, down = column / blocks, row / _ROWS
        tile = (column // 4 + row // 4) % 2
        color = (int(40 * across - 50 * down) + 24 * tile, int(70 * across - 30), int(50 - 90 * down))
        for component, value in enumerate(color):
            codes.append(_difference(value - before[component]) + _END_OF_BLOCK)
            before[component] = value
    bits = "".join(codes)
    bits += "1" * (-len(bits) % 8)
    return int(bits, 2).to_bytes(len(bits) // 8, "big").replace(b"\xff", b"\xff\0")


def jpeg(width: int, height: int) -> bytes:
    """A baseline color JPEG of flat blocks; takes one second for 24 megapixels."""
    rows = [_block_row(-(-width // 8), row) for row in range(_ROWS)]
    count = -(-height // 8)
    parts = list(_headers(width, height))
    for index in range(count):
        parts.append(rows[index % _ROWS])
        if index < count - 1:
            parts.append(bytes((0xFF, 0xD0 + index % 8)))
    parts.append(b"\xff\xd9")
    return b"".join(parts)
