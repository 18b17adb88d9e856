"""Names of formats, sizes of scaled images, and colors as text."""

from __future__ import annotations

import ctypes
from ctypes import c_char

from . import _bytes, _enums, _words
from ._check import flag
from ._color import ColorLike, color, parsed_color
from ._ffi import lib
from ._prototypes import Size
from .errors import text
from .image import format_name
from .options import box

#: ``SDIMAGE_COLOR_HEX_SIZE``: "#rrggbbaa" and a NUL.
_COLOR_HEX_SIZE = 10


def format_mime_type(format: str) -> str:
    """The media type of a format: ``"image/jpeg"`` for ``"jpeg"``."""
    return text(lib.sdimage_format_mime_type(_words.number(_enums.FORMATS, format, "format")))


def format_extension(format: str) -> str:
    """The usual extension of file names of a format, without a dot: ``"jpg"`` for ``"jpeg"``; ``""`` for ``"unknown"``."""
    return text(lib.sdimage_format_extension(_words.number(_enums.FORMATS, format, "format")))


def format_of_mime_type(mime_type: str) -> str | None:
    """The format of a media type, ignoring case and parameters; ``None`` for others."""
    return format_name(lib.sdimage_format_of_mime_type(_bytes.c_text(mime_type, "mime_type")))


def size_scaled(
    size: tuple[int, int], box_size: tuple[int, int], mode: str = "aspect_fit", *, scale_up: bool = False
) -> tuple[int, int]:
    """The size of an image of `size` pixels that is scaled to `box_size`, as thumbnails are.

    Each side is rounded up and at least 1. An empty size or box returns `size`. Without `scale_up` the result is never
    larger than `size`.
    """
    number = _words.number(_enums.SCALE_MODES, mode, "mode")
    scaled = lib.sdimage_size_scaled(Size(*box(size)), Size(*box(box_size)), number, flag(scale_up, "scale_up"))
    return scaled.width, scaled.height


def color_to_hex(value: ColorLike) -> str:
    """A color as ``"#rrggbbaa"``."""
    digits = (c_char * _COLOR_HEX_SIZE)()
    lib.sdimage_color_to_hex(color(value), ctypes.cast(digits, ctypes.c_void_p))
    return digits.value.decode("ascii")


def color_from_hex(digits: str) -> tuple[float, float, float, float]:
    """``(red, green, blue, alpha)`` from 0 to 1 of ``"#rgb"``, ``"#rgba"``, ``"#rrggbb"`` or ``"#rrggbbaa"``."""
    found = parsed_color(digits)
    return found.red, found.green, found.blue, found.alpha
