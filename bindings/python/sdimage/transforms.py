"""Transformers: sizes, shapes and colors; used by :meth:`Image.transform` or as ``transformer=`` of a load.

>>> from sdimage import transforms
>>> avatar = transforms.pipeline([transforms.resize((96, 96), mode="aspect_fill"), transforms.round_corner(48)])
>>> manager.load(url, transformer=avatar)

Lengths are in points: pixels divided by the scale of the image, which is 1 by default. The origin is the top left
corner. Each transformer has a ``key`` that becomes part of the cache key.
"""

from __future__ import annotations

import ctypes
import functools
import inspect
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from ctypes import POINTER, byref, c_void_p, sizeof
from types import MappingProxyType
from typing import Any, ParamSpec, cast

from . import _bytes, _enums, _failures, _words
from ._check import flag, kind, pointer_of, real, tuple_of, wrong
from ._color import ColorLike, color
from ._ffi import lib
from ._handle import Handle
from ._prototypes import (
    DESTROY,
    TRANSFORMER_TABLE_SHOULD_PRESERVE_METADATA,
    TRANSFORMER_TABLE_TRANSFORM,
    Rect,
    TransformerTable,
)
from ._tokens import Tokens
from .errors import Error, answer, call, text
from .image import Image
from .options import bag, sides

#: The function of a custom transformer: takes the image and the cache key of the result (empty outside a load); returns
#: the new image, or the same one.
TransformFunction = Callable[[Image, str], Image]


@kind("transformer")
class Transformer:
    """Transforms an image deterministically. Immutable; created by the functions of this module."""

    __slots__ = ("__weakref__", "_config", "_handle")

    def __init__(self, handle: Handle) -> None:
        """For use by this module."""
        self._handle = handle
        self._config: dict[str, Any] = {}

    @property
    def config(self) -> Mapping[str, Any]:
        """The arguments by their names, and in ``"transform"`` the name of the function that created it."""
        return MappingProxyType(self._config.copy())

    @property
    def pointer(self) -> int:
        """Address of the ``sdimage_transformer``, borrowed."""
        return self._handle.pointer

    @property
    def key(self) -> str:
        """The identification of the transformation: ``"SDImageFlippingTransformer(1,0)"``."""
        return text(lib.sdimage_transformer_key(self.pointer))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Transformer) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __copy__(self) -> Transformer:
        """The same object: transformers are immutable."""
        return self

    def __deepcopy__(self, memo: object) -> Transformer:
        """The same object."""
        return self

    def __repr__(self) -> str:
        return f"<sdimage.transforms.Transformer {self.key}>"


def _made(function: Any, *arguments: Any) -> Transformer:
    out = c_void_p()
    call(function, *arguments, byref(out))
    return Transformer(Handle(out.value, lib.sdimage_transformer_unref))


P = ParamSpec("P")


