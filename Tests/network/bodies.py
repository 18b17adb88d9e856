"""Interrupted transfers, wrong content, and bodies that exceed their apparent size."""

from __future__ import annotations

import gzip
import itertools
import pathlib
import subprocess
import time
import zlib
from collections.abc import Callable

import limited
import report
from origin.scripted import Answer, Connection, Server, head
from world import DAMAGED, UNREADABLE, refused, world

Fault = Callable[[Connection, bytes], None]


def chunked(*chunks: bytes, end: bytes = b"0\r\n\r\n") -> bytes:
    return b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks) + end


def then(connection: Connection, end: Callable[[], None], *parts: bytes | str) -> None:
    connection.send(*parts)
    end()


CHUNKED = head(Transfer_Encoding="chunked")

#: The kind of interruption, and the permitted errors.
BROKEN: dict[str, tuple[Fault, set[str]]] = {
    "half of the body, then the end": (
        lambda c, d: then(c, c.close, head(length=len(d)), d[: len(d) // 2]), {"CONNECTION_LOST"}),
    "half of the body, then a reset": (
        lambda c, d: then(c, c.reset, head(length=len(d)), d[: len(d) // 2]), {"CONNECTION_LOST"}),
    "all but the last byte": (lambda c, d: then(c, c.close, head(length=len(d)), d[:-1]), {"CONNECTION_LOST"}),
    "a head without a body": (lambda c, d: then(c, c.close, head(length=len(d))), {"CONNECTION_LOST"}),
    "the end within the head": (lambda c, d: then(c, c.close, "HTTP/1.1 200 OK\r\nContent-Le"), UNREADABLE),
    "a reset before the answer": (lambda c, d: c.reset(), {"CONNECTION_LOST"}),
    "the end before the answer": (lambda c, d: c.close(), {"CONNECTION_LOST"}),
    "the end within a chunk": (lambda c, d: then(c, c.close, CHUNKED, chunked(d)[: len(d) // 2]), {"CONNECTION_LOST"}),
    "no last chunk": (lambda c, d: then(c, c.close, CHUNKED, chunked(d, end=b"")), {"CONNECTION_LOST"}),
    "a chunk size that is no number": (lambda c, d: then(c, c.close, CHUNKED, b"zz\r\n" + d), UNREADABLE),
    "a chunk size beyond all bounds": (
        lambda c, d: then(c, c.close, CHUNKED, b"ffffffffffffffffff\r\n" + d), UNREADABLE),
    "half a picture announced as a whole": (lambda c, d: c.answer(d[: len(d) // 2]), DAMAGED),
    "a packed body that is damaged": (
        lambda c, d: c.answer(gzip.compress(d)[:20] + b"\xff" * 40, Content_Encoding="gzip"), UNREADABLE | DAMAGED),
    "a packed body that is cut": (
        lambda c, d: c.answer(gzip.compress(d)[: len(d) // 4], Content_Encoding="gzip"), UNREADABLE | DAMAGED),
}


def broken_transfers(pictures: dict[str, bytes]) -> None:
    """Each fault in each format; afterwards a load of the same URL succeeds."""
    with Server() as server, world() as here:
        for fault, (break_off, codes) in BROKEN.items():
            wrong = []
            for (kind, data), progressive in itertools.product(pictures.items(), (False, True)):
                path = f"/{len(server.answers)}"
                url = server.on(path, lambda c, data=data: break_off(c, data))
                code = here.code(url, progressive=progressive)
                if code not in codes or here.keeps(url):
                    wrong.append(f"{kind}: {code}, kept {here.keeps(url)}")
                server.on(path, lambda c, data=data: c.answer(data))
                if not here.is_picture(url, data):
                    wrong.append(f"{kind}: the next good answer is not taken")
            report.check(f"broken transfer, {fault}: {len(pictures)} formats, progressive or not", not wrong, "; ".join(wrong))


def broken_transfers_resume(data: bytes) -> None:
    """The same with retries, from a server that supports ranges."""
    def answer(connection: Connection) -> None:
        span = connection.headers.get("range")
        fields = {"ETag": '"v1"', "Accept_Ranges": "bytes"}
        if span is None:
            connection.send(head(length=len(data), **fields), data[: len(data) // 3])
            return connection.close()
        first = int(span[6:].rstrip("-"))
        last = min(len(data), first + len(data) // 3 + 1)
        rest = head(206, length=len(data) - first, Content_Range=f"bytes {first}-{len(data) - 1}/{len(data)}", **fields)
        connection.send(rest, data[first:last])
        if last < len(data):
            connection.close()

    with Server(answer) as server, world(max_retries=5, retry_delay_ms=(1, 2)) as here:
        here.load(server.url("/b"), progressive=True)
        report.check("the same where the picture is shown while it grows", here.cache.data(server.url("/b")) == data)
        server.requests.clear()
        result = here.load(server.url("/a"))
        report.check("a body that breaks off thrice is put together", result.data == data)
        asked = [headers.get("range") for _, headers in server.requests]
        third = len(data) // 3
        report.check("nothing of it is sent twice", asked[:2] == [None, f"bytes={third}-"] and len(asked) == 3, str(asked))


def wrong_content(pictures: dict[str, bytes]) -> None:
    """Responses that are not an image, or not the requested one."""
    good = pictures["png"]
    html = b"<!doctype html><title>Sign in</title>"
    kinds: dict[str, tuple[Callable[[Connection], None], set[str]]] = {
        "a web page": (lambda c: c.answer(html, Content_Type="text/html"), {"NOT_AN_IMAGE"}),
        "a web page named image/png": (lambda c: c.answer(html, Content_Type="image/png"), {"NOT_AN_IMAGE"}),
        "JSON": (lambda c: c.answer(b'{"error": true}', Content_Type="application/json"), {"NOT_AN_IMAGE"}),
        "nothing": (lambda c: c.answer(b""), {"EMPTY_DATA"}),
        "204": (lambda c: c.send("HTTP/1.1 204 None\r\n\r\n"), {"EMPTY_DATA"}),
        "304 unasked": (lambda c: c.send("HTTP/1.1 304 Same\r\n\r\n"), {"HTTP_STATUS"}),
        "206 unasked": (lambda c: c.answer(good, 206, Content_Range=f"bytes 0-{len(good) - 1}/{len(good)}"),
                        {"INVALID_RESPONSE"}),
        **{f"{status} with a picture": (lambda c, status=status: c.answer(good, status), {"HTTP_STATUS"})
           for status in (400, 401, 403, 404, 410, 418, 429, 451, 500, 502, 503, 504)},
    }
    with Server() as server, world() as here:
        for name, (answer, codes) in kinds.items():
            path = "/" + name.replace(" ", "-").replace("/", "-")
            url = server.on(path, answer)
            refused(here, f"wrong content, {name}", url, codes)
            server.on(path, lambda c: c.answer(good))
            report.check(f"wrong content, {name}: the next good answer is taken", here.is_picture(url, good))
        for kind, data in pictures.items():
            url = server.on(f"/label-{kind}", lambda c, data=data: c.answer(data, Content_Type="image/x-other"))
            report.check(f"wrong label: the bytes decide, {kind}", here.is_picture(url, data))


def packed(kind: str, folder: pathlib.Path, size: int) -> bytes:
    zeros = folder / "zeros"
    if not zeros.exists():
        zeros.write_bytes(bytes(size))
    if kind in ("br", "zstd"):
        command = ["brotli", "-q", "9", "-c"] if kind == "br" else ["zstd", "-q", "-c"]
        return subprocess.run([*command, str(zeros)], capture_output=True, check=True).stdout
    if kind == "gzip":
        return gzip.compress(bytes(size))
    return zlib.compress(bytes(size), 9)


def bombs(folder: pathlib.Path, good: bytes) -> None:
    """Bodies that exceed the limit, detected in decoded bytes while they arrive: with little more memory than the limit."""
    limit, size = 4 << 20, 512 << 20

    def endless(connection: Connection) -> None:
        connection.send(head(Transfer_Encoding="chunked"))
        while True:
            connection.send(b"10000\r\n" + bytes(65536) + b"\r\n")

    nested = gzip.compress(gzip.compress(bytes(size // 8)))
    chain = ", ".join(["gzip"] * 1000)
    cases: dict[str, tuple[Answer, set[str]]] = {
        "gzip in gzip": (lambda c: c.answer(nested, Content_Encoding="gzip, gzip"), {"TOO_LARGE"}),
        "1,000 encodings": (lambda c: c.answer(b"x", Content_Encoding=chain), UNREADABLE),
        "endless chunks": (endless, {"TOO_LARGE"}),
        "2^40 bytes announced": (lambda c: c.send(head(length=1 << 40), b"x"), {"TOO_LARGE"}),
    }
    for kind in ("gzip", "deflate", "br", "zstd"):
        try:
            body = packed(kind, folder, size // (8 if kind in ("gzip", "deflate") else 1))
        except FileNotFoundError as missing:
            report.skip(f"bomb, {kind}", f"{missing.filename} is not installed")
            continue
        cases[kind] = lambda c, body=body, kind=kind: c.answer(body, Content_Encoding=kind), {"TOO_LARGE"}
    limited.check("bomb", limit + limited.BESIDES, good, cases, max_body_bytes=limit)


def retries(good: bytes) -> None:
    """Transient failures are retried; the server's instructions are followed."""
    def flaky(failure: Callable[[Connection], None], times: int) -> Callable[[Connection], None]:
        left = [times]

        def answer(connection: Connection) -> None:
            left[0] -= 1
            failure(connection) if left[0] >= 0 else connection.answer(good)
        return answer

    with Server() as server, world(max_retries=2, retry_delay_ms=(1, 2)) as here:
        for status in (408, 425, 429, 500, 502, 503, 504):
            url = server.on(f"/{status}", flaky(lambda c, status=status: c.answer(b"", status), 2))
            report.check(f"retry, {status} twice", here.is_picture(url, good))
        report.check("retry, a reset", here.is_picture(server.on("/r", flaky(lambda c: c.reset(), 2)), good))
        report.check("no third retry", here.code(server.on("/t", flaky(lambda c: c.answer(b"", 503), 3))) == "HTTP_STATUS")
        url = server.on("/wait", flaky(lambda c: c.answer(b"", 503, Retry_After="1"), 1))
        started = time.monotonic()
        report.check("retry, Retry-After is kept", here.is_picture(url, good) and time.monotonic() - started >= 1)
        refused(here, "retry, a wait beyond the limit is not begun",
                server.on("/far", lambda c: c.answer(b"", 503, Retry_After="3600")), {"HTTP_STATUS"})
