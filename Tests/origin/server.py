"""The test origin: a small HTTP/1.1 server on the loopback interface, for tests and the demo.

It serves a folder of images with validators, ranges and persistent connections, counts its requests, and misbehaves on
demand. Standard library only. As a program: ``python3 Tests/origin --folder FOLDER``.

    /NAME                        a file of the folder, or a body that was added
    /redirect?to=URL&n=3         three redirects, then URL; with &other=1 each alternates between the two ports
    /signed/NAME                 the same file, for URLs signed by the origin; 403 for others
    /_counters  /_reset          hits as JSON; reset to zero
    /                            the names, as JSON

Query parameters for one response: ``kbps=500`` (kilobytes a second), ``delay_ms=200`` (before the first byte),
``max_age=60`` or ``cache=`` with a complete Cache-Control, ``age=120`` (seconds already spent in a shared cache),
``gzip=1``, ``auth=basic`` or ``auth=bearer`` (401 without the password or token of ``responses.py``), ``status=404``,
``retry_after=1`` (with a status), ``first=2`` (misbehave for the first two requests only), ``gate=1`` (the second half of
the body, with ``kbps`` the last quarter, waits for `Origin.open_gate`), and ``fault=``

    reset      half of the body, then a reset             short      half of the body, then the end
    long       more bytes than announced                  truncated  half of the body, announced as such
    html       a web page under 200                       empty      no body under 200
    garbage    random bytes as an image                   hang       no response until the origin stops

``at=60`` is the percentage of the body that is sent, in place of half.
"""

from __future__ import annotations

import argparse
import mimetypes
import os
import socket
import threading
import time
import urllib.parse
import uuid
from collections import Counter, deque
from collections.abc import Mapping
from http.server import ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from .responses import HTML, PASSWORD, SIGNED, TOKEN, USER, Asked, Body, Handler, body, signature

__all__ = ["HTML", "PASSWORD", "TOKEN", "USER", "Asked", "Origin"]
#: The maximum number of logged requests.
_LOG = 20_000


