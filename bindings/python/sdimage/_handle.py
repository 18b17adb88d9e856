"""One class owns one pointer."""

from __future__ import annotations

import atexit
from collections.abc import Callable
from types import TracebackType
from typing import Any, ClassVar, Self

from .errors import Error


class Handle:
    """A reference to an object of the library, given back by :meth:`release` or when it is collected."""

    __slots__ = ("_pointer", "_unref")

    #: The interpreter is ending: what the library would call back is going.
    _is_over: ClassVar[bool] = False

    def __init__(self, pointer: int | None, unref: Callable[[int], Any]) -> None:
        """Takes over one reference; a null pointer is ``Error("NO_MEMORY")``."""
        self._pointer = pointer
        # Held here: when the interpreter ends, the names of modules may be gone before the last handle.
        self._unref = unref
        if not pointer:
            raise Error("NO_MEMORY", "the library refused an object")

    @property
    def pointer(self) -> int:
        """The address, for a call; ``Error("SHUTDOWN")`` after :meth:`release`."""
        if self._pointer is None:
            raise Error("SHUTDOWN", "the object is closed")
        return self._pointer

    def release(self) -> None:
        """Gives the reference back; again is harmless."""
        pointer, self._pointer = self._pointer, None
        if pointer and not self._is_over:
            self._unref(pointer)

    # Not weakref.finalize: a memory hit makes four handles, and finalizers were two fifths of its time.
    __del__ = release

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


class _Reference(int):
    """An address that gives its reference back when nobody has the number any more."""

    unref: Callable[[int], Any]

    def __del__(self) -> None:
        if not Handle._is_over:
            self.unref(int(self))


class Shared(Handle):
    """The handle of what may be closed while another thread is at work in it: a call has its arguments until it returns, and so
    the object."""

    __slots__ = ()

    def __init__(self, pointer: int | None, unref: Callable[[int], Any]) -> None:
        """Takes over one reference, as every handle."""
        reference = _Reference(pointer) if pointer else None
        if reference is not None:
            reference.unref = unref
        super().__init__(reference, unref)

    def release(self) -> None:
        """Lets go of the reference; again is harmless."""
        self._pointer = None

    __del__ = release


class Lent(Handle):
    """A pointer that lives as long as the object of another handle, which is held; :meth:`release` lets go of it."""

    __slots__ = ("_owner",)

    def __init__(self, pointer: int, owner: Handle) -> None:
        """Takes no reference."""
        self._pointer = pointer
        self._owner: Handle | None = owner

    def release(self) -> None:
        """Lets go of the owner; again is harmless."""
        self._pointer, self._owner = None, None

    __del__ = release


@atexit.register
def _end() -> None:
    """Runs after those of modules that were imported later: managers are closed by then."""
    Handle._is_over = True
