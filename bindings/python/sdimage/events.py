"""Deliveries through a descriptor, for event loops that wait for descriptors: trio, anyio, GLib, a plain poll."""

from __future__ import annotations

import threading
from ctypes import byref, c_void_p
from dataclasses import dataclass
from typing import cast

from . import _enums
from ._check import kind
from ._closing import Closing
from ._ffi import lib
from ._handle import Handle, Shared
from ._listener import OnProgress, OnResult, tell_progress
from ._tokens import Tokens
from .errors import call
from .result import Result
from .task import Task

_END = 1


@dataclass(slots=True)
class Listener:
    """The callbacks of a load, and the objects that must live until it has ended."""

    on_progress: OnProgress | None
    on_partial: OnResult | None
    on_result: OnResult | None
    held: object = None
    url: str = ""


@kind("events")
class EventQueue(Closing):
    """A queue of deliveries, which the thread that created it drains.

    Pass it to :meth:`Manager.start` as ``events``. When :meth:`fileno` is readable, call :meth:`drain`, which runs the
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
        self._listeners: Tokens[Listener] = Tokens("load")
        self._is_open = True

    def fileno(self) -> int:
        """The descriptor: readable while deliveries are queued. The queue keeps ownership."""
        return cast(int, lib.sdimage_dispatcher_descriptor(self.dispatcher.pointer))

    def drain(self) -> int:
        """Runs the callbacks of all queued deliveries without waiting; returns the number of deliveries."""
        count = 0
        out = c_void_p()
        # A callback may close the queue.
        while self._is_open and call(lib.sdimage_dispatcher_next_event, self.dispatcher.pointer, byref(out)) != _END:
            count += 1
            with Handle(out.value, lib.sdimage_event_unref) as event:
                self._deliver(event.pointer)
        return count

    def add(self, listener: Listener) -> int:
        """Adds a listener and returns the token for the start of a load."""
        return self._listeners.add(listener)

    def forget(self, token: int) -> None:
        """Drops later deliveries of the load."""
        self._listeners.forget(token)

    def close(self) -> None:
        """Drops queued deliveries; loads continue without callbacks. Repeated calls are harmless."""
        self._is_open = False
        self._listeners.clear()
        self.dispatcher.release()

    def _deliver(self, event: int) -> None:
        token = lib.sdimage_event_token(event)
        listener = self._listeners.get(token)
        if listener is None:
            return
        if lib.sdimage_event_callback_kind(event) == _enums.CALLBACK_KINDS["progress"]:
            if listener.on_progress is not None:
                expected = lib.sdimage_event_expected(event)
                tell_progress(
                    listener.on_progress,
                    lib.sdimage_event_received(event),
                    expected,
                    lambda: Task.borrowed(lib.sdimage_event_task(event), listener.held, listener.url),
                )
            return
        result = Result.borrowed(lib.sdimage_event_result(event))
        if result.kind != "final":
            if listener.on_partial is not None:
                listener.on_partial(result)
            return
        self.forget(token)
        if listener.on_result is not None:
            listener.on_result(result)
