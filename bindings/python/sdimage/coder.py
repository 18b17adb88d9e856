"""Coders from Python methods."""

from __future__ import annotations

import contextlib
import ctypes
import threading
import weakref
from collections.abc import Iterator, Mapping
from ctypes import byref, c_void_p, sizeof
from typing import Any

from . import _bytes, _enums, _failures, _words
from ._check import kind, pointer_of
from ._ffi import lib
from ._handle import Handle
from ._prototypes import (
    CODER_TABLE_CAN_DECODE,
    CODER_TABLE_CAN_ENCODE,
    CODER_TABLE_DECODE,
    CODER_TABLE_DESCRIBE,
    CODER_TABLE_ENCODE,
    DESTROY,
    CoderTable,
)
from ._tokens import Tokens
from .errors import Error, answer, call, status_name
from .encoding import EncodeOptions
from .image import Image
from .options import DecodeOptions

#: The number of bytes passed to :meth:`Coder.can_decode`.
_HEAD = 4096


#: The number of milliseconds that means no time limit.
_NO_LIMIT = 0xFFFFFFFF


class WorkBudget:
    """The limits of the operation that a coder works for, valid while its method runs."""

    def __init__(self, pointer: int | None) -> None:
        self._pointer = pointer

    def check(self) -> None:
        """Raises ``CANCELLED``, or ``TIMEOUT`` once the time limit is exceeded. Call it at least every 50 ms of work.
        """
        _raise(lib.sdimage_work_budget_check(self._pointer))

    def spend(self, count: int) -> None:
        """Like :meth:`check`, and counts `count` bytes of input that were read; ``TOO_LARGE`` for far more than the
        input has."""
        _raise(lib.sdimage_work_budget_spend(self._pointer, count))

    @property
    def remaining(self) -> float | None:
        """Seconds until the time limit; None without one."""
        milliseconds = lib.sdimage_work_budget_remaining_ms(self._pointer)
        return None if milliseconds == _NO_LIMIT else milliseconds / 1000


def _raise(status: int) -> None:
    if status < 0:
        raise Error(status_name(status), "the operation must end")


class _UnderWay(threading.local):
    """The budget of the current call on this thread."""

    pointer: int | None = None


_under_way = _UnderWay()


@contextlib.contextmanager
def _working(pointer: int | None) -> Iterator[None]:
    before, _under_way.pointer = _under_way.pointer, pointer
    try:
        yield
    finally:
        _under_way.pointer = before


@kind("coder")
class Coder:
    """A custom format: subclass it, and pass an instance to :func:`register_coder`.

    The methods run on threads of the library, several at once, and must not block. The library scales, rotates and
    converts the pixel format of the image that :meth:`decode` returns. A raised :class:`Error` is the error of the
    decode; any other exception becomes ``INTERNAL_ERROR`` with its text.
    """

    #: The name in messages.
    name = "python"

    def can_decode(self, head: bytes) -> bool:
        """True for data of this coder, by its first bytes, at most 4096. Called for all data that is decoded."""
        raise NotImplementedError

    def decode(self, data: bytes, options: DecodeOptions) -> Image:
        """The (first) image. `options` are those of the decode. They include the safety limits ``max_pixels`` and
        ``max_bytes``, which must be checked before memory is allocated."""
        raise NotImplementedError

    def info(self, data: bytes) -> Mapping[str, Any]:
        """The header properties: ``width`` and ``height`` as displayed and, if known, ``has_alpha``, ``channels``,
        ``bits_per_channel``, ``is_progressive``. Without this method the image is decoded to obtain them."""
        raise NotImplementedError

    def can_encode(self, format: str) -> bool:  # noqa: A002 - as everywhere
        """True if :meth:`encode` writes the format, such as ``"bmp"``."""
        return False

    def encode(self, image: Image, format: str, options: EncodeOptions) -> bytes:  # noqa: A002
        """Encodes the image. The given options are ``quality``, ``lossless``, ``effort`` and ``background_color``. The
        image is already scaled, and a file size limit is met by calls with different qualities."""
        raise NotImplementedError

    @property
    def budget(self) -> WorkBudget:
        """The budget of the decode, encode or header call that runs on this thread; unlimited elsewhere."""
        return WorkBudget(_under_way.pointer)

    _handle: Handle | None = None

    @property
    def pointer(self) -> int:
        """Address of the ``sdimage_coder``, borrowed."""
        with _making:
            if self._handle is None:
                self._handle = self._made()
        return self._handle.pointer

    def _made(self) -> Handle:
        table = CoderTable.from_buffer_copy(_TABLE)
        if type(self).info is not Coder.info:
            table.describe = _DESCRIBE
        out = c_void_p()
        name = _bytes.c_text(self.name)
        call(lib.sdimage_coder_new_custom, name, byref(table), _coders.add(self), _NO_DESTROY, byref(out))
        return Handle(out.value, lib.sdimage_coder_unref)


def register_coder(coder: Coder) -> None:
    """Registers `coder`, which is tried before all others from the next decode on. It lives until
    :func:`unregister_coder`."""
    call(lib.sdimage_coder_register, pointer_of(coder, "coder", "coder"))
    _registered[coder.pointer] = coder


