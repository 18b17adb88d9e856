"""Deliveries by a descriptor, for whatever waits for descriptors: trio, anyio, GLib, a plain poll."""

from __future__ import annotations

import threading
from ctypes import byref, c_void_p
from dataclasses import dataclass
from typing import cast

from . import _enums
from ._closing import Closing
from ._ffi import lib
from ._handle import Handle, Shared
from ._listener import OnProgress, OnResult
from ._tokens import Tokens
from .errors import call
from .result import Result

_END = 1


@dataclass(slots=True)
class Listener:
    """Who hears of a load, and what must live until it has ended."""

    on_progress: OnProgress | None
    on_partial: OnResult | None
    on_result: OnResult | None
    held: object = None


class EventQueue(Closing):
    """Where deliveries wait until the thread that made the queue takes them.

    Give it to :meth:`Manager.start` as ``events``; when :meth:`fileno` is readable, call :meth:`drain`, which calls the
    callbacks of those loads on the calling thread. No call enters Python from another thread.

    >>> with sdimage.EventQueue() as events:
    ...     manager.start(url, on_result=show, events=events)
    ...     while waiting:
    ...         await trio.lowlevel.wait_readable(events)
    ...         events.drain()
    """

    def __init__(self) -> None:
        out = c_void_p()
        call(lib.sdimage_dispatcher_new_pollable, byref(out))
        self.dispatcher = Shared(out.value, lib.sdimage_dispatcher_unref)
        self.thread = threading.get_ident()
        self._listeners: Tokens[Listener] = Tokens("the load is gone")
        self._is_open = True

    def fileno(self) -> int:
        """The descriptor: readable while something waits to be taken. It stays the queue's own."""
        return cast(int, lib.sdimage_dispatcher_descriptor(self.dispatcher.pointer))

    def drain(self) -> int:
        """Calls back for everything that waits, without waiting itself; how many deliveries that were."""
        count = 0
        out = c_void_p()
        # A callback may be the one that closes the queue.
        while self._is_open and call(lib.sdimage_dispatcher_next_event, self.dispatcher.pointer, byref(out)) != _END:
            count += 1
            with Handle(out.value, lib.sdimage_event_unref) as event:
                self._deliver(event.pointer)
        return count

    def add(self, listener: Listener) -> int:
        """The token to start a load with."""
        return self._listeners.add(listener)

    def forget(self, token: int) -> None:
        """Later deliveries of the load are dropped."""
        self._listeners.forget(token)

    def close(self) -> None:
        """Drops what was not taken; loads go on unheard. Again is harmless."""
        self._is_open = False
        self._listeners.clear()
        self.dispatcher.release()

    def _deliver(self, event: int) -> None:
        token = lib.sdimage_event_token(event)
        listener = self._listeners.get(token)
        if listener is None:
            return
        if lib.sdimage_event_kind(event) == _enums.EVENT_TYPES["progress"]:
            if listener.on_progress is not None:
                expected = lib.sdimage_event_expected(event)
                listener.on_progress(lib.sdimage_event_received(event), expected if expected >= 0 else None)
            return
        result = Result.borrowed(lib.sdimage_event_result(event))
        if result.kind != "final":
            if listener.on_partial is not None:
                listener.on_partial(result)
            return
        self.forget(token)
        if listener.on_result is not None:
            listener.on_result(result)
