"""Gain maps: the ratio of an SDR and an HDR rendition of one image."""

from __future__ import annotations

from ctypes import byref, c_void_p
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from . import _bytes
from ._bytes import ReadableBuffer
from ._check import kind, pointer_of
from ._ffi import lib
from ._handle import Handle
from .errors import call

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


@kind("gain_map")
class GainMap:
    """A small image whose samples are gains. Immutable."""

    __slots__ = ("__weakref__", "_handle")

    _handle: Handle

    def __init__(self, samples: Image, parameters: ReadableBuffer) -> None:
        """A map of `samples`, an image of ``gray8`` or ``rgb8``, and `parameters` in the binary form of ISO 21496-1."""
        self._make(lib.sdimage_gain_map_new, pointer_of(samples, "samples", "image"), *_bytes.borrowed(parameters, "parameters"))

    @classmethod
    def apple(cls, samples: Image, exif: ReadableBuffer) -> GainMap:
        """A map of Apple's format, whose headroom is given by the maker note in the EXIF block of the base image:
        ``sdimage.read_metadata(file, "exif")``."""
        map_ = cls.__new__(cls)
        pointer = pointer_of(samples, "samples", "image")
        map_._make(lib.sdimage_gain_map_new_apple, pointer, *_bytes.borrowed(exif, "exif"))
        return map_

    @classmethod
    def between(cls, sdr: Image, hdr: Image) -> GainMap:
        """Computes the map from an SDR image to its HDR rendition, an ``rgba_float`` image of the same size."""
        map_ = cls.__new__(cls)
        map_._make(lib.sdimage_gain_map_new_between, pointer_of(sdr, "sdr", "image"), pointer_of(hdr, "hdr", "image"))
        return map_

    @classmethod
    def owned(cls, pointer: int | None) -> GainMap:
        """Takes over a reference of the library."""
        map_ = cls.__new__(cls)
        map_._handle = Handle(pointer, lib.sdimage_gain_map_unref)
        return map_

    def _make(self, function: Any, *arguments: Any) -> None:
        out = c_void_p()
        call(function, *arguments, byref(out))
        self._handle = Handle(out.value, lib.sdimage_gain_map_unref)

    @property
    def pointer(self) -> int:
        """Address of the ``sdimage_gain_map``, borrowed."""
        return self._handle.pointer

    @property
    def image(self) -> Image:
        """The samples: ``gray8`` or ``rgb8``, turned as the base image is."""
        from .image import Image

        return Image.borrowed(lib.sdimage_gain_map_image(self.pointer))

    @property
    def base_headroom(self) -> float:
        """The headroom of the base image in stops."""
        return cast(float, lib.sdimage_gain_map_base_headroom(self.pointer))

    @property
    def alternate_headroom(self) -> float:
        """The headroom of the other rendition in stops."""
        return cast(float, lib.sdimage_gain_map_alternate_headroom(self.pointer))

    @property
    def channels(self) -> tuple[GainMapChannel, GainMapChannel, GainMapChannel]:
        """Red, green and blue; all numbers are 0 for Apple's format."""
        red, green, blue = (GainMapChannel(*(getter(self.pointer, channel) for getter in _NUMBERS)) for channel in range(3))
        return red, green, blue

    @property
    def is_in_base_color_space(self) -> bool:
        """True if the gains apply to the primaries of the base image, false for those of the other rendition."""
        return cast(bool, lib.sdimage_gain_map_is_in_base_color_space(self.pointer))

    @property
    def is_linear(self) -> bool:
        """True for Apple's format, whose gain is linear in the light of the samples."""
        return cast(bool, lib.sdimage_gain_map_is_linear(self.pointer))

    @property
    def parameters(self) -> bytes:
        """The parameters in the binary form of ISO 21496-1; ``Error("UNSUPPORTED")`` for Apple's format."""
        out = c_void_p()
        call(lib.sdimage_gain_map_copy_parameters, self.pointer, byref(out))
        return _bytes.taken(out)

    def __copy__(self) -> GainMap:
        """The same object: maps are immutable."""
        return self

    def __deepcopy__(self, memo: object) -> GainMap:
        """The same object."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles samples and parameters; ``Error("UNSUPPORTED")`` for Apple's format."""
        return GainMap, (self.image, self.parameters)

    def __repr__(self) -> str:
        samples = self.image
        return f"<sdimage.GainMap {samples.width}x{samples.height} {samples.pixel_format}, headroom {self.alternate_headroom:.2f}>"


#: The getters of the numbers of a channel, in the order of the fields of :class:`GainMapChannel`.
_NUMBERS = (
    lib.sdimage_gain_map_minimum,
    lib.sdimage_gain_map_maximum,
    lib.sdimage_gain_map_gamma,
    lib.sdimage_gain_map_base_offset,
    lib.sdimage_gain_map_alternate_offset,
)
