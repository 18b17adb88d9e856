"""Colors in Python notation."""

from __future__ import annotations

from ctypes import byref
from typing import TypeAlias

from . import _bytes
from ._ffi import lib
from ._prototypes import Color
from .errors import Error, call

#: ``(red, green, blue)`` or ``(red, green, blue, alpha)`` from 0 to 1, or a text as in CSS: ``"#rgb"``, ``"#rgba"``,
#: ``"#rrggbb"`` or ``"#rrggbbaa"``.
ColorLike: TypeAlias = "tuple[float, float, float] | tuple[float, float, float, float] | str"

#: Permitted lengths of a tuple.
_COMPONENTS = (3, 4)


def color(value: ColorLike) -> Color:
    """An ``sdimage_color``."""
    try:
        if isinstance(value, str):
            return parsed_color(value)
        numbers = [float(each) for each in value]
        if len(numbers) in _COMPONENTS:
            return Color(*numbers, *([1.0] if len(numbers) == _COMPONENTS[0] else []))
    except (TypeError, ValueError, Error):
        pass
    forms = "(red, green, blue[, alpha]), '#rgb[a]' or '#rrggbb[aa]'"
    raise Error("INVALID_ARGUMENT", f"color: {value!r} is not {forms}")


def parsed_color(text: str) -> Color:
    """An ``sdimage_color`` of hexadecimal digits."""
    parsed = Color()
    call(lib.sdimage_color_from_hex, _bytes.c_text(text), byref(parsed))
    return parsed
