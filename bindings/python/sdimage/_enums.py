"""Enums of the library as words, in both directions; a test compares the numbers with the headers."""

from __future__ import annotations

from typing import Final

from .errors import Error

PIXEL_FORMATS: Final = {
    "automatic": 0,
    "gray8": 1,
    "rgb8": 2,
    "rgba8": 3,
    "rgba8_premultiplied": 4,
    "bgra8_premultiplied": 5,
    "gray16": 6,
    "rgb16": 7,
    "rgba16": 8,
    "rgba_float": 9,
}
#: Samples of one pixel, and bytes of one sample.
PIXEL_LAYOUTS: Final = {
    "gray8": (1, 1),
    "rgb8": (3, 1),
    "rgba8": (4, 1),
    "rgba8_premultiplied": (4, 1),
    "bgra8_premultiplied": (4, 1),
    "gray16": (1, 2),
    "rgb16": (3, 2),
    "rgba16": (4, 2),
    "rgba_float": (4, 4),
}
FORMATS: Final = {
    "undefined": -1,
    "jpeg": 0,
    "png": 1,
    "gif": 2,
    "tiff": 3,
    "webp": 4,
    "heic": 5,
    "heif": 6,
    "pdf": 7,
    "svg": 8,
    "bmp": 9,
    "raw": 10,
    "ico": 11,
    "avif": 15,
    "jxl": 17,
}
ORIENTATIONS: Final = {
    "up": 1,
    "up_mirrored": 2,
    "down": 3,
    "down_mirrored": 4,
    "left_mirrored": 5,
    "right": 6,
    "right_mirrored": 7,
    "left": 8,
}
PLAYBACK_MODES: Final = {"normal": 0, "reverse": 1, "bounce": 2, "reversed_bounce": 3}
METADATA_KINDS: Final = {"exif": 1, "xmp": 2, "icc": 3}
CHROMA: Final = {"420": 0, "422": 1, "444": 2}
WEBP_PARAMETERS: Final = {
    "method": 1,
    "pass": 2,
    "preprocessing": 3,
    "thread_level": 4,
    "low_memory": 5,
    "target_psnr": 6,
    "segments": 7,
    "sns_strength": 8,
    "filter_strength": 9,
    "filter_sharpness": 10,
    "filter_type": 11,
    "autofilter": 12,
    "alpha_compression": 13,
    "alpha_filtering": 14,
    "alpha_quality": 15,
    "show_compressed": 16,
    "partitions": 17,
    "partition_limit": 18,
    "use_sharp_yuv": 19,
}
SCALE_MODES: Final = {"fill": 0, "aspect_fit": 1, "aspect_fill": 2}
RESAMPLINGS: Final = {"lanczos": 0, "area": 1, "cubic": 2, "linear": 3, "nearest": 4}
CORNERS: Final = {"top_left": 1, "top_right": 2, "bottom_left": 4, "bottom_right": 8}
#: ``SDIMAGE_CORNERS_ALL``.
ALL_CORNERS: Final = 2**64 - 1
BLEND_MODES: Final = {
    "normal": 0,
    "multiply": 1,
    "screen": 2,
    "overlay": 3,
    "darken": 4,
    "lighten": 5,
    "color_dodge": 6,
    "color_burn": 7,
    "soft_light": 8,
    "hard_light": 9,
    "difference": 10,
    "exclusion": 11,
    "hue": 12,
    "saturation": 13,
    "color": 14,
    "luminosity": 15,
    "clear": 16,
    "copy": 17,
    "source_in": 18,
    "source_out": 19,
    "source_atop": 20,
    "destination_over": 21,
    "destination_in": 22,
    "destination_out": 23,
    "destination_atop": 24,
    "xor": 25,
    "plus_darker": 26,
    "plus_lighter": 27,
}
TRANSITIONS: Final = {
    "none": 0,
    "fade": 1,
    "flip_from_left": 2,
    "flip_from_right": 3,
    "flip_from_top": 4,
    "flip_from_bottom": 5,
    "curl_up": 6,
    "curl_down": 7,
}
TRANSITION_RULES: Final = {"waited": 0, "always": 1}
PLACEHOLDER_TIMES: Final = {"now": 0, "on_failure": 1}
CACHED_PLACEHOLDERS: Final = {"none": 0, "memory": 1, "memory_and_disk": 2}
PREVIOUS_LOADS: Final = {"cancel": 0, "keep": 1}
IMAGE_SETTINGS: Final = {"automatic": 0, "manual": 1}
PRIORITIES: Final = {"low": -1, "normal": 0, "high": 1}
SOURCE_POLICIES: Final = {"any": 0, "cache_only": 1, "loader_only": 2}
FRESHNESS: Final = {"ignore": 0, "respect": 1, "refresh": 2}
FRESHNESS_RULES: Final = {
    "none": 0,
    "max_age": 1,
    "expires": 2,
    "heuristic": 3,
    "immutable": 4,
    "stale_while_revalidate": 5,
    "max_stale": 6,
    "expired": 7,
    "no_lifetime": 8,
    "no_cache": 9,
    "must_revalidate": 10,
    "no_store": 11,
    "vary": 12,
    "request": 13,
    "clock": 14,
    "refresh": 15,
    "stale_if_error": 16,
    "unreachable": 17,
    "offline": 18,
}
CACHE_LAYERS: Final = {"none": 0, "disk": 1, "memory": 2, "all": 3}
BLOCKING_READS: Final = {"none": 0, "memory_data": 1, "disk": 2, "all": 3}
EVICTIONS: Final = {"adaptive": 0, "lru": 1}
CACHE_ORDERS: Final = {"stored": 0, "used": 1}
EXPIRE_RULES: Final = {"access": 0, "modification": 1, "creation": 2}
CACHE_POLICIES: Final = {"serial": 0, "concurrent": 1, "highest_only": 2, "lowest_only": 3}
CACHE_OPERATIONS: Final = {"query": 0, "store": 1, "remove": 2, "contains": 3, "clear": 4}
DELIVERY_KINDS: Final = {"partial": 1, "cached": 2, "final": 3}
IMAGE_SOURCES: Final = {"none": 0, "memory": 1, "disk": 2, "remote": 3, "network": 4, "loader": 5}
STAGES: Final = {"total": 0, "queued": 1, "disk": 2, "load": 3, "decode": 4, "store": 5}
ADDRESS_POLICIES: Final = {"any": 0, "public_only": 1}
EXECUTION_ORDERS: Final = {"fifo": 0, "lifo": 1}
HTTP_VERSIONS: Final = {"automatic": 0, "1.1": 1}
TRANSACTION_PHASES: Final = {"name_lookup": 0, "connect": 1, "tls": 2, "first_byte": 3, "total": 4}
EVENT_TYPES: Final = {"result": 1, "progress": 2}
DOWNLOAD_EVENT_TYPES: Final = {"started": 1, "responded": 2, "stopped": 3, "finished": 4}

_WORDS: Final[dict[int, dict[int, str]]] = {}


def number(words: dict[str, int], word: str, what: str) -> int:
    """The number of a word; the error ``INVALID_ARGUMENT`` lists the valid words."""
    try:
        return words[word]
    except (KeyError, TypeError):
        raise Error("INVALID_ARGUMENT", f"{what} is one of {', '.join(words)}, not {word!r}") from None


def word(words: dict[str, int], value: int) -> str:
    """The word of a number; a number of a later version is returned as digits."""
    names = _WORDS.get(id(words))
    if names is None:
        names = _WORDS[id(words)] = {each: name for name, each in words.items()}
    return names.get(value) or str(value)
