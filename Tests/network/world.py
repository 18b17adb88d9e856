"""Set-up of every network test: a manager, its cache and its downloader, and checks of loads."""

from __future__ import annotations

import contextlib
import os
import pathlib
import sys
import tempfile
import time
from collections.abc import Callable, Iterator

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bindings/python"), str(ROOT / "Tests/support"), str(ROOT / "Tests")]
import report  # noqa: E402
import sdimage  # noqa: E402

#: Permitted errors of a load with damaged content.
DAMAGED = {"BAD_DATA", "TRUNCATED", "NOT_AN_IMAGE", "EMPTY_DATA"}
#: Errors of an invalid response.
UNREADABLE = {"INVALID_RESPONSE", "PROTOCOL_ERROR", "CONNECTION_LOST"}

#: True if the library is built with ThreadSanitizer (Tests/races/run), whose shadow memory counts.
IS_SANITIZED = "tsan" in os.environ.get("LD_PRELOAD", "")


def becomes(condition: Callable[[], object], seconds: float = 60) -> bool:
    """Polls for changes without an event; the limit only ends a hang."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True


class World:
    """A manager with a disk cache and a downloader of its own."""

    def __init__(self, **downloader: object) -> None:
        downloader.setdefault("max_retries", 0)
        self.loader = sdimage.Loader.http(**downloader)  # type: ignore[arg-type]
        self.holder = tempfile.TemporaryDirectory(prefix="sdimage-network-")
        self.cache = sdimage.ImageCache(self.holder.name)
        self.manager = sdimage.Manager(cache=self.cache, loader=self.loader)

    def close(self) -> None:
        self.manager.close(60)
        self.cache.close()
        self.holder.cleanup()

    def load(self, url: str, **options: object) -> sdimage.Result:
        return self.manager.load(url, retry_failed=True, **options)  # type: ignore[arg-type]

    def code(self, url: str, **options: object) -> str:
        """"OK", or the name of the error."""
        try:
            self.load(url, **options)
            return "OK"
        except sdimage.Error as error:
            return error.code

    def is_picture(self, url: str, data: bytes, **options: object) -> bool:
        """True if a load returns exactly this image."""
        try:
            result = self.load(url, **options)
        except sdimage.Error:
            return False
        return result.image is not None and result.image.tobytes() == pixels(data)

    def keeps(self, url: str) -> bool:
        self.cache.flush()
        return self.cache.contains(url) != "none"


@contextlib.contextmanager
def world(**downloader: object) -> Iterator[World]:
    made = World(**downloader)
    try:
        yield made
    finally:
        made.close()


def pixels(data: bytes) -> bytes:
    return sdimage.decode(data).tobytes()


def refused(where: World, name: str, url: str, codes: set[str], **options: object) -> bool:
    """One test: the load fails with one of the codes, and nothing is stored. A load that waits for more than that fails
    with another code."""
    code = where.code(url, **options)
    kept = where.keeps(url)
    return report.check(name, code in codes and not kept, f"{code}, kept {kept}; expected {', '.join(sorted(codes))}")


@contextlib.contextmanager
def part(name: str) -> Iterator[None]:
    """An exception in one part is a failure; the other parts still run."""
    try:
        yield
    except Exception as error:  # noqa: BLE001
        report.check(name, False, f"{type(error).__name__}: {error}")
