"""Responses of the test origin. Standard library only."""

from __future__ import annotations

import base64
import email.utils
import fcntl
import gzip
import hashlib
import hmac
import json
import random
import re
import socket
import struct
import termios
import time
import urllib.parse
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from typing import Any, Protocol, cast

HTML = b"<!doctype html><title>Sign in</title><p>Please sign in to the network.</p>"
#: Credentials that ``auth=basic`` and ``auth=bearer`` require.
USER, PASSWORD, TOKEN = "demo", "secret", "demo-token"
#: Path prefix that requires signed URLs.
SIGNED = "signed/"
_KEY = b"the key of the test origin"
_STEP = 4096


@dataclass(frozen=True)
class Body:
    """The response body of a path."""

    data: bytes
    media_type: str
    modified: float
    etag: str


@dataclass
class Asked:
    """A request and its outcome."""

    #: Seconds since the creation of the origin, or since the reset of its counters.
    at: float
    path: str
    #: The field ``Range``, or "".
    range: str
    #: 0 before a response, and if there never is one.
    status: int = 0
    #: Bytes of the body that were given to the socket.
    sent: int = 0


class Answering(Protocol):
    """The parts of the origin that the handler uses."""

    kbps: int
    delay_ms: int
    gate: Any
    stopping: Any

    def url(self, path: str) -> str: ...
    def other_url(self, path: str) -> str: ...
    def names(self) -> list[str]: ...
    def find(self, path: str) -> Body | None: ...
    def count(self, what: str, path: str | None = None, by: int = 1) -> int: ...
    def asked(self, path: str, range: str) -> Asked: ...
    def counters(self) -> dict[str, Any]: ...
    def reset(self) -> None: ...


def body(data: bytes, media_type: str, modified: float) -> Body:
    """A body with the validators that follow from its bytes and its date."""
    return Body(data, media_type, modified, f'"{hashlib.sha256(data).hexdigest()[:16]}"')


