"""A pseudo-terminal for programs that draw: captures their output and sends a terminal's responses."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable

#: The size of the screen in characters, and in pixels.
COLUMNS, ROWS, WIDTH, HEIGHT = 40, 12, 400, 240


def run(
    arguments: list[str],
    answer: bytes = b"",
    keys: bytes = b"",
    keys_after: bytes = b"\0",
    limit: float = 30,
    interrupted_if: Callable[[], bool] | None = None,
) -> tuple[int, bytes]:
    """Runs a program on a terminal; returns the exit status and the complete output.

    `answer` is sent when the program queries the terminal; `keys` after it printed `keys_after`; SIGINT, once, if
    `interrupted_if` is true."""
    leader, follower = pty.openpty()
    fcntl.ioctl(leader, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, WIDTH, HEIGHT))
    process = subprocess.Popen(arguments, stdin=follower, stdout=follower, stderr=subprocess.DEVNULL, close_fds=True)
    os.close(follower)
    written, end = b"", time.monotonic() + limit
    try:
        while time.monotonic() < end:
            if interrupted_if and interrupted_if():
                process.send_signal(signal.SIGINT)
                interrupted_if = None
            if not select.select([leader], [], [], 0.05)[0]:
                if process.poll() is not None:
                    break
                continue
            try:
                piece = os.read(leader, 1 << 16)
            except OSError:
                break
            if not piece:
                break
            written += piece
            if answer and b"\x1b[c" in written:
                os.write(leader, answer)
                answer = b""
            if keys and keys_after in written:
                os.write(leader, keys)
                keys = b""
        return process.wait(timeout=max(1, end - time.monotonic())), written
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        os.close(leader)
