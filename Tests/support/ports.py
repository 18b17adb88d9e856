"""Ports of the loopback interface that nothing else on the machine takes."""

from __future__ import annotations

import socket
from typing import Self


class Port:
    """A port that the system gives to no other socket until `close`, or the end of the process. Programs that set SO_REUSEADDR, as
    servers do, can listen on it, one after the other; without one, it refuses connections."""

    def __init__(self) -> None:
        self._holder = socket.socket()
        # The system gives the port to no other program that asks for a free one, even with the same option.
        self._holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._holder.bind(("127.0.0.1", 0))
        self.number = int(self._holder.getsockname()[1])

    def close(self) -> None:
        self._holder.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
