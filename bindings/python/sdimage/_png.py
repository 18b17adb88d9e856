"""A small PNG writer (ISO/IEC 15948), for notebooks and reports."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable

_COLOUR_TYPES = {1: 0, 3: 2, 4: 6}


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def _minus(row: bytes, above: bytes) -> bytes:
    """Bytewise difference modulo 256, on whole rows as numbers. The borrow of each byte does not reach the next byte.
    """
    high = int.from_bytes(b"\x80" * len(row), "little")
    a, b = int.from_bytes(row, "little"), int.from_bytes(above, "little")
    return (((a | high) - (b & ~high)) ^ ((a ^ ~b) & high)).to_bytes(len(row), "little")


def encode(width: int, height: int, channels: int, rows: Iterable[bytes]) -> bytes:
    """A PNG with 8 bits per sample; `rows` are unpadded, `channels` is 1 (grey), 3 (RGB) or 4 (RGBA, straight)."""
    packer = zlib.compressobj(6)
    packed: list[bytes] = []
    above = bytes(width * channels)
    for row in rows:
        packed.append(packer.compress(b"\x02" + _minus(row, above)))
        above = row
    packed.append(packer.flush())
    header = struct.pack(">IIBBBBB", width, height, 8, _COLOUR_TYPES[channels], 0, 0, 0)
    body = _chunk(b"IHDR", header) + _chunk(b"IDAT", b"".join(packed)) + _chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body
