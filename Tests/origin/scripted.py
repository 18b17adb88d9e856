"""A server that sends the bytes of a test, also invalid ones, and counts requests."""

from __future__ import annotations

import collections
import socket
import ssl
import struct
import threading
from collections.abc import Callable

Answer = Callable[["Connection"], None]


class Connection:
    """One connection, with the current request."""

    def __init__(self, plain: socket.socket) -> None:
        self.socket = plain
        self.unread = b""
        #: Path and query.
        self.target = ""
        #: Field names in lower case.
        self.headers: dict[str, str] = {}
        #: The unmodified lines of the request header.
        self.lines: list[bytes] = []
        self.is_open = True

    def read(self) -> bool:
        """Reads the next request's header; returns false at the end."""
        while b"\r\n\r\n" not in self.unread:
            piece = self.socket.recv(65536)
            if not piece:
                return False
            self.unread += piece
        head, _, self.unread = self.unread.partition(b"\r\n\r\n")
        self.lines = head.split(b"\r\n")
        self.target = self.lines[0].split(b" ")[1].decode("latin-1")
        pairs = (line.decode("latin-1").partition(":") for line in self.lines[1:])
        self.headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
        return True

    def send(self, *parts: bytes | str) -> None:
        self.socket.sendall(b"".join(part.encode("latin-1") if isinstance(part, str) else part for part in parts))

    def answer(self, body: bytes, status: int = 200, **headers: str) -> None:
        """Sends a complete response; field names have underscores for hyphens."""
        self.send(head(status, length=len(body), **headers), body)

    def close(self) -> None:
        self.is_open = False

    def reset(self) -> None:
        # A socket with a linger time of zero is reset when it is closed.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.is_open = False

    def wait(self) -> None:
        """Waits until the client has disconnected."""
        while self.socket.recv(65536):
            pass
        self.is_open = False


def head(status: int = 200, length: int | str | None = None, **headers: str) -> str:
    """A status line and fields up to the empty line."""
    fields = {"Content-Length": str(length)} if length is not None else {}
    fields |= {name.replace("_", "-"): value for name, value in headers.items()}
    return f"HTTP/1.1 {status} Said\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields.items()) + "\r\n"


class Server:
    """A server on the loopback interface, with a thread for each connection; a context manager."""

    def __init__(self, answer: Answer | None = None, tls: ssl.SSLContext | None = None, port: int = 0) -> None:
        self.answers: dict[str, Answer] = {}
        self.fallback = answer or (lambda connection: connection.answer(b"", 404))
        self.tls = tls
        self.connections = 0
        self.hits: collections.Counter[str] = collections.Counter()
        self.requests: list[tuple[str, dict[str, str]]] = []
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._listener = socket.create_server(("127.0.0.1", port), backlog=1024)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"{'https' if self.tls else 'http'}://{host}:{self.port}{path}"

    def on(self, path: str, answer: Answer) -> str:
        """Registers `answer` for the path, with any query; returns the URL."""
        self.answers[path] = answer
        return self.url(path)

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *error: object) -> None:
        # Also ends the wait for a connection, so that another server can use the port.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._lock:
            left = list(self._open)
        for each in left:
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def _accept(self) -> None:
        while True:
            try:
                plain, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                self.connections += 1
                self._open.add(plain)
            threading.Thread(target=self._serve, args=(plain,), daemon=True).start()

    def _serve(self, plain: socket.socket) -> None:
        try:
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection = Connection(self.tls.wrap_socket(plain, server_side=True) if self.tls else plain)
            while connection.is_open and connection.read():
                path = connection.target.split("?")[0]
                with self._lock:
                    self.hits[path] += 1
                    self.requests.append((connection.target, connection.headers))
                self.answers.get(path, self.fallback)(connection)
            connection.socket.close()
        except (OSError, IndexError):
            pass
        finally:
            with self._lock:
                self._open.discard(plain)
            plain.close()
