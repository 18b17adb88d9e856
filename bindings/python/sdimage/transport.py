"""A program's own HTTP client under the roof of the downloader."""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from ctypes import byref, c_void_p, sizeof
from typing import TypeAlias, cast

from . import _bytes
from ._bytes import ReadableBuffer
from ._ffi import CANCEL, DESTROY, START, TransportTable, lib
from ._handle import Handle
from .errors import Error, call, new_pointer
from .hooks import DownloadRequest

#: Status, header fields, and the content: at once, or in pieces.
Answered: TypeAlias = "tuple[int, Mapping[str, str] | Iterable[tuple[str, str]], ReadableBuffer | Iterable[bytes]]"
TransportFunction: TypeAlias = "Callable[[TransportRequest], Answered]"


class TransportRequest(DownloadRequest):
    """What a transport sends; valid until its function returns."""

    __slots__ = ("_exchange",)

    def __init__(self, pointer: int, exchange: int) -> None:
        super().__init__(pointer)
        self._exchange = exchange

    @property
    def is_cancelled(self) -> bool:
        """Nobody waits any more."""
        return cast(bool, lib.sdimage_exchange_is_cancelled(self._exchange))


class Transport:
    """Sends requests in place of libcurl; give it to :meth:`Loader.http`.

    ``function(request)`` sends ``request.method``, ``request.url``, ``request.headers`` and ``request.body`` as they are,
    does not follow redirects, and returns status, header fields and content, with codings of the content undone. It runs on
    up to `workers` threads of the transport and may block. An :class:`Error` that it raises is the error of the exchange:
    ``CONNECT_FAILED``, ``CONNECTION_LOST`` and ``TIMEOUT`` are tried again; any other exception is ``INTERNAL_ERROR``.
    """

    def __init__(self, function: TransportFunction, workers: int = 32) -> None:
        token = next(_tokens)
        _functions[token] = (function, _Workers(workers))
        weakref.finalize(self, _functions.pop, token, None).atexit = False
        out = c_void_p()
        call(lib.sdimage_transport_new_custom, byref(_TABLE), token, DESTROY(), byref(out))
        self._handle = Handle(out.value, lib.sdimage_transport_unref)

    @property
    def pointer(self) -> int:
        """Address of the ``sdimage_transport``, borrowed."""
        return self._handle.pointer


class _Workers:
    """Threads made when first used."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._lock = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None

    def submit(self, work: Callable[[], None]) -> None:
        with self._lock:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(self._count, "sdimage-transport")
            self._pool.submit(work)


# The library holds a number in place of a Python object, as for loaders.
_functions: dict[int, tuple[TransportFunction, _Workers]] = {}
_tokens = itertools.count(1)


def _start(token: int | None, request: int, exchange: int) -> int:
    kept = lib.sdimage_exchange_ref(exchange)
    try:
        entry = _functions.get(token or 0)
        if entry is None:
            raise Error("SHUTDOWN", "the transport is gone")
        function, workers = entry
        copy = lib.sdimage_request_copy(request)
        workers.submit(lambda: _exchange(function, copy, kept))
    except BaseException as error:  # nothing may leave a callback
        _finish(kept, error)
    return 0


def _exchange(function: TransportFunction, request: int, exchange: int) -> None:
    try:
        if not lib.sdimage_exchange_is_cancelled(exchange):
            _deliver(function(TransportRequest(request, exchange)), exchange)
        _finish(exchange, None)
    except BaseException as error:  # nothing may leave a worker
        _finish(exchange, error)
    finally:
        lib.sdimage_request_unref(request)


def _deliver(answered: Answered, exchange: int) -> None:
    status, fields, content = answered
    with Handle(lib.sdimage_response_new(status), lib.sdimage_response_unref) as response:
        for name, value in fields.items() if isinstance(fields, Mapping) else fields:
            lib.sdimage_response_add_header(response.pointer, name.encode(), value.encode())
        call(lib.sdimage_exchange_respond, exchange, response.pointer)
    try:
        pieces: Iterable[ReadableBuffer] = (memoryview(cast(ReadableBuffer, content)),)
    except TypeError:
        pieces = cast("Iterable[bytes]", content)
    for piece in pieces:
        bytes_, length = _bytes.borrowed(piece)
        call(lib.sdimage_exchange_write, exchange, bytes_, length)


def _finish(exchange: int, error: BaseException | None) -> None:
    pointer = None if error is None else new_pointer(error)
    lib.sdimage_exchange_finish(exchange, pointer)
    lib.sdimage_error_unref(pointer)
    lib.sdimage_exchange_unref(exchange)


def _cancel(_token: int | None, _exchange: int) -> None:
    """The function sees :attr:`TransportRequest.is_cancelled`; writing pieces fails by itself."""


_TABLE = TransportTable(sizeof(TransportTable), START(_start), CANCEL(_cancel))
