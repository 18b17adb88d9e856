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
    limit: float = 300,
    interrupted_if: Callable[[], bool] | None = None,
    environment: dict[str, str] | None = None,
) -> tuple[int, bytes]:
    """Runs a program on a terminal; returns the exit status and the complete output.

    `answer` is that of the terminal to a query, there before it: a program waits for it for a moment only. `keys` are
    sent after the program printed `keys_after`; SIGINT, once, if `interrupted_if` is true. `environment` is added to that of this process."""
    leader, follower = pty.openpty()
    modes = termios.tcgetattr(follower)
    modes[3] &= ~(termios.ICANON | termios.ECHO)
    termios.tcsetattr(follower, termios.TCSANOW, modes)
    os.write(leader, answer)
    fcntl.ioctl(leader, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, WIDTH, HEIGHT))
    process = subprocess.Popen(arguments, stdin=follower, stdout=follower, stderr=subprocess.DEVNULL, close_fds=True,
                               env={**os.environ, **(environment or {})})
    os.close(follower)
    written, end = b"", time.monotonic() + limit
    try:
        while time.monotonic() < end:
            if interrupted_if and interrupted_if():
                process.send_signal(signal.SIGINT)
                interrupted_if = None
            has_ended = process.poll() is not None
            if not select.select([leader], [], [], 0 if has_ended else 0.05)[0]:
                if has_ended:
                    break
                continue
            try:
                piece = os.read(leader, 1 << 16)
            except OSError:
                break
            if not piece:
                break
            written += piece
            if keys and keys_after in written:
                os.write(leader, keys)
                keys = b""
        return process.wait(timeout=max(1, end - time.monotonic())), written
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        os.close(leader)
