"""Writes test movies (ISO/IEC 14496-12, QuickTime) from images that the library encodes."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from .support import sdimage

WIDTH, HEIGHT = 64, 64
COLORS = ((250, 10, 10), (10, 250, 10), (10, 10, 250), (200, 200, 30), (120, 120, 120))


def box(name: bytes, *bodies: bytes) -> bytes:
    body = b"".join(bodies)
    return struct.pack(">I", 8 + len(body)) + name + body


def full(name: bytes, version: int, flags: int, *bodies: bytes) -> bytes:
    return box(name, struct.pack(">I", version << 24 | flags), *bodies)


def body_of(data: bytes, *path: bytes) -> bytes:
    """The body of a nested box; `meta` begins with a version."""
    for name in path:
        at = 0
        while data[at + 4 : at + 8] != name:
            at += struct.unpack_from(">I", data, at)[0]
        data = data[at + 8 : at + struct.unpack_from(">I", data, at)[0]]
        data = data[4:] if name == b"meta" else data
    return data


def plain(color: Sequence[int], width: int = WIDTH, height: int = HEIGHT) -> sdimage.Image:
    return sdimage.Image.from_pixels(bytes(color) * (width * height), width, height, "rgb8")


MATRIX = {"up": (65536, 0, 0, 65536), "right": (0, 65536, -65536, 0), "down": (-65536, 0, 0, -65536),
          "left": (0, -65536, 65536, 0), "up_mirrored": (-65536, 0, 0, 65536)}


def movie(brands: tuple[bytes, ...], handler: bytes, entry: bytes, samples: Sequence[bytes], durations: Sequence[int],
          turned: str = "up", index_first: bool = True, width: int = WIDTH, height: int = HEIGHT,
          reference: bytes = b"", extra: bytes = b"") -> bytes:
    """A file with one track, times in milliseconds; every sample is a key frame. `reference`: the URL of another
    file with the samples. `extra`: more boxes behind the tables."""
    a, b, c, d = MATRIX[turned]
    matrix = struct.pack(">9i", a, b, 0, c, d, 0, 0, 0, 0x40000000)
    unity = struct.pack(">9i", 65536, 0, 0, 0, 65536, 0, 0, 0, 0x40000000)
    total = sum(durations)
    times = b"".join(struct.pack(">II", 1, duration) for duration in durations)

    def moov(offset: int) -> bytes:
        table = box(b"stbl", full(b"stsd", 0, 0, struct.pack(">I", 1), entry),
                    full(b"stts", 0, 0, struct.pack(">I", len(durations)), times),
                    full(b"stsc", 0, 0, struct.pack(">4I", 1, 1, len(samples), 1)),
                    full(b"stsz", 0, 0, struct.pack(">II", 0, len(samples)), b"".join(struct.pack(">I", len(s)) for s in samples)),
                    full(b"stco", 0, 0, struct.pack(">II", 1, offset)), extra)
        place = full(b"url ", 0, 0, reference + b"\0") if reference else full(b"url ", 0, 1)
        places = box(b"dinf", full(b"dref", 0, 0, struct.pack(">I", 1), place))
        media = box(b"mdia", full(b"mdhd", 0, 0, struct.pack(">IIIIHH", 0, 0, 1000, total, 0x55C4, 0)),
                    full(b"hdlr", 0, 0, bytes(4), handler, bytes(13)),
                    box(b"minf", full(b"vmhd", 0, 1, bytes(8)), places, table))
        head = full(b"tkhd", 0, 3, struct.pack(">IIIII", 0, 0, 1, 0, total), bytes(16), matrix,
                    struct.pack(">II", width << 16, height << 16))
        whole = full(b"mvhd", 0, 0, struct.pack(">IIIIIH", 0, 0, 1000, total, 0x10000, 0x100), bytes(10), unity, bytes(24),
                     struct.pack(">I", 2))
        return box(b"moov", whole, box(b"trak", head, media))

    first = box(b"ftyp", brands[0], bytes(4), *brands)
    media = box(b"mdat", *samples)
    if not index_first:
        return first + media + moov(len(first) + 8)
    return first + moov(len(first) + len(moov(0)) + 8) + media


def visual(name: bytes, *boxes: bytes, width: int = WIDTH, height: int = HEIGHT) -> bytes:
    return box(name, bytes(6), struct.pack(">H", 1), bytes(16), struct.pack(">HH", width, height),
               struct.pack(">IIIH", 0x480000, 0x480000, 0, 1), bytes(32), struct.pack(">Hh", 24, -1), *boxes)


def clip(durations: Sequence[int] = (40, 100, 200, 60, 100), colors: Sequence[Sequence[int]] = COLORS, **options: object) -> bytes:
    """A QuickTime movie of JPEG frames."""
    samples = [plain(color).encode("jpeg", quality=0.9, chroma="444") for color in colors]
    return movie((b"qt  ",), b"vide", visual(b"jpeg"), samples, durations, **options)  # type: ignore[arg-type]


def sequence(durations: Sequence[int] = (50, 200, 100, 80, 70), colors: Sequence[Sequence[int]] = COLORS) -> bytes:
    """A HEIC sequence of frames that the HEIF module encodes. Raises UNSUPPORTED without its encoder."""
    coded = [plain(color).encode("heic", quality=0.9) for color in colors]
    samples = [body_of(data, b"mdat") for data in coded]
    configuration = body_of(coded[0], b"meta", b"iprp", b"ipco", b"hvcC")
    entry = visual(b"hvc1", box(b"hvcC", configuration), full(b"ccst", 0, 0, bytes(4)))
    return movie((b"msf1", b"hevc", b"iso8"), b"pict", entry, samples, durations)
