"""Deliveries to an asyncio loop, by a descriptor that the loop watches: no call enters Python from another thread."""

from __future__ import annotations

import asyncio
import itertools
import weakref
from collections.abc import Callable
from ctypes import byref, c_void_p
from dataclasses import dataclass

from . import _enums
from ._ffi import lib
from ._handle import Handle
from .errors import call
from .result import Result

OnProgress = Callable[[int, "int | None"], object]
OnResult = Callable[[Result], object]

_END = 1


@dataclass(slots=True)
class Waiter:
    """Who waits for a load."""

    future: asyncio.Future[Result]
    on_progress: OnProgress | None
    on_partial: OnResult | None


class Bridge:
    """The dispatcher of one loop. Used on the loop's thread only; must not keep the loop alive."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        out = c_void_p()
        call(lib.sdimage_dispatcher_new_pollable, byref(out))
        self.dispatcher = Handle(out.value, lib.sdimage_dispatcher_unref)
        self._tokens = itertools.count(1)
        self._waiters: dict[int, Waiter] = {}
        loop.add_reader(lib.sdimage_dispatcher_descriptor(self.dispatcher.pointer), self.drain)

    def add(self, waiter: Waiter) -> int:
        """The token to start the load with."""
        token = next(self._tokens)
        self._waiters[token] = waiter
        return token

    def forget(self, token: int) -> None:
        """Later deliveries of the load are dropped."""
        self._waiters.pop(token, None)

    def drain(self) -> None:
        """Hands out everything that is queued."""
        out = c_void_p()
        while call(lib.sdimage_dispatcher_next_event, self.dispatcher.pointer, byref(out)) != _END:
            with Handle(out.value, lib.sdimage_event_unref) as event:
                self._deliver(event.pointer)

    def _deliver(self, event: int) -> None:
        waiter = self._waiters.get(lib.sdimage_event_token(event) or 0)
        if waiter is None:
            return
        if lib.sdimage_event_kind(event) == _enums.EVENT_TYPES["progress"]:
            if waiter.on_progress is not None:
                expected = lib.sdimage_event_expected(event)
                waiter.on_progress(lib.sdimage_event_received(event), expected if expected >= 0 else None)
            return
        result = Result.borrowed(lib.sdimage_event_result(event))
        if result.kind != "final":
            if waiter.on_partial is not None:
                waiter.on_partial(result)
        elif not waiter.future.done():
            waiter.future.set_result(result)


_bridges: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, Bridge] = weakref.WeakKeyDictionary()


def bridge() -> Bridge:
    """The running loop's bridge."""
    loop = asyncio.get_running_loop()
    found = _bridges.get(loop)
    if found is None:
        found = _bridges[loop] = Bridge(loop)
    return found


def current_bridge() -> Bridge | None:
    """The bridge of the loop that runs on this thread, if there is one already."""
    try:
        return _bridges.get(asyncio.get_running_loop())
    except RuntimeError:
        return None
