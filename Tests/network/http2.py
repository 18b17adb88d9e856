"""HTTP/2 connections that a server ends while they are idle."""

from __future__ import annotations

import struct
from collections.abc import Callable

import report
from certificates import Authority, context
from origin.scripted import Connection, Server
from world import world

# Types and flags of frames (RFC 9113, section 6), and error codes (section 7).
DATA, HEADERS, RST_STREAM, SETTINGS, GOAWAY = 0, 1, 3, 4, 7
ACK = END_STREAM = 0x1
END_HEADERS = 0x4
NO_ERROR, REFUSED_STREAM = 0, 7
#: ":status: 200", the eighth entry of the static table (RFC 7541, appendix A).
STATUS_200 = b"\x88"


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


class Frames:
    """The frames of one connection after its preface."""

    def __init__(self, connection: Connection) -> None:
        self.socket = connection.socket
        self.unread = connection.unread
        self.take(len(b"SM\r\n\r\n"))

    def take(self, count: int) -> bytes:
        while len(self.unread) < count:
            piece = self.socket.recv(65536)
            if not piece:
                raise OSError("the client has closed the connection")
            self.unread += piece
        taken, self.unread = self.unread[:count], self.unread[count:]
        return taken

    def next(self) -> tuple[int, int, int]:
        """Type, flags and stream of the next frame; skips its payload."""
        head = self.take(9)
        self.take(int.from_bytes(head[:3], "big"))
        return head[3], head[4], int.from_bytes(head[5:], "big")


#: The server's reactions to the second request of a connection.
WAYS: dict[str, Callable[[int], bytes]] = {
    "closed without a word": lambda stream: b"",
    "closed with GOAWAY": lambda stream: frame(GOAWAY, 0, 0, struct.pack(">II", stream - 2, NO_ERROR)),
    "kept, the stream refused": lambda stream: frame(RST_STREAM, 0, stream, struct.pack(">I", REFUSED_STREAM)),
}


def stale(good: bytes, authority: Authority) -> None:
    """A connection whose server drops the next request: it is sent over a new one, which does not count as a retry."""
    tls = context(authority.sign("http2"))
    tls.set_alpn_protocols(["h2"])
    for way, reply in WAYS.items():
        requests: list[int] = []

        def answer(connection: Connection, reply: Callable[[int], bytes] = reply) -> None:
            frames, number, answered = Frames(connection), len(requests), 0
            requests.append(0)
            connection.send(frame(SETTINGS, 0, 0))
            while True:
                kind, flags, stream = frames.next()
                if kind == SETTINGS and not flags & ACK:
                    connection.send(frame(SETTINGS, ACK, 0))
                if kind != HEADERS:
                    continue
                requests[number] += 1
                if answered:
                    connection.send(reply(stream))
                    return connection.close()
                answered += 1
                pieces = [good[start:start + 16384] for start in range(0, len(good), 16384)]
                connection.send(frame(HEADERS, END_HEADERS, stream, STATUS_200), *(frame(DATA, 0, stream, piece) for piece in pieces),
                                frame(DATA, END_STREAM, stream))

        with Server(answer, tls) as server, world(ca_file=str(authority.file)) as here:
            codes = [here.code(server.url(f"/{index}")) for index in range(6)]
        report.check(f"HTTP/2, stale connections {way}: a new one is made, and it is no retry",
                     codes == ["OK"] * 6 and requests == [2] * 5 + [1], f"{codes} {requests}")
