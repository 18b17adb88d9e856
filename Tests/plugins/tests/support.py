"""Helpers of the plug-in tests: the package with all plug-ins loaded, and decodes in a process of their own."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
from ctypes import POINTER, byref, c_int, c_size_t, c_uint64, c_void_p
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "bindings" / "python"), str(ROOT / "Tests")]

import sdimage
from origin import Origin
from sdimage import _bytes
from sdimage import _prototypes
from sdimage._ffi import lib

FIXTURES = ROOT / "Tests" / "fixtures"
PLUGINS = sdimage.load_plugins()
#: The time limit of decodes that end by themselves; the default is too short on a busy machine.
LONGEST_MS = 120_000
#: Permitted errors of truncated or damaged data.
DAMAGE = ("TRUNCATED", "BAD_DATA", "UNSUPPORTED", "TOO_LARGE", "NOT_AN_IMAGE", "EMPTY_DATA")


def needs(name: str) -> object:
    """Skips a class whose plug-in is not installed."""
    error = PLUGINS[name].error
    return unittest.skipIf(error is not None, f"no plug-in {name}: {error}")


class TestCase(unittest.TestCase):
    def pixel(self, image: sdimage.Image, x: int, y: int) -> tuple[int, ...]:
        """Samples of one pixel, 8 bits each."""
        pixels = image.convert("rgba8").tobytes()
        return tuple(pixels[4 * (y * image.width + x) :][:4])

    def assert_close(self, got: tuple[int, ...], wanted: tuple[int, ...], loss: int = 8) -> None:
        worst = max(abs(g - w) for g, w in zip(got, wanted))
        self.assertLessEqual(worst, loss, f"{got} where {wanted} was expected")

    def assert_error(self, codes: str | tuple[str, ...], data: bytes, **options: object) -> sdimage.Error:
        options.setdefault("max_work_ms", LONGEST_MS)
        with self.assertRaises(sdimage.Error) as caught:
            sdimage.decode(data, **options)  # type: ignore[arg-type]
        self.assertIn(caught.exception.code, (codes,) if isinstance(codes, str) else codes, str(caught.exception))
        return caught.exception

    def assert_survives(self, data: bytes, seconds: float = 10, **options: object) -> None:
        """Requires an image, or an error for damaged data, within a processor time."""
        started = time.process_time()
        options["max_work_ms"] = LONGEST_MS
        try:
            image = sdimage.decode(data, **options)  # type: ignore[arg-type]
            image.tobytes()
        except sdimage.Error as error:
            self.assertIn(error.code, DAMAGE, str(error))
        self.assertLess(time.process_time() - started, seconds)

    def assert_hardened(self, data: bytes, cuts: int = 30, flips: int = 60) -> None:
        """Tests the file cut at many lengths, and with single bytes changed."""
        for cut in range(1, len(data), max(1, len(data) // cuts)):
            with self.subTest(cut=cut):
                self.assert_survives(data[:cut])
        for number in range(flips):
            at = number * 2654435761 % len(data)
            with self.subTest(flipped=at):
                changed = bytearray(data)
                changed[at] ^= 1 << number % 8 if number % 3 else 0xFF
                self.assert_survives(bytes(changed), seconds=2)

    def assert_pieces_agree(self, data: bytes, pieces: int = 9, **options: object) -> None:
        """Requires the same image for every division into pieces."""
        whole = sdimage.decode(data, **options)  # type: ignore[arg-type]
        growing = sdimage.Animation(b"", **options)  # type: ignore[arg-type]
        step = len(data) // pieces + 1
        for at in range(0, len(data), step):
            growing.update(data[at : at + step], finished=at + step >= len(data))
        last = growing.image
        assert last is not None
        self.assertEqual((last.width, last.height, last.tobytes()), (whole.width, whole.height, whole.tobytes()))


READ = ctypes.CFUNCTYPE(c_int, c_void_p, c_uint64, c_void_p, c_size_t, POINTER(c_size_t), POINTER(c_void_p))


class SourceTable(ctypes.Structure):
    """``sdimage_source_vtable``."""

    _fields_ = (("size", c_size_t), ("read", READ))


def breaking(data: bytes, place: int) -> SourceTable:
    """A source that denies reads of bytes from an offset on."""
    denied = -71

    def read(_: object, offset: int, buffer: int, length: int, got: object, error: object) -> int:
        if offset >= place:
            error[0] = lib.sdimage_error_new(denied, b"not for you")  # type: ignore[index]
            return denied
        part = data[offset : min(offset + length, place)]
        ctypes.memmove(buffer, part, len(part))
        got[0] = len(part)  # type: ignore[index]
        return 0

    return SourceTable(ctypes.sizeof(SourceTable), READ(read))


def from_source(data: bytes, breaks_at: int | None = None, **options: object) -> sdimage.Image:
    """Decodes with reads on demand; reads from the offset `breaks_at` on fail."""
    from sdimage.options import decode_options

    source, decoder, image = c_void_p(), c_void_p(), c_void_p()
    if breaks_at is None:
        with _bytes.new_data(data) as block:
            sdimage.errors.call(lib.sdimage_source_new_data, block.pointer, byref(source))
    else:
        table = breaking(data, breaks_at)
        pointer = ctypes.cast(ctypes.pointer(table), POINTER(_prototypes.SourceTable))
        sdimage.errors.call(lib.sdimage_source_new_custom, len(data), pointer, None, _prototypes.DESTROY(), byref(source))
    try:
        wish = decode_options(options)  # type: ignore[arg-type]
        sdimage.errors.call(lib.sdimage_decoder_new_source, source, wish.pointer, None, byref(decoder))
        sdimage.errors.call(lib.sdimage_decoder_get_image, decoder, byref(image))
        return sdimage.Image.owned(image.value)
    finally:
        lib.sdimage_decoder_unref(decoder)
        lib.sdimage_source_unref(source)


def apart(code: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs code in a process of its own, with `sdimage` and its plug-ins loaded."""
    path = os.pathsep.join([str(ROOT / "bindings" / "python"), os.environ.get("PYTHONPATH", ""), str(ROOT / "Tests" / "support")])
    return subprocess.run(
        [sys.executable, "-c", "import sdimage\nplugins = sdimage.load_plugins()\n" + textwrap.dedent(code), *arguments],
        env={**os.environ, "PYTHONPATH": path, **environment}, capture_output=True, text=True, timeout=600)


def apart_in_little_memory(data: bytes, code: str) -> subprocess.CompletedProcess[str]:
    """Runs code with `data` in a process of its own, which may take 200 MiB more than it has."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        return apart("import memory, pathlib, sys\ndata = pathlib.Path(sys.argv[1]).read_bytes()\nmemory.allow(200 << 20)\n" + code,
                     file.name)


def is_vector(image: sdimage.Image) -> bool:
    return bool(lib.sdimage_image_is_vector(image.pointer))


def rendered(image: sdimage.Image, width: int, height: int) -> sdimage.Image:
    out = c_void_p()
    sdimage.errors.call(lib.sdimage_image_render, image.pointer, width, height, byref(out))
    return sdimage.Image.owned(out.value)