def signature(path: str, expires: str, policy: str) -> str:
    """The signature in a URL, in the manner of CloudFront: over its path, its expiry and a unique number."""
    text = f"{path}\n{expires}\n{policy}".encode()
    return base64.urlsafe_b64encode(hmac.digest(_KEY, text, "sha256")).decode().rstrip("=")


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    server_version = "sdimage-origin"
    sys_version = ""
    disable_nagle_algorithm = True
    timeout = 60

    def setup(self) -> None:
        super().setup()
        self.slow, self.is_gated = 0, False
        self.record: Asked | None = None
        self.origin: Answering = cast(Any, self.server).origin
        self.origin.count("connections")

    def log_message(self, format: str, *args: Any) -> None:
        """Does nothing: the counters have the information."""

    def do_GET(self) -> None:
        origin = self.origin
        split = urllib.parse.urlsplit(self.path)
        path = urllib.parse.unquote(split.path).lstrip("/")
        query = dict(urllib.parse.parse_qsl(split.query, keep_blank_values=True))
        self.record, self.slow = None, 0
        if path in ("", "_counters", "_reset"):
            self._control(path)
            return
        hit = origin.count("requests", path)
        self.record = origin.asked(path, self.headers.get("Range") or "")
        self.slow, self.is_gated = int(query.get("kbps") or origin.kbps), "gate" in query
        delay = int(query.get("delay_ms") or origin.delay_ms)
        if delay and origin.stopping.wait(delay / 1000):
            return
        misbehave = hit <= int(query.get("first") or hit)
        if not self._is_allowed(path, query):
            return
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

    def _is_allowed(self, path: str, query: dict[str, str]) -> bool:
        """False if a required password, token or signature is wrong."""
        kind = query.get("auth")
        if kind in ("basic", "bearer"):
            basic = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
            wanted = f"Basic {basic}" if kind == "basic" else f"Bearer {TOKEN}"
            if self.headers.get("Authorization") != wanted:
                challenge = f'{kind.capitalize()} realm="pictures"'
                self._answer(401, "text/plain", b"who are you?\n", {"WWW-Authenticate": challenge})
                return False
        if path.startswith(SIGNED) and not _is_signed(path, query):
            self._answer(403, "text/plain", b"the signature is missing, wrong or too old\n")
            return False
        return True

    def _redirect(self, query: dict[str, str]) -> None:
        left = int(query.get("n") or 1)
        to = query.get("to", "/")
        if left > 1:
            to = "/redirect?" + urllib.parse.urlencode({**query, "n": left - 1})
        if "other" in query and to.startswith("/"):
            # From one port to the other, and back on the next of several redirects.
            here, there = self.origin.url(to), self.origin.other_url(to)
            arrived = urllib.parse.urlsplit(there).port == self.connection.getsockname()[1]
            to = here if arrived else there
        self._answer(int(query.get("status") or 302), "text/plain", b"", {"Location": to})

    def _serve(self, path: str, query: dict[str, str]) -> None:
        found = self.origin.find(path.removeprefix(SIGNED))
        if found is None:
            self._answer(404, "text/plain", b"no such picture\n")
            return
        headers = {
            "ETag": found.etag,
            "Last-Modified": email.utils.formatdate(found.modified, usegmt=True),
            "Cache-Control": query.get("cache") or f"max-age={query.get('max_age', '3600')}",
            "Accept-Ranges": "bytes",
        }
        if "age" in query:
            headers["Age"] = query["age"]
        if "gzip" in query:
            headers["Vary"] = "Accept-Encoding"
        if self._is_current(found):
            self.origin.count("not_modified")
            self._answer(304, "", b"", headers)
            return
        if "gzip" in query and "gzip" in (self.headers.get("Accept-Encoding") or ""):
            # Other bytes need another tag and have other ranges, so none are offered.
            headers.update({"Content-Encoding": "gzip", "ETag": f"W/{found.etag}", "Accept-Ranges": "none"})
            self._answer(200, found.media_type, gzip.compress(found.data, 1), headers)
            return
        part = self._range(found)
        if part is None:
            self._answer(200, found.media_type, found.data, headers)
        elif part.start >= len(found.data):
            self._answer(416, "text/plain", b"", {**headers, "Content-Range": f"bytes */{len(found.data)}"})
        else:
            self.origin.count("partial")
            headers["Content-Range"] = f"bytes {part.start}-{part.stop - 1}/{len(found.data)}"
            self._answer(206, found.media_type, found.data[part.start : part.stop], headers)

    def _is_current(self, found: Body) -> bool:
        tags = self.headers.get("If-None-Match")
        if tags is not None:
            return tags.strip() == "*" or found.etag in [tag.strip().removeprefix("W/") for tag in tags.split(",")]
        since = self.headers.get("If-Modified-Since")
        return since is not None and int(found.modified) <= email.utils.parsedate_to_datetime(since).timestamp()

    def _range(self, found: Body) -> range | None:
        """One range of RFC 9110 §14; other forms are ignored, as the RFC permits."""
        match = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range") or "")
        condition = self.headers.get("If-Range")
        if match is None or match.group() == "bytes=-" or condition not in (None, found.etag):
            return None
        size = len(found.data)
        if not match[1]:
            return range(max(0, size - int(match[2])), size)
        return range(int(match[1]), min(size, int(match[2]) + 1) if match[2] else size)

    def _misbehave(self, path: str, query: dict[str, str]) -> None:
        origin = self.origin
        origin.count("faults")
        found = origin.find(path)
        data, kind = (found.data, found.media_type) if found else (b"", "image/png")
        fault = query.get("fault", "")
        part = data[: len(data) * int(query.get("at") or 50) // 100]
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
            self._answer(200, kind, part)
        elif fault in ("short", "reset"):
            # Allows the client to resume: the body is the same the next time.
            offer = {"ETag": found.etag, "Accept-Ranges": "bytes"} if found else None
            self._answer(200, kind, part, offer, length=len(data))
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
            # A reset discards data that has not left this machine, an amount that would vary between runs.
            end = time.monotonic() + 60
            while _unsent(self.connection) and time.monotonic() < end:
                time.sleep(0.001)
            # A socket with a linger time of 0 is reset when it is closed.
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
        if self.record is not None:
            self.record.status = status
            self.origin.count(f"status {status}")
        self.end_headers()
        if self.command == "HEAD" or status == 304:
            return
        slow = self.slow
        step = _STEP if slow else max(1, len(data) // (2 if self.is_gated else 1))
        for start in range(0, len(data), step):
            piece = data[start : start + step]
            # Counted first: a client may read the log as soon as it has the last byte.
            self.origin.count("bytes", by=len(piece))
            if self.record is not None:
                self.record.sent += len(piece)
            self.wfile.write(piece)
            if self.is_gated and (not slow or start + step >= len(data) * 3 // 4):
                self.origin.gate.wait()
            if slow and self.origin.stopping.wait(len(piece) / (slow * 1000)):
                self.close_connection = True
                return


def _is_signed(path: str, query: dict[str, str]) -> bool:
    expires, policy = query.get("Expires", ""), query.get("Policy", "")
    right = signature(path, expires, policy)
    return hmac.compare_digest(query.get("Signature", ""), right) and expires.isdigit() and int(expires) > time.time()


def _unsent(connection: socket.socket) -> int:
    """The number of bytes that the peer has not acknowledged (tcp(7): SIOCOUTQ)."""
    return int(struct.unpack("i", fcntl.ioctl(connection, termios.TIOCOUTQ, bytes(4)))[0])
