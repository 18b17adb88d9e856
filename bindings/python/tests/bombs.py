"""Generators of small HEIC and AVIF files that cause much work."""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass, field
from itertools import accumulate

from .hevc import Picture, stream
from .test_heif_parts import box, full, inside

#: Identifier of the primary item.
PRIMARY = 1


@dataclass
class Item:
    """An item: its type, the index of its location among those of the file, and its property indices."""

    number: int
    kind: bytes
    location: int
    properties: tuple[int, ...] = ()


@dataclass
class Container:
    """A file of items; several items may share the bytes of one location."""

    brand: bytes
    properties: list[bytes]
    items: list[Item]
    bodies: list[bytes]
    references: bytes = b""
    extra: list[bytes] = field(default_factory=list)
    more_associations: bytes = b""

    def entry(self, item: Item) -> bytes:
        return full(b"infe", 2, struct.pack(">HH", item.number, 0), item.kind, b"\0\0")

    def bytes(self) -> bytes:
        ends = self.pack(0)
        return self.pack(len(ends) - sum(map(len, self.bodies)))

    def pack(self, start: int) -> bytes:
        starts = [start, *(start + end for end in accumulate(map(len, self.bodies)))]
        locations = b"".join(
            struct.pack(">HHHII", item.number, 0, 1, starts[item.location], len(self.bodies[item.location]))
            for item in self.items
        )
        owned = b"".join(
            struct.pack(">HB", item.number, len(item.properties)) + bytes(item.properties) for item in self.items
        )
        associations = full(b"ipma", 0, struct.pack(">I", len(self.items)), owned)
        count = struct.pack(">H", len(self.items))
        meta = full(
            b"meta",
            0,
            full(b"hdlr", 0, bytes(4), b"pict", bytes(13)),
            full(b"pitm", 0, struct.pack(">H", PRIMARY)),
            full(b"iinf", 0, count, *map(self.entry, self.items)),
            full(b"iref", 0, self.references),
            box(b"iprp", box(b"ipco", *self.properties), associations, self.more_associations),
            full(b"iloc", 0, b"\x44\0", count, locations),
            *self.extra,
        )
        return box(b"ftyp", self.brand, bytes(4), b"mif1" + self.brand) + meta + box(b"mdat", *self.bodies)


def reference(kind: bytes, number: int, targets: list[int]) -> bytes:
    return box(kind, struct.pack(f">HH{len(targets)}H", number, len(targets), *targets))


def size(width: int, height: int) -> bytes:
    return full(b"ispe", 0, struct.pack(">II", width, height))


def grid(columns: int, rows: int, width: int, height: int) -> bytes:
    return struct.pack(">BBBBII", 0, 1, rows - 1, columns - 1, width, height)


