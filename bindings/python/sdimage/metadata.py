"""Properties of images besides their pixels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypedDict

from . import _bytes, _enums, _words
from ._bytes import ReadableBuffer
from ._check import flag, optional_pointer, real
from ._ffi import lib
from .gain_map import GainMap
from .options import U32, U64, box, unsigned


@dataclass(frozen=True, slots=True)
class ImageMetadata:
    """The properties of an :class:`Image`, documented there. ``metadata["format"]`` and ``dict(metadata)`` work too."""

    format: str | None
    scale: float
    orientation: str
    source_size: tuple[int, int]
    frame_count: int
    loop_count: int
    duration_ms: int
    has_alpha: bool
    is_animated: bool
    is_incremental: bool
    is_thumbnail: bool
    is_transformed: bool
    is_vector: bool
    is_hdr: bool
    memory_cost: int
    color_profile: bytes | None
    color_primaries: int
    transfer_characteristics: int
    extended_data: bytes | None

    def __getitem__(self, name: str) -> Any:
        if name not in self.__dataclass_fields__:
            raise KeyError(name)
        return getattr(self, name)

    def keys(self) -> Iterator[str]:
        """The names of the properties."""
        return iter(self.__dataclass_fields__)

    def __iter__(self) -> Iterator[str]:
        return self.keys()

    def __len__(self) -> int:
        return len(self.__dataclass_fields__)

    def __contains__(self, name: object) -> bool:
        return name in self.__dataclass_fields__


class MetadataChanges(TypedDict, total=False):
    """Keyword arguments of :meth:`sdimage.Image.with_metadata`; properties without one stay."""

    #: Pixels per point, at least 1.
    scale: float
    #: The container, such as ``"png"``; ``None`` is none.
    format: str | None
    #: The orientation that remains to be applied: ``"right"`` …
    orientation: str
    #: ``(width, height)`` in pixels of the encoded image as displayed.
    source_size: tuple[int, int]
    #: False for pixels that are all opaque, although their format has alpha.
    has_alpha: bool
    #: The ICC profile of pixels that are not sRGB; ``None`` removes it.
    color_profile: ReadableBuffer | None
    #: Code points of ITU-T H.273: primaries, transfer characteristics and matrix, and whether the range is full;
    #: ``None`` removes them.
    cicp: tuple[int, int, int, bool] | None
    #: The gain map of a base image; ``None`` removes it.
    gain_map: GainMap | None
    #: The program's own bytes; ``None`` removes them.
    extended_data: ReadableBuffer | None
    #: The cost for memory caches in bytes; ``None`` restores the computed one.
    memory_cost: int | None


_BLOCKS = {
    "color_profile": lib.sdimage_metadata_set_color_profile,
    "extended_data": lib.sdimage_metadata_set_extended_data,
}
#: A code point that removes the others.
_NO_CODE = 256


def change_metadata(pointer: int, changes: MetadataChanges) -> None:
    """Sets the given properties of an ``sdimage_metadata``."""
    values: Mapping[str, Any] = changes
    if "scale" in changes:
        lib.sdimage_metadata_set_scale(pointer, real(changes["scale"], "scale"))
    if "format" in changes:
        number = _words.number(_enums.FORMATS, changes["format"] or "unknown", "format")
        lib.sdimage_metadata_set_format(pointer, number)
    if "orientation" in changes:
        number = _words.number(_enums.ORIENTATIONS, changes["orientation"], "orientation")
        lib.sdimage_metadata_set_orientation(pointer, number)
    if "source_size" in changes:
        lib.sdimage_metadata_set_source_size(pointer, *box(changes["source_size"]))
    if "has_alpha" in changes:
        lib.sdimage_metadata_set_has_alpha(pointer, flag(changes["has_alpha"], "has_alpha"))
    if "cicp" in changes:
        primaries, transfer, matrix, full = changes["cicp"] or (_NO_CODE, _NO_CODE, _NO_CODE, True)
        codes = (unsigned(each, "cicp", U32) for each in (primaries, transfer, matrix))
        lib.sdimage_metadata_set_cicp(pointer, *codes, flag(full, "cicp"))
    if "memory_cost" in changes:
        cost = changes["memory_cost"]
        lib.sdimage_metadata_set_memory_cost(pointer, U64 if cost is None else unsigned(cost, "memory_cost"))
    if "gain_map" in changes:
        lib.sdimage_metadata_set_gain_map(pointer, optional_pointer(changes["gain_map"], "gain_map", "gain_map"))
    for name, setter in _BLOCKS.items():
        if name in values:
            with _bytes.optional_data(values[name]) as block:
                setter(pointer, block)
