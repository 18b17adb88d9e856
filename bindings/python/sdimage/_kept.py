"""The shortest way to pictures that are in memory."""

from __future__ import annotations

import threading
from ctypes import byref, c_void_p

from ._ffi import lib
from ._handle import Handle
from .errors import call
from .request import RequestOptions, new_request
from .result import Result

#: Options that are objects of Python, which a load holds.
_HELD = frozenset(("cache", "original_cache", "loader", "hooks", "load_hooks"))
#: Requests that are kept.
_MOST = 1024


class KeptRequests:
    """Requests of one manager for pictures that are asked for again and again."""

    def __init__(self) -> None:
        self._requests: dict[object, Handle] = {}
        self._lock = threading.Lock()

    def find(self, manager: int, url: str | bytes, options: RequestOptions) -> Result | None:
        """What memory has, in one call of the library."""
        # Hooks would be asked once more by the load that follows.
        if options and not _HELD.isdisjoint(options):
            return None
        try:
            key = (url, *sorted(options.items())) if options else url
            hash(key)
        except TypeError:
            return None  # dictionaries among the options: nobody compares them for this
        with self._lock:
            request = self._requests.pop(key, None)
        request = request or new_request(url, options)
        out = c_void_p()
        call(lib.sdimage_manager_find, manager, request.pointer, byref(out))
        if not out.value:
            return None
        result = Result(out.value)
        # One thread at a time has a request: it was taken out, and goes back as the newest.
        with self._lock:
            self._requests[key] = request
            if len(self._requests) > _MOST:
                del self._requests[next(iter(self._requests))]
        return result

    def clear(self) -> None:
        """Keeps none any more."""
        with self._lock:
            self._requests.clear()
