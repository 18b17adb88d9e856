"""Coders from Python methods."""

from __future__ import annotations

import contextlib
import ctypes
import threading
from collections.abc import Callable, Iterator, Mapping
from ctypes import byref, c_void_p, sizeof
from typing import Any, TypeAlias, cast

from . import _bytes, _enums, _failures, _words
from ._bytes import Path, ReadableBuffer
from ._check import kind, pointer_of
from ._ffi import lib
from ._handle import Handle
from ._prototypes import (
    CODER_TABLE_CAN_DECODE,
    CODER_TABLE_CAN_DECODE_FORMAT,
    CODER_TABLE_CAN_ENCODE,
    CODER_TABLE_DECODE,
    CODER_TABLE_DESCRIBE,
    CODER_TABLE_ENCODE,
    CODER_TABLE_INSTANCE_DESTROY,
    CODER_TABLE_INSTANCE_DURATION_MS,
    CODER_TABLE_INSTANCE_FRAME,
    CODER_TABLE_INSTANCE_FRAME_COUNT,
    CODER_TABLE_INSTANCE_IMAGE,
    CODER_TABLE_INSTANCE_LOOP_COUNT,
    CODER_TABLE_INSTANCE_UPDATE,
    CODER_TABLE_OPEN,
    CODER_TABLE_RENDER,
    DESTROY,
    CoderTable,
    Size,
)
from ._tokens import Outliving, Tokens, WeakTokens
from .errors import Error, answer, call, status_name, text
from .encoding import EncodeOptions
from .header import contents
from .image import Image
from .options import U32, DecodeOptions, OptionValues, read_options

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
        raise Error(status_name(status), "coder: operation must end")


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
class Coder(Outliving):
    """A custom format: subclass it, and pass an instance to :func:`register_coder`.

    The methods run on threads of the library, several at once, and must not block. The library scales, rotates and
    converts the pixel format of the image that :meth:`decode` returns. A raised :class:`Error` is the error of the
    decode; any other exception is logged and becomes ``INTERNAL_ERROR`` with its text. A coder with :meth:`open`
    decodes animations and progressive images, one with :meth:`render` draws vector images. The library holds such a coder
    as long as images that it decoded: it must not hold these itself.
    """

    #: The name in messages.
    name = "python"

    def can_decode(self, head: bytes) -> bool:
        """True for data of this coder, by its first bytes, at most 4096. Called for all data that is decoded."""
        raise NotImplementedError

    def can_decode_format(self, format: str) -> bool:  # noqa: A002 - as everywhere
        """True if this coder is tried for data that no coder recognizes when ``format_hint`` is this format."""
        return False

    def decode(self, data: bytes, options: DecodeOptions) -> Image:
        """The (first) image. `options` are those of the decode. They include the safety limits ``max_pixels`` and
        ``max_bytes``, which must be checked before memory is allocated, and in ``options`` the program's own values:
        ``options["options"]["page"]``."""
        raise NotImplementedError

    def open(self, options: DecodeOptions) -> CoderInstance:
        """Starts to decode an animation or a progressive image."""
        raise NotImplementedError

    def render(self, data: bytes, size: tuple[int, int], options: DecodeOptions) -> Image:
        """Draws a vector image at a size in pixels."""
        raise NotImplementedError

    def info(self, data: bytes) -> Mapping[str, Any]:
        """The header properties: ``width`` and ``height`` as displayed and, if known, ``has_alpha``, ``channels``,
        ``bits_per_channel``, ``is_progressive``, ``frame_count``, ``loop_count``, ``duration_ms``. Without this method
        the image is decoded to obtain them; with it, an image is an animation if its ``frame_count`` says so."""
        raise NotImplementedError

    def can_encode(self, format: str) -> bool:  # noqa: A002 - as everywhere
        """True if :meth:`encode` writes the format, such as ``"bmp"``."""
        return False

    def encode(self, image: Image, format: str, options: EncodeOptions) -> bytes:  # noqa: A002
        """Encodes the image. The given options are ``quality``, ``lossless``, ``effort``, ``background_color``,
        ``embed_thumbnail``, ``embed_gain_map``, ``bits_per_channel``, ``max_content_light_level``,
        ``max_frame_average_light_level``, ``first_frame_only``, ``exif``, ``xmp`` and ``options``, the program's own
        values. The image is already scaled, and a file size limit is met by calls with different qualities."""
        raise NotImplementedError

    @property
    def budget(self) -> WorkBudget:
        """The budget of the decode, encode or header call that runs on this thread; unlimited elsewhere."""
        return WorkBudget(_under_way.pointer)

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
        if type(self).open is not Coder.open:
            for name, function in _INSTANCES.items():
                setattr(table, name, function)
        if type(self).render is not Coder.render:
            table.render = _RENDER
            # The library needs the size of a vector image before it draws a thumbnail.
            table.describe = _DESCRIBE
        out, token = c_void_p(), _coders.add(self)
        label, is_in_images = _bytes.c_text(self.name), table.open or table.render
        destroy = _FORGET if is_in_images else _NO_DESTROY
        call(lib.sdimage_coder_new_custom, label, byref(table), token, destroy, byref(out))
        if is_in_images:
            self._outlive(_coders, token)
        return Handle(out.value, lib.sdimage_coder_unref)


