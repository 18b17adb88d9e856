"""Ownership: one class owns one pointer."""

from __future__ import annotations

import atexit
from collections.abc import Callable
from types import TracebackType
from typing import Any, ClassVar, NoReturn, Self

from .errors import Error


class Handle:
    """A reference to an object of the library, released by :meth:`release` or when the handle is collected."""

    __slots__ = ("_pointer", "_unref")

    #: True while the interpreter is ending, when the targets of callbacks disappear.
    _is_over: ClassVar[bool] = False

    def __init__(self, pointer: int | None, unref: Callable[[int], Any]) -> None:
        """Takes over one reference; a null pointer is ``Error("NO_MEMORY")``."""
        self._pointer = pointer
        # Stored here: at interpreter exit the names of modules may disappear before the last handle.
        self._unref = unref
        if not pointer:
            raise Error("NO_MEMORY", "library: no memory for an object")

    @property
    def pointer(self) -> int:
        """The address, for a call; ``Error("SHUTDOWN")`` after :meth:`release`."""
        if self._pointer is None:
            raise Error("SHUTDOWN", "object: closed")
        return self._pointer

    def release(self) -> None:
        """Releases the reference; repeated calls are harmless."""
        pointer, self._pointer = self._pointer, None
        if pointer and not self._is_over:
            self._unref(pointer)

    # weakref.finalize is too slow: a memory hit creates four handles, and finalizers took two fifths of its time.
    __del__ = release

    def __reduce__(self) -> NoReturn:
        """Refuses pickle and deep copies of the objects that own handles: a copy would release the same reference."""
        raise TypeError("an object of the library cannot be pickled or copied")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


class _Reference(int):
    """An address that releases its reference when the number is no longer referenced."""

    unref: Callable[[int], Any]

    def __del__(self) -> None:
        if not Handle._is_over:
            self.unref(int(self))


class Shared(Handle):
    """The handle of an object that may be closed while another thread uses it. A call holds its arguments until it
    returns, and thereby the object."""

    __slots__ = ()

    def __init__(self, pointer: int | None, unref: Callable[[int], Any]) -> None:
        """Takes over one reference."""
        reference = _Reference(pointer) if pointer else None
        if reference is not None:
            reference.unref = unref
        super().__init__(reference, unref)

    def release(self) -> None:
        """Releases the reference; repeated calls are harmless."""
        self._pointer = None

    __del__ = release


class Lent(Handle):
    """A pointer that is valid as long as the object of another handle, which it holds; :meth:`release` releases that
    handle."""

    __slots__ = ("_owner",)

    def __init__(self, pointer: int, owner: Handle) -> None:
        """Takes no reference."""
        self._pointer = pointer
        self._owner: Handle | None = owner

    def release(self) -> None:
        """Releases the owner; repeated calls are harmless."""
        self._pointer, self._owner = None, None

    __del__ = release


@atexit.register
def _end() -> None:
    """Runs after the exit functions of modules that were imported later: managers are closed by then."""
    Handle._is_over = True
