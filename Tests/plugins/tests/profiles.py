"""Writes ICC profiles (ICC.1:2001-04) of inks for tests, and computes the resulting colors."""

from __future__ import annotations

import itertools
import struct
from collections.abc import Callable, Sequence

Lab = tuple[float, float, float]
D50 = 0.9642, 1.0, 0.8249


def fixed(value: float) -> bytes:
    return struct.pack(">i", round(value * 65536))


def black_element(inputs: int) -> tuple[bytes, bytes]:
    """A tag with a multi-process element (ICC.1:2010, 10.14) that makes all colors black: a matrix of zeros."""
    channels = struct.pack(">HH", inputs, 3)
    matrix = b"matf" + bytes(4) + channels + bytes(12 * inputs + 12)
    return b"D2B0", b"mpet" + bytes(4) + channels + struct.pack(">III", 1, 24, len(matrix)) + matrix


def inks(color: Callable[[tuple[int, ...]], Lab], space: bytes = b"CMYK", extra: Sequence[tuple[bytes, bytes]] = ()) -> bytes:
    """A profile from the colors of its full inks (6.5.7: lut8Type), sixteen for CMYK; linear between them. `extra`: more tags."""
    count = len(space.strip())
    corners = list(itertools.product((0, 1), repeat=count))
    ramp = bytes(range(256))
    table = b"".join(bytes((round(light * 2.55), round(a) + 128, round(b) + 128)) for light, a, b in map(color, corners))
    identity = b"".join(fixed(float(row == column)) for row in range(3) for column in range(3))
    lut = b"mft1" + bytes(4) + bytes((count, 3, 2, 0)) + identity + ramp * count + table + ramp * 3
    white = b"XYZ " + bytes(4) + b"".join(map(fixed, D50))
    tags = [(b"A2B0", lut), (b"wtpt", white), *extra]
    start = 128 + 4 + 12 * len(tags)
    entries, body = b"", b""
    for name, data in tags:
        entries += name + struct.pack(">II", start + len(body), len(data))
        body += data + bytes(-len(data) % 4)
    head = struct.pack(">I4sI4s4s4s12s4s", start + len(body), b"", 0x02400000, b"prtr", space, b"Lab ", bytes(12), b"acsp")
    head = (head + bytes(28) + b"".join(map(fixed, D50))).ljust(128, b"\0")
    return head + struct.pack(">I", len(tags)) + entries + body


def srgb(lab: Lab) -> tuple[int, int, int]:
    """Converts CIE L*a*b* of D50 to sRGB (IEC 61966-2-1) with Bradford's matrix."""
    level = (lab[0] + 16) / 116
    cubes = [(part**3 if part > 6 / 29 else 3 * (6 / 29) ** 2 * (part - 4 / 29)) * white
             for part, white in zip((level + lab[1] / 500, level, level - lab[2] / 200), D50)]
    rows = ((3.1338561, -1.6168667, -0.4906146), (-0.9787684, 1.9161415, 0.0334540), (0.0719453, -0.2289914, 1.4052427))
    light = [min(1, max(0, sum(weight * part for weight, part in zip(row, cubes)))) for row in rows]
    red, green, blue = (12.92 * part if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055 for part in light)
    return round(red * 255), round(green * 255), round(blue * 255)
