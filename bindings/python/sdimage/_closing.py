"""Objects that are closed explicitly, at the end of a ``with``, and at interpreter exit."""

from __future__ import annotations

import atexit
import os
import weakref
from collections.abc import Callable
from types import TracebackType
from typing import NoReturn, Self, TypeVar

from . import _failures
from .errors import Error

T = TypeVar("T")


class Closing:
    """Closed at the end of a ``with``."""

    __slots__ = ()

    def close(self) -> None:
        """Releases its resources; repeated calls are harmless."""
        raise NotImplementedError

    def __reduce__(self) -> NoReturn:
        """Refuses pickle and copy: the object has threads, callbacks or files of this process."""
        raise TypeError(f"{type(self).__name__} cannot be pickled or copied: create one in each process")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def closed_at_exit(close: Callable[[T], object]) -> weakref.WeakSet[T]:
    """A set whose members are closed at interpreter exit, before those of sets created earlier. No callback may enter
    an interpreter that is ending."""
    members: weakref.WeakSet[T] = weakref.WeakSet()

    def close_all() -> None:
        for member in list(members):
            try:
                close(member)
            except Error:
                pass  # no caller is left to receive the error
            except BaseException as error:  # a callback raised; the others are closed all the same
                _failures.report("close", error)

    atexit.register(close_all)
    # Members inherited over a fork have no threads that could call back: waiting for them would block the child's exit.
    os.register_at_fork(after_in_child=members.clear)
    return members
