"""Servers of remote caches on free ports of the loopback interface, for the duration of a test."""

from __future__ import annotations

import contextlib
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from typing import Self

from ports import Port

#: Seconds after which a server hangs.
LIMIT = 120


class Server:
    """A server process; `stop` ends it in every state."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        # Held also while the server is down.
        self.holder_of_port = Port()
        self.port = self.holder_of_port.number
        self.holder = tempfile.TemporaryDirectory(prefix="sdimage-remote-")
        self.process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def start(self) -> None:
        port, folder = str(self.port), self.holder.name
        commands = {
            "redis": ["redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no",
                      "--dir", folder, "--daemonize", "no", "--loglevel", "warning"],
            "memcached": ["memcached", "-l", "127.0.0.1", "-p", port, "-U", "0", "-m", "64", "-t", "2", "-u", "nobody"],
        }
        self.process = subprocess.Popen(commands[self.kind], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + LIMIT
        while not self.answers():
            if time.monotonic() > end or self.process.poll() is not None:
                raise RuntimeError(f"{self.kind} does not start")
            time.sleep(0.01)

    def answers(self) -> bool:
        try:
            greeting = b"PING\r\n" if self.kind == "redis" else b"version\r\n"
            return self.ask(greeting)[:1] in (b"+", b"V")
        except OSError:
            return False

    def ask(self, text: bytes, ends: bytes | tuple[bytes, ...] = b"\r\n") -> bytes:
        """The server's reply to a command, up to `ends`, or one of them."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=LIMIT) as connection:
            connection.sendall(text)
            answer = b""
            while not answer.endswith(ends):
                part = connection.recv(65536)
                if not part:
                    break
                answer += part
            return answer

    def put(self, name: str, value: bytes) -> None:
        """Stores a value as another client would."""
        if self.kind == "redis":
            key = name.encode()
            self.ask(b"*3\r\n$3\r\nSET\r\n$%d\r\n%s\r\n$%d\r\n%s\r\n" % (len(key), key, len(value), value))
        else:
            self.ask(b"set %s 0 0 %d\r\n%s\r\n" % (name.encode(), len(value), value))

    def get(self, name: str) -> bytes | None:
        key = name.encode()
        if self.kind == "redis":
            head, _, rest = self.ask(b"*2\r\n$3\r\nGET\r\n$%d\r\n%s\r\n" % (len(key), key)).partition(b"\r\n")
            if head == b"$-1":
                return None
            with socket.create_connection(("127.0.0.1", self.port), timeout=LIMIT) as connection:
                connection.sendall(b"*2\r\n$3\r\nGET\r\n$%d\r\n%s\r\n" % (len(key), key))
                return _counted(connection, int(head[1:]) + len(head) + 4)[len(head) + 2:-2]
        answer = self.ask(b"get %s\r\n" % key, b"END\r\n")
        head, _, rest = answer.partition(b"\r\n")
        return rest[:int(head.split()[3])] if head.startswith(b"VALUE") else None

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def pause(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGCONT)

    def stop(self) -> None:
        self.kill()
        self.holder_of_port.close()
        self.holder.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def _counted(connection: socket.socket, count: int) -> bytes:
    answer = b""
    while len(answer) < count:
        part = connection.recv(65536)
        if not part:
            break
        answer += part
    return answer


def is_installed(kind: str) -> bool:
    return shutil.which({"redis": "redis-server", "memcached": "memcached"}[kind]) is not None


@contextlib.contextmanager
def scripted(reply: Callable[[bytes], tuple[bytes, bool]]) -> Iterator[str]:
    """A server of one connection at a time. `reply` gets the received bytes; returns those to send, and true if the connection
    stays open."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection, contextlib.suppress(OSError):
                stays = True
                while stays and (received := connection.recv(65536)):
                    sent, stays = reply(received)
                    connection.sendall(sent)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"127.0.0.1:{listener.getsockname()[1]}"
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(5)


@contextlib.contextmanager
def liar(answer: bytes, stays: bool = False) -> Iterator[str]:
    """A server that replies to everything with the same bytes, and then closes, or stays as long as its client."""
    listener = socket.create_server(("127.0.0.1", 0))
    over = threading.Event()

    def serve() -> None:
        while not over.is_set():
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection, contextlib.suppress(OSError):
                connection.settimeout(60)
                connection.recv(65536)
                connection.sendall(answer)
                while stays and connection.recv(65536):
                    pass

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"127.0.0.1:{listener.getsockname()[1]}"
    finally:
        over.set()
        with contextlib.suppress(OSError):
            socket.create_connection(listener.getsockname(), timeout=1).close()
        thread.join(5)
        listener.close()


@contextlib.contextmanager
def flood(server: Server, clients: int = 4) -> Iterator[None]:
    """Other clients that load a server with thousands of commands."""
    over = threading.Event()
    value = b"x" * 4096
    if server.kind == "redis":
        command = b"*3\r\n$3\r\nSET\r\n$5\r\nflood\r\n$4096\r\n" + value + b"\r\n"
    else:
        command = b"set flood 0 0 4096\r\n" + value + b"\r\n"

    def run() -> None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", server.port), timeout=1) as connection:
            while not over.is_set():
                connection.sendall(command * 64)
                connection.recv(65536)

    threads = [threading.Thread(target=run, daemon=True) for _ in range(clients)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join(5)