@kind("coder")
class LibraryCoder:
    """A coder of the library or of a plug-in, for the list of coders, a load or an :class:`Animation`."""

    __slots__ = ("__weakref__", "_handle")

    def __init__(self, pointer: int | None) -> None:
        """Takes over a reference of the library."""
        self._handle = Handle(pointer, lib.sdimage_coder_unref)

    @classmethod
    def builtin(cls, name: str) -> LibraryCoder:
        """``"basic"``, ``"gif"``, ``"apng"``, ``"webp"``, ``"heif"``, ``"avif"``, which are registered; ``"jpeg"``,
        ``"png"``, ``"bmp"``, ``"ico"``, which decode one format each. ``Error("NOT_FOUND")`` for other names."""
        out = c_void_p()
        call(lib.sdimage_coder_get_builtin, _bytes.c_text(name, "name"), byref(out))
        return cls(out.value)

    @property
    def pointer(self) -> int:
        """Address of the ``sdimage_coder``, borrowed."""
        return self._handle.pointer

    @property
    def name(self) -> str:
        """The name in messages."""
        return text(lib.sdimage_coder_name(self.pointer))

    def __repr__(self) -> str:
        return f"<sdimage.LibraryCoder {self.name}>"


AnyCoder: TypeAlias = Coder | LibraryCoder


class CoderInstance:
    """An animation or a progressive image that is being decoded; returned by :meth:`Coder.open`.

    Calls of :meth:`update`, :meth:`image` and :meth:`frame` are serialized; the counts and durations may be requested
    at the same time on other threads.
    """

    def update(self, data: bytes, finished: bool) -> None:
        """Receives all bytes so far; not called again after `finished`."""
        raise NotImplementedError

    def image(self) -> Image | None:
        """The best image so far, by default the first frame; ``None`` while there is none."""
        return self.frame(0) if self.frame_count() else None

    def frame_count(self) -> int:
        """The number of frames so far."""
        return 0

    def loop_count(self) -> int:
        """The number of loops; 0 repeats forever."""
        return 0

    def duration_ms(self, index: int) -> int:
        """The duration of a frame in milliseconds."""
        return 100

    def frame(self, index: int) -> Image:
        """A frame, composed to the whole canvas."""
        raise NotImplementedError


def coders() -> list[AnyCoder]:
    """The registered coders in the order in which they are tried."""
    found: list[AnyCoder] = []
    # The library returns new references; coders of the program are in the order of their registration.
    own = list(reversed(_registered.values()))
    while True:
        out = c_void_p()
        try:
            call(lib.sdimage_coder_get_registered, len(found), byref(out))
        except Error as error:
            if error.code != "NOT_FOUND":
                raise
            return found
        coder = LibraryCoder(out.value)
        found.append(own.pop(0) if own and own[0].name == coder.name else coder)


def can_decode(data: ReadableBuffer | Path) -> bool:
    """True if a registered coder recognizes the bytes, or the file at the path."""
    return bool(lib.sdimage_can_decode(*_bytes.contents_of(contents(data, _HEAD))))


def can_encode(format: str) -> bool:  # noqa: A001 - as everywhere
    """True if a registered coder encodes the format, such as ``"webp"``."""
    return bool(lib.sdimage_can_encode(_words.number(_enums.FORMATS, format, "format")))


def register_coder(coder: AnyCoder) -> None:
    """Registers `coder`, which is tried before all others from the next decode on. It lives until
    :func:`unregister_coder`."""
    call(lib.sdimage_coder_register, pointer_of(coder, "coder", "coder"))
    if isinstance(coder, Coder):
        _registered.pop(coder.pointer, None)
        _registered[coder.pointer] = coder


