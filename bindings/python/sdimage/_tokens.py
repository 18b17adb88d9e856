"""Python objects that the library references by number."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import MutableMapping
from typing import Any, Generic, TypeVar

from ._handle import Handle
from .errors import Error

T = TypeVar("T")


class Tokens(Generic[T]):
    """Objects, and the numbers that the library holds in their place. The table holds them until :meth:`forget`.

    A call after the removal of an object finds nothing.
    """

    __slots__ = ("_numbers", "_objects", "_what")

    def __init__(self, what: str) -> None:
        """`what` begins the message of :meth:`find`."""
        self._what = what
        self._objects: MutableMapping[int, T] = {}
        self._numbers = itertools.count(1)

    def add(self, value: T) -> int:
        """Adds an object and returns its number."""
        token = next(self._numbers)
        self._objects[token] = value
        return token

    def get(self, token: int | None) -> T | None:
        """The object of a number; ``None`` after its removal."""
        return self._objects.get(token or 0)

    def find(self, token: int | None) -> T:
        """The same, or ``Error("SHUTDOWN")``."""
        found = self._objects.get(token or 0)
        if found is None:
            raise Error("SHUTDOWN", f"{self._what}: already released")
        return found

    def forget(self, token: int | None) -> T | None:
        """Removes and returns the object; ``None`` if it is already removed."""
        return self._objects.pop(token or 0, None)

    def clear(self) -> None:
        """Removes all objects."""
        self._objects.clear()

    def values(self) -> list[T]:
        """All present objects."""
        return list(self._objects.values())


class WeakTokens(Tokens[T]):
    """Objects that their owners hold, and that may refer to their owners: a table that held them would keep both."""

    __slots__ = ("_kept",)

    def __init__(self, what: str) -> None:
        """`what` begins the message of :meth:`find`."""
        super().__init__(what)
        self._objects = weakref.WeakValueDictionary()
        self._kept: dict[int, T] = {}

    def keep(self, token: int, value: T) -> None:
        """Holds an object from now on, until :meth:`forget`."""
        self._objects[token] = self._kept[token] = value

    def forget(self, token: int | None) -> T | None:
        """Removes and returns the object; ``None`` if it is already removed."""
        found = super().forget(token)
        self._kept.pop(token or 0, None)
        return found


class Outliving:
    """An object whose methods the library may call after the program has dropped it: from then on a table holds it, until
    the library calls `destroy`."""

    _handle: Handle | None = None
    __place: tuple[WeakTokens[Any], int] | None = None

    def _outlive(self, tokens: WeakTokens[Any], token: int) -> None:
        """Sets the table; `destroy` calls its :meth:`Tokens.forget`."""
        self.__place = tokens, token

    def __del__(self) -> None:
        handle, self._handle = self._handle, None
        if handle is not None and self.__place is not None and not handle._is_over:
            # Before the release: the library may forget the object at once.
            tokens, token = self.__place
            tokens.keep(token, self)
            handle.release()
