"""Data that servers of a remote cache receive, and must not receive; and revalidations during stores by others."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator

from common import HERE, KINDS, PATIENT, code, managed, server_name  # first: sets the path
import report
import servers
from images import png
from origin import Origin, scripted

IMAGE = png(20, 20)


@contextlib.contextmanager
def origin_with(fields: dict[str, str]) -> Iterator[str]:
    """An origin of one image with these fields; conditional requests get a 304. Yields the host and port."""
    def answer(connection: scripted.Connection) -> None:
        is_known = "ETag" in fields and connection.headers.get("if-none-match") == fields["ETag"]
        connection.answer(b"" if is_known else IMAGE, 304 if is_known else 200, **fields)

    with scripted.Server(answer) as server:
        yield f"127.0.0.1:{server.port}"


def dump(server: servers.Server) -> bytes:
    """The names of all entries, and the readable values."""
    if server.kind == "redis":
        with socket.create_connection(("127.0.0.1", server.port), timeout=servers.LIMIT) as connection:
            connection.sendall(b"*2\r\n$4\r\nKEYS\r\n$1\r\n*\r\n*1\r\n$4\r\nPING\r\n")
            names = b""
            while not names.endswith(b"+PONG\r\n"):
                names += connection.recv(65536)
    else:
        # The server's own crawler may be at work.
        while (names := server.ask(b"lru_crawler metadump all\r\n", (b"END\r\n", b"request\r\n"))).startswith(b"BUSY"):
            pass
    return names


def names(kind: str) -> None:
    with servers.Server(kind) as server, origin_with({"Cache-Control": "public, max-age=60"}) as host:
        cache = KINDS[kind](server.address, **PATIENT)
        url = f"http://alice:pass-word@{host}/a.png?token=to-ken&X-Amz-Signature=sig-nature"
        with managed(cache) as manager:
            manager.load(url, wait_for_store=True)
            manager.load(url, wait_for_store=True, thumbnail_size=(4, 4))
        told = dump(server)
        value = server.get(server_name(url)) or b""
        secrets = [text for text in (b"alice", b"pass-word", b"to-ken", b"sig-nature", b"http", b"a.png")
                   if text in told or text in value]
        report.check(f"{kind}: names and values on the server tell no URL", not secrets and len(value) > len(IMAGE)
                     and told.replace(b"%3A", b":").count(b"sdimage:h:") >= 1, f"{secrets} {told[:200]!r}")
        plain = KINDS[kind](server.address, **PATIENT)
        report.check(f"{kind}: another process finds them", plain.data(url) == IMAGE)


def private(kind: str) -> None:
    """RFC 9111, sections 3 and 3.5; the table is that of the library's own tests, on real servers."""
    token, cookie = {"Authorization": "Bearer a"}, {"Cookie": "user=a"}
    rows = [("max-age=60", {}, "", True), ("private", {}, "", False), ("no-store", {}, "", False),
            ("max-age=60", token, "", False), ("public", token, "", True), ("s-maxage=60", token, "", True),
            ("must-revalidate", token, "", True), ("max-age=60", cookie, "", False), ("public", cookie, "", True),
            ("max-age=60", {}, "alice:secret@", False), ("public", {}, "alice:secret@", True)]
    wrong = []
    with servers.Server(kind) as server:
        for control, headers, user, is_shared in rows:
            with origin_with({"Cache-Control": control, "ETag": '"a"'}) as host:
                first, second = KINDS[kind](server.address, **PATIENT), KINDS[kind](server.address, **PATIENT)
                url = f"http://{user}{host}/a.png"
                with managed(first) as manager:
                    manager.load(url, headers=headers, wait_for_store=True)
                    manager.load(url, headers=headers, wait_for_store=True, thumbnail_size=(4, 4))
                    key = manager.entry_key(url, thumbnail_size=(4, 4))
                found = [second.data(url) is not None, second.data(key) is not None]
                if found != [is_shared, is_shared]:
                    wrong.append((control, headers, user, found))
    report.check(f"{kind}: private responses never get to the server, others do ({len(rows)} rows)", not wrong, f"{wrong}")


class Gate:
    """A proxy before a server that holds the first piece with one of `words` until it is released."""

    def __init__(self, port: int, words: tuple[bytes, ...]) -> None:
        self.port = port
        self.words = words
        self.is_armed = False
        self.held, self.goes_on = threading.Event(), threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                server = socket.create_connection(("127.0.0.1", self.port))
                threading.Thread(target=self._pass, args=(client, server, True), daemon=True).start()
                threading.Thread(target=self._pass, args=(server, client, False), daemon=True).start()

    def _pass(self, start: socket.socket, end: socket.socket, is_asking: bool) -> None:
        with contextlib.suppress(OSError):
            while piece := start.recv(65536):
                if is_asking and self.is_armed and any(word in piece for word in self.words):
                    self.is_armed = False
                    self.held.set()
                    self.goes_on.wait(50)
                end.sendall(piece)
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self.goes_on.set()
        self.listener.close()


def renewals(kind: str) -> None:
    """Between the look-up of a revalidation and its store, another process stores a newer image."""
    store = ("import sys; sys.path.insert(0, sys.argv[1]); import sdimage\n"
             "kind = sdimage.RedisCache if sys.argv[2] == 'redis' else sdimage.MemcachedCache\n"
             "kind(sys.argv[3], budget_ms=30000, store_timeout_ms=60000).store(sys.argv[4], data=b'newer')\n")
    with servers.Server(kind) as server, origin_with({"ETag": '"a"', "Cache-Control": "max-age=0"}) as host:
        gate = Gate(server.port, (b"EVAL", b"SET\r\n", b"set ", b"cas "))
        url = f"http://{host}/a.png"
        direct = KINDS[kind](server.address, **PATIENT)
        cache = KINDS[kind](gate.address, lease_ms=0, **PATIENT)
        with managed(cache, freshness="respect") as manager:
            manager.load(url, wait_for_store=True)
            before = server.get(server_name(url))
            manager.load(url, wait_for_store=True)
            renewed = server.get(server_name(url))
            report.check(f"{kind}: an entry is renewed in place", before != renewed and direct.data(url) == IMAGE)
            gate.is_armed = True
            load = threading.Thread(target=lambda: code(lambda: manager.load(url, wait_for_store=True)))
            load.start()
            held = gate.held.wait(50)
            other = subprocess.run([sys.executable, "-c", store, str(HERE.parents[1] / "bindings/python"), kind, server.address,
                                    url], check=False)
            gate.goes_on.set()
            load.join()
        report.check(f"{kind}: a newer image that came between look-up and store survives a renewal",
                     held and other.returncode == 0 and direct.data(url) == b"newer", f"held: {held}, {direct.data(url)!r:.40}")
        # An entry that is removed in between stays removed.
        with managed(cache, freshness="respect") as manager:
            direct.remove(url)
            manager.load(url, wait_for_store=True)
            gate.held.clear()
            gate.goes_on.clear()
            gate.is_armed = True
            load = threading.Thread(target=lambda: code(lambda: manager.load(url, wait_for_store=True)))
            load.start()
            held = gate.held.wait(50)
            direct.remove(url)
            gate.goes_on.set()
            load.join()
        report.check(f"{kind}: a removed entry is not brought back by a renewal", held and direct.data(url) is None)
        gate.close()


def privacy_part(kind: str, origin: Origin) -> None:
    del origin
    names(kind)
    private(kind)
    renewals(kind)