def unregister_coder(coder: AnyCoder) -> None:
    """Unregisters a coder; ``Error("NOT_FOUND")`` when it is not registered."""
    call(lib.sdimage_coder_unregister, pointer_of(coder, "coder", "coder"))
    _registered.pop(coder.pointer, None)


# Two threads that request the first address of one coder both get the same address.
_making = threading.RLock()
_coders: WeakTokens[Coder] = WeakTokens("coder")
_registered: dict[int, Coder] = {}


def _reference(image: object) -> int:
    """A reference for the library to an image of a coder."""
    if not isinstance(image, Image):
        raise Error("INTERNAL_ERROR", f"coder: returned {type(image).__name__}, expected Image")
    return cast(int, lib.sdimage_image_ref(image.pointer))


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
            image = _coders.find(token).decode(ctypes.string_at(data, length) if data else b"", read_options(options))
        image_out[0] = _reference(image)

    return answer(error_out, body, lambda error: _failures.refuse("decode", error))


_SETTERS = {
    "has_alpha": lib.sdimage_metadata_set_has_alpha,
    "channels": lib.sdimage_metadata_set_channels,
    "bits_per_channel": lib.sdimage_metadata_set_bits_per_channel,
    "frame_count": lib.sdimage_metadata_set_frame_count,
    "loop_count": lib.sdimage_metadata_set_loop_count,
    "duration_ms": lib.sdimage_metadata_set_duration_ms,
}


def _describe(
    token: int | None, data: int | None, length: int, options: int, metadata: int, error_out: Any
) -> int:
    def body() -> None:
        with _working(lib.sdimage_decode_options_work_budget(options)):
            coder, file = _coders.find(token), ctypes.string_at(data, length) if data else b""
            if type(coder).info is not Coder.info:
                known = coder.info(file)
            else:
                image = coder.decode(file, read_options(options))
                known = {"width": image.width, "height": image.height, "has_alpha": image.has_alpha}
        lib.sdimage_metadata_set_source_size(metadata, known["width"], known["height"])
        for name, setter in _SETTERS.items():
            if name in known:
                setter(metadata, known[name])
        lib.sdimage_metadata_set_progressive(metadata, known.get("is_progressive", False))

    return answer(error_out, body, lambda error: _failures.refuse("info", error))


def _can_decode_format(token: int | None, number: int) -> bool:
    try:
        return bool(_coders.find(token).can_decode_format(_words.word(_enums.FORMATS, number)))
    except BaseException as error:  # no exception may leave a callback
        _failures.report("can_decode_format", error)
        return False


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
        exif, xmp = lib.sdimage_encode_options_exif(options), lib.sdimage_encode_options_xmp(options)
        wish: EncodeOptions = {
            "quality": lib.sdimage_encode_options_quality(options),
            "lossless": lib.sdimage_encode_options_is_lossless(options),
            "effort": lib.sdimage_encode_options_effort(options),
            "background_color": (under.red, under.green, under.blue, under.alpha),
            "embed_thumbnail": lib.sdimage_encode_options_should_embed_thumbnail(options),
            "embed_gain_map": lib.sdimage_encode_options_should_embed_gain_map(options),
            "bits_per_channel": lib.sdimage_encode_options_bits_per_channel(options),
            "max_content_light_level": lib.sdimage_encode_options_max_content_light_level(options),
            "max_frame_average_light_level": lib.sdimage_encode_options_max_frame_average_light_level(options),
            "first_frame_only": lib.sdimage_encode_options_is_first_frame_only(options),
            "exif": _bytes.copied(exif) if exif else None,
            "xmp": _bytes.copied(xmp) if xmp else None,
            "options": OptionValues(lib.sdimage_encode_options_options(options)),
        }
        with _working(lib.sdimage_encode_options_work_budget(options)):
            data = _coders.find(token).encode(Image.borrowed(image), _words.word(_enums.FORMATS, number), wish)
        with _bytes.new_data(data) as block:
            data_out[0] = lib.sdimage_data_ref(block.pointer)

    return answer(error_out, body, lambda error: _failures.refuse("encode", error))


