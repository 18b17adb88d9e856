"""Shared helpers of the tests."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
from collections.abc import Callable, Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
ROOT = PACKAGE.parents[1]
sys.path.insert(0, str(PACKAGE))
sys.path.append(str(ROOT / "Tests"))

import origin.jpeg
import sdimage
from origin import Origin

from . import png_files

PICTURES = ROOT / "Tests" / "fixtures" / "pictures"
HEADERS = ROOT / "include" / "sdimage"


def png(width: int = 8, height: int = 6, color: tuple[int, ...] = (200, 100, 50)) -> bytes:
    """A PNG of one color."""
    return png_files.encode(width, height, len(color), [bytes(color) * width] * height)


def jpeg(width: int = 64, height: int = 48) -> bytes:
    """A JPEG with some colors."""
    return origin.jpeg.jpeg(width, height)


def environment(**more: str) -> dict[str, str]:
    """For child processes: this package, the library in use, and the helpers of all tests."""
    path = os.pathsep.join([str(PACKAGE), *filter(None, [os.environ.get("PYTHONPATH")]), str(ROOT / "Tests" / "support")])
    return {**os.environ, "PYTHONPATH": path, **more}


def becomes(condition: Callable[[], object], seconds: float = 120) -> bool:
    """Polls for changes without an event; the limit only ends a hang."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True


def run_python(code: str, *arguments: str, timeout: float = 600) -> subprocess.CompletedProcess[str]:
    """Runs code in a separate process; anything except a clean exit is a failure."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *arguments],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=timeout,
    )
    if done.returncode != 0:
        raise AssertionError(f"status {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done


def in_quarters(data: bytes, is_told: Callable[[int], object]) -> Callable[[sdimage.LoadRequest], Iterator[bytes]]:
    """A loader of four pieces: the next follows when the program has been told of all before it."""

    def load(request: sdimage.LoadRequest) -> Iterator[bytes]:
        request.expect(len(data))
        quarter = len(data) // 4 + 1
        for start in range(0, len(data), quarter):
            if start > 0:
                becomes(lambda: is_told(start))
            yield data[start : start + quarter]

    return load


class TestCase(unittest.TestCase):
    """A test with a temporary folder, an origin and a manager, each created on first use."""

    def folder(self) -> str:
        """A new temporary folder."""
        holder = tempfile.TemporaryDirectory(prefix="sdimage-test-")
        self.addCleanup(holder.cleanup)
        return holder.name

    def cache(self, **config: object) -> sdimage.ImageCache:
        """A cache in a separate folder."""
        cache = sdimage.ImageCache(self.folder(), **config)  # type: ignore[arg-type]
        self.addCleanup(cache.close)
        return cache

    def manager(self, **config: object) -> sdimage.Manager:
        """A manager with a cache in a separate folder."""
        config.setdefault("cache", self.cache())
        manager = sdimage.Manager(**config)  # type: ignore[arg-type]
        self.addCleanup(manager.close, 120)
        return manager

    def origin(self) -> Origin:
        """A running origin."""
        origin = Origin().start()
        self.addCleanup(origin.stop)
        return origin

    def assert_error(
        self, code: str | tuple[str, ...], function: object, *arguments: object, **options: object
    ) -> sdimage.Error:
        """Expects an error and returns it."""
        with self.assertRaises(sdimage.Error) as caught:
            function(*arguments, **options)  # type: ignore[operator]
        self.assertIn(caught.exception.code, (code,) if isinstance(code, str) else code)
        return caught.exception
