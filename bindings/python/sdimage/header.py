"""Properties from the first bytes of a file, without decoding a pixel."""

from __future__ import annotations

import ctypes
import json
import os
import stat
from ctypes import byref, c_void_p
from typing import Any, cast

from . import _bytes
from ._bytes import Path, ReadableBuffer
from ._ffi import lib
from ._handle import Handle
from .errors import Error, call
from .image import format_name

_FILE_ERRORS: dict[type[OSError], str] = {
    FileNotFoundError: "NOT_FOUND",
    PermissionError: "PERMISSION_DENIED",
    IsADirectoryError: "NOT_A_FILE",
}


def contents(source: ReadableBuffer | Path, most: int = -1) -> ReadableBuffer:
    """The bytes; a path is read as a file, which must be a regular one: others may never end."""
    path = _bytes.as_path(source)
    if path is None:
        return cast(ReadableBuffer, source)
    try:
        with open(path, "rb", opener=_open) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise Error("NOT_A_FILE", "file: not a regular file")
            return file.read(most)
    except OSError as error:
        code = _FILE_ERRORS.get(type(error), "IO_ERROR")
        raise Error(code, error.strerror or "", system_error=error.errno or 0) from None


def _open(path: str, flags: int) -> int:
    """Opens a file without waiting for the writer of a FIFO."""
    return os.open(path, flags | os.O_NONBLOCK)


def sniff(data: ReadableBuffer | Path) -> str | None:
    """Detects the format by its signature alone: ``"jpeg"``, ``"png"`` …, or ``None``. Takes bytes or a path."""
    return format_name(lib.sdimage_sniff(*_bytes.contents_of(contents(data, 4096))))


def info(data: ReadableBuffer | Path) -> dict[str, Any]:
    """The properties in the header, without decoding a pixel. Takes bytes or a path.

    ``format``, ``width`` and ``height`` (as displayed), ``stored_width``, ``stored_height``, ``orientation``,
    ``frame_count``, ``loop_count``, ``duration_ms``, ``has_alpha``, ``bits_per_channel``, ``channel_count``,
    ``is_progressive``, ``has_color_profile``, ``is_hdr``, ``transfer_characteristics`` (ITU-T H.273;
    16 for PQ, 18 for HLG), ``has_gain_map``, ``content_headroom`` (in stops; that of a gain map, PQ or HLG),
    ``dpi_x`` and ``dpi_y`` (``None`` if unspecified), ``exif_bytes``, ``xmp_bytes``, ``color_profile_bytes``, and
    ``text``: comments, titles and similar entries by key.
    """
    with _read(data) as header:
        out = c_void_p()
        call(lib.sdimage_info_to_json, header.pointer, byref(out))
        return cast("dict[str, Any]", json.loads(_bytes.taken(out)))


def read_metadata(data: ReadableBuffer | Path, kind: str) -> bytes | None:
    """A metadata block of the file: ``"exif"`` (a TIFF structure), ``"xmp"`` (XML) or ``"icc"``; ``None`` when absent.
    """
    getter = _BLOCKS.get(kind)
    if getter is None:
        raise Error("INVALID_ARGUMENT", f"argument: kind is {kind!r}, expected one of {', '.join(_BLOCKS)}")
    with _read(data) as header:
        block = getter(header.pointer)
        return ctypes.string_at(lib.sdimage_data_bytes(block), lib.sdimage_data_length(block)) if block else None


_BLOCKS = {"exif": lib.sdimage_info_exif, "xmp": lib.sdimage_info_xmp, "icc": lib.sdimage_info_color_profile}


def _read(data: ReadableBuffer | Path) -> Handle:
    """The header information of an encoded image."""
    out = c_void_p()
    path = _bytes.as_path(data)
    if path is not None:
        call(lib.sdimage_info_new_file, path, None, byref(out))
    else:
        call(lib.sdimage_info_new, *_bytes.contents_of(cast(ReadableBuffer, data)), None, byref(out))
    return Handle(out.value, lib.sdimage_info_unref)
