#!/usr/bin/env python3
"""Writes the inputs that a fuzz target starts from.

    seeds.py TARGET FOLDER

Pictures of Tests/Fixtures, and of the folder SDIMAGE_CORPUS where that is set, no larger than what the target reads; what
past findings were made of; profiles taken out of pictures for the parser of profiles.
"""

import gzip
import hashlib
import os
import pathlib
import struct
import sys
import zlib
from collections.abc import Iterator

FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "Fixtures"
#: The same as -max_len of Tests/fuzz.
LONGEST = 16384
#: Of SDIMAGE_CORPUS, spread evenly over its files.
MOST_OF_THE_CORPUS = 400

SUFFIXES = {
    "jpeg": (".jpg", ".jpeg"),
    "png": (".png",),
    "apng": (".png", ".apng"),
    "gif": (".gif",),
    "webp": (".webp",),
    "bmp": (".bmp", ".dib"),
    "ico": (".ico", ".cur"),
    "heif": (".heic", ".heif", ".hif"),
    "avif": (".avif", ".avifs"),
    "av": (".mp4", ".heics", ".avi", ".webm"),
    "jxl": (".jxl",),
    "pdf": (".pdf",),
    "svg": (".svg", ".svgz"),
    "tiff": (".tif", ".tiff"),
}
#: Choices in front of a picture: sizes of pieces, options, looks (DecoderTarget).
DECODER = [bytes(choice) for choice in ((0, 0, 255), (7, 0x20, 255), (11, 1, 60), (5, 2, 128))]
#: Flags, box, limit in bytes, pixel format, hint, scale, limits (OptionsTarget).
OPTIONS = [struct.pack(">BHHHBBBBB", flags, 13, 9, 999, kind, 0, 16, 0, 0)
           for flags, kind in ((0, 0), (32, 3), (33, 4), (64, 1), (4 | 8 | 16, 8))]
EXIF = [order + struct.pack(mark + "HIHHHIHHI", 42, 8, 1, 0x112, 3, 1, 6, 0, 0) for order, mark in ((b"II", "<"), (b"MM", ">"))]

PLACEHOLDERS = [b"LlMF%n00%#MwS|WCWEM{R*bbWBbH", b"00G91|", b"apG91|l[gFnhf4",
                bytes.fromhex("dce7112580787778 7f88878778487778 8870fa3dc0"),
                bytes.fromhex("a00886148e2891 76b0888868080eeda0 7f067727877778 7707")]


#: Version, dates, then validators, answer and extended data, each behind its length.
ENTRIES = [struct.pack("<BQQ", 1, 1700000000 * 10**9, 0) + b"".join(struct.pack("<I", len(field)) + field for field in fields)
           for fields in ((b'"a"', b"Sun, 06 Nov 1994 08:49:37 GMT", b"max-age=60"), (b"", b"", b"", b"extended"),
                          (b"", b"", b"\1" + bytes(24) + b"\7\0no-cache" + bytes(30)))]
FRESHNESS = ["\n".join(lines).encode() for lines in (
    ('"a"', "Sun, 06 Nov 1994 08:49:37 GMT", 'max-age=60, no-cache="x", stale-if-error=5', "Sun Nov  6 08:49:37 1994", "7, 8",
     "Sunday, 06-Nov-94 08:49:37 GMT", "accept, *", "max-age=5"),
    ("https://x/a.png?X-Amz-Date=1&Signature=%41&Expires=2&sig=&se=3#a", "", "immutable,,must-revalidate", "", "", "0"))]

