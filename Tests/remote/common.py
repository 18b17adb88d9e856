"""Helpers of the remote cache tests: the library in PREFIX, the first argument of the program, and small tools."""

from __future__ import annotations

import contextlib
import hashlib
import os
import pathlib
import sys
import threading
import time
from collections.abc import Callable, Iterator

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "bindings/python"), str(ROOT / "Tests/support"), str(ROOT / "Tests")]
PREFIX = pathlib.Path(sys.argv[1]).resolve()
os.environ["SDIMAGE_LIBRARY"] = str(PREFIX / "lib/libsdimage.so.1")
import sdimage  # noqa: E402
import servers  # noqa: E402

KINDS = {"redis": sdimage.RedisCache, "memcached": sdimage.MemcachedCache}
BUDGET = 50
#: For tests without timing, on a machine that does other work too.
PATIENT = {"budget_ms": 30_000, "store_timeout_ms": 60_000}
#: The same for leases, whose defaults are five seconds.
LEASES = {"lease_ms": 300_000, "lease_wait_ms": 300_000}
#: Milliseconds that a busy machine may add to a guaranteed time, by running other processes. Waiting for a server takes seconds.
NOISE = 500


def has(kind: str) -> bool:
    """True if the plug-in and its server are installed."""
    return (PREFIX / f"lib/libsdimage-{kind}.so.1").exists() and servers.is_installed(kind)


def server_name(key: str, kind: str = "h", namespace: str = "sdimage") -> str:
    """The name of an entry on a server, or with "l" that of its lease."""
    return f"{namespace}:{kind}:{hashlib.sha256(key.encode()).hexdigest()}"


def code(function: Callable[[], object]) -> str:
    try:
        function()
        return "OK"
    except sdimage.Error as error:
        return error.code


def becomes(condition: Callable[[], object], seconds: float = 120) -> bool:
    """Polls for changes without an event, such as those of another process; the limit only ends a hang."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True


@contextlib.contextmanager
def managed(cache: object, **options: object) -> Iterator[sdimage.Manager]:
    """A manager without a memory cache: each load queries the shared cache."""
    manager = sdimage.Manager(cache=cache, loader=sdimage.Loader.http(max_retries=0), **options)  # type: ignore[arg-type]
    try:
        yield manager
    finally:
        manager.close(60)


class Lateness:
    """The latency of the machine itself, in milliseconds: how much an idle thread oversleeps."""

    def __init__(self) -> None:
        self.worst = 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._over.is_set():
            started = time.monotonic()
            time.sleep(0.005)
            self.worst = max(self.worst, (time.monotonic() - started) * 1000 - 5)

    def stop(self) -> float:
        self._over.set()
        self._thread.join()
        return self.worst


def over(result: sdimage.Result) -> float:
    """Milliseconds of a load without its transfers."""
    return (result.time_ns() - sum(each.times_ns["total"] for each in result.transactions)) / 1e6