def _recording(function: Callable[P, Transformer]) -> Callable[P, Transformer]:
    """Makes transformers remember their arguments."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def create(*arguments: P.args, **named: P.kwargs) -> Transformer:
        transformer = function(*arguments, **named)
        bound = signature.bind(*arguments, **named)
        bound.apply_defaults()
        transformer._config = {"transform": function.__name__, **bound.arguments}
        return transformer

    return create


@_recording
def resize(
    size: tuple[float, float], mode: str = "fill", *, resampling: str = "lanczos", linear_light: bool = False
) -> Transformer:
    """Resizes to exactly `size`, ``(width, height)``, which may be larger.

    `mode`: ``"fill"`` stretches, ``"aspect_fit"`` leaves transparent bars, ``"aspect_fill"`` crops the rest.
    `resampling`: ``"lanczos"``, ``"area"`` (the fastest), ``"cubic"``, ``"linear"`` or ``"nearest"``.
    """
    width, height = sides(size)
    number = _words.number(_enums.SCALE_MODES, mode, "mode")
    way = _words.number(_enums.RESAMPLINGS, resampling, "resampling")
    return _made(lib.sdimage_transformer_new_resample, width, height, number, way, flag(linear_light, "linear_light"))


@_recording
def crop(rect: tuple[float, float, float, float]) -> Transformer:
    """Crops to ``(x, y, width, height)``, rounded outwards to whole pixels; copies no pixels."""
    return _made(lib.sdimage_transformer_new_crop, Rect(*tuple_of(4, rect, "rect")))


@_recording
def round_corner(
    radius: float,
    corners: Iterable[str] | None = None,
    border_width: float = 0,
    border_color: ColorLike | None = None,
    *,
    is_fraction: bool = False,
) -> Transformer:
    """Rounds corners; `corners` are some of ``"top_left"``, ``"top_right"``, ``"bottom_left"``, ``"bottom_right"``, by
    default all. With `is_fraction` the radius is a fraction of the shorter side: 0.5 makes a circle of a square."""
    mask = _enums.CORNERS_ALL
    if corners is not None:
        mask = sum({_words.number(_enums.CORNERS, corner, "corner") for corner in corners})
    edge = None if border_color is None else byref(color(border_color))
    make = lib.sdimage_transformer_new_round_corner
    if flag(is_fraction, "is_fraction"):
        make = lib.sdimage_transformer_new_round_corner_fraction
    return _made(make, real(radius, "radius"), mask, border_width, edge)


@_recording
def flip(horizontal: bool = False, vertical: bool = False) -> Transformer:
    """Mirrors left and right, top and bottom, or both."""
    return _made(lib.sdimage_transformer_new_flip, flag(horizontal, "horizontal"), flag(vertical, "vertical"))


@_recording
def rotate(angle: float, fit_size: bool = True) -> Transformer:
    """Rotates counter-clockwise by radians; with `fit_size` the result is as large as the rotated image."""
    return _made(lib.sdimage_transformer_new_rotate, real(angle, "angle"), flag(fit_size, "fit_size"))


@_recording
def tint(tint_color: ColorLike, blend_mode: str = "source_in") -> Transformer:
    """Blends a color over the image; ``"source_in"`` gives the color the shape of the image."""
    mode = _words.number(_enums.BLEND_MODES, blend_mode, "blend_mode")
    return _made(lib.sdimage_transformer_new_tint, color(tint_color), mode)


@_recording
def blur(radius: float) -> Transformer:
    """A Gaussian blur; `radius` is its standard deviation, at least 2 pixels, or 0 for none."""
    return _made(lib.sdimage_transformer_new_blur, real(radius, "radius"))


@_recording
def filter(name: str, **parameters: float) -> Transformer:  # noqa: A001 - the name is promised
    """A filter of :func:`filters`, with its parameters: ``filter("sepia", intensity=0.8)``."""
    with bag({key: real(value, key) for key, value in parameters.items()}) as values:
        return _made(lib.sdimage_transformer_new_filter, _bytes.c_text(name), values.pointer)


def filters() -> dict[str, dict[str, Any]]:
    """All filters by name: ``"summary"``, ``"aliases"``, and ``"parameters"`` with defaults and limits."""
    found = {}
    for index in range(lib.sdimage_filter_count()):
        name = lib.sdimage_filter_name(index)
        out = c_void_p()
        call(lib.sdimage_filter_to_json, index, byref(out))
        found[text(name)] = cast("dict[str, Any]", json.loads(_bytes.taken(out)))
    return found


@_recording
def pipeline(transformers: Sequence[Transformer]) -> Transformer:
    """Several transformers, one after the other; the key is theirs, joined by ``-``."""
    transformers = tuple(transformers)  # holds those that a sequence makes on access
    pointers = (c_void_p * max(1, len(transformers)))(
        *(pointer_of(each, f"transformers[{index}]", "transformer") for index, each in enumerate(transformers))
    )
    return _made(lib.sdimage_transformer_new_pipeline, ctypes.cast(pointers, POINTER(c_void_p)), len(transformers))


@_recording
def custom(key: str, function: TransformFunction, *, preserves_metadata: bool = True) -> Transformer:
    """A custom transformer. `key` must identify the transformation and its parameters uniquely.

    `function` runs on threads of the library, several at once, and must not block. A raised :class:`Error` is the error
    of :meth:`Image.transform`; any other exception becomes ``INTERNAL_ERROR`` with its text and the exception as its
    cause. A load delivers the image untransformed; the exception is logged and raised to callers that wait.
    """
    if not callable(function):
        raise wrong("function", "a function", function)
    name = _bytes.c_text(key, "key")
    table = _TABLE if flag(preserves_metadata, "preserves_metadata") else _TABLE_WITHOUT_METADATA
    return _made(lib.sdimage_transformer_new_custom, name, byref(table), _functions.add(function), _FORGET)


# The library reports when it no longer needs a transformer.
_functions: Tokens[TransformFunction] = Tokens("transform")


def _transform(
    token: int | None, image: int, key: int | None, length: int, result_out: Any, error_out: Any
) -> int:
    name = ctypes.string_at(key, length).decode("utf-8", "replace") if key else ""

    def failed(error: BaseException) -> None:
        # A load delivers the image untransformed: even an Error of the function would be lost.
        _failures.report("transformer", error, name) if name else _failures.refuse("transformer", error)

    def body() -> None:
        function = _functions.find(token)
        result = function(Image.borrowed(image), name)
        if not isinstance(result, Image):
            raise Error("INTERNAL_ERROR", f"transform: returned {type(result).__name__}, expected Image")
        result_out[0] = lib.sdimage_image_ref(result.pointer)

    return answer(error_out, body, failed)


_FORGET = DESTROY(lambda token: _functions.forget(token) and None)
_TABLE = TransformerTable(
    size=sizeof(TransformerTable),
    transform=TRANSFORMER_TABLE_TRANSFORM(_transform),
    should_preserve_metadata=TRANSFORMER_TABLE_SHOULD_PRESERVE_METADATA(lambda _: True),
)
_TABLE_WITHOUT_METADATA = TransformerTable(
    size=sizeof(TransformerTable),
    transform=_TABLE.transform,
    should_preserve_metadata=TRANSFORMER_TABLE_SHOULD_PRESERVE_METADATA(lambda _: False),
)
