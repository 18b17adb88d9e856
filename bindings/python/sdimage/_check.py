"""Checks of arguments. The errors name the argument, the expected type and the actual one."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar, cast

from .errors import Error, WrongType

T = TypeVar("T")

#: The classes of each kind of object.
_KINDS: dict[str, list[type]] = {}


def kind(name: str) -> Callable[[type[T]], type[T]]:
    """Declares a class whose instances are objects of a kind, and have a ``pointer``."""

    def add(declared: type[T]) -> type[T]:
        _KINDS.setdefault(name, []).append(declared)
        return declared

    return add


def wrong(name: str, expected: str, value: object) -> WrongType:
    """``transformer must be Transformer or None, not str``."""
    if isinstance(value, type):
        actual = f"the class {value.__name__}"
    else:
        actual = "None" if value is None else type(value).__name__
    return WrongType(f"{name} must be {expected}, not {actual}")


def names(words: Iterable[str]) -> str:
    """``"A, B or C"``."""
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last


def checked(value: T, name: str, kind: str) -> T:
    """The object, if it is of the kind."""
    if isinstance(value, tuple(_KINDS[kind])):
        return value
    raise wrong(name, names(each.__name__ for each in _KINDS[kind]), value)


def pointer_of(value: object, name: str, kind: str) -> int:
    """The address of an object of a kind."""
    return cast(int, checked(cast(Any, value), name, kind).pointer)


def optional_pointer(value: object, name: str, kind: str) -> int | None:
    """The same; ``None`` for ``None``."""
    if value is None:
        return None
    if not isinstance(value, tuple(_KINDS[kind])):
        raise wrong(name, names([*(each.__name__ for each in _KINDS[kind]), "None"]), value)
    return cast(int, cast(Any, value).pointer)


def optional_function(value: T, name: str) -> T:
    """A function, or ``None``."""
    if value is not None and not callable(value):
        raise wrong(name, "a function or None", value)
    return value


def mapping(value: Mapping[str, Any] | None, name: str) -> Mapping[str, Any]:
    """A mapping; ``None`` is an empty one."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise wrong(name, "a mapping or None", value)
    return value


def tuple_of(count: int, value: object, name: str) -> tuple[Any, ...]:
    """A tuple or list of `count` elements. A text is none: its elements would be letters."""
    if not isinstance(value, (tuple, list)):
        raise wrong(name, f"a tuple of {count}", value)
    if len(value) != count:
        raise WrongType(f"{name} must be a tuple of {count}, not of {len(value)}")
    return tuple(value)


def is_flag(value: object) -> bool:
    """True for True and False, of Python or NumPy."""
    return type(value).__name__ in ("bool", "bool_")


def flag(value: object, name: str) -> bool:
    """True or False, of Python or NumPy."""
    if not is_flag(value):
        raise wrong(name, "True or False", value)
    return bool(value)


def real(value: object, name: str) -> float:
    """A number."""
    try:
        return float(cast(Any, value) + 0)
    except (TypeError, ValueError):
        raise wrong(name, "a number", value) from None


def deadline(timeout: float | None) -> float:
    """The monotonic time at which a wait of `timeout` seconds ends; infinite for ``None``."""
    if timeout is None:
        return math.inf
    limit = real(timeout, "timeout")
    if math.isnan(limit):
        raise Error("INVALID_ARGUMENT", "argument: timeout is not a number")
    return time.monotonic() + limit


def text_bytes(value: object, name: str, expected: str = "str or bytes") -> bytes:
    """Text as UTF-8, or bytes as they are. `expected` is what the argument may be."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape")
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    raise wrong(name, expected, value)


def text(value: object, name: str) -> str:
    """A ``str``."""
    if isinstance(value, str):
        return value
    raise wrong(name, "str", value)
