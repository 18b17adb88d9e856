#!/usr/bin/env python3
"""Writes the inputs that a fuzz target starts from.

    seeds.py TARGET FOLDER

Pictures of Tests/fixtures, and of the folder SDIMAGE_CORPUS where that is set, no larger than what the target reads; what
past findings were made of; profiles taken out of pictures for the parser of profiles.
"""

import gzip
import hashlib
import os
import pathlib
import sqlite3
import struct
import sys
import tempfile
import zlib
from collections.abc import Iterator

FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "fixtures"
#: The same as -max_len of Tests/fuzz.
LONGEST = 16384
#: Number of files used from SDIMAGE_CORPUS, spread evenly over its files.
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
DECODER = [bytes(choice) for choice in ((0, 0, 255), (7, 0x20, 255), (11, 1, 60), (5, 2, 128), (3, 0x80, 255), (3, 0xE0, 255))]
#: Flags, box, limit in bytes, dynamic range, headroom, pixel format, hint, scale, limits (OptionsTarget).
OPTIONS = [struct.pack(">BHHHBBBBBBB", flags, 13, 9, 999, flags % 3, 96, kind, 0, 16, 0, 0)
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

URLS = [b"https://user:password@example.org:8080/a/b.c/d@2x.png?q=1&Signature=%41#f\n../x//./y?z", b"HTTP://[::1]:80\n//other/p",
        b"file:///a%20b.jpg\n?q", b"data:image/png;base64,AA==\nmailto:a@b", b"http:alice:pw@host\n#f"]
NAMES = [b"icons/a@2x.png", b"b@1.5x", b"c.tar@3x.gif", b"@x", b"a/../b", b"d@1e9x"]
DATA_URLS = [b"image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEklEQVR42mP4z8DAAMIM/4EAAB/uBfvxq7p3AAAAAElFTkSuQmCC",
             b"image/gif;charset=x;base64,R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw%3D%3D", b",a%20b", b";base64,", b"IMAGE/x ; BASE64 ,A A="]
REQUESTS = [bytes(range(step, 250, 7)) * 3 for step in range(6)]

SHOTWELL = ("CREATE TABLE VersionTable (schema_version); INSERT INTO VersionTable VALUES (20);"
            "CREATE TABLE PhotoTable (id INTEGER PRIMARY KEY, filename, width, height, orientation, exposure_time, rating, event_id, flags);"
            "INSERT INTO PhotoTable VALUES (10, '/proc/self/exe', 4, 2, 6, 1714564800, 3, 1, 0);"
            "CREATE TABLE VideoTable (id INTEGER PRIMARY KEY, filename, width, height, exposure_time, rating, event_id, flags);"
            "INSERT INTO VideoTable VALUES (11, '/proc/self/exe', 4, 2, 0, -1, 2, 0);"
            "CREATE TABLE EventTable (id INTEGER PRIMARY KEY, name); INSERT INTO EventTable VALUES (1, 'walk');"
            "CREATE TABLE TagTable (name, photo_id_list); INSERT INTO TagTable VALUES ('/t', 'thumb000000000000000a,video-000000000000000b,');")
DIGIKAM = ("CREATE TABLE Settings (keyword, value); INSERT INTO Settings VALUES ('DBVersion', '10');"
           "CREATE TABLE AlbumRoots (id, identifier, specificPath); INSERT INTO AlbumRoots VALUES (1, 'volumeid:?path=%2Fproc', '/self');"
           "CREATE TABLE Albums (id, albumRoot, relativePath); INSERT INTO Albums VALUES (1, 1, '/');"
           "CREATE TABLE Images (id, album, name, status, category); INSERT INTO Images VALUES (1, 1, 'exe', 1, 1);"
           "CREATE TABLE ImageInformation (imageid, rating, creationDate, orientation, width, height);"
           "INSERT INTO ImageInformation VALUES (1, 4, '2024-05-01T12:00:00', 6, 40, 20);"
           "CREATE TABLE Tags (id, pid, name); INSERT INTO Tags VALUES (1, 0, 'a'), (2, 1, 'b');"
           "CREATE TABLE ImageTags (imageid, tagid); INSERT INTO ImageTags VALUES (1, 2);")
INDEX = ("CREATE TABLE files (id TEXT PRIMARY KEY, path BLOB NOT NULL, device INTEGER, node INTEGER, size INTEGER, modified INTEGER,"
         " digest BLOB, known INTEGER, lost INTEGER, media INTEGER, playback INTEGER, format INTEGER, type TEXT, width INTEGER,"
         " height INTEGER, orientation INTEGER, dated INTEGER, taken INTEGER, shared INTEGER) WITHOUT ROWID; PRAGMA user_version = 1;"
         "INSERT INTO files VALUES ('01234567-89ab-4cde-8f01-23456789abcd', CAST('a.jpg' || char(0) AS BLOB), 1, 2, 3, 4,"
         " zeroblob(16), 1, 0, 1, 1, 0, 'image/jpeg', 4, 2, 1, 1, 5, 0);")


def database(script: str) -> bytes:
    """A database of small pages, which keeps it short."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "seed.db"
        connection = sqlite3.connect(path)
        connection.executescript("PRAGMA page_size = 512; " + script)
        connection.commit()
        connection.close()
        return path.read_bytes()


def photos() -> Iterator[bytes]:
    """The first byte chooses the reader (photos_fuzz.c)."""
    yield from (b"\0" + block for block in EXIF)
    chunk = b"".join(struct.pack(">I", len(text)) + b"tEXt" + text + b"crc." for text in (b"Thumb::URI\0file:///a", b"Thumb::MTime\0123"))
    yield b"\1\x89PNG\r\n\x1a\n" + chunk
    yield from (b"\2" + url for url in (b"ph://a%20b/c?d", b"ph://digikam/1", b"PH://%00"))
    yield from (b"\3" + picture[:2048] for picture in files((".jpg", ".png", ".gif", ".webp", ".mp4")))
    yield from (bytes([number]) + database(script) for number, script in ((4, SHOTWELL), (5, DIGIKAM), (6, INDEX)))


def indexes() -> Iterator[bytes]:
    """Settings, calls, rows, totals, and changes of bytes (IndexTarget, IndexDatabase)."""
    def index(flags: int, calls: Iterator[int], rows: list[bytes], totals: int = 0, changes: bytes = b"") -> bytes:
        made = [bytes((kind, kind)) for kind in calls]
        return bytes([flags, len(made)]) + b"".join(made) + bytes([len(rows)]) + b"".join(rows) + bytes([totals]) + changes

    def replaced(shape: int, columns: tuple[int, ...], values: bytes) -> bytes:
        mask = sum(1 << column for column in columns)
        return bytes([shape | 32]) + struct.pack(">HB", mask >> 1, mask & 1) + values

    plain = [bytes([key | 8 * (key & 1)]) for key in range(8)]
    filed = [bytes([16 | key]) for key in range(8)]
    numbers = bytes(choice for kind in range(12) for choice in (3, kind))
    names = [replaced(64 | 16 | key, (11,), bytes([240 + key])) for key in range(8)]
    typed = [replaced(key, (column,), bytes([kind, 9, 1, 2, 3, 4, 5, 6, 7])[: 10 if kind in (2, 4, 5, 6) else 2])
             for key, column, kind in zip(range(16), range(1, 17), (3, 5, 1, 2, 3, 4, 6, 7) * 2)]
    for calls in (range(0, 12), range(12, 24), (4, 5, 17, 18, 6), (16, 0, 23, 0, 14, 8), (9, 21, 20, 15, 23, 18)):
        yield index(0, calls, plain)
        yield index(1, calls, filed, 1)
        yield index(2 | 4, calls, plain + filed, 4)
        yield index(8 | 2 | 16, calls, typed, 8)
        yield index(32 | 1, calls, names, 2)
        yield index(0, calls, [replaced(64 | key, (3, 5, 7, 8, 9, 10), numbers) for key in range(8)])
        yield index(64, calls, plain * 4, 0, bytes([2, 0, 1, 1, 2, 0, 0, 9]) * 3)
        for change in (b"\0\0\0\x10\x04abcd", b"\x03\1\2", b"\4\2\0\1\xf0", b"\1\3\2\0", b"\5\1\3\5\1\3", b"\0\4\7"):
            yield index(0, calls, plain * 4, 0, change)


def crc32c(data: bytes) -> int:
    """RFC 3720, appendix B.4."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ 0x82F63B78 if crc & 1 else crc >> 1
    return crc ^ 0xFFFFFFFF


def records() -> Iterator[bytes]:
    """The first byte chooses the reader (RecordsTarget)."""
    def envelope(key: bytes, metadata: bytes, data: bytes) -> bytes:
        rest = struct.pack("<IIII", 1, len(key), len(metadata), len(data)) + key + metadata + data
        return bytes([len(key)]) + key + b"SDIE" + struct.pack("<I", crc32c(rest)) + rest

    def record(*fields: bytes) -> bytes:
        control, date, age, vary, expires = (struct.pack("<H", len(field)) + field for field in fields)
        return b"\1" + struct.pack("<QQQ", 200, 1 << 60, 1 << 60) + control + date + age + vary + b"\1" + expires + b"\1" + bytes(16)

    date = b"Sun, 06 Nov 1994 08:49:37 GMT"
    encoded = [b"max-age=60", record(b'private, no-cache="x"', date, b"5", b"accept, *", date), record(b"public, max-age=9", b"", b"", b"", b"0")]
    yield from (b"\0" + entry for entry in ENTRIES)
    yield from (b"\0" + struct.pack("<BQQIII", 1, 5, 6, 0, 0, len(answer)) + answer for answer in encoded)
    for tag, modified in ((b'"a"', date), (b'W/"a"', b""), (b"", b"x" * 5000)):
        yield from (b"\1\2" + struct.pack(">HH", len(tag), len(modified)) + tag + modified + answer for answer in encoded)
    yield from (b"\2" + envelope(b"key", metadata, b"data") for metadata in (b"", *ENTRIES))
    value = b"VALUE a 0 4 77\r\nabcd\r\n"
    yield b"\3\0\0\0" + value + b"END\r\n"
    yield b"\3\3\7\2\3\5\0" + b"STORED\r\nNOT_STORED\r\nDELETED\r\n" + value.replace(b" 77", b"") + b"END\r\n"
    yield b"\3\1\1\4\x0c" + value + value.replace(b"a 0", b"b 0") + b"END\r\n"
    yield b"\3\0\0\6EXISTS\r\n"
    yield b"\3\0\0\2SERVER_ERROR out of memory\r\n"
    digest = hashlib.md5(b"a").hexdigest().encode()
    yield from (b"\4" + digest[:2] + b"/" + digest + end for end in (b"-7-1", b"-7-1.png", b"-FF-0001.jpeg", b"-7-1.exe"))
    yield from (b"\5" + key for key in (b"https://a/b-Thumbnail({1,2},1).png", b"a-b-c", b"https://a/b.png\x1fTwo", b"/p%20q-r.gif?-s"))


def files(suffixes: tuple[str, ...]) -> Iterator[bytes]:
    """All fixtures, and some files of the corpus."""
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
    elif target in ("url", "name", "dataurl", "request"):
        yield from {"url": URLS, "name": NAMES, "dataurl": DATA_URLS, "request": REQUESTS}[target]
    elif target == "photos":
        yield from photos()
    elif target == "index":
        yield from indexes()
    elif target == "records":
        yield from records()
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
