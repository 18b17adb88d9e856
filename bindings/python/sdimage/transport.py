"""HTTP clients of the program for use by the downloader."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from ctypes import byref, c_void_p, sizeof
from types import MappingProxyType
from typing import Any, TypeAlias, cast

from . import _bytes, _failures
from ._bytes import ReadableBuffer
from ._check import kind, wrong
from ._ffi import lib
from ._handle import Handle
from ._prototypes import DESTROY, TRANSPORT_TABLE_CANCEL, TRANSPORT_TABLE_START, TransportTable
from ._tokens import WeakTokens
from .errors import call, new_pointer
from .hooks import DownloadRequest

#: Status, header fields, and the content: at once, or in pieces.
Answered: TypeAlias = "tuple[int, Mapping[str, str] | Iterable[tuple[str, str]], ReadableBuffer | Iterable[bytes]]"
TransportFunction: TypeAlias = "Callable[[TransportRequest], Answered]"


class TransportRequest(DownloadRequest):
    """The request for a transport; valid until its function returns."""

    __slots__ = ("_exchange",)

    def __init__(self, pointer: int, exchange: int) -> None:
        super().__init__(pointer)
        self._exchange = exchange

    @property
    def is_cancelled(self) -> bool:
        """True if no caller is waiting any longer."""
        return cast(bool, lib.sdimage_exchange_is_cancelled(self._exchange))


@kind("transport")
class Transport:
    """Sends requests in place of libcurl; pass it to :meth:`Loader.http`.

    ``function(request)`` sends ``request.method``, ``request.url``, ``request.headers`` and ``request.body`` unchanged
    and does not follow redirects. It returns status, header fields and content, with content codings decoded. It runs
    on up to `workers` threads of the transport and may block. A raised :class:`Error` is the error of the exchange:
    ``CONNECT_FAILED``, ``CONNECTION_LOST`` and ``TIMEOUT`` are retried; any other exception is ``INTERNAL_ERROR``.
    """

    def __init__(self, function: TransportFunction, workers: int = 32) -> None:
        if not callable(function):
            raise wrong("function", "a function", function)
        self._config = {"function": function, "workers": workers}
        self._workers = _Workers(function, workers)
        token = _transports.add(self._workers)
        out = c_void_p()
        call(lib.sdimage_transport_new_custom, byref(_TABLE), token, DESTROY(), byref(out))
        self._handle = Handle(out.value, lib.sdimage_transport_unref)

    @property
    def config(self) -> Mapping[str, Any]:
        """The arguments by their names."""
        return MappingProxyType(self._config.copy())

    @property
    def pointer(self) -> int:
        """Address of the ``sdimage_transport``, borrowed."""
        return self._handle.pointer


class _Workers:
    """A function, and its threads, which are created on first use."""

    def __init__(self, function: TransportFunction, count: int) -> None:
        self.function = function
        self._count = count
        self._lock = threading.RLock()
        self._pool: ThreadPoolExecutor | None = None

    def submit(self, work: Callable[[], None]) -> None:
        with self._lock:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(self._count, "sdimage-transport")
            self._pool.submit(work)


_transports: WeakTokens[_Workers] = WeakTokens("transport")


def _start(token: int | None, request: int, exchange: int) -> int:
    kept = lib.sdimage_exchange_ref(exchange)
    try:
        workers = _transports.find(token)
        function = workers.function
        copy = Handle(lib.sdimage_request_copy(request), lib.sdimage_request_unref)
        workers.submit(lambda: _exchange(function, copy, kept))
    except BaseException as error:  # no exception may leave a callback
        _failures.refuse("transport", error)
        _finish(kept, error)
    return 0


def _exchange(function: TransportFunction, request: Handle, exchange: int) -> None:
    try:
        if not lib.sdimage_exchange_is_cancelled(exchange):
            _deliver(function(TransportRequest(request.pointer, exchange)), exchange)
        _finish(exchange, None)
    except BaseException as error:  # no exception may leave a worker
        _failures.refuse("transport", error, DownloadRequest(request.pointer).url)
        _finish(exchange, error)
    finally:
        request.release()


def _deliver(answered: Answered, exchange: int) -> None:
    status, fields, content = answered
    with Handle(lib.sdimage_response_new(status), lib.sdimage_response_unref) as response:
        for name, value in fields.items() if isinstance(fields, Mapping) else fields:
            lib.sdimage_response_add_header(response.pointer, _bytes.c_text(name), _bytes.c_text(value))
        call(lib.sdimage_exchange_respond, exchange, response.pointer)
    try:
        pieces: Iterable[ReadableBuffer] = (memoryview(cast(ReadableBuffer, content)),)
    except TypeError:
        pieces = cast("Iterable[bytes]", content)
    for piece in pieces:
        call(lib.sdimage_exchange_write, exchange, *_bytes.borrowed(piece))


def _finish(exchange: int, error: BaseException | None) -> None:
    pointer = None if error is None else new_pointer(error)
    if error is None or pointer:  # no error would mean success; releasing the exchange is a failure too
        lib.sdimage_exchange_finish(exchange, pointer)
    lib.sdimage_error_unref(pointer)
    lib.sdimage_exchange_unref(exchange)


def _cancel(_token: int | None, _exchange: int) -> None:
    """Does nothing: the function checks :attr:`TransportRequest.is_cancelled`, and writing pieces fails."""


_TABLE = TransportTable(sizeof(TransportTable), TRANSPORT_TABLE_START(_start), TRANSPORT_TABLE_CANCEL(_cancel))
