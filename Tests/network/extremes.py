"""Extreme values in every header field that the library reads: a result or a named error, and a process that
continues."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import urllib.parse

if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import world  # noqa: E402  (finds the package and the other tests)
import report  # noqa: E402
import sdimage  # noqa: E402
from origin.scripted import Connection, Server  # noqa: E402

NUMBERS = ["0", "-1", "+1", "1", "1.5", "2147483647", "2147483648", "4294967296", "9223372036854775807", "9223372036854775808",
           "18446744073709551615", "18446744073709551616", "1" + "0" * 30, "9" * 5000, "0x10", "1e9", "", "junk", "\x01", "\xff\xfe"]
DATES = ["Mon, 15 Nov 600000000 12:45:30 GMT", "Mon, 15 Nov 100000000 12:45:30 GMT", "Mon, 15 Nov 2147483647 12:45:30 GMT",
         "15 Nov 600000000 12:45:30", "Fri, 31 Dec 9999 23:59:59 GMT", "Mon, 01 Jan 0001 00:00:00 GMT",
         "Thu, 01 Jan 1970 00:00:00 GMT", "Thu, 31 Dec 1969 23:59:59 GMT", "Sun, 06 Nov 1994 99:99:99 GMT",
         "Sun, 00 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-00 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
         "Sun, 06 Nov 1994 08:49:37 +999999999999", "Sun, 06 Nov -600000000 08:49:37 GMT", "a" * 300]
RANGES = ["bytes 0-0/1", "bytes 5-9/10", "bytes 0-18446744073709551615/18446744073709551616",
          "bytes 9223372036854775806-9223372036854775807/9223372036854775808", "bytes 1-9223372036854775806/9223372036854775807",
          "bytes */10", "bytes 5-4/10", "bytes -1-5/10", "bytes " + "9" * 400 + "-1/2", "bytes 0-1/*", "bytes", "items 0-1/2"]
DIRECTIVES = [f"{name}={value}" for name in ("max-age", "s-maxage", "stale-while-revalidate", "stale-if-error", "max-stale", "min-fresh")
              for value in NUMBERS] + ["max-age", "max-age=", 'max-age="1"', "max-age=1, max-age=2", "," * 3000, '"' * 3000,
                                       "no-cache=" + "a," * 3000, "immutable, max-age=" + "9" * 40]

#: The test values of each field.
FIELDS: dict[str, list[str]] = {
    "Retry-After": NUMBERS + DATES,
    "Content-Length": NUMBERS,
    "Age": NUMBERS,
    "Cache-Control": DIRECTIVES,
    "Date": NUMBERS + DATES,
    "Expires": NUMBERS + DATES,
    "Last-Modified": NUMBERS + DATES,
    "ETag": NUMBERS + ['""', 'W/""', '"' * 5000, '"\xff"', '"' + "a" * 70000 + '"'],
    "Content-Range": NUMBERS + RANGES,
    "Accept-Ranges": NUMBERS + ["bytes", "none", "bytes, bytes"],
    "Content-Type": NUMBERS + ["image/png; charset=" + "x" * 5000, ";", "/", "image/"],
    "Content-Encoding": NUMBERS + ["identity", "gzip, identity", ",,,", "x" * 5000],
    "Transfer-Encoding": NUMBERS + ["identity", "chunked, chunked", "gzip, chunked", ",,,"],
    "Vary": NUMBERS + ["*", "*, Accept", "," * 5000, ", ".join(f"f{index}" for index in range(5000))],
    "Location": NUMBERS + ["/" * 5000, "//", "http://", "?" * 5000, "#", "http://127.0.0.1:" + "9" * 30 + "/"],
    "Set-Cookie": [f"a=b; Max-Age={value}" for value in NUMBERS] + [f"a=b; Expires={value}" for value in DATES],
    "Connection": NUMBERS + ["close", "keep-alive"],
    "Keep-Alive": [f"timeout={value}, max={value}" for value in NUMBERS],
    "WWW-Authenticate": NUMBERS + ["Basic", "Digest", "Digest nonce=" + "9" * 5000, 'Digest realm="", nonce="", qop=auth'],
    # The first field line continues a missing line (RFC 9112, section 5.2). libcurl 7.83 to 8.1.0 continues the last
    # line of the previous response, which is freed memory.
    " X": ["", "1", "a" * 5000],
}

#: The statuses whose rules read fields; the body is an image.
STATUSES = (200, 203, 206, 301, 304, 401, 404, 416, 429, 503)


def answer(data: bytes):
    """Responds as the path requests: the status, and the field by its index in the table, once or twice."""
    def respond(connection: Connection) -> None:
        parts = connection.target.split("?")[0].split("/")
        if len(parts) != 5:
            return connection.answer(b"", 404)
        _, status, name, index, times = map(urllib.parse.unquote, parts)
        if name not in FIELDS or not (index.isdigit() and times in ("1", "2")) or int(index) >= len(FIELDS[name]):
            return connection.answer(b"", 404)
        field = f"{name}: {FIELDS[name][int(index)]}\r\n".encode("latin-1") * int(times)
        length = b"" if name == "Content-Length" else b"Content-Length: %d\r\n" % len(data)
        usual = b'ETag: "v"\r\nAccept-Ranges: bytes\r\n' if name in ("Content-Range", "Retry-After") else b""
        connection.send(b"HTTP/1.1 %s Said\r\n" % status.encode() + usual + field + length + b"\r\n" + data)
        connection.close()
    return respond


def load_all(port: int, name: str) -> None:
    """Runs in a process of its own: one field with every value; the second load uses the cache entry of the first."""
    codes, statuses = set(), STATUSES if name in ("Retry-After", "Content-Range", "Location") else (200, 503)
    with world.world(max_retries=1, retry_delay_ms=(1, 1), max_retry_after_ms=1, inactivity_timeout_ms=30_000, total_timeout_ms=60_000,
                     max_redirects=3, credential=("user", "password")) as here:
        for status in statuses:
            for index in range(len(FIELDS[name])):
                for times in (1, 2):
                    url = f"http://127.0.0.1:{port}/{status}/{urllib.parse.quote(name)}/{index}/{times}"
                    here.code(f"http://127.0.0.1:{port}/plain")  # leaves data of a response in libcurl for the next
                    codes.add(here.code(url, handle_cookies=name == "Set-Cookie"))
                    if status == 200:
                        here.cache.clear(disk=False)
                        codes.add(here.code(url, freshness="respect"))
    print(*sorted(codes))


def extremes(data: bytes) -> None:
    with Server(answer(data)) as server:
        for name, values in FIELDS.items():
            # glibc overwrites freed memory, so that its use is detected.
            child = subprocess.run([sys.executable, __file__, str(server.port), name], capture_output=True, text=True,
                                   env=os.environ | {"MALLOC_PERTURB_": "165"})
            codes = child.stdout.split()
            report.check(f"extreme values of {name}: {len(values)}, once and twice in a response",
                         child.returncode == 0 and codes and not {"INTERNAL", "NO_MEMORY", "TIMEOUT"} & set(codes),
                         f"exit status {child.returncode}, {' '.join(codes)} {child.stderr[-200:]}")


if __name__ == "__main__":
    load_all(int(sys.argv[1]), sys.argv[2])