def unregister_coder(coder: Coder) -> None:
    """Unregisters a coder; ``Error("NOT_FOUND")`` when it is not registered."""
    call(lib.sdimage_coder_unregister, pointer_of(coder, "coder", "coder"))
    _registered.pop(coder.pointer, None)


# Two threads that request the first address of one coder both get the same address.
_making = threading.Lock()
_coders: Tokens[Coder] = Tokens("the coder is gone", weakref.WeakValueDictionary())
_registered: dict[int, Coder] = {}


def _wanted(options: int) -> DecodeOptions:
    size = lib.sdimage_decode_options_thumbnail_size(options)
    mode = _words.word(_enums.SCALE_MODES, lib.sdimage_decode_options_thumbnail_mode(options))
    pixel_format = _words.word(_enums.PIXEL_FORMATS, lib.sdimage_decode_options_pixel_format(options))
    return {
        "thumbnail_size": (size.width, size.height) if size.width and size.height else None,
        "preserve_aspect_ratio": mode != "fill",
        "thumbnail_mode": mode,
        "first_frame_only": lib.sdimage_decode_options_is_first_frame_only(options),
        "pixel_format": pixel_format if pixel_format in _words.PIXEL_LAYOUTS else None,
        "apply_orientation": lib.sdimage_decode_options_should_apply_orientation(options),
        "convert_to_srgb": lib.sdimage_decode_options_should_convert_to_srgb(options),
        "limit_bytes": lib.sdimage_decode_options_limit_bytes(options) or None,
        "scale": lib.sdimage_decode_options_scale(options),
        "accept_partial": lib.sdimage_decode_options_should_accept_partial(options),
        "max_pixels": lib.sdimage_decode_options_max_pixels(options),
        "max_bytes": lib.sdimage_decode_options_max_bytes(options),
    }


def _can_decode(token: int | None, data: int | None, length: int) -> bool:
    try:
        return bool(_coders.find(token).can_decode(ctypes.string_at(data, min(length, _HEAD)) if data else b""))
    except BaseException as error:  # no exception may leave a callback
        _failures.report("can_decode", error)
        return False


def _decode(
    token: int | None, data: int | None, length: int, options: int, image_out: Any, error_out: Any
) -> int:
    def body() -> None:
        with _working(lib.sdimage_decode_options_work_budget(options)):
            image = _coders.find(token).decode(ctypes.string_at(data, length) if data else b"", _wanted(options))
        if not isinstance(image, Image):
            raise Error("INTERNAL_ERROR", f"the coder gave a {type(image).__name__}, not an Image")
        image_out[0] = lib.sdimage_image_ref(image.pointer)

    return answer(error_out, body, lambda error: _failures.refuse("decode", error))


_SETTERS = {
    "has_alpha": lib.sdimage_metadata_set_has_alpha,
    "channels": lib.sdimage_metadata_set_channels,
    "bits_per_channel": lib.sdimage_metadata_set_bits_per_channel,
}


def _describe(
    token: int | None, data: int | None, length: int, options: int, metadata: int, error_out: Any
) -> int:
    def body() -> None:
        with _working(lib.sdimage_decode_options_work_budget(options)):
            known = _coders.find(token).info(ctypes.string_at(data, length) if data else b"")
        lib.sdimage_metadata_set_source_size(metadata, known["width"], known["height"])
        for name, setter in _SETTERS.items():
            if name in known:
                setter(metadata, known[name])
        lib.sdimage_metadata_set_progressive(metadata, known.get("is_progressive", False))

    return answer(error_out, body, lambda error: _failures.refuse("info", error))


def _can_encode(token: int | None, number: int) -> bool:
    try:
        return bool(_coders.find(token).can_encode(_words.word(_enums.FORMATS, number)))
    except BaseException as error:  # no exception may leave a callback
        _failures.report("can_encode", error)
        return False


def _encode(
    token: int | None, image: int, number: int, options: int, data_out: Any, error_out: Any
) -> int:
    def body() -> None:
        under = lib.sdimage_encode_options_background_color(options)
        wish: EncodeOptions = {
            "quality": lib.sdimage_encode_options_quality(options),
            "lossless": lib.sdimage_encode_options_is_lossless(options),
            "effort": lib.sdimage_encode_options_effort(options),
            "background_color": (under.red, under.green, under.blue, under.alpha),
        }
        with _working(lib.sdimage_encode_options_work_budget(options)):
            data = _coders.find(token).encode(Image.borrowed(image), _words.word(_enums.FORMATS, number), wish)
        with _bytes.new_data(data) as block:
            data_out[0] = lib.sdimage_data_ref(block.pointer)

    return answer(error_out, body, lambda error: _failures.refuse("encode", error))


_NO_DESTROY = DESTROY()
_DESCRIBE = CODER_TABLE_DESCRIBE(_describe)
_TABLE = CoderTable(
    size=sizeof(CoderTable),
    can_decode=CODER_TABLE_CAN_DECODE(_can_decode),
    decode=CODER_TABLE_DECODE(_decode),
    can_encode=CODER_TABLE_CAN_ENCODE(_can_encode),
    encode=CODER_TABLE_ENCODE(_encode),
)
