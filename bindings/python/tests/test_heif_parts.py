"""HEIC composed of other images: grids of tiles, and overlays; within limits."""

from __future__ import annotations

import struct
import unittest

from .support import sdimage
from .test_modules import Fixture, usable


def box(name: bytes, *bodies: bytes) -> bytes:
    body = b"".join(bodies)
    return struct.pack(">I", 8 + len(body)) + name + body


def full(name: bytes, version: int, *bodies: bytes) -> bytes:
    return box(name, struct.pack(">I", version << 24), *bodies)


def inside(data: bytes, *path: bytes) -> bytes:
    """The body of a nested box, located by the names of the boxes."""
    for name in path:
        at = data.index(name) - 4
        data = data[at + 8 : at + struct.unpack_from(">I", data, at)[0]]
    return data


def overlays(still: bytes, count: int, of: int) -> bytes:
    """A HEIC that overlays an image, itself an overlay of `of` images, `count` times (ISO/IEC 23008-12, 6.6.2.2)."""
    coded, coding = inside(still, b"mdat"), box(b"hvcC", inside(still, b"ipco", b"hvcC"))
    canvas = [struct.pack(">BB4HHH", 0, 0, 0, 0, 0, 65535, 128, 64) + bytes(4 * parts) for parts in (count, of)]
    items = [(1, b"iovl", canvas[0]), (2, b"iovl", canvas[1]), (3, b"hvc1", coded)]
    entries = [full(b"infe", 2, struct.pack(">HH", number, 0), kind, b"\0") for number, kind, _ in items]
    references = [box(b"dimg", struct.pack(f">HH{parts}H", number, parts, *[number + 1] * parts))
                  for number, parts in ((1, count), (2, of))]
    size = full(b"ispe", 0, struct.pack(">II", 128, 64))
    owned = b"".join(struct.pack(">HBB", number, 1, 1) for number in (1, 2)) + struct.pack(">HBBB", 3, 2, 1, 0x82)

    def file(start: int) -> bytes:
        places = b""
        for number, _, data in items:
            places += struct.pack(">HHHII", number, 0, 1, start, len(data))
            start += len(data)
        meta = full(b"meta", 0, full(b"hdlr", 0, bytes(4), b"pict", bytes(13)), full(b"pitm", 0, struct.pack(">H", 1)),
                    full(b"iinf", 0, struct.pack(">H", len(items)), *entries), full(b"iref", 0, *references),
                    box(b"iprp", box(b"ipco", size, coding), full(b"ipma", 0, struct.pack(">I", len(items)), owned)),
                    full(b"iloc", 0, b"\x44\0", struct.pack(">H", len(items)), places))
        return box(b"ftyp", b"heic", bytes(4), b"mif1heic") + meta + box(b"mdat", *[data for _, _, data in items])

    return file(len(file(0)) - sum(len(data) for _, _, data in items))


@unittest.skipUnless(usable("heic"), f"no HEIF module: {sdimage.doctor()['libraries'].get('heif')}")
class Parts(Fixture):
    kind = "heif"

    def test_a_picture_is_made_of_so_many_others_at_most(self) -> None:
        still = self.data("still.heic")
        self.assert_ramp(sdimage.decode(overlays(still, 2, 3)))
        self.assert_error("UNSUPPORTED", sdimage.decode, overlays(still, 17, 16))

    def test_no_more_is_decoded_than_is_shown(self) -> None:
        data = self.data("grid.heic")
        # Two by two tiles of 64 pixels, some of them outside of a smaller image.
        grid = struct.pack(">BBBBHH", 0, 0, 1, 1, 100, 90)
        for size in ((64, 90), (100, 64), (1, 1)):
            with self.subTest(size):
                self.assert_error("BAD_DATA", sdimage.decode, data.replace(grid, grid[:4] + struct.pack(">HH", *size)))
        # One tile, with a declared size much larger than the image.
        one = data.replace(grid, bytes(4) + grid[4:]).replace(b"dimg\0\1\0\4", b"dimg\0\1\0\1")
        self.assert_error("TOO_LARGE", sdimage.decode, one.replace(struct.pack(">II", 64, 64), struct.pack(">II", 30000, 30000)))
