"""Deliveries to an asyncio loop, by a descriptor that the loop watches."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

from ._listener import OnResult
from .events import EventQueue
from .result import Result

_queues: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, EventQueue] = weakref.WeakKeyDictionary()


def queue() -> EventQueue:
    """That of the running loop; used on its thread only, and must not keep it alive."""
    loop = asyncio.get_running_loop()
    found = _queues.get(loop)
    if found is None:
        found = _queues[loop] = EventQueue()
        loop.add_reader(found.fileno(), found.drain)
    return found


async def deliveries(start: Callable[[OnResult], Coroutine[Any, Any, Result]]) -> AsyncIterator[Result]:
    """What ``start(show)`` shows, the newest alone where several came, and then what it returns; leaving cancels it."""
    newest: Result | None = None
    something_came = asyncio.Event()

    def show(result: Result) -> None:
        nonlocal newest
        newest = result
        something_came.set()

    def end(load: asyncio.Future[Result]) -> None:
        something_came.set()
        if not load.cancelled():
            load.exception()  # looked at: who has left asks no more

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
