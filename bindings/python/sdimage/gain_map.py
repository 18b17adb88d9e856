"""Gain maps: the ratio of an SDR and an HDR rendition of one image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ._ffi import lib

if TYPE_CHECKING:
    from .image import Image


@dataclass(frozen=True, slots=True)
class GainMapChannel:
    """How the samples of one channel become gains (ISO 21496-1). Gains are in stops."""

    #: The gains of the samples 0 and 1.
    minimum: float
    maximum: float
    #: The exponent with which the samples were encoded.
    gamma: float
    #: Added to the light of the base image, and subtracted from that of the other rendition.
    base_offset: float
    alternate_offset: float


@dataclass(frozen=True, slots=True)
class GainMap:
    """A small image whose samples are gains."""

    #: Gray or RGB with 8 bits, turned as the base image is.
    image: Image
    #: The headroom of the base image and of the other rendition, in stops.
    base_headroom: float
    alternate_headroom: float
    #: Red, green and blue; all 0 for Apple's format.
    channels: tuple[GainMapChannel, GainMapChannel, GainMapChannel]
    #: True if the gains apply to the primaries of the base image, false for those of the other rendition.
    is_in_base_color_space: bool
    #: True for Apple's format, whose gain is linear in the light of the samples.
    is_linear: bool


def read_gain_map(pointer: int, image: Image) -> GainMap:
    """The numbers of a borrowed ``sdimage_gain_map``."""
    red, green, blue = (
        GainMapChannel(
            lib.sdimage_gain_map_minimum(pointer, channel),
            lib.sdimage_gain_map_maximum(pointer, channel),
            lib.sdimage_gain_map_gamma(pointer, channel),
            lib.sdimage_gain_map_base_offset(pointer, channel),
            lib.sdimage_gain_map_alternate_offset(pointer, channel),
        )
        for channel in range(3)
    )
    base, alternate = lib.sdimage_gain_map_base_headroom(pointer), lib.sdimage_gain_map_alternate_headroom(pointer)
    is_in_base = lib.sdimage_gain_map_is_in_base_color_space(pointer)
    return GainMap(image, base, alternate, (red, green, blue), is_in_base, lib.sdimage_gain_map_is_linear(pointer))
