"""One class owns one pointer."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from .errors import Error


class Handle:
    """A reference to an object of the library, given back by :meth:`release` or when it is collected."""

    __slots__ = ("__weakref__", "_finalizer", "_pointer")

    def __init__(self, pointer: int | None, unref: Callable[[int], Any]) -> None:
        """Takes over one reference; a null pointer is ``Error("NO_MEMORY")``."""
        if not pointer:
            raise Error("NO_MEMORY", "the library refused an object")
        self._pointer: int | None = pointer
        self._finalizer = weakref.finalize(self, unref, pointer)
        # At exit the process gives everything back, and views of pixels may still be looked at.
        self._finalizer.atexit = False

    @property
    def pointer(self) -> int:
        """The address, for a call; ``Error("SHUTDOWN")`` after :meth:`release`."""
        if self._pointer is None:
            raise Error("SHUTDOWN", "the object is closed")
        return self._pointer

    def release(self) -> None:
        """Gives the reference back; again is harmless."""
        self._pointer = None
        self._finalizer()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
