"""Deliveries to an asyncio loop through a descriptor that the loop watches."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

from ._listener import OnResult
from .events import EventQueue
from .result import Result


class _LoopQueue(EventQueue):
    """The queue of a loop. Closing a manager drains it, too; nothing is delivered to a closed loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__()
        self._loop = weakref.ref(loop)

    def drain(self) -> int:
        loop = self._loop()
        if loop is None or loop.is_closed():
            self.close()
        return super().drain()


_queues: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, EventQueue] = weakref.WeakKeyDictionary()


def queue() -> EventQueue:
    """The queue of the running loop. It is used on the loop's thread only, and must not keep the loop alive."""
    loop = asyncio.get_running_loop()
    found = _queues.get(loop)
    if found is None:
        found = _queues[loop] = _LoopQueue(loop)
        loop.add_reader(found.fileno(), found.drain)
    return found


async def deliveries(start: Callable[[OnResult], Coroutine[Any, Any, Result]]) -> AsyncIterator[Result]:
    """Yields the results passed to ``show``, only the newest of several, and then the return value of ``start(show)``.
    Leaving the iteration cancels the load."""
    newest: Result | None = None
    something_came = asyncio.Event()

    def show(result: Result) -> None:
        nonlocal newest
        newest = result
        something_came.set()

    def end(load: asyncio.Future[Result]) -> None:
        something_came.set()
        if not load.cancelled():
            load.exception()  # marks the exception as retrieved, for callers that left

    load = asyncio.ensure_future(start(show))
    load.add_done_callback(end)
    try:
        while not load.done():
            await something_came.wait()
            something_came.clear()
            part, newest = newest, None
            if part is not None and not load.done():
                yield part
        yield load.result()
    finally:
        load.cancel()
