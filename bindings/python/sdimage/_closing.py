"""What is closed: by hand, at the end of a ``with``, and when the interpreter ends."""

from __future__ import annotations

import atexit
import os
import weakref
from collections.abc import Callable
from types import TracebackType
from typing import Self, TypeVar

from .errors import Error

T = TypeVar("T")


class Closing:
    """Closed at the end of a ``with``."""

    __slots__ = ()

    def close(self) -> None:
        """Gives up what it holds; again is harmless."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def closed_at_exit(close: Callable[[T], object]) -> weakref.WeakSet[T]:
    """A set whose members are closed when the interpreter ends, before those of sets that were made earlier: no callback may
    enter an interpreter that is ending."""
    members: weakref.WeakSet[T] = weakref.WeakSet()

    def close_all() -> None:
        for member in list(members):
            try:
                close(member)
            except Error:
                pass  # nobody is left to be told

    atexit.register(close_all)
    # What came over a fork has no threads that could call: waiting for them would keep the child from ending.
    os.register_at_fork(after_in_child=members.clear)
    return members
