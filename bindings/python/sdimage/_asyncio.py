"""Deliveries to an asyncio loop, by a descriptor that the loop watches."""

from __future__ import annotations

import asyncio
import weakref

from .events import EventQueue

_queues: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, EventQueue] = weakref.WeakKeyDictionary()


def queue() -> EventQueue:
    """That of the running loop; used on its thread only, and must not keep it alive."""
    loop = asyncio.get_running_loop()
    found = _queues.get(loop)
    if found is None:
        found = _queues[loop] = EventQueue()
        loop.add_reader(found.fileno(), found.drain)
    return found

