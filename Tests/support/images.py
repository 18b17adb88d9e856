#!/usr/bin/env python3
"""Images with known pixels.

    images.py OUT.png        writes one"""

import struct
import sys
import zlib


def pixels(width: int, height: int) -> bytes:
    """RGB pixels with a different color at each position."""
    return bytes(value for y in range(height) for x in range(width)
                 for value in (x * 7 % 256, y * 11 % 256, (x + y) * 3 % 256))


def png(width: int, height: int) -> bytes:
    rows = pixels(width, height)
    step = width * 3
    body = b"".join(b"\0" + rows[at:at + step] for at in range(0, len(rows), step))

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(body)) + chunk(b"IEND", b"")


def gif(colors: list[tuple[int, int, int]], hundredths: int, side: int = 4) -> bytes:
    """An endless animation (GIF89a) with a frame of each color."""
    bits, filled = 0, 0
    # Codes of three bits, with a clear code before the table could grow: clear 4, color 0, end 5.
    for code in [4, 0, 0] * (side * side // 2) + [5]:
        bits, filled = bits | code << filled, filled + 3
    data = bits.to_bytes((filled + 7) // 8, "little")
    file = b"GIF89a" + struct.pack("<HHBBB", side, side, 0, 0, 0) + b"\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0"
    for color in colors:
        file += b"\x21\xf9\x04\x04" + struct.pack("<H", hundredths) + b"\0\0"
        file += b"\x2c" + struct.pack("<HHHHB", 0, 0, side, side, 0x80) + bytes(color) + b"\0\0\0"
        file += b"\x02" + bytes([len(data)]) + data + b"\0"
    return file + b"\x3b"


def ppm(width: int, height: int) -> bytes:
    return b"P6\n%d %d\n255\n" % (width, height) + pixels(width, height)


if __name__ == "__main__":
    with open(sys.argv[1], "wb") as file:
        file.write(png(96, 64))
