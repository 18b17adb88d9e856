"""Images, and decoding."""

from __future__ import annotations

import ctypes
import importlib
import math
import sys
from collections.abc import Iterator, Sequence
from ctypes import byref, c_void_p
from typing import TYPE_CHECKING, Any, Unpack, cast

from . import _bytes, _enums, _words
from ._bytes import Path, ReadableBuffer
from ._check import flag, kind, pointer_of, real
from ._ffi import lib
from ._handle import Handle
from ._prototypes import Color, Size
from .encoding import EncodeOptions, encode_options
from .errors import Error, call, text
from .gain_map import GainMap
from .metadata import ImageMetadata, MetadataChanges, change_metadata
from .options import U32, U64, DecodeOptions, box, decode_options, known, read_options, unsigned

if TYPE_CHECKING:
    from .coder import AnyCoder
    from .transforms import Transformer

#: Longest side of notebook previews in pixels.
_PREVIEW_SIDE = 1000
#: Bytes per floating-point sample.
_FLOAT_SIZE = 4


@kind("image")
class Image:
    """Immutable pixels of one image, and its properties.

    ``numpy.asarray(image)`` is a read-only view of shape ``(height, width, channels)`` without a copy; it keeps the
    image alive. Samples are ``uint8``, ``uint16`` for the formats that end in 16, and ``float32`` for ``rgba_float``.
    """

    __slots__ = ("__weakref__", "_handle")

    def __init__(self, handle: Handle) -> None:
        """For internal use: call :func:`decode` or :meth:`from_pixels`, or use a load."""
        self._handle = handle

    @classmethod
    def owned(cls, pointer: int | None) -> Image:
        """Takes over a reference of the library."""
        return cls(Handle(pointer, lib.sdimage_image_unref))

    @classmethod
    def borrowed(cls, pointer: int) -> Image:
        """Takes a reference of its own."""
        return cls.owned(lib.sdimage_image_ref(pointer))

    @classmethod
    def from_pixels(
        cls, pixels: ReadableBuffer, width: int, height: int, pixel_format: str, stride: int | None = None
    ) -> Image:
        """An image with a copy of `pixels`: rows from top to bottom, `stride` bytes apart (default: unpadded)."""
        samples, size = _words.PIXEL_LAYOUTS.get(pixel_format, (0, 0))
        row = width * samples * size
        distance = row if stride is None else stride
        data, length = _bytes.borrowed(pixels, "pixels")
        try:
            if min(width, height) < 1 or distance < row or length < distance * (height - 1) + row:
                raise Error(
                    "INVALID_ARGUMENT", f"image: {length} bytes are too few for {width}x{height} pixels of {pixel_format}"
                )
            number = _words.number(_enums.PIXEL_FORMATS, pixel_format, "pixel_format")
            out = c_void_p()
            call(lib.sdimage_image_new, width, height, distance, number, data, byref(out))
        finally:
            del data
        return cls.owned(out.value)

    @classmethod
    def animation(cls, frames: Sequence[Image], durations_ms: Sequence[int], loop_count: int = 0) -> Image:
        """An animation of images of one size with the given durations; a loop count of 0 repeats forever."""
        frames = tuple(frames)  # holds those that a sequence makes on access
        if len(frames) != len(durations_ms):
            raise Error("INVALID_ARGUMENT", f"animation: {len(durations_ms)} durations for {len(frames)} frames")
        pointers = (c_void_p * max(1, len(frames)))(
            *(pointer_of(frame, f"frames[{index}]", "image") for index, frame in enumerate(frames))
        )
        times = (ctypes.c_uint32 * max(1, len(frames)))(*(unsigned(each, "duration", U32) for each in durations_ms))
        loops = unsigned(loop_count, "loop_count", U32)
        out = c_void_p()
        first = ctypes.cast(pointers, ctypes.POINTER(c_void_p))
        call(lib.sdimage_image_new_animation, first, times, len(frames), loops, byref(out))
        return cls.owned(out.value)

    @property
    def pointer(self) -> int:
        """Address of the ``sdimage_image``, borrowed."""
        return self._handle.pointer

    @property
    def width(self) -> int:
        """Width of this bitmap in pixels."""
        return cast(int, lib.sdimage_image_width(self.pointer))

    @property
    def height(self) -> int:
        """Height of this bitmap in pixels."""
        return cast(int, lib.sdimage_image_height(self.pointer))

    @property
    def size(self) -> tuple[int, int]:
        """``(width, height)`` of this bitmap in pixels."""
        return self.width, self.height

    @property
    def stride(self) -> int:
        """Bytes from one row to the next."""
        return cast(int, lib.sdimage_image_stride(self.pointer))

    @property
    def pixel_format(self) -> str:
        """``"rgb8"``, ``"rgba8"``, ``"gray16"`` …"""
        return _words.word(_enums.PIXEL_FORMATS, lib.sdimage_image_pixel_format(self.pointer))

    @property
    def has_alpha(self) -> bool:
        """True if a pixel can be transparent."""
        return cast(bool, lib.sdimage_image_has_alpha(self.pointer))

    @property
    def format(self) -> str | None:
        """The container that the image was decoded from, such as ``"jpeg"``; ``None`` for pixels of the program."""
        return format_name(lib.sdimage_image_format(self.pointer))

    @property
    def scale(self) -> float:
        """Pixels per point."""
        return cast(float, lib.sdimage_image_scale(self.pointer))

    @property
    def orientation(self) -> str:
        """The orientation still to be applied: ``"up"`` unless decoding left the tag unapplied."""
        return _words.word(_enums.ORIENTATIONS, lib.sdimage_image_orientation(self.pointer))

    @property
    def source_size(self) -> tuple[int, int]:
        """``(width, height)`` in pixels of the encoded image as displayed."""
        size = cast(Size, lib.sdimage_image_source_size(self.pointer))
        return size.width, size.height

    @property
    def frame_count(self) -> int:
        """Number of frames, 1 for a still; the pixels are those of the first frame."""
        return cast(int, lib.sdimage_image_frame_count(self.pointer))

    @property
    def loop_count(self) -> int:
        """The number of loops; 0 repeats forever."""
        return cast(int, lib.sdimage_image_loop_count(self.pointer))

    @property
    def duration_ms(self) -> int:
        """The duration of one loop in milliseconds."""
        return cast(int, lib.sdimage_image_duration_ms(self.pointer))

    @property
    def durations_ms(self) -> list[int]:
        """The duration of each frame in milliseconds as played; empty for a still."""
        count = self.frame_count if self.is_animated else 0
        return [lib.sdimage_image_frame_duration_ms(self.pointer, index) for index in range(count)]

    def frame(self, index: int) -> Image:
        """A frame of an animation, composed to the whole canvas, as a separate image; decoded now."""
        out = c_void_p()
        call(lib.sdimage_image_get_frame, self.pointer, unsigned(index, "index", U32), byref(out))
        return Image.owned(out.value)

    @property
    def is_incremental(self) -> bool:
        """True if a part had not arrived, or the file was cut and accepted."""
        return cast(bool, lib.sdimage_image_is_incremental(self.pointer))

    @property
    def is_damaged(self) -> bool:
        """True if some pixels are wrong because the file contains corrupt data."""
        return cast(bool, lib.sdimage_image_is_damaged(self.pointer))

    @property
    def is_transformed(self) -> bool:
        """True if a load has applied its transformer."""
        return cast(bool, lib.sdimage_image_is_transformed(self.pointer))

    @property
    def consumed_bytes(self) -> int:
        """The number of encoded bytes that an early thumbnail needed; 0 when it needed all."""
        return cast(int, lib.sdimage_image_consumed_bytes(self.pointer))

    @property
    def is_animated(self) -> bool:
        """True if there is more than one frame."""
        return cast(bool, lib.sdimage_image_is_animated(self.pointer))

    @property
    def is_thumbnail(self) -> bool:
        """True if a thumbnail size was requested."""
        return cast(bool, lib.sdimage_image_is_thumbnail(self.pointer))

    @property
    def memory_cost(self) -> int:
        """The cost in bytes for memory caches."""
        return cast(int, lib.sdimage_image_memory_cost(self.pointer))

    @property
    def color_profile(self) -> bytes | None:
        """The ICC profile of the pixels if they were not converted; ``None`` for sRGB."""
        data = lib.sdimage_image_color_profile(self.pointer)
        return _bytes.copied(data) if data else None

    @property
    def is_hdr(self) -> bool:
        """True if pixels exceed the white of standard dynamic range."""
        return cast(bool, lib.sdimage_image_is_hdr(self.pointer))

    @property
    def headroom(self) -> float:
        """The brightest light that the rendition can contain, in stops above the white of SDR; 0 for SDR."""
        return cast(float, lib.sdimage_image_headroom(self.pointer))

    @property
    def content_headroom(self) -> float:
        """The headroom of the brightest rendition of the file in stops: that of its gain map, if the map was applied or
        kept, or of PQ and HLG; 0 for SDR."""
        return cast(float, lib.sdimage_image_content_headroom(self.pointer))

    @property
    def gain_map(self) -> GainMap | None:
        """The gain map that was applied to an ``rgba_float`` image, or that can be applied to an image of another format;
        ``None`` without one. It is set by :meth:`with_metadata`."""
        out = c_void_p()
        lib.sdimage_image_get_gain_map(self.pointer, byref(out))
        return GainMap.owned(out.value) if out.value else None

    def apply_gain_map(self, headroom: float = math.inf) -> Image:
        """The rendition for a display with a headroom in stops, by default that of the content: ``rgba_float`` in linear
        light, or the image itself if it is the rendition. ``Error("UNSUPPORTED")`` without a map to apply."""
        out = c_void_p()
        call(lib.sdimage_image_apply_gain_map, self.pointer, real(headroom, "headroom"), byref(out))
        return Image.owned(out.value)

    @property
    def metadata(self) -> ImageMetadata:
        """Properties besides the pixels."""
        return ImageMetadata(**{name: getattr(self, name) for name in ImageMetadata.__dataclass_fields__})

    def with_metadata(self, **changes: Unpack[MetadataChanges]) -> Image:
        """An image of the same pixels with other metadata, without a copy of the pixels: see :class:`MetadataChanges`."""
        known(changes, MetadataChanges)
        out, changed = c_void_p(), c_void_p()
        call(lib.sdimage_image_copy_metadata, self.pointer, byref(out))
        with Handle(out.value, lib.sdimage_metadata_unref) as metadata:
            change_metadata(metadata.pointer, changes)
            call(lib.sdimage_image_with_metadata, self.pointer, metadata.pointer, byref(changed))
        return Image.owned(changed.value)

    @property
    def extended_data(self) -> bytes | None:
        """The program's own bytes stored with the image, also by caches; ``None`` when there are none. They are set by
        :meth:`with_metadata`."""
        data = lib.sdimage_image_extended_data(self.pointer)
        return _bytes.copied(data) if data else None

    @property
    def color_primaries(self) -> int:
        """The primaries of pixels that were not converted to sRGB: a code point of ITU-T H.273, table 2; else 0."""
        return cast(int, lib.sdimage_image_color_primaries(self.pointer))

    @property
    def transfer_characteristics(self) -> int:
        """The same for the transfer characteristics, table 3."""
        return cast(int, lib.sdimage_image_transfer_characteristics(self.pointer))

    @property
    def encoded_data(self) -> bytes | None:
        """The bytes from which an animation was decoded; ``None`` for stills and for animations of the program."""
        if not self.is_animated:
            return None
        out, data = c_void_p(), c_void_p()
        call(lib.sdimage_frame_provider_new_image, self.pointer, byref(out))
        with Handle(out.value, lib.sdimage_frame_provider_unref) as provider:
            try:
                call(lib.sdimage_frame_provider_get_data, provider.pointer, byref(data))
            except Error as error:
                if error.code != "NOT_FOUND":
                    raise
        return _bytes.taken(data) if data.value else None

    @property
    def decode_options(self) -> DecodeOptions | None:
        """The options with which the image was decoded; ``None`` for an image that was not decoded from bytes."""
        out = c_void_p()
        lib.sdimage_image_get_decode_options(self.pointer, byref(out))
        if not out.value:
            return None
        with Handle(out.value, lib.sdimage_decode_options_unref) as options:
            return read_options(options.pointer)

    @property
    def is_vector(self) -> bool:
        """True for an image that :meth:`render` draws sharply at any size."""
        return cast(bool, lib.sdimage_image_is_vector(self.pointer))

    def render(self, size: tuple[int, int]) -> Image:
        """Draws a vector image at `size`, ``(width, height)`` in pixels; ``Error("UNSUPPORTED")`` for other images."""
        out = c_void_p()
        call(lib.sdimage_image_render, self.pointer, *box(size), byref(out))
        return Image.owned(out.value)

    def __copy__(self) -> Image:
        """The same object: images are immutable."""
        return self

    def __deepcopy__(self, memo: object) -> Image:
        """The same object."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles pixels and metadata; of an animation all frames, decoded. A vector image becomes its pixels;
        :attr:`is_thumbnail`, :attr:`is_transformed` and :attr:`is_incremental` become false. A gain map that was applied,
        and one of Apple's format, are not pickled."""
        changes = {name: getattr(self, name) for name in ("scale", "format", "orientation", "has_alpha", "extended_data")}
        if self.color_profile is not None:
            changes["color_profile"] = self.color_profile
        if self.color_primaries or self.transfer_characteristics:
            changes["cicp"] = (self.color_primaries, self.transfer_characteristics, 0, True)
        gain_map = None if self.pixel_format == "rgba_float" else self.gain_map
        if gain_map is not None and not gain_map.is_linear:
            changes["gain_map"] = gain_map
        changes["source_size"] = self.source_size
        if self.memory_cost != self.with_metadata(memory_cost=None).memory_cost:
            changes["memory_cost"] = self.memory_cost
        frames = [self.frame(index) for index in range(self.frame_count)] if self.is_animated else [self]
        pixels = [(each.tobytes(), each.width, each.height, each.pixel_format) for each in frames]
        return _restored, (pixels, self.durations_ms, self.loop_count, changes)

    @property
    def _layout(self) -> tuple[int, int]:
        return _words.PIXEL_LAYOUTS[self.pixel_format]

    @property
    def _row(self) -> int:
        samples, size = self._layout
        return self.width * samples * size

    @property
    def pixels(self) -> memoryview:
        """All rows with their padding as read-only bytes, without a copy; the view keeps the image alive."""
        length = self.stride * (self.height - 1) + self._row
        array = (ctypes.c_ubyte * length).from_address(lib.sdimage_image_pixels(self.pointer))
        cast(Any, array).owner = self
        return memoryview(array).cast("B").toreadonly()

    def rows(self) -> Iterator[bytes]:
        """Each row without its padding."""
        pixels, stride, row = self.pixels, self.stride, self._row
        for y in range(self.height):
            yield bytes(pixels[y * stride : y * stride + row])

    def tobytes(self) -> bytes:
        """The pixels as unpadded rows, in :attr:`pixel_format`; samples in native byte order."""
        if self.stride == self._row:
            return bytes(self.pixels)
        return b"".join(self.rows())

    @property
    def __array_interface__(self) -> dict[str, Any]:
        samples, size = self._layout
        order = "|" if size == 1 else "<" if sys.byteorder == "little" else ">"
        return {
            "version": 3,
            "shape": (self.height, self.width, samples),
            "typestr": f"{order}{'f' if size == _FLOAT_SIZE else 'u'}{size}",
            "data": (lib.sdimage_image_pixels(self.pointer), True),
            "strides": (self.stride, samples * size, size),
        }

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        numpy: Any = importlib.import_module("numpy")
        view = numpy.ndarray.view(numpy.asarray(_Interface(self)))
        if dtype is not None and view.dtype != dtype:
            if copy is False:
                raise ValueError("another dtype needs a copy")
            return view.astype(dtype)
        return view.copy() if copy else view

    def convert(self, pixel_format: str) -> Image:
        """The image in another pixel format; alpha is premultiplied or unpremultiplied as the names imply."""
        number = _words.number(_enums.PIXEL_FORMATS, pixel_format, "pixel_format")
        out = c_void_p()
        call(lib.sdimage_image_convert, self.pointer, number, byref(out))
        return Image.owned(out.value)

    def encode(self, format: str | None = None, **options: Unpack[EncodeOptions]) -> bytes:  # noqa: A002
        """The image encoded in a format, such as ``"webp"``; ``None`` means PNG for images with alpha, else JPEG.

        The options are those of :class:`sdimage.EncodeOptions`: ``quality=0.8``, ``lossless``, ``effort``,
        ``background_color``, ``max_pixel_size=(width, height)``, ``max_file_size`` in bytes, ``first_frame_only`` …
        Animations are preserved in ``"png"``, ``"gif"`` and ``"webp"``.
        """
        known(options, EncodeOptions)
        number = _words.number(_enums.FORMATS, format or "unknown", "format")
        out = c_void_p()
        with encode_options(options) as wish:
            call(lib.sdimage_encode, self.pointer, number, wish.pointer, byref(out))
        return _bytes.taken(out)

    def save(self, path: Path, format: str | None = None, **options: Unpack[EncodeOptions]) -> None:  # noqa: A002
        """The same into a file, which is replaced atomically. ``None`` means the format of the path's extension; for an
        extension without a format it is chosen as in :meth:`encode`."""
        known(options, EncodeOptions)
        number = _words.number(_enums.FORMATS, format or "unknown", "format")
        with encode_options(options) as wish:
            call(lib.sdimage_encode_file, self.pointer, _bytes.c_path(path), number, wish.pointer)

    def transform(self, *transformers: Transformer, frames: bool = False) -> Image:
        """The image changed by transformers of :mod:`sdimage.transforms`, one after the other. The result for an
        animation is a still of its first frame or, with `frames`, an animation whose frames are changed on demand."""
        function = lib.sdimage_image_transform_frames if flag(frames, "frames") else lib.sdimage_image_transform
        image = self
        for transformer in transformers:
            out = c_void_p()
            call(function, image.pointer, pointer_of(transformer, "transformer", "transformer"), byref(out))
            image = Image.owned(out.value)
        return image

    def color_at(self, x: int, y: int) -> tuple[float, float, float, float]:
        """Straight ``(red, green, blue, alpha)`` of a pixel, 0 to 1 each."""
        found = Color()
        call(lib.sdimage_image_color_at, self.pointer, unsigned(x, "x", U32), unsigned(y, "y", U32), byref(found))
        return found.red, found.green, found.blue, found.alpha

    def colors_in(
        self, x: int, y: int, size: tuple[int, int]
    ) -> list[list[tuple[float, float, float, float]]]:
        """Rows of the colors of a rectangle whose top left pixel is (`x`, `y`), each as in :meth:`color_at`."""
        width, height = box(size)
        if width * height > self.width * self.height:
            raise Error("INVALID_ARGUMENT", f"image: rectangle of {width}x{height} pixels exceeds the image")
        colors = (Color * (width * height))()
        left, top = unsigned(x, "x", U32), unsigned(y, "y", U32)
        call(lib.sdimage_image_colors_in, self.pointer, left, top, width, height, colors, len(colors))
        found = [(each.red, each.green, each.blue, each.alpha) for each in colors]
        return [found[start : start + width] for start in range(0, len(found), width)]

    def limited(self, limit_bytes: int) -> Image:
        """The image, shrunk until the bitmaps of all its frames take at most `limit_bytes` together."""
        out = c_void_p()
        call(lib.sdimage_image_limit_bytes, self.pointer, unsigned(limit_bytes, "limit_bytes", U64), byref(out))
        return Image.owned(out.value)

    def to_pil(self) -> Any:
        """A ``PIL.Image.Image`` of mode L, RGB or RGBA with straight alpha; samples become 8 bits."""
        pillow: Any = importlib.import_module("PIL.Image")
        mode = {1: "L", 3: "RGB", 4: "RGBA"}[self._layout[0]]
        plain = self.convert({"L": "gray8", "RGB": "rgb8", "RGBA": "rgba8"}[mode])
        return pillow.frombytes(mode, (plain.width, plain.height), plain.tobytes())

    def _repr_png_(self) -> bytes:
        """For notebooks: the first frame, at most 1000 pixels on the longer side."""
        return self.convert("rgba8").encode("png", max_pixel_size=(_PREVIEW_SIDE, _PREVIEW_SIDE), first_frame_only=True)

    def __repr__(self) -> str:
        frames = f", {self.frame_count} frames" if self.is_animated else ""
        return f"<sdimage.Image {self.width}x{self.height} {self.pixel_format}, {self.format or 'pixels'}{frames}>"


