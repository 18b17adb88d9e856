"""Files of each format whose decode takes seconds; small if the format permits it."""

from __future__ import annotations

import functools
import importlib.util
import struct
import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from . import movies, pdfs, tiffs
from .support import FIXTURES, ROOT, sdimage

SIGNATURE = b"\x89PNG\r\n\x1a\n"
#: Stored files whose encoding takes long, made with the library's encoders: black, 6000 by 6000 (AVIF) and 5800 by 5800
#: (JPEG XL). Those of test_avif.py, of 12 bits and 4:4:4, were made with libavif.
STORED = ROOT / "Tests" / "plugins" / "expensive"


def chunk(kind: bytes, data: bytes = b"") -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def zeros(count: int) -> bytes:
    """A zlib stream of zeros: one compressed block, repeated."""
    size = 1 << 20
    packer = zlib.compressobj(9, wbits=-15)
    block = packer.compress(bytes(size)) + packer.flush(zlib.Z_FULL_FLUSH)
    rest = packer.compress(bytes(count % size)) + packer.flush()
    return b"\x78\xda" + block * (count // size) + rest + struct.pack(">HH", count % 65521, 1)


def rows(width: int, height: int, channels: int) -> bytes:
    """A PNG of zeros, 8 bits a sample."""
    header = struct.pack(">IIBBBBB", width, height, 8, {1: 0, 3: 2, 4: 6}[channels], 0, 0, 0)
    return SIGNATURE + chunk(b"IHDR", header) + chunk(b"IDAT", zeros(height * (width * channels + 1))) + chunk(b"IEND")


def png() -> bytes:
    """10^9 pixels."""
    return rows(32_000, 32_000, 4)


def apng() -> bytes:
    """Two frames of 64 million pixels."""
    side = 8000
    frame = struct.pack(">IIIIHHBB", side, side, 0, 0, 1, 100, 0, 0)
    data = zeros(side * (side * 4 + 1))
    return b"".join((
        SIGNATURE, chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 6, 0, 0, 0)),
        chunk(b"acTL", struct.pack(">II", 2, 0)), chunk(b"fcTL", struct.pack(">I", 0) + frame), chunk(b"IDAT", data),
        chunk(b"fcTL", struct.pack(">I", 1) + frame), chunk(b"fdAT", struct.pack(">I", 2) + data), chunk(b"IEND")))


@functools.cache
def jpeg() -> bytes:
    """A progressive image of 49 million pixels whose last scan is repeated up to the limit."""
    data = sdimage.decode(rows(7000, 7000, 3)).encode("jpeg", progressive=True, quality=0.9)
    return data[:-2] + data[data.rindex(b"\xff\xda") : -2] * 60 + b"\xff\xd9"


