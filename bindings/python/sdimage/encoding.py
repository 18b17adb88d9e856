"""Encode options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict, cast

from . import _bytes, _enums, _words
from ._bytes import ReadableBuffer
from ._check import flag, mapping, real
from ._color import ColorLike, color
from ._ffi import lib
from ._handle import Handle
from .options import U32, OptionValue, OptionValues, bag, box, unsigned


class EncodeOptions(TypedDict, total=False):
    """Keyword arguments of :meth:`sdimage.Image.encode`; a format ignores those that it does not support."""

    #: 0 to 1; default 1: JPEG, WebP, HEIC, AVIF.
    quality: float
    #: Encodes every pixel unchanged: WebP, JPEG XL, AVIF.
    lossless: bool
    #: The effort spent on a smaller file, 1 to 9; 0 is the default of the format.
    effort: int
    #: The background of images with alpha, for formats without alpha.
    background_color: ColorLike
    #: ``(width, height)`` in pixels of the box that every frame is scaled down into.
    max_pixel_size: tuple[int, int] | None
    #: The best quality with a file of at most this many bytes.
    max_file_size: int | None
    #: Converts to ``"pq"`` or ``"hlg"`` with the primaries of BT.2020: PNG, HEIC, AVIF, JPEG XL.
    transfer_characteristics: str | None
    #: 8, 10, 12 or 16, as far as the format has them; 0 is the choice of the format.
    bits_per_channel: int
    #: MaxCLL and MaxFALL in cd/m²; 0 is unknown. PNG, HEIC, AVIF; the peak of PQ in JPEG XL.
    max_content_light_level: int
    max_frame_average_light_level: int
    #: Embeds a small preview into the file: JPEG, HEIC.
    embed_thumbnail: bool
    #: JPEG: writes the gain map of a base image, or one for the light above the white of SDR.
    embed_gain_map: bool
    #: Writes only the first frame of an animation.
    first_frame_only: bool
    #: Replaces the image's own loop count; 0 repeats forever.
    loop_count: int | None
    #: JPEG: progressive; ``"420"``, ``"422"`` or ``"444"``; restart markers.
    progressive: bool
    chroma: str
    restart_markers: bool
    #: Time limit of the encode in milliseconds; default 60,000.
    max_work_ms: int
    #: GIF: colors per frame; share of the error that is diffused, 0 to 1.
    max_colors: int
    dithering: float
    #: libwebp parameters by name: ``{"method": 6, "use_sharp_yuv": 1}``.
    webp: Mapping[str, float]
    #: Metadata blocks to write.
    exif: ReadableBuffer | None
    xmp: ReadableBuffer | None
    #: Values for coders of the program and of plug-ins.
    options: Mapping[str, OptionValue] | OptionValues | None


_REALS = {
    "quality": lib.sdimage_encode_options_set_quality,
    "dithering": lib.sdimage_encode_options_set_dithering,
}
_FLAGS = {
    "lossless": lib.sdimage_encode_options_set_lossless,
    "embed_thumbnail": lib.sdimage_encode_options_set_embed_thumbnail,
    "embed_gain_map": lib.sdimage_encode_options_set_embed_gain_map,
    "first_frame_only": lib.sdimage_encode_options_set_first_frame_only,
    "progressive": lib.sdimage_encode_options_set_progressive,
    "restart_markers": lib.sdimage_encode_options_set_restart_markers,
}
_NUMBERS = {
    "effort": lib.sdimage_encode_options_set_effort,
    "bits_per_channel": lib.sdimage_encode_options_set_bits_per_channel,
    "max_content_light_level": lib.sdimage_encode_options_set_max_content_light_level,
    "max_frame_average_light_level": lib.sdimage_encode_options_set_max_frame_average_light_level,
    "max_colors": lib.sdimage_encode_options_set_max_colors,
    "max_work_ms": lib.sdimage_encode_options_set_max_work_ms,
}
_BLOCKS = {"exif": lib.sdimage_encode_options_set_exif, "xmp": lib.sdimage_encode_options_set_xmp}


def encode_options(options: EncodeOptions) -> Handle:
    """An ``sdimage_encode_options``."""
    handle = Handle(lib.sdimage_encode_options_new(), lib.sdimage_encode_options_unref)
    pointer = handle.pointer
    values = cast("Mapping[str, Any]", options)
    for name, setter in _FLAGS.items():
        if name in values:
            setter(pointer, flag(values[name], name))
    for name, amount in _REALS.items():
        if name in values:
            amount(pointer, real(values[name], name))
    for name, number in _NUMBERS.items():
        if name in values:
            number(pointer, unsigned(values[name], name, U32))
    if "background_color" in options:
        lib.sdimage_encode_options_set_background_color(pointer, color(options["background_color"]))
    size = options.get("max_pixel_size")
    if size is not None:
        lib.sdimage_encode_options_set_max_pixel_size(pointer, *box(size))
    lib.sdimage_encode_options_set_max_file_size(pointer, unsigned(options.get("max_file_size"), "max_file_size"))
    loops = options.get("loop_count")
    if loops is not None:
        lib.sdimage_encode_options_set_loop_count(pointer, unsigned(loops, "loop_count", U32 - 1))
    transfer = options.get("transfer_characteristics")
    if transfer is not None:
        code = _words.number(_enums.TRANSFER_CHARACTERISTICS, transfer, "transfer_characteristics")
        lib.sdimage_encode_options_set_transfer_characteristics(pointer, code)
    if "chroma" in options:
        lib.sdimage_encode_options_set_chroma(pointer, _words.number(_enums.CHROMA, options["chroma"], "chroma"))
    for name, value in mapping(options.get("webp"), "webp").items():
        parameter = _words.number(_enums.WEBP_PARAMETERS, name, "webp parameter")
        lib.sdimage_encode_options_set_webp(pointer, parameter, real(value, name))
    for name, setter in _BLOCKS.items():
        block = values.get(name)
        if block is not None:
            with _bytes.new_data(block, name) as data:
                setter(pointer, data.pointer)
    own = options.get("options")
    if own:
        with bag(cast("Mapping[str, OptionValue]", own)) as carried:
            lib.sdimage_encode_options_set_options(pointer, carried.pointer)
    return handle
