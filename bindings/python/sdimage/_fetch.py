"""Fetches by a loader alone: bytes without cache and decoding."""

from __future__ import annotations

import time
from ctypes import byref, c_void_p
from typing import TYPE_CHECKING, Any

from . import _callbacks
from ._bytes import URLLike
from ._check import optional_function
from ._ffi import lib
from ._listener import OnProgress, OnResult
from ._prototypes import DESTROY
from .errors import call
from .request import RequestOptions, hold, new_request
from .task import Task, readable

if TYPE_CHECKING:
    from .loader import Loader

_NO_DESTROY = DESTROY()


def start(
    loader: Loader, url: URLLike, on_progress: OnProgress | None, on_result: OnResult | None, options: RequestOptions
) -> Task:
    """Starts a fetch."""
    optional_function(on_progress, "on_progress")
    optional_function(on_result, "on_result")
    started = time.monotonic()
    with new_request(url, options) as request:
        plain = readable(url)
        load = _callbacks.Running((loader, hold(request, options)), on_progress, None, on_result, plain)

        def begin(handler: Any, token: int) -> Task:
            out = c_void_p()
            call(lib.sdimage_loader_load, loader.pointer, request.pointer, handler, token, _NO_DESTROY, byref(out))
            return Task(out.value, loader, plain, started, options)

        return _callbacks.begin(load, begin)
