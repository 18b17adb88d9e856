"""The fastest access to images in memory."""

from __future__ import annotations

import threading
from ctypes import byref, c_void_p

from ._bytes import URLLike, url_bytes
from ._ffi import lib
from ._handle import Handle
from .errors import call
from .request import RequestOptions, new_request
from .result import Result

#: Options that are Python objects, which a load holds.
_HELD = frozenset(("cache", "original_cache", "loader", "hooks", "load_hooks", "coder"))
#: The maximum number of stored requests.
_MOST = 1024


class KeptRequests:
    """Requests of one manager for images that are requested repeatedly."""

    def __init__(self) -> None:
        self._requests: dict[object, Handle] = {}
        # Reentrant, as all locks of the package: a signal handler or a finalizer may use the object while the lock is held.
        self._lock = threading.RLock()

    def find(self, manager: int, url: URLLike, options: RequestOptions) -> Result | None:
        """The result from memory, in one call of the library."""
        # Hooks would be called a second time by the load that follows.
        if options and not _HELD.isdisjoint(options):
            return None
        if not isinstance(url, (str, bytes)):
            url = url_bytes(url)  # a relative path means another file in another folder
        try:
            key = (url, *sorted(options.items())) if options else url
            hash(key)
        except TypeError:
            return None  # dictionaries among the options, which are not compared for this purpose
        with self._lock:
            request = self._requests.pop(key, None)
        request = request or new_request(url, options)
        out = c_void_p()
        call(lib.sdimage_manager_find, manager, request.pointer, byref(out))
        if not out.value:
            return None
        result = Result(out.value)
        # One thread at a time uses a request: it was taken out, and returns as the newest.
        with self._lock:
            self._requests[key] = request
            if len(self._requests) > _MOST:
                self._requests.pop(next(iter(self._requests), None), None)
        return result

    def clear(self) -> None:
        """Drops all requests."""
        with self._lock:
            self._requests.clear()
