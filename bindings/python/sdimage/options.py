"""Decode options."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, TypeAlias, TypedDict, TypeVar, cast

from . import _bytes, _enums, _words
from ._check import flag, is_flag, mapping, real, wrong
from ._ffi import lib
from ._handle import Handle
from .errors import Error, WrongType, text


#: Values that accompany a request to custom loaders, and numbers of filters.
OptionValue: TypeAlias = "str | int | float | bool | bytes"


class DecodeOptions(TypedDict, total=False):
    """Keyword arguments of :func:`sdimage.decode` and of loads."""

    #: ``(width, height)`` in pixels of the box that the displayed image is scaled down into; never enlarges.
    thumbnail_size: tuple[int, int] | None
    #: ``True``: the result touches the box on one side. ``False``: the result is the box.
    preserve_aspect_ratio: bool
    #: In place of `preserve_aspect_ratio`, with a third mode: ``"aspect_fit"``, ``"fill"``, or ``"aspect_fill"``. With
    #: the last the result covers the box and touches it on one side, for callers that crop the rest.
    thumbnail_mode: str | None
    #: Decodes only the first frame of an animation, as a still.
    first_frame_only: bool
    #: ``None``: gray, RGB or RGBA with 8 bits a channel; ``"native"``: the depth of the file; else a name such as ``"rgba8"``.
    pixel_format: str | None
    #: The rendition of images with more than the range of SDR: ``"sdr"``, the default; ``"hdr"``, with the headroom of the
    #: content, as ``rgba_float``; ``"automatic"``, for `display_headroom`.
    dynamic_range: str | None
    #: The headroom of the display in stops, for ``dynamic_range="automatic"``.
    display_headroom: float
    #: Leaves the base image as it is, with its gain map: for :meth:`sdimage.Image.apply_gain_map`, or for an encode with
    #: ``embed_gain_map``.
    keep_gain_map: bool
    #: ``"pq"`` or ``"hlg"``: samples of 16 bits with the primaries of BT.2020, of the rendition that ``rgba_float`` has.
    transfer_characteristics: str | None
    #: Applies the orientation.
    apply_orientation: bool
    #: Applies an embedded color profile.
    convert_to_srgb: bool
    #: Scales the image down until its bitmap takes at most this many bytes.
    limit_bytes: int | None
    #: Format to try first for bytes without a signature, such as ``"ico"``.
    format_hint: str | None
    #: Pixels per point of the result, at least 1. Default: 1, and for loads the scale ``@2x.`` or ``@3x.`` in the key.
    scale: float
    #: Accepts a truncated image with the rows that could be decoded.
    accept_partial: bool
    #: Decodes a thumbnail of at most an eighth of a progressive JPEG from its first scan, and of an interlaced PNG from
    #: its first pass; the rest may be missing.
    early_thumbnail: bool
    #: Safety limits: pixels of a header, bytes of a bitmap, milliseconds of work.
    max_pixels: int | None
    max_bytes: int | None
    max_work_ms: int | None
    #: The coders that decode in worker processes: ``"none"``, ``"risky"`` or ``"all"``; ``None``: those of the process
    #: (:func:`sdimage.set_isolation`).
    isolation: str | None
    #: Values for coders of the program and of plug-ins; in loads also for hooks, custom loaders and caches:
    #: ``{"tiff.page": 2}``.
    options: Mapping[str, OptionValue] | OptionValues | None


OptionT = TypeVar("OptionT", str, int, float, bool, bytes)

#: Largest values of C types.
U32 = 2**32 - 1
U64 = 2**64 - 1
I64 = 2**63 - 1


def unsigned(value: int | None, what: str, most: int = U64) -> int:
    """A whole number that fits the C type; ``None`` is 0, which always means the default."""
    if value is None:
        return 0
    try:
        fits = 0 <= value <= most
        is_whole = not fits or value == int(value)
    except TypeError:
        raise wrong(what, "int", value) from None
    if isinstance(value, bool) or not is_whole:
        raise wrong(what, "int", value)
    if not fits:
        raise Error("INVALID_ARGUMENT", f"argument: {what} is {value}, expected 0 to {most}")
    return int(value)


def seconds(time: float, what: str = "time") -> int:
    """Whole seconds, rounded up, so that a fraction does not become 0; a negative or infinite value means forever."""
    real(time, what)
    if not (time < 2**63 or time == math.inf):
        raise Error("INVALID_ARGUMENT", f"argument: {what} is {time}, expected seconds")
    return -1 if time < 0 or time == math.inf else math.ceil(time)


def date_nanoseconds(date: float, what: str) -> int:
    """Converts seconds since 1970 to nanoseconds for C, where 0 means none."""
    if not real(date, what) * 1e9 < 2**64:
        raise Error("INVALID_ARGUMENT", f"argument: {what} is {date}, expected seconds since 1970")
    return max(1, int(date * 1e9))


def nanoseconds(ms: float) -> int:
    """Converts milliseconds to nanoseconds for C."""
    real(ms, "ms")
    if not 0 <= ms * 1_000_000 < 2**63:
        raise Error("INVALID_ARGUMENT", f"argument: time is out of range ({ms} ms)")
    return round(ms * 1_000_000)


def box(size: tuple[int, int]) -> tuple[int, int]:
    """``(width, height)``, validated."""
    try:
        width, height = size
    except (TypeError, ValueError):
        raise WrongType(f"a size is (width, height), not {size!r}") from None
    return unsigned(width, "width", U32), unsigned(height, "height", U32)


def sides(size: tuple[float, float]) -> tuple[float, float]:
    """``(width, height)`` in points."""
    try:
        width, height = size
    except (TypeError, ValueError):
        raise WrongType(f"a size is (width, height), not {size!r}") from None
    return real(width, "width"), real(height, "height")


def known(options: Mapping[str, Any], kind: type) -> None:
    """Rejects unknown keyword arguments."""
    for name in options:
        if name not in kind.__annotations__:
            raise TypeError(f"unexpected keyword argument {name!r}")


def decode_options(options: DecodeOptions) -> Handle:
    """An ``sdimage_decode_options``."""
    handle = Handle(lib.sdimage_decode_options_new(), lib.sdimage_decode_options_unref)
    set_decoding(handle.pointer, options)
    return handle


_FLAGS = {
    "keep_gain_map": lib.sdimage_decode_options_set_keep_gain_map,
    "first_frame_only": lib.sdimage_decode_options_set_first_frame_only,
    "apply_orientation": lib.sdimage_decode_options_set_apply_orientation,
    "convert_to_srgb": lib.sdimage_decode_options_set_convert_to_srgb,
    "accept_partial": lib.sdimage_decode_options_set_accept_partial,
    "early_thumbnail": lib.sdimage_decode_options_set_early_thumbnail,
}
#: Names from sets; ``None`` is the default, which is 0 in each set.
_WORDS = {
    "pixel_format": (lib.sdimage_decode_options_set_pixel_format, _enums.PIXEL_FORMATS),
    "dynamic_range": (lib.sdimage_decode_options_set_dynamic_range, _enums.DYNAMIC_RANGES),
    "transfer_characteristics": (
        lib.sdimage_decode_options_set_transfer_characteristics,
        _enums.TRANSFER_CHARACTERISTICS,
    ),
    "isolation": (lib.sdimage_decode_options_set_isolation, _enums.ISOLATIONS),
    "format_hint": (lib.sdimage_decode_options_set_format_hint, _enums.FORMATS),
}
_THUMBNAIL = frozenset(("thumbnail_size", "thumbnail_mode", "preserve_aspect_ratio"))
#: Numbers and their maxima; ``None`` is the default.
_NUMBERS = {
    "limit_bytes": (lib.sdimage_decode_options_set_limit_bytes, U64),
    "max_pixels": (lib.sdimage_decode_options_set_max_pixels, U64),
    "max_bytes": (lib.sdimage_decode_options_set_max_bytes, U64),
    "max_work_ms": (lib.sdimage_decode_options_set_max_work_ms, U32),
}


def set_decoding(pointer: int, options: DecodeOptions) -> None:
    """Sets the given decode options."""
    values: Mapping[str, Any] = options
    _set_thumbnail(pointer, values)
    for name, (choose, words) in _WORDS.items():
        if name in values:
            choose(pointer, 0 if values[name] is None else _words.number(words, values[name], name))
    if "display_headroom" in options:
        lib.sdimage_decode_options_set_display_headroom(pointer, real(options["display_headroom"], "display_headroom"))
    for name, setter in _FLAGS.items():
        if name in values:
            setter(pointer, flag(values[name], name))
    if "scale" in options:
        lib.sdimage_decode_options_set_scale(pointer, real(options["scale"], "scale"))
    for name, (number, most) in _NUMBERS.items():
        if name in values:
            number(pointer, unsigned(values[name], name, most))
    if "options" in options:
        with bag(options["options"]) as carried_values:
            lib.sdimage_decode_options_set_options(pointer, carried_values.pointer)


def _set_thumbnail(pointer: int, options: Mapping[str, Any]) -> None:
    """Sets the box and the mode; what is not given stays as it is."""
    if _THUMBNAIL.isdisjoint(options):
        return
    before = lib.sdimage_decode_options_thumbnail_size(pointer)
    size = options.get("thumbnail_size", (before.width, before.height))
    mode = options.get("thumbnail_mode")
    number = _enums.SCALE_MODES["aspect_fit"]
    if mode is not None:
        number = _words.number(_enums.SCALE_MODES, mode, "thumbnail_mode")
    elif "preserve_aspect_ratio" in options:
        if not flag(options["preserve_aspect_ratio"], "preserve_aspect_ratio"):
            number = _enums.SCALE_MODES["fill"]
    elif "thumbnail_mode" not in options:
        number = lib.sdimage_decode_options_thumbnail_mode(pointer)
    lib.sdimage_decode_options_set_thumbnail_size(pointer, *box((0, 0) if size is None else size), number)


def bag(values: Mapping[str, OptionValue] | OptionValues | None) -> Handle:
    """An ``sdimage_options``."""
    if isinstance(values, OptionValues):
        return values.handle()
    handle = Handle(lib.sdimage_options_new(), lib.sdimage_options_unref)
    for name, value in mapping(values, "options").items():
        key = _bytes.c_text(name, "the name of an option")
        # Numbers of NumPy are buffers, too.
        if is_flag(value):
            lib.sdimage_options_set_bool(handle.pointer, key, bool(value))
        elif isinstance(value, Integral):
            lib.sdimage_options_set_int64(handle.pointer, key, int(value))
        elif isinstance(value, Real):
            lib.sdimage_options_set_double(handle.pointer, key, float(value))
        elif isinstance(value, str):
            lib.sdimage_options_set_string(handle.pointer, key, _bytes.c_text(value))
        else:
            with _bytes.new_data(value, f"option {name!r}") as data:
                lib.sdimage_options_set_data(handle.pointer, key, data.pointer)
    return handle


class OptionValues:
    """The program's own values of a load, a decode or an encode, by name. They can be looked up and counted, not
    listed."""

    __slots__ = ("_handle",)

    def __init__(self, pointer: int | None) -> None:
        """Takes a reference of its own."""
        self._handle = Handle(lib.sdimage_options_ref(pointer), lib.sdimage_options_unref) if pointer else None

    def handle(self) -> Handle:
        """A handle with a reference of its own."""
        pointer = lib.sdimage_options_ref(self._handle.pointer) if self._handle else lib.sdimage_options_new()
        return Handle(pointer, lib.sdimage_options_unref)

    def __len__(self) -> int:
        return cast(int, lib.sdimage_options_count(self._handle.pointer)) if self._handle else 0

    def __contains__(self, name: object) -> bool:
        if self._handle is None or not isinstance(name, str):
            return False
        return bool(lib.sdimage_options_has(self._handle.pointer, _bytes.c_text(name)))

    def __getitem__(self, name: str) -> OptionValue:
        """The value; ``KeyError`` when there is none."""
        if name not in self or self._handle is None:
            raise KeyError(name)
        pointer, key = self._handle.pointer, _bytes.c_text(name)
        string = lib.sdimage_options_string(pointer, key, None)
        if string is not None:
            return text(string)
        # A getter returns its fallback for a value of another type.
        for getter, first, second in _GETTERS:
            value = getter(pointer, key, first)
            if value == getter(pointer, key, second) or value != value:
                return cast(OptionValue, value)
        data = lib.sdimage_options_data(pointer, key)
        if data:
            return _bytes.copied(data)
        raise KeyError(name)

    def get(self, name: str, default: OptionValue | None = None) -> OptionValue | None:
        """The value, or `default`."""
        try:
            return self[name]
        except KeyError:
            return default


_GETTERS: tuple[tuple[Any, Any, Any], ...] = (
    (lib.sdimage_options_is_true, False, True),
    (lib.sdimage_options_int64, 0, 1),
    (lib.sdimage_options_double, 0.0, 1.0),
)


def carried(options: int | None, name: str, fallback: OptionT) -> OptionT:
    """A value of a borrowed ``sdimage_options``, of the type of `fallback`; else `fallback`."""
    key = _bytes.c_text(name)
    if not options:
        return fallback
    if isinstance(fallback, bool):
        return cast(OptionT, lib.sdimage_options_is_true(options, key, fallback))
    if isinstance(fallback, int):
        return cast(OptionT, lib.sdimage_options_int64(options, key, fallback))
    if isinstance(fallback, float):
        return cast(OptionT, lib.sdimage_options_double(options, key, fallback))
    if isinstance(fallback, str):
        value = lib.sdimage_options_string(options, key, None)
        return fallback if value is None else text(value)
    data = lib.sdimage_options_data(options, key)
    return _bytes.copied(data) if data else fallback


def read_options(options: int) -> DecodeOptions:
    """The values of a borrowed ``sdimage_decode_options``."""
    size = lib.sdimage_decode_options_thumbnail_size(options)
    mode = _words.word(_enums.SCALE_MODES, lib.sdimage_decode_options_thumbnail_mode(options))
    pixel_format = _words.word(_enums.PIXEL_FORMATS, lib.sdimage_decode_options_pixel_format(options))
    hint = lib.sdimage_decode_options_format_hint(options)
    transfer = lib.sdimage_decode_options_transfer_characteristics(options)
    isolation = lib.sdimage_decode_options_isolation(options)
    return {
        "thumbnail_size": (size.width, size.height) if size.width and size.height else None,
        "preserve_aspect_ratio": mode != "fill",
        "thumbnail_mode": mode,
        "first_frame_only": lib.sdimage_decode_options_is_first_frame_only(options),
        "pixel_format": None if pixel_format == "automatic" else pixel_format,
        "dynamic_range": _words.word(_enums.DYNAMIC_RANGES, lib.sdimage_decode_options_dynamic_range(options)),
        "display_headroom": lib.sdimage_decode_options_display_headroom(options),
        "keep_gain_map": lib.sdimage_decode_options_should_keep_gain_map(options),
        "transfer_characteristics": _words.word(_enums.TRANSFER_CHARACTERISTICS, transfer) if transfer else None,
        "apply_orientation": lib.sdimage_decode_options_should_apply_orientation(options),
        "convert_to_srgb": lib.sdimage_decode_options_should_convert_to_srgb(options),
        "limit_bytes": lib.sdimage_decode_options_limit_bytes(options) or None,
        "format_hint": _words.word(_enums.FORMATS, hint) if hint else None,
        "scale": lib.sdimage_decode_options_scale(options),
        "accept_partial": lib.sdimage_decode_options_should_accept_partial(options),
        "early_thumbnail": lib.sdimage_decode_options_has_early_thumbnail(options),
        "max_pixels": lib.sdimage_decode_options_max_pixels(options),
        "max_bytes": lib.sdimage_decode_options_max_bytes(options),
        "max_work_ms": lib.sdimage_decode_options_max_work_ms(options),
        "isolation": _words.word(_enums.ISOLATIONS, isolation) if isolation else None,
        "options": OptionValues(lib.sdimage_decode_options_options(options)),
    }
