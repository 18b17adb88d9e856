"""Loads with callbacks on threads of the library."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, sizeof
from dataclasses import dataclass
from typing import Any, TypeVar

from . import _failures
from ._enums import DELIVERY_KINDS
from ._ffi import lib
from ._listener import OnProgress, OnResult, tell_progress
from ._prototypes import LOAD_HANDLER_PROGRESS, LOAD_HANDLER_RESULT, LoadHandler
from ._tokens import Tokens
from .result import Result
from .task import Task

T = TypeVar("T")
_FINAL = DELIVERY_KINDS["final"]


@dataclass(slots=True)
class Running:
    """The objects that a load keeps alive until its last delivery, first of all its manager; and its callbacks."""

    held: tuple[object, ...]
    on_progress: OnProgress | None
    on_partial: OnResult | None
    on_result: OnResult | None
    url: str = ""


_running: Tokens[Running] = Tokens("load")


def begin(load: Running, start: Callable[[Any, int], T]) -> T:
    """Calls ``start(handler, token)``, which begins the load."""
    token = _running.add(load)
    try:
        return start(_TELLS_RESULTS if load.on_progress is None else _TELLS_ALL, token)
    except BaseException:
        _running.forget(token)
        raise


def _on_result(token: int | None, _task: int, pointer: int) -> None:
    is_final = lib.sdimage_result_kind(pointer) == _FINAL
    load = _running.forget(token) if is_final else _running.get(token)
    function = None if load is None else load.on_result if is_final else load.on_partial
    if function is None:
        return
    try:
        function(Result.borrowed(pointer))
    except BaseException as error:  # no exception may leave a callback
        _failures.report("on_result" if is_final else "on_partial", error)


def _on_progress(token: int | None, task: int, received: int, expected: int) -> None:
    load = _running.get(token)
    if load is None or load.on_progress is None:
        return
    try:
        held, url = load.held, load.url
        tell_progress(load.on_progress, received, expected, lambda: Task.borrowed(task, held, url))
    except BaseException as error:  # no exception may leave a callback
        _failures.report("on_progress", error)


_ALL = LoadHandler(sizeof(LoadHandler), LOAD_HANDLER_RESULT(_on_result), LOAD_HANDLER_PROGRESS(_on_progress))
# Each call waits for the interpreter's lock, so the progress callback is set only on request.
_RESULTS = LoadHandler(sizeof(LoadHandler), _ALL.result, LOAD_HANDLER_PROGRESS())
_TELLS_ALL, _TELLS_RESULTS = byref(_ALL), byref(_RESULTS)