class Origin:
    """The server, on a thread of its own; a context manager.

    >>> with Origin("pictures") as origin:
    ...     origin.url("cat.jpg?kbps=200"), origin.hits("cat.jpg")
    """

    def __init__(
        self,
        folder: str | os.PathLike[str] | None = None,
        *,
        bodies: Mapping[str, bytes] | None = None,
        host: str = "127.0.0.1",
        port: int = 0,
        kbps: int = 0,
        delay_ms: int = 0,
    ) -> None:
        """Also serves `bodies` by path. A `port` of 0 selects a free one; `kbps` and `delay_ms` are the defaults of the query parameters."""
        self.folder = os.path.realpath(folder) if folder is not None else None
        self.kbps = kbps
        self.delay_ms = delay_ms
        self.stopping = threading.Event()
        self.gate = threading.Event()
        self._lock = threading.Lock()
        self._bodies: dict[str, Body] = {}
        self._counts: Counter[str] = Counter()
        self._paths: Counter[str] = Counter()
        self._asked: deque[Asked] = deque(maxlen=_LOG)
        self._began = time.monotonic()
        self._server = _Server((host, port), self)
        # Accepts connections from now on; they wait until the origin starts.
        self._other = _Server((host, 0), self)
        self._threads = [
            threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, name="origin", daemon=True)
            for server in (self._server, self._other)
        ]
        for path, data in (bodies or {}).items():
            self.add(path, data)

    @property
    def address(self) -> tuple[str, int]:
        """Host and port."""
        host, port = self._server.server_address[:2]
        return str(host), int(port)

    def url(self, path: str) -> str:
        """The URL of a path, including its query."""
        host, port = self.address
        return f"http://{host}:{port}/{path.lstrip('/')}"

    def other_url(self, path: str) -> str:
        """The same on the second port, which is another origin to HTTP."""
        host, port = self._other.server_address[:2]
        return f"http://{str(host)}:{port}/{path.lstrip('/')}"

    def signed(self, path: str, seconds: int = 60) -> str:
        """A URL of `path` that is valid for the given time; each call returns a different one."""
        name, expires, policy = SIGNED + path.lstrip("/"), str(int(time.time()) + seconds), uuid.uuid4().hex
        query = {
            "Expires": expires,
            "Policy": policy,
            "Key-Pair-Id": "demo",
            "Signature": signature(name, expires, policy),
        }
        return self.url(urllib.parse.quote(name) + "?" + urllib.parse.urlencode(query))

    def add(self, path: str, data: bytes, media_type: str | None = None) -> str:
        """Also serves `data` under `path`; returns the URL."""
        kind = media_type or mimetypes.guess_type(path)[0] or "application/octet-stream"
        with self._lock:
            self._bodies[path.lstrip("/")] = body(data, kind, time.time() - 3600)
        return self.url(urllib.parse.quote(path.lstrip("/")))

    def names(self) -> list[str]:
        """The names of all resources."""
        with self._lock:
            names = set(self._bodies)
        if self.folder is not None:
            for where, _folders, files in os.walk(self.folder):
                names.update(os.path.relpath(os.path.join(where, file), self.folder) for file in files)
        return sorted(names)

    def find(self, path: str) -> Body | None:
        """The body of a path; never leaves the folder."""
        with self._lock:
            found = self._bodies.get(path)
        if found is not None or self.folder is None:
            return found
        place = os.path.realpath(os.path.join(self.folder, path))
        if not place.startswith(self.folder + os.sep) or not os.path.isfile(place):
            return None
        with open(place, "rb") as file:
            data = file.read()
        kind = mimetypes.guess_type(place)[0] or "application/octet-stream"
        found = body(data, kind, os.path.getmtime(place))
        with self._lock:
            return self._bodies.setdefault(path, found)

    def count(self, what: str, path: str | None = None, by: int = 1) -> int:
        """Counts a request, and returns the number of requests for `path` so far."""
        with self._lock:
            self._counts[what] += by
            if path is not None:
                self._paths[path] += 1
            return self._paths[path] if path is not None else 0

    def asked(self, path: str, range: str) -> Asked:
        """Logs a request; its status and bytes are filled in during the response."""
        with self._lock:
            self._asked.append(Asked(time.monotonic() - self._began, path, range))
            return self._asked[-1]

    def log(self, path: str | None = None) -> list[Asked]:
        """The latest requests for a path, or all of them, in order of arrival."""
        with self._lock:
            return [asked for asked in self._asked if path in (None, asked.path)]

    def hits(self, path: str | None = None) -> int:
        """The number of requests for a path, with any query; by default for all paths."""
        with self._lock:
            return self._paths[path.lstrip("/")] if path is not None else self._counts["requests"]

    def counters(self) -> dict[str, Any]:
        """``connections``, ``requests``, ``bytes``, ``not_modified``, ``partial``, ``faults``; ``statuses`` and ``paths``."""
        names = ("connections", "requests", "bytes", "not_modified", "partial", "faults")
        with self._lock:
            statuses = {name[7:]: count for name, count in self._counts.items() if name.startswith("status ")}
            return {**{name: self._counts[name] for name in names}, "statuses": statuses, "paths": dict(self._paths)}

    def reset(self) -> None:
        """Resets all counters to zero."""
        with self._lock:
            self._counts.clear()
            self._paths.clear()
            self._asked.clear()
            self._began = time.monotonic()

    def start(self) -> Self:
        """Begins to respond."""
        for thread in self._threads:
            thread.start()
        return self

    def open_gate(self) -> None:
        """Lets all responses with ``gate=1`` complete, now and later."""
        self.gate.set()

    def close_gate(self) -> None:
        """Holds the responses with ``gate=1`` again."""
        self.gate.clear()

    def stop(self) -> None:
        """Stops responding and frees the ports; open connections are closed."""
        self.stopping.set()
        self.gate.set()
        for server, thread in zip((self._server, self._other), self._threads):
            if thread.is_alive():
                server.shutdown()
                thread.join()
            server.server_close()
            server.hang_up()

    def wait(self) -> None:
        """Serves until Ctrl-C."""
        while self._threads[0].is_alive():
            self._threads[0].join(0.5)

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
        self._open: set[socket.socket] = set()
        super().__init__(address, Handler)

    def server_bind(self) -> None:
        # Skips the look-up of the host name, which may take seconds.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        """Closes persistent connections: an origin that is down responds to no request."""
        for connection in self._open.copy():
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # the peer closed first

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignores clients that disconnect, which is normal here."""