def gif() -> bytes:
    """One frame of 64 million pixels with codes of 3 bits and two pixels between clear codes."""
    side = 8000
    head = b"GIF89a" + struct.pack("<HHBBB", side, side, 0x80, 0, 0) + bytes(3) + b"\xff\xff\xff"
    unit = sum(code << 3 * index for index, code in enumerate((4, 0, 1) * 8)).to_bytes(9, "little")
    body = unit * (side * side // 16 + 1)
    blocks = b"".join(bytes([len(part)]) + part for part in (body[at : at + 255] for at in range(0, len(body), 255)))
    return head + b"," + struct.pack("<HHHHB", 0, 0, side, side, 0) + b"\x02" + blocks + b"\0;"


def webp() -> bytes:
    """A lossy image of the largest size whose data are zeros, which are valid codes."""
    side, first = 16383, 524_287
    body = (first << 5 | 1 << 4).to_bytes(3, "little") + b"\x9d\x01\x2a" + struct.pack("<HH", side, side) + bytes(first + 8_000_000)
    body += bytes(len(body) % 2)
    return b"RIFF" + struct.pack("<I", len(body) + 12) + b"WEBPVP8 " + struct.pack("<I", len(body)) + body


def bmp() -> bytes:
    """400 million pixels of 1 bit."""
    side = 20_000
    data = bytes((side // 8 + 3) // 4 * 4 * side)
    head = struct.pack("<IiiHHIIiiII", 40, side, side, 1, 1, 0, len(data), 0, 0, 2, 0)
    return b"BM" + struct.pack("<IHHI", 62 + len(data), 0, 0, 62) + head + bytes(8) + data


def ico() -> bytes:
    """An entry with a PNG of 10^9 pixels."""
    inner = png()
    return struct.pack("<HHH", 0, 1, 1) + struct.pack("<BBBBHHII", 0, 0, 0, 0, 1, 32, len(inner), 22) + inner


def tiff() -> bytes:
    """10^9 gray samples in deflated strips of 16 rows."""
    side = 32_000
    directory = tiffs.Directory()
    directory.set(256, tiffs.LONG, side).set(257, tiffs.LONG, side).set(258, tiffs.SHORT, 8).set(259, tiffs.SHORT, 8)
    directory.set(262, tiffs.SHORT, 1).set(277, tiffs.SHORT, 1).set(278, tiffs.LONG, 16)
    directory.blocks = [zeros(side * 16)] * (side // 16)
    return tiffs.file(directory)


def heif() -> bytes:
    """A grid of 3,600 tiles with separate data."""
    return package_bombs().shared_tiles((FIXTURES / "heif/still.heic").read_bytes(), 60, own_bytes=True)


def package_bombs() -> Any:
    """The generators of HEIC and AVIF files in the tests of the Python package, which is also named `tests`."""
    folder = ROOT / "bindings" / "python" / "tests"
    spec = importlib.util.spec_from_file_location("package_tests", folder / "__init__.py", submodule_search_locations=[str(folder)])
    assert spec and spec.loader
    sys.modules["package_tests"] = importlib.util.module_from_spec(spec)
    return importlib.import_module("package_tests.bombs")


def av() -> bytes:
    """A movie whose single frame is the expensive JPEG."""
    sample = jpeg()
    entry = movies.visual(b"jpeg", width=7000, height=7000)
    return movies.movie((b"qt  ",), b"vide", entry, [sample], [100], width=7000, height=7000)


def svg() -> bytes:
    """Repeated filters with large radii over a large canvas."""
    filters = '<filter id="f"><feGaussianBlur stdDeviation="2000"/><feTurbulence numOctaves="9999"/></filter>'
    shapes = '<rect width="4000" height="4000" filter="url(#f)"/>' * 500
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="4000" height="4000">{filters}{shapes}</svg>'.encode()


def pdf() -> bytes:
    """300,000 curves over the whole page."""
    return pdfs.pdf("0 0 m 10 900 1000 20 300 40 c 50 60 70 800 900 10 c f\n" * 300_000, box="[0 0 4000 4000]")


def stored(name: str) -> Callable[[], bytes]:
    return lambda: (STORED / name).read_bytes()


@dataclass
class Expensive:
    """The generator of a file, the options that make it expensive, and a time limit well below its decode time."""

    make: Callable[[], bytes]
    limit_ms: int
    options: dict[str, object] = field(default_factory=dict)


THUMBNAIL = {"thumbnail_size": (100, 100)}
FORMATS = {
    "jpeg": Expensive(jpeg, 500),
    "png": Expensive(png, 500, THUMBNAIL),
    "apng": Expensive(apng, 100, THUMBNAIL),
    "gif": Expensive(gif, 150, THUMBNAIL),
    "webp": Expensive(webp, 50, THUMBNAIL),
    "bmp": Expensive(bmp, 100, THUMBNAIL),
    "ico": Expensive(ico, 500, THUMBNAIL),
    "heif": Expensive(heif, 200),
    "avif": Expensive(stored("black.avif"), 100),
    "tiff": Expensive(tiff, 500, THUMBNAIL),
    "jxl": Expensive(stored("black.jxl"), 300),
    "svg": Expensive(svg, 500),
    "pdf": Expensive(pdf, 500),
    "av": Expensive(av, 500),
}