def junk(length: int) -> bytes:
    """Units of the stream that every decoder drops (ITU-T H.265, table 7-1: unspecified types), of 2 bytes each."""
    return b"\0\0\0\2\x7e\1" * (length // 6)


def coded(still: bytes) -> tuple[bytes, bytes]:
    """The bytes of an image and its configuration."""
    return inside(still, b"mdat"), box(b"hvcC", inside(still, b"ipco", b"hvcC"))


def repeated_tile(still: bytes, junk_bytes: int = 0) -> bytes:
    """A grid of 65,536 tiles, all of them the same item."""
    body, coding = coded(still)
    return Container(
        b"heic",
        [size(4096, 4096), size(16, 16), coding],
        [Item(PRIMARY, b"grid", 0, (1,)), Item(2, b"hvc1", 1, (2, 0x83))],
        [grid(256, 256, 4096, 4096), body + junk(junk_bytes)],
        # The count of a reference has 16 bits, so 256 columns of 255 rows are the maximum.
        reference(b"dimg", PRIMARY, [2] * 65280),
    ).bytes().replace(grid(256, 256, 4096, 4096), grid(256, 255, 4096, 4080))


def shared_tiles(still: bytes, side: int = 63, junk_bytes: int = 0, own_bytes: bool = False) -> bytes:
    """A grid of as many items as tiles, which share their bytes, or have equal bytes of their own."""
    body, coding = coded(still)
    tiles = range(2, 2 + side * side)
    return Container(
        b"heic",
        [size(side * 128, side * 64), size(128, 64), coding],
        [
            Item(PRIMARY, b"grid", 0, (1,)),
            *(Item(number, b"hvc1", number - 1 if own_bytes else 1, (2, 0x83)) for number in tiles),
        ],
        [grid(side, side, side * 128, side * 64), *[body + junk(junk_bytes)] * (side * side if own_bytes else 1)],
        reference(b"dimg", PRIMARY, list(tiles)),
    ).bytes()


def layers(still: bytes, count: int, junk_bytes: int) -> bytes:
    """An overlay that composes one image repeatedly."""
    body, coding = coded(still)
    canvas = struct.pack(">BB4HHH", 0, 0, 0, 0, 0, 65535, 128, 64) + bytes(4 * count)
    return Container(
        b"heic",
        [size(128, 64), coding],
        [Item(PRIMARY, b"iovl", 0, (1,)), Item(2, b"hvc1", 1, (1, 0x82))],
        [canvas, body + junk(junk_bytes)],
        reference(b"dimg", PRIMARY, [2] * count),
    ).bytes()


def many_references(still: bytes, boxes: int) -> bytes:
    """An image beside references from and to missing items, 65,535 of them in each box."""
    body, coding = coded(still)
    each = box(b"auxl", struct.pack(">HH", 9, 65535) + struct.pack(">H", 8) * 65535)
    return Container(
        b"heic", [size(128, 64), coding], [Item(PRIMARY, b"hvc1", 0, (1, 0x82))], [body], each * boxes
    ).bytes()


def many_associations(still: bytes, millions: int) -> bytes:
    """An image beside 4,000 items, whose properties are listed again and again, in random order."""
    body, coding = coded(still)
    numbers = range(2, 4002)
    each = b"\0".join(struct.pack(">H", number) for number in random.Random(1).choices(numbers, k=1_000_000)) + b"\0"
    return Container(
        b"heic",
        [size(128, 64), coding],
        [Item(PRIMARY, b"hvc1", 0, (1, 0x82)), *(Item(number, b"Exif", 0) for number in numbers)],
        [body],
        more_associations=full(b"ipma", 0, struct.pack(">I", millions * 1_000_000), each * millions),
    ).bytes()


def large_alpha(still: bytes, full_chroma: bytes) -> bytes:
    """64 Mi pixels with a 4:4:4 alpha image; both are grids of one tile."""
    tiles = [2] * (64 * 128)
    (body, coding), (alpha, alpha_coding) = coded(still), coded(full_chroma)
    kind = full(b"auxC", 0, b"urn:mpeg:hevc:2015:auxid:1\0")
    return Container(
        b"heic",
        [size(8192, 8192), size(128, 64), coding, alpha_coding, kind],
        [
            Item(PRIMARY, b"grid", 0, (1,)),
            Item(2, b"hvc1", 1, (2, 0x83)),
            Item(3, b"grid", 0, (1, 5)),
            Item(4, b"hvc1", 2, (2, 0x84)),
        ],
        [grid(64, 128, 8192, 8192), body, alpha],
        reference(b"dimg", PRIMARY, tiles)
        + reference(b"dimg", 3, [4] * len(tiles))
        + reference(b"auxl", 3, [PRIMARY]),
    ).bytes()


def cropped_giant(still: bytes) -> bytes:
    """One pixel cut out of 256 tiles of 256 Mi pixels in all."""
    body, coding = coded(still)
    clap = box(b"clap", struct.pack(">8I", 1, 1, 1, 1, 0, 1, 0, 1))
    tiles = [2] * 65280
    return Container(
        b"heic",
        [size(32768, 16320), size(128, 64), coding, clap],
        [Item(PRIMARY, b"grid", 0, (1, 0x84)), Item(2, b"hvc1", 1, (2, 0x83))],
        [grid(256, 255, 32768, 16320), body],
        reference(b"dimg", PRIMARY, tiles),
    ).bytes()


def avif_parts(still: bytes) -> tuple[bytes, list[bytes]]:
    properties = inside(still, b"ipco")
    coding, pixels = box(b"av1C", inside(properties, b"av1C")), box(b"pixi", inside(properties, b"pixi"))
    # Its XMP packet comes first.
    return inside(still, b"mdat")[len(b"<x:xmpmeta/>") :], [coding, pixels]


def avif_spare_items(still: bytes, count: int) -> bytes:
    """A still beside items that have no references."""
    body, properties = avif_parts(still)
    container = Container(
        b"avif", [size(128, 64), *properties], [Item(PRIMARY, b"av01", 0, (1, 0x82, 3))], [body]
    )
    container.items += [Item(2 + i, b"mime", 0) for i in range(count)]
    return container.bytes()


def avif_shared_tiles(still: bytes, side: int = 90, own_bytes: bool = False) -> bytes:
    """A grid of as many items as tiles, which share their bytes, or have equal bytes of their own."""
    body, properties = avif_parts(still)
    tiles = range(2, 2 + side * side)
    return Container(
        b"avif",
        [size(side * 128, side * 64), size(128, 64), *properties],
        [
            Item(PRIMARY, b"grid", 0, (1,)),
            *(Item(number, b"av01", number - 1 if own_bytes else 1, (2, 0x83, 4)) for number in tiles),
        ],
        [grid(side, side, side * 128, side * 64), *[body] * (side * side if own_bytes else 1)],
        reference(b"dimg", PRIMARY, list(tiles)),
    ).bytes()


def avif_alpha_tiles(still: bytes, side: int, others: int = 0, boxes: int = 1) -> bytes:
    """An image without tiles whose alpha is a grid of items that share their bytes. `others` are further auxiliary items,
    which come first; the tiles are listed in as many `boxes`.
    """
    body, properties = avif_parts(still)
    kind = full(b"auxC", 0, b"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0")
    alpha, tiles = 2 + others, list(range(3 + others, 3 + others + side * side))
    lists = [tiles[start::boxes] for start in range(boxes)]
    return Container(
        b"avif",
        [size(side * 128, side * 64), size(128, 64), *properties, kind],
        [
            Item(PRIMARY, b"av01", 1, (1, 0x83, 4)),
            *(Item(number, b"mime", 0) for number in range(2, alpha)),
            Item(alpha, b"grid", 0, (1, 5)),
            *(Item(number, b"av01", 1, (2, 0x83, 4)) for number in tiles),
        ],
        [grid(side, side, side * 128, side * 64), body],
        b"".join(reference(b"auxl", number, [PRIMARY]) for number in range(2, alpha + 1))
        + b"".join(reference(b"dimg", alpha, each) for each in lists),
    ).bytes()


def avif_single_alpha(still: bytes, alpha: bytes, side: int) -> bytes:
    """A grid of items whose alpha is one image of the full size."""
    body, properties = avif_parts(still)
    kind = full(b"auxC", 0, b"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0")
    alpha_coding = box(b"av1C", inside(inside(alpha, b"ipco"), b"av1C"))
    tiles = range(3, 3 + side * side)
    return Container(
        b"avif",
        [size(side * 128, side * 64), size(128, 64), *properties, alpha_coding, kind],
        [
            Item(PRIMARY, b"grid", 0, (1,)),
            Item(2, b"av01", 1, (1, 0x85, 6)),
            *(Item(number, b"av01", number - 1, (2, 0x83, 4)) for number in tiles),
        ],
        [grid(side, side, side * 128, side * 64), inside(alpha, b"mdat"), *[body] * len(tiles)],
        reference(b"dimg", PRIMARY, list(tiles)) + reference(b"auxl", 2, [PRIMARY]),
    ).bytes()


def many_units(still: bytes, count: int) -> bytes:
    """An image whose stream has `count` further parameter sets, of 3 bytes each."""
    body, coding = coded(still)
    units = b"\0\0\0\3\x44\1\x80" * count
    return Container(b"heic", [size(128, 64), coding], [Item(PRIMARY, b"hvc1", 0, (1, 0x82))], [units + body]).bytes()


def with_alpha(still: bytes, alpha: bytes, crop: tuple[int, int, int, int] | None) -> bytes:
    """An image with another as its alpha, and a crop of both: width, height, and the distances to the left and the top.
    """
    (body, coding), (alpha_body, alpha_coding) = coded(still), coded(alpha)
    kind = full(b"auxC", 0, b"urn:mpeg:hevc:2015:auxid:1\0")
    width, height, left, top = crop or (128, 64, 0, 0)
    # Offsets are relative to the centers.
    across, down = 2 * left + width - 128, 2 * top + height - 64
    clap = box(b"clap", struct.pack(">4Ii3I" if across >= 0 else ">4IiIiI", width, 1, height, 1, across, 2, down, 2))
    return Container(
        b"heic",
        [size(128, 64), coding, alpha_coding, kind, clap],
        [Item(PRIMARY, b"hvc1", 0, (1, 0x82, 0x85)), Item(2, b"hvc1", 1, (1, 0x83, 4))],
        [body, alpha_body],
        reference(b"auxl", 2, [PRIMARY]),
    ).bytes()


def avif_empty_extents(still: bytes, count: int) -> bytes:
    """A still beside a table of locations whose extents have no bytes: 65,535 of them for each of `count` items."""
    data = avif_spare_items(still, 0)
    table = full(b"iloc", 1, b"\0\0", struct.pack(">H", count), struct.pack(">HHHH", 2, 0, 0, 65535) * count)
    at = data.index(b"iloc") - 4
    length = struct.unpack_from(">I", data, at)[0]
    meta = data.index(b"meta") - 4
    grown = struct.unpack_from(">I", data, meta)[0] + len(table) - length
    return data[:meta] + struct.pack(">I", grown) + data[meta + 4 : at] + table + data[at + length :]


def avif_spare_properties(still: bytes, count: int) -> bytes:
    """A still beside properties without an item."""
    body, properties = avif_parts(still)
    spare = [box(b"free")] * count
    return Container(
        b"avif", [size(128, 64), *properties, *spare], [Item(PRIMARY, b"av01", 0, (1, 0x82, 3))], [body]
    ).bytes()


def hevc_still(picture: Picture, width: int, height: int, units: list[bytes] | None = None,
               sets: list[bytes] | None = None) -> bytes:
    """A HEIC of a picture of which `width` times `height` samples are displayed."""
    return Container(
        b"heic",
        [size(width, height), picture.configuration(sets)],
        [Item(PRIMARY, b"hvc1", 0, (1, 0x82))],
        [stream(picture.slices() if units is None else units)],
    ).bytes()
