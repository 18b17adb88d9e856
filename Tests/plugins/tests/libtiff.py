"""Writes TIFF with libtiff itself, for the compressions that the tests do not implement."""

from __future__ import annotations

import ctypes
import ctypes.util
import tempfile
import unittest
from pathlib import Path

WIDTH, LENGTH, BITS, COMPRESSION, PHOTOMETRIC, SAMPLES, ROWS, PLANAR = 256, 257, 258, 259, 262, 277, 278, 284
SAMPLE_FORMAT = 339


def library() -> ctypes.CDLL:
    name = ctypes.util.find_library("tiff")
    if not name:
        raise unittest.SkipTest("libtiff cannot be found")
    lib = ctypes.CDLL(name)
    lib.TIFFOpen.restype = ctypes.c_void_p
    lib.TIFFOpen.argtypes = ctypes.c_char_p, ctypes.c_char_p
    lib.TIFFWriteEncodedStrip.restype = ctypes.c_ssize_t
    lib.TIFFWriteEncodedStrip.argtypes = ctypes.c_void_p, ctypes.c_uint32, ctypes.c_char_p, ctypes.c_ssize_t
    lib.TIFFClose.argtypes = (ctypes.c_void_p,)
    lib.TIFFSetWarningHandler(None)
    return lib


def write(raw: bytes, width: int, height: int, compression: int, *, samples: int = 3, bits: int = 8, photometric: int = 2,
          is_float: bool = False, rows: int = 16, tags: dict[int, int] | None = None) -> bytes:
    """An image of these samples, pixel by pixel, in strips of `rows` rows. Skips the test if libtiff lacks the
    compression."""
    lib = library()
    if not lib.TIFFIsCODECConfigured(compression):
        raise unittest.SkipTest(f"libtiff was built without compression {compression}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "written.tif")
        file = ctypes.c_void_p(lib.TIFFOpen(bytes(path), b"w"))
        wanted = {WIDTH: width, LENGTH: height, BITS: bits, COMPRESSION: compression, PHOTOMETRIC: photometric, SAMPLES: samples,
                  ROWS: rows, PLANAR: 1, SAMPLE_FORMAT: 3 if is_float else 1}
        for tag, value in (wanted | (tags or {})).items():
            assert lib.TIFFSetField(file, ctypes.c_uint32(tag), ctypes.c_int(value)) == 1, tag
        line = len(raw) // height
        for strip, first in enumerate(range(0, height, rows)):
            part = raw[first * line : (first + rows) * line]
            assert lib.TIFFWriteEncodedStrip(file, strip, part, len(part)) >= 0, compression
        lib.TIFFClose(file)
        return path.read_bytes()
