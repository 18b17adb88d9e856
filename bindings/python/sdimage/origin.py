#!/usr/bin/env python3
"""The embedded origin: a small HTTP/1.1 server on the loopback interface, for the demo and for tests.

It serves a folder of pictures with validators, ranges and kept connections, counts what it is asked, and misbehaves
when told to. Standard library only; also runs as a file of its own: ``python3 origin.py --folder pictures``.

    /NAME                        a file of the folder, or a body that was added
    /redirect?to=URL&n=3         three redirects, then URL
    /_counters  /_reset          hits as JSON; back to nought
    /                            the names, as JSON

Knobs in the query, for one answer: ``kbps=500`` (kilobytes a second), ``delay_ms=200`` (before the first byte),
``max_age=60``, ``status=404``, ``retry_after=1`` (with a status), ``first=2`` (misbehave for the first two requests only),
and ``fault=``

    reset      half of the body, then a reset             short      half of the body, then the end
    long       more bytes than announced                  truncated  half of the body, announced as such
    html       a web page under 200                       empty      no body under 200
    garbage    random bytes as a picture                  hang       no answer until the origin stops
"""

from __future__ import annotations

import argparse
import email.utils
import hashlib
import json
import mimetypes
import os
import random
import re
import socket
import struct
import threading
import time
import urllib.parse
from collections import Counter
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self, cast

HTML = b"<!doctype html><title>Sign in</title><p>Please sign in to the network.</p>"
_STEP = 16384


@dataclass(frozen=True)
class Body:
    """What a path answers with."""

    data: bytes
    media_type: str
    modified: float
    etag: str


def _body(data: bytes, media_type: str, modified: float) -> Body:
    return Body(data, media_type, modified, f'"{hashlib.sha256(data).hexdigest()[:16]}"')