def _render(
    token: int | None, data: int | None, length: int, options: int, size: Size, image_out: Any, error_out: Any
) -> int:
    def body() -> None:
        file = ctypes.string_at(data, length) if data else b""
        with _working(lib.sdimage_decode_options_work_budget(options)):
            image_out[0] = _reference(_coders.find(token).render(file, (size.width, size.height), read_options(options)))

    return answer(error_out, body, lambda error: _failures.refuse("render", error))


def _forget(token: int | None) -> None:
    _coders.forget(token)


# --- Instances. The budget of the options is valid until the instance is destroyed.

_instances: Tokens[tuple[CoderInstance, int | None]] = Tokens("coder instance")


def _open(token: int | None, options: int, instance_out: Any, error_out: Any) -> int:
    def body() -> None:
        budget = lib.sdimage_decode_options_work_budget(options)
        with _working(budget):
            instance = _coders.find(token).open(read_options(options))
        if not isinstance(instance, CoderInstance):
            raise Error("INTERNAL_ERROR", f"coder: returned {type(instance).__name__}, expected CoderInstance")
        instance_out[0] = _instances.add((instance, budget))

    return answer(error_out, body, lambda error: _failures.refuse("open", error))


def _update(
    _token: int | None, number: int, data: int | None, length: int, finished: bool, error_out: Any
) -> int:
    def body() -> None:
        instance, budget = _instances.find(number)
        with _working(budget):
            instance.update(ctypes.string_at(data, length) if data else b"", finished)

    return answer(error_out, body, lambda error: _failures.refuse("update", error))


def _image(_token: int | None, number: int, image_out: Any, error_out: Any) -> int:
    is_ready = True

    def body() -> None:
        nonlocal is_ready
        instance, budget = _instances.find(number)
        with _working(budget):
            image = instance.image()
        is_ready = image is not None
        if is_ready:
            image_out[0] = _reference(image)

    status = answer(error_out, body, lambda error: _failures.refuse("image", error))
    return status if is_ready else _enums.STATUSES["need_more_data"]


def _frame(_token: int | None, number: int, index: int, image_out: Any, error_out: Any) -> int:
    def body() -> None:
        instance, budget = _instances.find(number)
        with _working(budget):
            image_out[0] = _reference(instance.frame(index))

    return answer(error_out, body, lambda error: _failures.refuse("frame", error))


def _count(what: str, number: int, body: Callable[[CoderInstance], int]) -> int:
    try:
        return max(0, min(int(body(_instances.find(number)[0])), U32))
    except BaseException as error:  # no exception may leave a callback
        _failures.report(what, error)
        return 0


def _frame_count(_token: int | None, number: int) -> int:
    return _count("frame_count", number, lambda instance: instance.frame_count())


def _loop_count(_token: int | None, number: int) -> int:
    return _count("loop_count", number, lambda instance: instance.loop_count())


def _duration(_token: int | None, number: int, index: int) -> int:
    return _count("duration_ms", number, lambda instance: instance.duration_ms(index))


def _destroy(_token: int | None, number: int) -> None:
    _instances.forget(number)


_INSTANCES = {
    "open": CODER_TABLE_OPEN(_open),
    "instance_update": CODER_TABLE_INSTANCE_UPDATE(_update),
    "instance_image": CODER_TABLE_INSTANCE_IMAGE(_image),
    "instance_frame_count": CODER_TABLE_INSTANCE_FRAME_COUNT(_frame_count),
    "instance_loop_count": CODER_TABLE_INSTANCE_LOOP_COUNT(_loop_count),
    "instance_duration_ms": CODER_TABLE_INSTANCE_DURATION_MS(_duration),
    "instance_frame": CODER_TABLE_INSTANCE_FRAME(_frame),
    "instance_destroy": CODER_TABLE_INSTANCE_DESTROY(_destroy),
}
_RENDER = CODER_TABLE_RENDER(_render)
_NO_DESTROY = DESTROY()
_FORGET = DESTROY(_forget)
_DESCRIBE = CODER_TABLE_DESCRIBE(_describe)
_TABLE = CoderTable(
    size=sizeof(CoderTable),
    can_decode=CODER_TABLE_CAN_DECODE(_can_decode),
    decode=CODER_TABLE_DECODE(_decode),
    can_encode=CODER_TABLE_CAN_ENCODE(_can_encode),
    encode=CODER_TABLE_ENCODE(_encode),
    can_decode_format=CODER_TABLE_CAN_DECODE_FORMAT(_can_decode_format),
)
