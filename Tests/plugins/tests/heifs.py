"""Writes HEIF files (ISO/IEC 23008-12) with the items of others: HEIC and AVIF with gain maps."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass
class Item:
    """An item: its type, its bytes, and its properties, each with a flag of essential ones."""

    kind: bytes
    data: bytes
    properties: list[tuple[bool, bytes]] = field(default_factory=list)


@dataclass
class File:
    """The items of a file by number, and its references: type, from, to."""

    brand: bytes
    primary: int
    items: dict[int, Item]
    references: list[tuple[bytes, int, list[int]]] = field(default_factory=list)

    def add(self, other: File) -> int:
        """Adds the items of another file. Returns the number of its primary item here."""
        first = max(self.items) + 1
        self.items |= {first + number: item for number, item in other.items.items()}
        self.references += [(kind, first + one, [first + to for to in many]) for kind, one, many in other.references]
        return first + other.primary

    def attach(self, item: Item) -> int:
        number = max(self.items) + 1
        self.items[number] = item
        return number

    def bytes(self) -> bytes:
        brands = self.brand + b"mif1miaf" + (b"tmap" if self._alternatives() else b"")
        head = box(b"ftyp", self.brand + bytes(4) + brands)
        start = len(head) + len(self._meta(0)) + 8
        return head + self._meta(start) + box(b"mdat", b"".join(item.data for item in self.items.values()))

    def _alternatives(self) -> bytes:
        """Groups of a derived image with a gain map and its base image, one of which is displayed (`altr`, 6.8.3)."""
        groups = b""
        for kind, one, many in self.references:
            if kind == b"dimg" and self.items[one].kind == b"tmap":
                groups += box(b"altr", struct.pack(">IIIII", 0, 1000 + one, 2, one, many[0]))
        return box(b"grpl", groups) if groups else b""

    def _meta(self, at: int) -> bytes:
        places, infos, properties, associations = b"", b"", b"", b""
        count = 0
        for number, item in self.items.items():
            places += struct.pack(">HHHII", number, 0, 1, at, len(item.data))
            infos += box(b"infe", struct.pack(">IHH", 2 << 24, number, 0) + item.kind + b"\0")
            associations += struct.pack(">HB", number, len(item.properties))
            for essential, body in item.properties:
                properties += body
                count += 1
                associations += bytes([count | essential << 7])
            at += len(item.data)
        links = b"".join(
            box(kind, struct.pack(f">HH{len(many)}H", one, len(many), *many)) for kind, one, many in self.references)
        total = len(self.items)
        return box(b"meta", bytes(4) + b"".join([
            box(b"hdlr", bytes(8) + b"pict" + bytes(13)),
            box(b"pitm", struct.pack(">IH", 0, self.primary)),
            box(b"iloc", struct.pack(">IHH", 0, 0x4400, total) + places),
            box(b"iinf", struct.pack(">IH", 0, total) + infos),
            box(b"iref", bytes(4) + links),
            box(b"iprp", box(b"ipco", properties) + box(b"ipma", struct.pack(">II", 0, total) + associations)),
            self._alternatives(),
        ]))


def box(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", 8 + len(body)) + name + body


def boxes(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Types and bodies of the boxes in `data`; all of them have a length of 32 bits."""
    at = 0
    while at + 8 <= len(data):
        length = struct.unpack_from(">I", data, at)[0]
        yield data[at + 4 : at + 8], data[at + 8 : at + length]
        at += length


def read(data: bytes) -> File:
    """The items of a file that this library wrote: fewer than 127 properties, one extent an item."""
    top = dict(boxes(data))
    meta = dict(boxes(top[b"meta"][4:]))
    items: dict[int, Item] = {}
    for _, body in boxes(meta[b"iinf"][6:]):
        items[struct.unpack_from(">H", body, 4)[0]] = Item(body[8:12], b"")
    _place(items, meta[b"iloc"], data, meta.get(b"idat", b""))
    parts = dict(boxes(meta[b"iprp"]))
    properties = [box(kind, body) for kind, body in boxes(parts[b"ipco"])]
    at = 8
    for _ in range(struct.unpack_from(">I", parts[b"ipma"], 4)[0]):
        number, count = struct.unpack_from(">HB", parts[b"ipma"], at)
        for byte in parts[b"ipma"][at + 3 : at + 3 + count]:
            items[number].properties.append((bool(byte & 0x80), properties[(byte & 0x7F) - 1]))
        at += 3 + count
    references = []
    for kind, body in boxes(meta.get(b"iref", bytes(4))[4:]):
        one, count = struct.unpack_from(">HH", body)
        references.append((kind, one, list(struct.unpack_from(f">{count}H", body, 4))))
    return File(top[b"ftyp"][:4], struct.unpack_from(">H", meta[b"pitm"], 4)[0], items, references)


def _place(items: dict[int, Item], body: bytes, data: bytes, inside: bytes) -> None:
    version, sizes, base_size = body[0], body[4], body[5] >> 4
    offset_size, length_size = sizes >> 4, sizes & 15
    at = 8
    for _ in range(struct.unpack_from(">H", body, 6)[0]):
        number = struct.unpack_from(">H", body, at)[0]
        construction = body[at + 3] & 15 if version else 0
        at += 4 + 2 * bool(version)
        base = int.from_bytes(body[at : at + base_size], "big")
        at += base_size + 2
        offset = base + int.from_bytes(body[at : at + offset_size], "big")
        length = int.from_bytes(body[at + offset_size : at + offset_size + length_size], "big")
        at += offset_size + length_size
        source = inside if construction == 1 else data
        items[number].data = source[offset : offset + length]
