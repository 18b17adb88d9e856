"""A load in progress."""

from __future__ import annotations

import math
import time
import weakref
from collections.abc import Mapping
from ctypes import byref, c_int64, c_void_p
from types import MappingProxyType
from typing import Any, cast

from . import _enums, _failures, _words
from ._bytes import URLLike, url_bytes
from ._check import deadline
from ._ffi import lib
from ._handle import Handle
from .errors import Error, call
from .result import Response, Result

#: Options that are objects of the program.
_HELD = frozenset(("cache", "original_cache", "loader", "hooks", "load_hooks", "coder"))
#: A blocking call returns to the interpreter this often, in milliseconds, so that Ctrl-C works.
_SLICE_MS = 200


class Task:
    """A load started by :meth:`Manager.start`. Dropping it does not cancel the load."""

    __slots__ = ("__weakref__", "_handle", "_manager", "_options", "_started", "_url")

    def __init__(
        self,
        pointer: int | None,
        manager: object,
        url: str = "",
        started: float = math.inf,
        options: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        """For internal use. `manager` is what the load needs; `started` is a time before its start."""
        self._handle = Handle(pointer, lib.sdimage_task_unref)
        self._manager = manager
        self._url = url
        self._started = started
        # A task that outlives its load must not hold the objects that the load held.
        self._options = {
            name: weakref.ref(value) if name in _HELD and value is not None else value for name, value in options.items()
        }

    @classmethod
    def borrowed(cls, pointer: int, manager: object, url: str) -> Task:
        """Takes a reference of its own."""
        return cls(lib.sdimage_task_ref(pointer), manager, url)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Task) and self._handle.pointer == other._handle.pointer

    def __hash__(self) -> int:
        return hash(self._handle.pointer)

    @property
    def url(self) -> str:
        """The requested URL."""
        return self._url

    @property
    def done(self) -> bool:
        """True if the final result is available."""
        return cast(bool, lib.sdimage_task_is_finished(self._handle.pointer))

    @property
    def options(self) -> Mapping[str, Any]:
        """The options with which the load was started; empty for a task that a callback or a target returned. Hooks,
        caches, loaders and coders are ``None`` once they are no longer used."""
        found = {name: value() if isinstance(value, weakref.ref) else value for name, value in self._options.items()}
        return MappingProxyType(found)

    @property
    def is_cancelled(self) -> bool:
        """True if the load has ended with ``CANCELLED``: by :meth:`cancel`, by its manager or by its target."""
        result = self._final()
        error = None if result is None or result.image is not None else result.error
        return error is not None and error.code == "CANCELLED"

    @property
    def progress(self) -> tuple[int, int | None]:
        """Bytes received, and bytes expected if known."""
        received, expected = c_int64(), c_int64()
        lib.sdimage_task_progress(self._handle.pointer, byref(received), byref(expected))
        return max(0, received.value), expected.value if expected.value >= 0 else None

    @property
    def priority(self) -> str:
        """``"low"``, ``"normal"`` or ``"high"``: that of the load, until it is changed. A change takes effect while the
        load is queued, for its transfer or for its decode; for example when its image scrolls into view."""
        return _words.word(_enums.PRIORITIES, lib.sdimage_task_priority(self._handle.pointer))

    @priority.setter
    def priority(self, priority: str) -> None:
        number = _words.number(_enums.PRIORITIES, priority, "priority")
        lib.sdimage_task_set_priority(self._handle.pointer, number)

    @property
    def response(self) -> Response | None:
        """The latest response of a server, while the body arrives and afterwards; ``None`` before there is one."""
        out = c_void_p()
        lib.sdimage_task_get_response(self._handle.pointer, byref(out))
        return Response(out.value) if out.value else None

    def cancel(self) -> None:
        """Requests the end of the load with ``CANCELLED``; a result that was already on its way may still arrive."""
        lib.sdimage_task_cancel(self._handle.pointer)

    def result(self) -> Result | None:
        """The final result, successful or not; ``None`` while there is none. Raises the exception of a hook that was
        called for the load."""
        result = self._final()
        return None if result is None else self.judge(result)

    def _final(self) -> Result | None:
        out = c_void_p()
        lib.sdimage_task_get_result(self._handle.pointer, byref(out))
        return Result(out.value) if out.value else None

    def judge(self, result: Result) -> Result:
        """Raises the exception of a hook that was called for the load, unless the load has failed anyway."""
        if _failures.are_known() and (result.image is not None or result.error is None):
            error = self._raised(result)
            if error is not None:
                raise error
        return result

    def checked(self, result: Result) -> Result:
        """Returns the result, or raises its error, with the exception of a hook as its cause, or that exception."""
        self.judge(result)
        error = result.error if result.image is None else None
        if error is None:
            return result
        raised = self._raised(result) if _failures.are_known() and error.__cause__ is None else None
        if raised is None:
            raise error
        raise error from (raised.__cause__ or raised)

    def _raised(self, result: Result) -> BaseException | None:
        return _failures.of_load((self._url, result.url, result.cache_key), self._started)

    def wait(self, timeout: float | None = None) -> Result:
        """Waits for the final result and returns it, or raises its error, or the exception of a hook that was called for
        the load.

        `timeout` is in seconds; raises ``Error("TIMEOUT")`` when it expires. Callbacks may still be running or pending.
        """
        if not self.done:
            wait_in_slices(lib.sdimage_task_wait, self._handle.pointer, timeout)
        result = self._final()
        if result is None:
            raise Error("INTERNAL_ERROR", "task: finished without a result")
        return self.checked(result)


def wait_or_cancel(task: Task) -> Result:
    """Waits for a load, and cancels it on Ctrl-C."""
    try:
        return task.wait()
    except BaseException:
        task.cancel()
        raise


def wait_in_slices(function: Any, pointer: int, timeout: float | None) -> None:
    """Calls a function that waits for a number of milliseconds, until it succeeds or `timeout` seconds have passed."""
    end = deadline(timeout)
    while True:
        left = int(min(_SLICE_MS, max(0, (end - time.monotonic()) * 1000 + 1)))
        try:
            call(function, pointer, left)
            return
        except Error as error:
            if error.code != "TIMEOUT" or time.monotonic() >= end:
                raise


def readable(url: URLLike) -> str:
    """A URL as text."""
    return url if isinstance(url, str) else url_bytes(url).decode("utf-8", "surrogateescape")