def files(suffixes: tuple[str, ...]) -> Iterator[bytes]:
    """Of the fixtures all, of the corpus some."""
    yield from read(sorted(FIXTURES.rglob("*")), suffixes)
    corpus = os.environ.get("SDIMAGE_CORPUS")
    if corpus:
        found = list(read(sorted(pathlib.Path(corpus).rglob("*")), suffixes))
        yield from found[:: len(found) // MOST_OF_THE_CORPUS + 1]


def read(paths: list[pathlib.Path], suffixes: tuple[str, ...]) -> Iterator[bytes]:
    for path in paths:
        if path.suffix.lower() in suffixes and path.stat().st_size <= LONGEST:
            yield path.read_bytes()


def profiles() -> Iterator[bytes]:
    """Out of the first ICC segment of a JPEG (ICC.1, annex B.4) and the iCCP chunk of a PNG."""
    for picture in files((".jpg", ".jpeg")):
        start = picture.find(b"ICC_PROFILE\0\1\1")
        if start >= 0:
            length = struct.unpack_from(">H", picture, start - 2)[0]
            yield picture[start + 14 : start - 2 + length]
    for picture in files((".png",)):
        start = picture.find(b"iCCP")
        if start >= 0:
            body = picture[start + 4 : start + 4 + struct.unpack_from(">I", picture, start - 4)[0]]
            try:
                yield zlib.decompress(body[body.index(b"\0") + 2 :])
            except (ValueError, zlib.error):
                continue


def seeds(target: str) -> Iterator[bytes]:
    every = tuple(suffix for suffixes in SUFFIXES.values() for suffix in suffixes)
    past = FIXTURES / "fuzz" / target
    if past.is_dir():
        yield from (path.read_bytes() for path in sorted(past.iterdir()))
    if target in SUFFIXES:
        yield from files(SUFFIXES[target])
    elif target in ("decoder", "options"):
        heads = DECODER if target == "decoder" else OPTIONS
        yield from (heads[number % len(heads)] + picture for number, picture in enumerate(files(every)))
    elif target == "sniff":
        yield from (picture[:512] for picture in files(every))
    elif target == "icc":
        yield from profiles()
    elif target == "placeholder":
        yield from PLACEHOLDERS
    elif target == "entry":
        yield from ENTRIES
    elif target == "freshness":
        yield from FRESHNESS
    elif target == "http":
        yield from exchanges()
    elif target == "exif":
        yield from EXIF + [b"Exif\0\0" + block for block in EXIF]


def exchanges():
    """Responses of a server: how it behaves, the lengths of the first two, and their bytes."""
    def script(flags, *responses):
        lengths = [len(response) for response in (*responses, b"", b"")[:2]]
        return bytes([flags]) + b"".join(length.to_bytes(2, "big") for length in lengths) + b"".join(responses)

    def response(status, *fields, body=b"picture", length=None):
        head = f"HTTP/1.1 {status} Said\r\nContent-Length: {len(body) if length is None else length}\r\n".encode()
        return head + b"".join(field.encode() + b"\r\n" for field in fields) + b"\r\n" + body

    tag, parts = 'ETag: "v"', "Accept-Ranges: bytes"
    busy = response(503, "Retry-After: 0")
    fresh = ("Date: Sun, 06 Nov 1994 08:49:37 GMT", "Age: 5", "Cache-Control: max-age=60, stale-while-revalidate=30", "Vary: Accept",
             "Expires: Sun, 06 Nov 1994 09:49:37 GMT", "Last-Modified: Sat, 05 Nov 1994 08:49:37 GMT", tag, "Content-Type: image/png")
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\npic\r\n4;a=b\r\nture\r\n0\r\nX: y\r\n\r\n"
    yield script(0, response(200, *fresh))
    yield script(17, response(200, *fresh), response(304, *fresh, body=b""))
    yield script(9, response(304, *fresh, body=b""))
    yield script(0, busy, busy, response(200))
    yield script(0, response(429, "Retry-After: Sun, 06 Nov 1994 08:49:37 GMT"), response(200))
    yield script(0, response(200, tag, parts, length=14), response(206, tag, parts, "Content-Range: bytes 7-13/14"))
    yield script(0, response(200, parts, *fresh, length=14), response(206, parts, *fresh[5:], "Content-Range: bytes 7-13/14"))
    yield script(1, response(302, "Location: /b?c"), response(301, "Location: http://127.0.0.1:1/"), response(200))
    yield script(21, response(200, "Set-Cookie: a=b; Max-Age=60; Path=/"), response(200, "Set-Cookie: a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT"))
    yield script(1, response(401, 'WWW-Authenticate: Digest realm="r", nonce="n", qop="auth"'), response(200))
    yield script(3, b"HTTP/1.1 103 Hints\r\nLink: </a>\r\n\r\n" + chunked, chunked)
    yield script(0, response(200, "Content-Encoding: gzip", body=gzip.compress(b"picture")))
    yield script(0, response(200, "Content-Encoding: deflate", body=zlib.compress(b"picture" * 9)))
    yield script(0, response(200, "Content-Encoding: gzip, gzip", body=gzip.compress(gzip.compress(b"picture"))))
    yield script(0, response(200, "Content-Encoding: br", body=bytes.fromhex("8b03807069637475726503")))
    yield script(0, response(200, "Content-Encoding: zstd", body=bytes.fromhex("28b52ffd0458390000706963747572650f8b8a7d")))
    yield script(0, b"HTTP/1.0 200 OK\r\n\r\npicture")


def main() -> None:
    target, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for seed in seeds(target):
        (folder / hashlib.sha1(seed).hexdigest()).write_bytes(seed)


if __name__ == "__main__":
    main()
