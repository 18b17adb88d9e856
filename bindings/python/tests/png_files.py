"""PNG files of given pixels and chunks (ISO/IEC 15948), which the library's own encoder would not write."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable

_COLOR_TYPES = {1: 0, 3: 2, 4: 6}


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def encode(width: int, height: int, channels: int, rows: Iterable[bytes]) -> bytes:
    """A PNG with 8 bits per sample; `rows` are unpadded, `channels` is 1 (gray), 3 (RGB) or 4 (RGBA)."""
    header = struct.pack(">IIBBBBB", width, height, 8, _COLOR_TYPES[channels], 0, 0, 0)
    packed = zlib.compress(b"".join(b"\0" + row for row in rows))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")
