"""Conversion of bytes from and to C."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from ctypes import byref, c_void_p
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from ._check import text_bytes, wrong
from ._ffi import lib
from ._handle import Handle
from .errors import Error, call

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer as ReadableBuffer
else:
    ReadableBuffer = object

#: A file path.
Path: TypeAlias = "str | os.PathLike[str] | os.PathLike[bytes]"
#: A URL, or the path of a file, whose file: URL it means.
URLLike: TypeAlias = "str | bytes | os.PathLike[str] | os.PathLike[bytes]"


def borrowed(data: ReadableBuffer, name: str = "data", expected: str = "bytes") -> tuple[Any, int]:
    """``(argument for const void *, length)``: no copy for ``bytes`` and for writable contiguous buffers. `name` is that
    of the argument, and `expected` what it may be."""
    if isinstance(data, bytes):
        return data, len(data)
    try:
        view = memoryview(data)
    except TypeError:
        raise wrong(name, expected, data) from None
    if view.readonly or not view.c_contiguous:
        copy = view.tobytes()
        return copy, len(copy)
    return (ctypes.c_char * view.nbytes).from_buffer(cast(Any, view)), view.nbytes


def key_bytes(key: str | bytes) -> bytes:
    """A cache key; text is encoded as UTF-8."""
    return text_bytes(key, "key")


def url_bytes(url: URLLike, name: str = "url") -> bytes:
    """A URL; for a path, the one that the library makes of it. `name` is that of the argument."""
    if isinstance(url, (str, bytes)) or not isinstance(url, os.PathLike):
        return text_bytes(url, name, "str, bytes or a path")
    with Handle(lib.sdimage_request_new_file(c_path(url)), lib.sdimage_request_unref) as request:
        return cast(bytes, lib.sdimage_request_url(request.pointer, None))


def new_data(data: ReadableBuffer, name: str = "data") -> Handle:
    """An ``sdimage_data`` with a copy of the bytes."""
    bytes_, length = borrowed(data, name)
    out = c_void_p()
    call(lib.sdimage_data_new, bytes_, length, byref(out))
    return Handle(out.value, lib.sdimage_data_unref)


def optional_data(data: ReadableBuffer | None, name: str = "data") -> AbstractContextManager[int | None]:
    """The address of an ``sdimage_data`` within a ``with`` block; ``None`` for ``None``."""
    return nullcontext(None) if data is None else _pointer_of(new_data(data, name))


@contextmanager
def _pointer_of(handle: Handle) -> Iterator[int | None]:
    with handle:
        yield handle.pointer


def copied(pointer: int) -> bytes:
    """The bytes of a borrowed ``sdimage_data``."""
    length = lib.sdimage_data_length(pointer)
    return ctypes.string_at(lib.sdimage_data_bytes(pointer), length) if length else b""


def taken(out: c_void_p) -> bytes:
    """The bytes of an ``sdimage_data``, whose reference is released."""
    with Handle(out.value, lib.sdimage_data_unref) as data:
        return copied(data.pointer)


def plain(text: bytes) -> bytes:
    """Text for C. A NUL inside would truncate it and is refused."""
    if 0 in text:
        raise Error("INVALID_ARGUMENT", f"argument: text contains a NUL ({text!r})")
    return text


def c_text(text: str, name: str = "text") -> bytes:
    """The same, encoded as UTF-8. `name` is that of the argument."""
    if not isinstance(text, str):
        raise wrong(name, "str", text)
    return plain(text.encode())


def c_path(path: Path | bytes) -> bytes:
    """A path in the encoding of the file system."""
    return plain(os.fsencode(path))


def contents_of(source: ReadableBuffer) -> tuple[Any, int]:
    """Like :func:`borrowed`, for an argument that may also be a path, and is none."""
    return borrowed(source, expected="bytes or a path")


def as_path(source: object) -> bytes | None:
    """The bytes of the path when `source` is a path; ``None`` when it holds data."""
    return c_path(cast(Path, source)) if isinstance(source, (str, os.PathLike)) else None
