"""Many images in one array."""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import sys
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, cast

from . import _bytes, _enums, _words
from ._color import ColorLike, color
from ._ffi import lib
from ._handle import Handle
from .errors import Error
from .options import U32, box, unsigned


class _ArrayInterface(Protocol):
    """The array interface of numpy, version 3."""

    @property
    def __array_interface__(self) -> dict[str, Any]: ...


#: An array of numpy, or any object with its array interface or a writable, contiguous buffer.
WritableArray: TypeAlias = "_ArrayInterface | _bytes.ReadableBuffer"

#: Pixel formats by kind of sample and number of channels.
_FORMATS = {
    ("u1", 1): "gray8",
    ("u1", 3): "rgb8",
    ("u1", 4): "rgba8",
    ("u2", 1): "gray16",
    ("u2", 3): "rgb16",
    ("u2", 4): "rgba16",
    ("f4", 4): "rgba_float",
}
#: The reverse, for arrays that are created here; includes formats that C has and arrays cannot express.
_SAMPLES = {name: sample for sample, name in _FORMATS.items()} | {
    "rgba8_premultiplied": ("u1", 4),
    "bgra8_premultiplied": ("u1", 4),
}
#: Type codes of the struct module.
_LETTERS = {"u1": "B", "u2": "H", "f4": "f"}


@dataclass(frozen=True, slots=True)
class Batch:
    """The result of :meth:`Manager.load_many`."""

    #: ``(N, height, width, channels)``: the given array, or a new one.
    array: Any
    #: The errors by index; empty when all images are present.
    errors: dict[int, Error]


class Places:
    """An array of N images as C sees it."""

    def __init__(self, count: int, size: tuple[int, int], out: WritableArray | None, pixel_format: str | None) -> None:
        self._width, self._height = box(size)
        self.array: Any = _made(count, self._width, self._height, pixel_format or "rgb8") if out is None else out
        if count == 0:
            self.address, self.size, self._row, self._picture, self._format = 0, 0, 0, 0, pixel_format or "rgb8"
            return
        shape, strides, kind, self.address, self._pin = _described(self.array)
        channels = shape[3] if len(shape) == 4 else 1
        found = _FORMATS.get((kind, channels))
        if len(shape) not in (3, 4) or found is None or shape[:3] != (count, self._height, self._width):
            raise Error(
                "INVALID_ARGUMENT",
                f"array: shape {shape} of {kind}, expected {(count, self._height, self._width)} and"
                " 1, 3 or 4 channels, 4 if f4",
            )
        if pixel_format is not None and _SAMPLES.get(pixel_format) != (kind, channels):
            raise Error("INVALID_ARGUMENT", f"array: {channels} channels of {kind} for {pixel_format}")
        self._format = pixel_format or found
        self._row, self._picture = _strides(shape, strides, int(kind[1]), channels)
        last = self._width * channels * int(kind[1])
        #: Bytes from the first pixel to the last.
        self.size = (count - 1) * self._picture + (self._height - 1) * self._row + last if count else 0

    def options(self, scale_mode: str, background: ColorLike, max_concurrent: int, request: Handle) -> Handle:
        """An ``sdimage_batch_options``."""
        handle = Handle(lib.sdimage_batch_options_new(self._width, self._height), lib.sdimage_batch_options_unref)
        formats = _words.number(_enums.PIXEL_FORMATS, self._format, "pixel_format")
        lib.sdimage_batch_options_set_pixel_format(handle.pointer, formats)
        mode = _words.number(_enums.SCALE_MODES, scale_mode, "scale_mode")
        lib.sdimage_batch_options_set_scale_mode(handle.pointer, mode)
        lib.sdimage_batch_options_set_background_color(handle.pointer, color(background))
        lib.sdimage_batch_options_set_strides(handle.pointer, self._row, self._picture)
        lib.sdimage_batch_options_set_max_concurrent(handle.pointer, unsigned(max_concurrent, "max_concurrent", U32))
        lib.sdimage_batch_options_set_request(handle.pointer, request.pointer)
        return handle


def _made(count: int, width: int, height: int, pixel_format: str) -> Any:
    kind, channels = _SAMPLES.get(pixel_format, ("", 0))
    if not channels:
        raise Error("INVALID_ARGUMENT", f"array: unknown pixel format {pixel_format!r}")
    shape = (count, height, width, channels)
    if importlib.util.find_spec("numpy") is not None:
        numpy: Any = importlib.import_module("numpy")
        return numpy.zeros(shape, kind)
    flat = memoryview(bytearray(count * height * width * channels * int(kind[1])))
    # An empty view has no shape to cast to.
    # Type codes that memoryview accepts.
    cast_to: Any = flat.cast
    return cast_to(_LETTERS[kind], shape) if flat.nbytes else flat


#: Shape, strides (``None``: unpadded), kind of sample, address, and an object that keeps the memory in place.
_Described: TypeAlias = "tuple[tuple[int, ...], tuple[int, ...] | None, str, int, object]"


def _described(array: Any) -> _Described:
    interface = getattr(array, "__array_interface__", None)
    if interface is None:
        return _viewed(array)
    address, is_read_only = cast("tuple[int, bool]", interface["data"])
    kind = str(interface["typestr"])
    foreign = ">" if sys.byteorder == "little" else "<"
    if is_read_only or kind.startswith(foreign):
        raise Error("INVALID_ARGUMENT", "array: read-only or of foreign byte order")
    return tuple(interface["shape"]), interface.get("strides"), kind[1:], address, array


def _viewed(array: Any) -> _Described:
    try:
        view = memoryview(array)
    except TypeError:
        raise Error("INVALID_ARGUMENT", f"array: {type(array).__name__} has no buffer") from None
    letters = {letter: kind for kind, letter in _LETTERS.items()}
    shape = view.shape or ()
    kind = letters.get(view.format.lstrip("@="))
    if view.readonly or not view.c_contiguous or kind is None:
        raise Error("INVALID_ARGUMENT", "array: expected a writable, contiguous one of B, H or f")
    if not view.nbytes:
        return shape, None, kind, 0, view
    first = ctypes.c_char.from_buffer(view)
    # While it is held, the buffer cannot be released, and the memory behind it cannot be resized.
    return shape, None, kind, ctypes.addressof(first), first


def _strides(shape: tuple[int, ...], strides: tuple[int, ...] | None, bytes_each: int, channels: int) -> tuple[int, int]:
    """Bytes from row to row and from image to image."""
    pixel = channels * bytes_each
    row = shape[2] * pixel
    if strides is None:
        return row, row * shape[1]
    inner = (pixel, bytes_each) if len(shape) == 4 else (pixel,)
    # The stride of a dimension of length 1 has no meaning.
    is_tight = all(have == want or side == 1 for have, want, side in zip(strides[2:], inner, shape[2:], strict=True))
    if not is_tight or min(strides) < 0:
        raise Error("INVALID_ARGUMENT", "array: pixels are not contiguous")
    between = strides[1] if shape[1] > 1 else max(row, strides[1])
    return between, strides[0] if shape[0] > 1 else max(strides[0], between * shape[1])
