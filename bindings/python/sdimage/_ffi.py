"""The functions of the library, with checks of their arguments.

ctypes releases the interpreter lock during each call.
"""

from __future__ import annotations

from collections.abc import Callable
from ctypes import c_char_p, c_int, c_int32, c_int64, c_size_t, c_uint32, c_uint64, sizeof
from typing import TYPE_CHECKING, Any, cast

from ._library import open_library
from ._prototypes import PROTOTYPES

#: The integer types and their ranges: ctypes drops the upper bits of a number that does not fit.
RANGES: dict[Any, tuple[int, int]] = {
    kind: (-(1 << 8 * sizeof(kind) - 1), (1 << 8 * sizeof(kind) - 1) - 1) for kind in (c_int, c_int32, c_int64)
} | {kind: (0, (1 << 8 * sizeof(kind)) - 1) for kind in (c_size_t, c_uint32, c_uint64)}


def function(library: Any, name: str, result: Any, arguments: tuple[Any, ...]) -> Callable[..., Any]:
    """A function of a library that refuses integers out of range, and text with a NUL if no length argument follows it.
    """
    plain = getattr(library, name)
    plain.restype, plain.argtypes = result, arguments
    numbers = [(index, *RANGES[kind]) for index, kind in enumerate(arguments) if kind in RANGES]
    texts = [index for index, kind in enumerate(arguments) if kind is c_char_p and arguments[index + 1 : index + 2] != (c_size_t,)]
    if not numbers and not texts:
        return cast("Callable[..., Any]", plain)

    def checked(*values: Any) -> Any:
        for index, least, most in numbers:
            if not least <= values[index] <= most:
                raise OverflowError(f"{name}: argument {index + 1} is {values[index]}, outside of {least} to {most}")
        for index in texts:
            if values[index] is not None and 0 in values[index]:
                raise ValueError(f"{name}: argument {index + 1} contains a NUL")
        return plain(*values)

    return checked


class Functions:
    """The functions of the headers by name. Any other name is an ``AttributeError``, even if the library exports it."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Callable[..., Any]: ...


_library, library_path = open_library()
lib = Functions()

for _name, _prototype in PROTOTYPES.items():
    try:
        setattr(lib, _name, function(_library, _name, *_prototype))
    except AttributeError:
        raise ImportError(f"{library_path} is of another version: it lacks {_name}") from None