class _Interface:
    """Exposes only the array interface to numpy, so that `__array__` can use it."""

    __slots__ = ("__array_interface__", "_image")

    def __init__(self, image: Image) -> None:
        self._image = image
        self.__array_interface__ = image.__array_interface__


def _restored(
    pixels: list[tuple[bytes, int, int, str]], durations: list[int], loops: int, changes: MetadataChanges
) -> Image:
    """An image from its pickled parts."""
    frames = [Image.from_pixels(*each) for each in pixels]
    return (Image.animation(frames, durations, loops) if durations else frames[0]).with_metadata(**changes)


def format_name(number: int) -> str | None:
    """``"jpeg"``, or ``None`` for an unknown format."""
    return None if number == _enums.FORMATS["unknown"] else text(lib.sdimage_format_name(number))


def decode(
    data: ReadableBuffer | Path, *, coder: AnyCoder | None = None, **options: Unpack[DecodeOptions]
) -> Image:
    """Decodes bytes, or the file at a path (``str`` or ``os.PathLike``).

    The options are those of :class:`sdimage.DecodeOptions`: ``thumbnail_size=(width, height)`` in pixels,
    ``preserve_aspect_ratio``, ``first_frame_only``, ``pixel_format``, ``apply_orientation``, ``convert_to_srgb``,
    ``limit_bytes``, ``format_hint``, ``scale``, ``accept_partial``,
    ``early_thumbnail``, and the safety limits. `coder` decodes in place of the registered ones. Works in a forked
    child.
    """
    known(options, DecodeOptions)
    out = c_void_p()
    if coder is not None:
        return _decoded(data, coder, options)
    path = _bytes.as_path(data)
    with decode_options(options) as wish:
        if path is not None:
            call(lib.sdimage_decode_file, path, wish.pointer, byref(out))
        else:
            call(lib.sdimage_decode, *_bytes.contents_of(cast(ReadableBuffer, data)), wish.pointer, byref(out))
    return Image.owned(out.value)


def _decoded(data: ReadableBuffer | Path, coder: AnyCoder, options: DecodeOptions) -> Image:
    from .header import contents

    decoder, image = c_void_p(), c_void_p()
    with decode_options(options) as wish:
        call(lib.sdimage_decoder_new, wish.pointer, pointer_of(coder, "coder", "coder"), byref(decoder))
    with Handle(decoder.value, lib.sdimage_decoder_unref) as handle:
        call(lib.sdimage_decoder_append, handle.pointer, *_bytes.contents_of(contents(data)), True)
        call(lib.sdimage_decoder_get_image, handle.pointer, byref(image))
    return Image.owned(image.value)
