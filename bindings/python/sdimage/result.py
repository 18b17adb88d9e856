"""One delivery of a load."""

from __future__ import annotations

from ctypes import byref, c_void_p
from dataclasses import dataclass
from typing import cast

from . import _bytes, _enums, _words
from ._ffi import lib
from ._handle import Handle, Lent
from .errors import Error, from_pointer, text
from .image import Image


@dataclass(frozen=True)
class Transaction:
    """One exchange of the built-in downloader: a redirect hop or an attempt."""

    #: The URL without user and password.
    url: str
    #: 0 without a response.
    http_status: int
    #: ``"HTTP/1.1"``, ``"HTTP/2"``, or ``""``.
    protocol: str
    #: ``"192.0.2.1:443"``; empty without a connection.
    remote_address: str
    #: True if the request used a connection of an earlier one.
    is_connection_reused: bool
    #: Heads and body as received, and the body after content decoding.
    wire_bytes: int
    body_bytes: int
    #: Nanoseconds from the start to the end of ``"name_lookup"``, ``"connect"``, ``"tls"``, ``"first_byte"`` and
    #: ``"total"``; 0 for a phase that did not run.
    times_ns: dict[str, int]


class Response:
    """The response of a server without its body: status and header fields."""

    __slots__ = ("_handle",)

    def __init__(self, pointer: int | None) -> None:
        """Takes over a reference of the library."""
        self._handle = Handle(pointer, lib.sdimage_response_unref)

    @property
    def url(self) -> str:
        """The URL after redirects, without user and password."""
        return text(lib.sdimage_response_url(self._handle.pointer))

    @property
    def status(self) -> int:
        """The HTTP status."""
        return cast(int, lib.sdimage_response_status(self._handle.pointer))

    def header(self, name: str) -> str | None:
        """The value of a header field, the first of that name; ``None`` when it is absent."""
        value = lib.sdimage_response_header(self._handle.pointer, _bytes.c_text(name))
        return None if value is None else text(value)


class Result:
    """A delivery: an image, its source, and timings."""

    __slots__ = ("_handle", "_image")

    def __init__(self, pointer: int | None) -> None:
        """Takes over a reference of the library."""
        self._handle = Handle(pointer, lib.sdimage_result_unref)
        self._image: Image | None = None

    @classmethod
    def borrowed(cls, pointer: int) -> Result:
        """Takes a reference of its own."""
        return cls(lib.sdimage_result_ref(pointer))

    @property
    def image(self) -> Image | None:
        """The image; ``None`` when there is none."""
        if self._image is None:
            pointer = lib.sdimage_result_image(self._handle.pointer)
            # The image lives as long as the result.
            self._image = Image(Lent(pointer, self._handle)) if pointer else None
        return self._image

    @property
    def data(self) -> bytes | None:
        """A copy of the encoded bytes; ``None`` for memory hits and newly created thumbnails."""
        data = lib.sdimage_result_data(self._handle.pointer)
        return _bytes.copied(data) if data else None

    @property
    def error(self) -> Error | None:
        """The reason for a missing or stale image."""
        error = lib.sdimage_result_error(self._handle.pointer)
        return from_pointer(error) if error else None

    @property
    def kind(self) -> str:
        """``"partial"``, ``"cached"`` (usable during a refresh) or ``"final"``."""
        return _words.word(_enums.DELIVERY_KINDS, lib.sdimage_result_kind(self._handle.pointer))

    @property
    def source(self) -> str:
        """``"memory"``, ``"disk"``, ``"remote"``, ``"network"``, ``"loader"``, or ``"none"``."""
        return text(lib.sdimage_image_source_name(lib.sdimage_result_source(self._handle.pointer)))

    @property
    def changed(self) -> bool:
        """For the last delivery of a refresh: false if the image equals the cached one."""
        return cast(bool, lib.sdimage_result_is_changed(self._handle.pointer))

    @property
    def stale(self) -> bool:
        """True if the image is stale and could not be revalidated."""
        return cast(bool, lib.sdimage_result_is_stale(self._handle.pointer))

    @property
    def freshness(self) -> str:
        """The rule that allowed a cached image or required revalidation: ``"max_age"``, ``"expired"``, …"""
        return text(lib.sdimage_freshness_rule_name(lib.sdimage_result_freshness(self._handle.pointer)))

    @property
    def url(self) -> str:
        """The requested URL, without user and password."""
        return text(lib.sdimage_result_url(self._handle.pointer))

    @property
    def cache_key(self) -> str:
        """The cache key of the image."""
        return text(lib.sdimage_result_cache_key(self._handle.pointer))

    def time_ns(self, stage: str = "total") -> int:
        """Nanoseconds spent in ``"total"``, ``"queued"``, ``"disk"``, ``"load"``, ``"decode"`` or ``"store"``."""
        number = _words.number(_enums.STAGES, stage, "stage")
        return cast(int, lib.sdimage_result_time_ns(self._handle.pointer, number))

    @property
    def response(self) -> Response | None:
        """The last response of a server, also that of a failure; ``None`` if nothing was downloaded."""
        out = c_void_p()
        lib.sdimage_result_get_response(self._handle.pointer, byref(out))
        return Response(out.value) if out.value else None

    @property
    def transactions(self) -> list[Transaction]:
        """The exchanges of the built-in downloader, in order."""
        pointer = self._handle.pointer
        return [_transaction(pointer, index) for index in range(lib.sdimage_result_transaction_count(pointer))]

    def checked(self) -> Result:
        """Returns itself, or raises its error when there is no image."""
        if self.image is None:
            error = self.error
            if error is not None:
                raise error
        return self

    def __repr__(self) -> str:
        return f"<sdimage.Result {self.kind} from {self.source}: {self.image or self.error}>"


def _transaction(result: int, index: int) -> Transaction:
    return Transaction(
        url=text(lib.sdimage_result_transaction_url(result, index)),
        http_status=lib.sdimage_result_transaction_http_status(result, index),
        protocol=text(lib.sdimage_result_transaction_protocol(result, index)),
        remote_address=text(lib.sdimage_result_transaction_remote_address(result, index)),
        is_connection_reused=lib.sdimage_result_transaction_is_connection_reused(result, index),
        wire_bytes=lib.sdimage_result_transaction_wire_bytes(result, index),
        body_bytes=lib.sdimage_result_transaction_body_bytes(result, index),
        times_ns={
            phase: lib.sdimage_result_transaction_time_ns(result, index, number)
            for phase, number in _enums.TRANSACTION_PHASES.items()
        },
    )
