"""Decoding in worker processes."""

from __future__ import annotations

import json
from ctypes import byref, c_int, c_void_p
from typing import cast

from . import _bytes, _enums, _words
from ._check import flag
from ._ffi import lib
from .errors import call


def set_isolation(isolation: str, decode_in_process: bool | None = None) -> None:
    """Sets the coders that decode in worker processes: ``"none"``, the default; ``"risky"``, those of modules and plug-ins;
    or ``"all"``. `decode_in_process` sets the way out if no worker can be started: ``True`` decodes in this process,
    ``False``, the default, fails with UNSUPPORTED. Call it before :func:`sdimage.load_plugins`."""
    lib.sdimage_set_isolation(_words.number(_enums.ISOLATIONS, isolation, "isolation"))
    if decode_in_process is not None:
        lib.sdimage_set_isolation_fallback(flag(decode_in_process, "decode_in_process"))


def isolation() -> str:
    """The coders that decode in worker processes."""
    value = c_int()
    lib.sdimage_get_isolation(byref(value))
    return _words.word(_enums.ISOLATIONS, value.value)


def isolation_statistics() -> dict[str, int]:
    """Counts of worker processes: ``"running"``, ``"started"``, ``"crashes"``, ``"kills"``, ``"timeouts"``, ``"refused"``,
    ``"calls"``; and decodes that wait for one: ``"waiting"``."""
    out = c_void_p()
    call(lib.sdimage_isolation_statistics_to_json, byref(out))
    return cast("dict[str, int]", json.loads(_bytes.taken(out)))