class Origin:
    """The server, on a thread of its own; a context manager.

    >>> with Origin("pictures") as origin:
    ...     origin.url("cat.jpg?kbps=200"), origin.hits("cat.jpg")
    """

    def __init__(
        self,
        folder: str | os.PathLike[str] | None = None,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        kbps: int = 0,
        delay_ms: int = 0,
    ) -> None:
        """`port` 0 takes a free one; `kbps` and `delay_ms` are the knobs' values where a query has none."""
        self.folder = os.path.realpath(folder) if folder is not None else None
        self.kbps = kbps
        self.delay_ms = delay_ms
        self.stopping = threading.Event()
        self._lock = threading.Lock()
        self._bodies: dict[str, Body] = {}
        self._counts: Counter[str] = Counter()
        self._paths: Counter[str] = Counter()
        self._server = _Server((host, port), self)
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, name="origin", daemon=True
        )

    @property
    def address(self) -> tuple[str, int]:
        """Host and port."""
        host, port = self._server.server_address[:2]
        return str(host), int(port)

    def url(self, path: str) -> str:
        """The URL of a path, query included."""
        host, port = self.address
        return f"http://{host}:{port}/{path.lstrip('/')}"

    def add(self, path: str, data: bytes, media_type: str | None = None) -> str:
        """Serves `data` under `path`, too; returns the URL."""
        kind = media_type or mimetypes.guess_type(path)[0] or "application/octet-stream"
        with self._lock:
            self._bodies[path.lstrip("/")] = _body(data, kind, time.time() - 3600)
        return self.url(urllib.parse.quote(path.lstrip("/")))

    def names(self) -> list[str]:
        """Everything there is to ask for."""
        with self._lock:
            names = set(self._bodies)
        if self.folder is not None:
            for where, _folders, files in os.walk(self.folder):
                names.update(os.path.relpath(os.path.join(where, file), self.folder) for file in files)
        return sorted(names)

    def find(self, path: str) -> Body | None:
        """The body of a path; never leaves the folder."""
        with self._lock:
            body = self._bodies.get(path)
        if body is not None or self.folder is None:
            return body
        place = os.path.realpath(os.path.join(self.folder, path))
        if not place.startswith(self.folder + os.sep) or not os.path.isfile(place):
            return None
        with open(place, "rb") as file:
            data = file.read()
        kind = mimetypes.guess_type(place)[0] or "application/octet-stream"
        body = _body(data, kind, os.path.getmtime(place))
        with self._lock:
            return self._bodies.setdefault(path, body)

    def count(self, what: str, path: str | None = None, by: int = 1) -> int:
        """Counts, and returns how often `path` was asked for by now."""
        with self._lock:
            self._counts[what] += by
            if path is not None:
                self._paths[path] += 1
            return self._paths[path] if path is not None else 0

    def hits(self, path: str | None = None) -> int:
        """Requests for a path, whatever its query; in all when left out."""
        with self._lock:
            return self._paths[path.lstrip("/")] if path is not None else self._counts["requests"]

    def counters(self) -> dict[str, Any]:
        """``connections``, ``requests``, ``bytes``, ``not_modified``, ``partial``, ``faults``, and ``paths``."""
        names = ("connections", "requests", "bytes", "not_modified", "partial", "faults")
        with self._lock:
            return {**{name: self._counts[name] for name in names}, "paths": dict(self._paths)}

    def reset(self) -> None:
        """All counters to nought."""
        with self._lock:
            self._counts.clear()
            self._paths.clear()

    def start(self) -> Self:
        """Begins to answer."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """Answers no more and frees the port."""
        self.stopping.set()
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()

    def wait(self) -> None:
        """Serves until Ctrl-C."""
        while self._thread.is_alive():
            self._thread.join(0.5)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 256

    def __init__(self, address: tuple[str, int], origin: Origin) -> None:
        self.origin = origin
        super().__init__(address, _Handler)

    def server_bind(self) -> None:
        # Without the look-up of the host's name, which may take seconds.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that go away are everyday life here."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "sdimage-origin"
    sys_version = ""
    disable_nagle_algorithm = True
    timeout = 60

    def setup(self) -> None:
        super().setup()
        self.slow = 0
        self.origin = cast(_Server, self.server).origin
        self.origin.count("connections")

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet: the counters tell."""

    def do_GET(self) -> None:
        origin = self.origin
        split = urllib.parse.urlsplit(self.path)
        path = urllib.parse.unquote(split.path).lstrip("/")
        query = dict(urllib.parse.parse_qsl(split.query, keep_blank_values=True))
        if path in ("", "_counters", "_reset"):
            self._control(path)
            return
        hit = origin.count("requests", path)
        self.slow = int(query.get("kbps") or origin.kbps)
        delay = int(query.get("delay_ms") or origin.delay_ms)
        if delay and origin.stopping.wait(delay / 1000):
            return
        misbehave = hit <= int(query.get("first") or hit)
        if path == "redirect":
            self._redirect(query)
        elif misbehave and ("fault" in query or "status" in query):
            self._misbehave(path, query)
        else:
            self._serve(path, query)

    do_HEAD = do_GET

    def _control(self, path: str) -> None:
        origin = self.origin
        if path == "_reset":
            origin.reset()
        answer = origin.names() if path == "" else origin.counters()
        self._answer(200, "application/json", json.dumps(answer).encode())

    def _redirect(self, query: dict[str, str]) -> None:
        left = int(query.get("n") or 1)
        to = query.get("to", "/")
        if left > 1:
            to = "/redirect?" + urllib.parse.urlencode({"to": to, "n": left - 1})
        self._answer(int(query.get("status") or 302), "text/plain", b"", {"Location": to})

    def _serve(self, path: str, query: dict[str, str]) -> None:
        body = self.origin.find(path)
        if body is None:
            self._answer(404, "text/plain", b"no such picture\n")
            return
        headers = {
            "ETag": body.etag,
            "Last-Modified": email.utils.formatdate(body.modified, usegmt=True),
            "Cache-Control": f"max-age={query.get('max_age', '3600')}",
            "Accept-Ranges": "bytes",
        }
        if self._is_current(body):
            self.origin.count("not_modified")
            self._answer(304, "", b"", headers)
            return
        part = self._range(body)
        if part is None:
            self._answer(200, body.media_type, body.data, headers)
        elif part.start >= len(body.data):
            self._answer(416, "text/plain", b"", {**headers, "Content-Range": f"bytes */{len(body.data)}"})
        else:
            self.origin.count("partial")
            headers["Content-Range"] = f"bytes {part.start}-{part.stop - 1}/{len(body.data)}"
            self._answer(206, body.media_type, body.data[part.start : part.stop], headers)

    def _is_current(self, body: Body) -> bool:
        tags = self.headers.get("If-None-Match")
        if tags is not None:
            return tags.strip() == "*" or body.etag in [tag.strip().removeprefix("W/") for tag in tags.split(",")]
        since = self.headers.get("If-Modified-Since")
        return since is not None and int(body.modified) <= email.utils.parsedate_to_datetime(since).timestamp()

    def _range(self, body: Body) -> range | None:
        """One range of RFC 9110 §14; others are ignored, as a server may."""
        found = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range") or "")
        condition = self.headers.get("If-Range")
        if found is None or found.group() == "bytes=-" or condition not in (None, body.etag):
            return None
        size = len(body.data)
        if not found[1]:
            return range(max(0, size - int(found[2])), size)
        return range(int(found[1]), min(size, int(found[2]) + 1) if found[2] else size)

    def _misbehave(self, path: str, query: dict[str, str]) -> None:
        origin = self.origin
        origin.count("faults")
        found = origin.find(path)
        data, kind = (found.data, found.media_type) if found else (b"", "image/png")
        fault = query.get("fault", "")
        half = data[: len(data) // 2]
        if "status" in query:
            code = int(query["status"])
            wait = {"Retry-After": query["retry_after"]} if "retry_after" in query else None
            self._answer(code, "text/plain", f"{code}\n".encode(), wait)
        elif fault == "html":
            self._answer(200, "text/html", HTML)
        elif fault == "empty":
            self._answer(200, kind, b"")
        elif fault == "garbage":
            self._answer(200, kind, random.Random(path).randbytes(4096))
        elif fault == "truncated":
            self._answer(200, kind, half)
        elif fault in ("short", "reset"):
            # Whoever can go on where it broke off may: this one is the same the next time.
            offer = {"ETag": found.etag, "Accept-Ranges": "bytes"} if found else None
            self._answer(200, kind, half, offer, length=len(data))
            self._leave(reset=fault == "reset")
        elif fault == "long":
            self._answer(200, kind, data + HTML, length=len(data))
        elif fault == "hang":
            origin.stopping.wait()
            self.close_connection = True
        else:
            self._answer(400, "text/plain", f"no fault is called {fault}\n".encode())

    def _leave(self, reset: bool) -> None:
        self.close_connection = True
        if reset:
            # A socket that lingers for no time at all is reset when it is closed.
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()

    def _answer(
        self,
        status: int,
        kind: str,
        data: bytes,
        headers: dict[str, str] | None = None,
        length: int | None = None,
    ) -> None:
        self.send_response(status)
        if kind:
            self.send_header("Content-Type", kind)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Length", str(len(data) if length is None else length))
        self.end_headers()
        if self.command == "HEAD" or status == 304:
            return
        slow = self.slow
        for start in range(0, len(data), _STEP if slow else max(1, len(data))):
            piece = data[start : start + _STEP] if slow else data
            self.wfile.write(piece)
            self.origin.count("bytes", by=len(piece))
            if slow and self.origin.stopping.wait(len(piece) / (slow * 1000)):
                self.close_connection = True
                return


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``serve``."""
    parser.add_argument("--folder", help="folder of pictures to serve")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: loopback only)")
    parser.add_argument("--port", type=int, default=0, help="port (default: a free one)")
    parser.add_argument("--kbps", type=int, default=0, help="kilobytes a second for each answer (default: no limit)")
    parser.add_argument("--delay-ms", type=int, default=0, help="milliseconds before each answer")


def serve(options: argparse.Namespace) -> int:
    """Prints the address as the first line and serves until Ctrl-C."""
    with Origin(
        options.folder, host=options.host, port=options.port, kbps=options.kbps, delay_ms=options.delay_ms
    ) as origin:
        print(origin.url(""), flush=True)
        try:
            origin.wait()
        except KeyboardInterrupt:
            pass
    return 0


if __name__ == "__main__":
    _parser = argparse.ArgumentParser(description="Serves pictures to tests.")
    arguments(_parser)
    raise SystemExit(serve(_parser.parse_args()))
