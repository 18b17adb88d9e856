"""Pictures, and bytes to pictures."""

from __future__ import annotations

import ctypes
import importlib
import sys
from collections.abc import Iterator, Sequence
from ctypes import byref, c_void_p
from typing import TYPE_CHECKING, Any, Unpack, cast

from . import _bytes, _enums, _png
from ._bytes import Path, ReadableBuffer
from ._ffi import Color, Size, lib
from ._handle import Handle
from .encoding import EncodeOptions, encode_options
from .errors import Error, call, text
from .options import U32, DecodeOptions, decode_options, known, unsigned

if TYPE_CHECKING:
    from .transforms import Transformer

#: Longest side, in pixels, of what notebooks are shown.
_PREVIEW_SIDE = 1000
#: Bytes of a sample that is a float.
_FLOAT_SIZE = 4


class Image:
    """Immutable pixels of one picture, and what is known about it.

    ``numpy.asarray(image)`` is a read-only view of shape ``(height, width, channels)`` without a copy; it keeps the
    picture alive. Samples are ``uint8``, ``uint16`` for the formats that end in 16, and ``float32`` for ``rgba_float``.
    """

    __slots__ = ("__weakref__", "_handle")

    def __init__(self, handle: Handle) -> None:
        """For this package: use :func:`decode`, :meth:`from_pixels`, or a load."""
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
        """A picture with a copy of `pixels`: rows top to bottom, `stride` bytes apart (tight when left out)."""
        samples, size = _enums.PIXEL_LAYOUTS.get(pixel_format, (0, 0))
        row = width * samples * size
        distance = row if stride is None else stride
        data, length = _bytes.borrowed(pixels)
        if min(width, height) < 1 or distance < row or length < distance * (height - 1) + row:
            raise Error("INVALID_ARGUMENT", f"{length} bytes do not hold {width} x {height} pixels of {pixel_format}")
        number = _enums.number(_enums.PIXEL_FORMATS, pixel_format, "pixel_format")
        out = c_void_p()
        call(lib.sdimage_image_new, width, height, distance, number, data, byref(out))
        return cls.owned(out.value)

    @classmethod
    def animation(cls, frames: Sequence[Image], durations_ms: Sequence[int], loop_count: int = 0) -> Image:
        """An animation of pictures of one size, shown for so many milliseconds each; 0 loops are for ever."""
        if len(frames) != len(durations_ms):
            raise Error("INVALID_ARGUMENT", f"{len(durations_ms)} durations for {len(frames)} frames")
        pointers = (c_void_p * max(1, len(frames)))(*(frame.pointer for frame in frames))
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
        """Pixels of this bitmap."""
        return cast(int, lib.sdimage_image_width(self.pointer))

    @property
    def height(self) -> int:
        """Pixels of this bitmap."""
        return cast(int, lib.sdimage_image_height(self.pointer))

    @property
    def stride(self) -> int:
        """Bytes from one row to the next."""
        return cast(int, lib.sdimage_image_stride(self.pointer))

    @property
    def pixel_format(self) -> str:
        """``"rgb8"``, ``"rgba8"``, ``"gray16"`` …"""
        return _enums.word(_enums.PIXEL_FORMATS, lib.sdimage_image_pixel_format(self.pointer))

    @property
    def has_alpha(self) -> bool:
        """Whether a pixel can be transparent."""
        return cast(bool, lib.sdimage_image_has_alpha(self.pointer))

    @property
    def format(self) -> str | None:
        """The container that it was decoded from, ``"jpeg"``; ``None`` for pixels of the program."""
        return format_name(lib.sdimage_image_format(self.pointer))

    @property
    def scale(self) -> float:
        """Pixels per point."""
        return cast(float, lib.sdimage_image_scale(self.pointer))

    @property
    def orientation(self) -> str:
        """Turning still to be done: ``"up"`` unless decoding was told to keep the tag."""
        return _enums.word(_enums.ORIENTATIONS, lib.sdimage_image_orientation(self.pointer))

    @property
    def source_size(self) -> tuple[int, int]:
        """``(width, height)`` in pixels of the encoded picture as displayed."""
        size = cast(Size, lib.sdimage_image_source_size(self.pointer))
        return size.width, size.height

    @property
    def frame_count(self) -> int:
        """Frames of an animation, 1 for a still; the pixels are those of the first."""
        return cast(int, lib.sdimage_image_frame_count(self.pointer))

    @property
    def loop_count(self) -> int:
        """How often the frames play; 0 is for ever."""
        return cast(int, lib.sdimage_image_loop_count(self.pointer))

    @property
    def duration_ms(self) -> int:
        """Milliseconds of one round of the frames."""
        return cast(int, lib.sdimage_image_duration_ms(self.pointer))

    @property
    def durations_ms(self) -> list[int]:
        """Milliseconds of each frame as played; empty for a still."""
        count = self.frame_count if self.is_animated else 0
        return [lib.sdimage_image_frame_duration_ms(self.pointer, index) for index in range(count)]

    def frame(self, index: int) -> Image:
        """A frame of an animation, composed to the whole canvas, as a picture of its own; decoded now."""
        out = c_void_p()
        call(lib.sdimage_image_copy_frame, self.pointer, unsigned(index, "index", U32), byref(out))
        return Image.owned(out.value)

    @property
    def is_incremental(self) -> bool:
        """A part had not arrived, or was damaged and accepted so."""
        return cast(bool, lib.sdimage_image_is_incremental(self.pointer))

    @property
    def is_transformed(self) -> bool:
        """A load has put it through its transformer."""
        return cast(bool, lib.sdimage_image_is_transformed(self.pointer))

    @property
    def consumed_bytes(self) -> int:
        """How many of the encoded bytes an early thumbnail needed; 0 when all of them."""
        return cast(int, lib.sdimage_image_consumed_bytes(self.pointer))

    @property
    def is_animated(self) -> bool:
        """More than one frame."""
        return cast(bool, lib.sdimage_image_is_animated(self.pointer))

    @property
    def is_thumbnail(self) -> bool:
        """A thumbnail size was asked for."""
        return cast(bool, lib.sdimage_image_is_thumbnail(self.pointer))

    @property
    def memory_cost(self) -> int:
        """Bytes that a memory cache counts."""
        return cast(int, lib.sdimage_image_memory_cost(self.pointer))

    @property
    def color_profile(self) -> bytes | None:
        """The ICC profile that the pixels were left in; ``None`` for sRGB."""
        data = lib.sdimage_image_color_profile(self.pointer)
        return _bytes.copied(data) if data else None

    @property
    def is_hdr(self) -> bool:
        """Whether the pixels reach beyond the white of a standard picture."""
        return cast(bool, lib.sdimage_image_is_hdr(self.pointer))

    @property
    def metadata(self) -> dict[str, Any]:
        """What is known beside the pixels."""
        names = (
            "format scale orientation source_size frame_count loop_count duration_ms is_animated is_thumbnail "
            "memory_cost color_profile is_hdr"
        )
        return {name: getattr(self, name) for name in names.split()}

    @property
    def _layout(self) -> tuple[int, int]:
        return _enums.PIXEL_LAYOUTS[self.pixel_format]

    @property
    def _row(self) -> int:
        samples, size = self._layout
        return self.width * samples * size

    @property
    def pixels(self) -> memoryview:
        """All rows with their padding as read-only bytes, without a copy; the view keeps the picture alive."""
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
        """The pixels as tight rows, in :attr:`pixel_format`; samples in the machine's byte order."""
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
        """The picture in another pixel format; alpha is multiplied in or divided out as the names say."""
        number = _enums.number(_enums.PIXEL_FORMATS, pixel_format, "pixel_format")
        out = c_void_p()
        call(lib.sdimage_image_convert, self.pointer, number, byref(out))
        return Image.owned(out.value)

    def encode(self, format: str | None = None, **options: Unpack[EncodeOptions]) -> bytes:  # noqa: A002
        """The picture as bytes of a format, ``"webp"``; ``None`` is PNG for a picture with alpha, else JPEG.

        The options are those of :class:`sdimage.EncodeOptions`: ``quality=0.8``, ``lossless``, ``effort``,
        ``background_color``, ``max_pixel_size=(width, height)``, ``max_file_size`` in bytes, ``first_frame_only`` …
        An animation stays one in ``"png"``, ``"gif"`` and ``"webp"``.
        """
        known(options, EncodeOptions)
        number = _enums.number(_enums.FORMATS, format or "undefined", "format")
        out = c_void_p()
        with encode_options(options) as wish:
            call(lib.sdimage_encode, self.pointer, number, wish.pointer, byref(out))
        return _bytes.taken(out)

    def save(self, path: Path, format: str | None = None, **options: Unpack[EncodeOptions]) -> None:  # noqa: A002
        """The same into a file, which appears whole or not at all; ``None`` is the format of the path's extension."""
        known(options, EncodeOptions)
        number = _enums.number(_enums.FORMATS, format or "undefined", "format")
        with encode_options(options) as wish:
            call(lib.sdimage_encode_file, self.pointer, _bytes.c_path(path), number, wish.pointer)

    def transform(self, *transformers: Transformer, frames: bool = False) -> Image:
        """The picture by transformers of :mod:`sdimage.transforms`, one after the other: of an animation the still of its
        first frame, or with `frames` an animation whose frames are changed when they are asked for."""
        function = lib.sdimage_image_transform_frames if frames else lib.sdimage_image_transform
        image = self
        for transformer in transformers:
            out = c_void_p()
            call(function, image.pointer, transformer.pointer, byref(out))
            image = Image.owned(out.value)
        return image

    def color_at(self, x: int, y: int) -> tuple[float, float, float, float]:
        """Straight ``(red, green, blue, alpha)`` of a pixel, 0 to 1 each."""
        found = Color()
        call(lib.sdimage_image_color_at, self.pointer, unsigned(x, "x", U32), unsigned(y, "y", U32), byref(found))
        return found.red, found.green, found.blue, found.alpha

    def to_pil(self) -> Any:
        """A ``PIL.Image.Image`` of mode L, RGB or RGBA with straight alpha; samples become 8 bits."""
        pillow: Any = importlib.import_module("PIL.Image")
        mode = {1: "L", 3: "RGB", 4: "RGBA"}[self._layout[0]]
        plain = self.convert({"L": "gray8", "RGB": "rgb8", "RGBA": "rgba8"}[mode])
        return pillow.frombytes(mode, (plain.width, plain.height), plain.tobytes())

    def _repr_png_(self) -> bytes:
        """For notebooks: at most 1000 pixels on the longer side, reduced by taking every n-th pixel."""
        step = -(-max(self.width, self.height) // _PREVIEW_SIDE)
        plain = self.convert("rgba8")
        width, height = -(-self.width // step), -(-self.height // step)
        pixels, stride = plain.pixels, plain.stride

        def reduced() -> Iterator[bytes]:
            for y in range(0, plain.height, step):
                row = pixels[y * stride : y * stride + plain.width * 4]
                yield row.cast("I")[::step].tobytes()

        return _png.encode(width, height, 4, reduced())

    def __repr__(self) -> str:
        frames = f", {self.frame_count} frames" if self.is_animated else ""
        return f"<sdimage.Image {self.width}x{self.height} {self.pixel_format}, {self.format or 'pixels'}{frames}>"


class _Interface:
    """Shows numpy the array interface alone, so that `__array__` can use it."""

    __slots__ = ("__array_interface__", "_image")

    def __init__(self, image: Image) -> None:
        self._image = image
        self.__array_interface__ = image.__array_interface__


def format_name(number: int) -> str | None:
    """``"jpeg"``, or ``None`` for no known format."""
    return None if number == _enums.FORMATS["undefined"] else text(lib.sdimage_format_name(number))


def decode(data: ReadableBuffer | Path, **options: Unpack[DecodeOptions]) -> Image:
    """Pixels of bytes, or of the file at a path (``str`` or ``os.PathLike``).

    The options are those of :class:`sdimage.DecodeOptions`: ``thumbnail_size=(width, height)`` in pixels,
    ``preserve_aspect_ratio``, ``first_frame_only``, ``pixel_format``, ``apply_orientation``, ``convert_to_srgb``,
    ``limit_bytes``, ``format_hint``, ``scale``, ``accept_partial``,
    ``early_thumbnail``, and the safety limits. Works in a forked child.
    """
    known(options, DecodeOptions)
    out = c_void_p()
    path = _bytes.as_path(data)
    with decode_options(options) as wish:
        if path is not None:
            call(lib.sdimage_decode_file, path, wish.pointer, byref(out))
        else:
            bytes_, length = _bytes.borrowed(cast(ReadableBuffer, data))
            call(lib.sdimage_decode, bytes_, length, wish.pointer, byref(out))
    return Image.owned(out.value)
