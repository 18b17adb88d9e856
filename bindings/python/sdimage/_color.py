"""Colours in Python notation."""

from __future__ import annotations

from typing import TypeAlias

from ._prototypes import Color
from .errors import Error

#: ``(red, green, blue)`` or ``(red, green, blue, alpha)`` from 0 to 1, or ``"#rrggbb"`` or ``"#rrggbbaa"`` as in CSS.
ColorLike: TypeAlias = "tuple[float, float, float] | tuple[float, float, float, float] | str"

#: Lengths of ``#rrggbb`` and ``#rrggbbaa``, and permitted lengths of a tuple.
_TEXT_LENGTHS = (7, 9)
_COMPONENTS = (3, 4)


def color(value: ColorLike) -> Color:
    """An ``sdimage_color``."""
    try:
        numbers = _parsed(value) if isinstance(value, str) else [float(each) for each in value]
        if len(numbers) in _COMPONENTS:
            return Color(*numbers, *([1.0] if len(numbers) == _COMPONENTS[0] else []))
    except (TypeError, ValueError):
        pass
    raise Error("INVALID_ARGUMENT", f"a colour is (red, green, blue[, alpha]) or '#rrggbb[aa]', not {value!r}")


def _parsed(text: str) -> list[float]:
    if not text.startswith("#") or len(text) not in _TEXT_LENGTHS:
        raise ValueError(text)
    return [each / 255 for each in bytes.fromhex(text[1:])]
