"""Diagnostics for bug reports."""

from __future__ import annotations

import json
from ctypes import byref, c_void_p
from typing import Any, cast

from . import _bytes
from ._check import flag
from ._ffi import lib, library_path
from ._handle import Handle
from .errors import call, text
from .options import U64, unsigned


def version() -> str:
    """The version of the library in use, ``"1.2.3"``."""
    return text(lib.sdimage_version())


def doctor() -> dict[str, Any]:
    """Version, formats that decode and encode, library versions, limits, cache path, and the library's own file."""
    out = c_void_p()
    call(lib.sdimage_diagnosis_new, byref(out))
    with Handle(out.value, lib.sdimage_diagnosis_unref) as diagnosis:
        out = c_void_p()
        call(lib.sdimage_diagnosis_to_json, diagnosis.pointer, byref(out))
    report = cast("dict[str, Any]", json.loads(_bytes.taken(out)))
    return {**report, "library_path": library_path}


def frame_memory(limit: int | None = None) -> dict[str, int]:
    """The bytes that all players hold together, and their limit; `limit` in bytes sets it."""
    if limit is not None:
        lib.sdimage_frame_budget_set_limit(unsigned(limit, "limit", U64))
    out = c_void_p()
    call(lib.sdimage_frame_budget_statistics_to_json, byref(out))
    return cast("dict[str, int]", json.loads(_bytes.taken(out)))


def metrics() -> str:
    """The metrics of the process in the Prometheus text format: the response body for ``GET /metrics``."""
    out = c_void_p()
    call(lib.sdimage_metrics, byref(out))
    return _bytes.taken(out).decode()


def trim_memory(empty_caches: bool = False) -> None:
    """Returns unused pixel memory to the system and, with `empty_caches`, empties the memory part of every open cache
    and the images of resources."""
    lib.sdimage_trim_memory(flag(empty_caches, "empty_caches"))


def watch_memory_pressure(watch: bool = True) -> None:
    """Empties caches automatically under memory pressure, from now on; starts no thread."""
    lib.sdimage_watch_memory_pressure(flag(watch, "watch"))
