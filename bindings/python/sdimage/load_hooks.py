"""Load hooks: set cache keys, choose the bytes on disk, change requests, refuse loads, classify failures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from ctypes import byref, c_void_p, sizeof
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias, Unpack

from . import _bytes, _failures
from ._bytes import ReadableBuffer
from ._check import kind, optional_function, pointer_of, text_bytes
from ._config import recorded
from ._ffi import lib
from ._handle import Handle
from ._prototypes import (
    DESTROY,
    LOAD_HOOKS_TABLE_CACHE_KEY,
    LOAD_HOOKS_TABLE_PROCESS_REQUEST,
    LOAD_HOOKS_TABLE_SERIALIZE,
    LOAD_HOOKS_TABLE_SHOULD_LOAD,
    LOAD_HOOKS_TABLE_SHOULD_REMEMBER_FAILURE,
    LoadHooksTable,
)
from ._tokens import WeakTokens
from .errors import Error, call, from_pointer
from .image import Image
from .loader import LoadRequest
from .request import RequestOptions, set_options


class RequestDraft(LoadRequest):
    """A request before processing; valid while its function runs."""

    __slots__ = ()

    def redirect(self, url: str) -> None:
        """Loads another URL instead."""
        address = text_bytes(url, "url")
        lib.sdimage_request_set_url(self._pointer, address, len(address))
        self.url = url

    def set(self, **options: Unpack[RequestOptions]) -> None:
        """Sets the given options and leaves the others. Objects among them must live as long as the load."""
        set_options(self._pointer, options)
        if "loader" in options:
            # A loader made of a function here would not live as long as the load.
            lib.sdimage_request_set_loader(self._pointer, pointer_of(options["loader"], "loader", "loader"))


ProcessRequest: TypeAlias = Callable[[RequestDraft], object]
CacheKey: TypeAlias = Callable[[LoadRequest], "str | bytes | None"]
Serialize: TypeAlias = Callable[[LoadRequest, Image, "bytes | None"], "ReadableBuffer | None"]
ShouldLoad: TypeAlias = Callable[[LoadRequest], bool]
ShouldRemember: TypeAlias = Callable[[LoadRequest, Error], bool]


@kind("load hooks")
class LoadHooks:
    """Functions that a manager calls; pass them to :class:`Manager`, or to one load, as ``load_hooks`` in both cases.

    ``process_request(request)`` changes a request before anything else is done with it (manager hooks only).
    ``cache_key(request)`` returns the base of the cache key, or ``None`` for a load without caches.
    ``serialize(request, image, data)`` returns the bytes to store on disk; ``None``: the image is encoded.
    ``should_load(request)`` returns true if an image that is not in memory may be loaded.
    ``should_remember_failure(request, error)`` returns true if a failed URL is not requested again for a while.

    ``serialize`` runs on workers, also after the end of the load, and may block; the library holds it until the last
    store. All others run on the thread that starts or continues a load, and must not block. A function that raises is
    treated as absent, and ``should_remember_failure`` as false; the exception is logged, and a caller that waits for the
    load receives it as the cause of an :class:`Error`.
    """

    def __init__(
        self,
        *,
        process_request: ProcessRequest | None = None,
        cache_key: CacheKey | None = None,
        serialize: Serialize | None = None,
        should_load: ShouldLoad | None = None,
        should_remember_failure: ShouldRemember | None = None,
    ) -> None:
        self._config = recorded(locals())
        for name, function in (
            ("process_request", process_request),
            ("cache_key", cache_key),
            ("serialize", serialize),
            ("should_load", should_load),
            ("should_remember_failure", should_remember_failure),
        ):
            optional_function(function, name)
        self._functions = _Functions(process_request, cache_key, serialize, should_load, should_remember_failure)
        token = _functions.add(self._functions)
        if serialize is not None:  # it is called after the end of the load, when this object may have gone
            _functions.keep(token, self._functions)
        table = LoadHooksTable(
            sizeof(LoadHooksTable),
            _PROCESS_REQUEST if process_request else LOAD_HOOKS_TABLE_PROCESS_REQUEST(),
            _CACHE_KEY if cache_key else LOAD_HOOKS_TABLE_CACHE_KEY(),
            _SERIALIZE if serialize else LOAD_HOOKS_TABLE_SERIALIZE(),
            _SHOULD_LOAD if should_load else LOAD_HOOKS_TABLE_SHOULD_LOAD(),
            _SHOULD_REMEMBER if should_remember_failure else LOAD_HOOKS_TABLE_SHOULD_REMEMBER_FAILURE(),
        )
        out = c_void_p()
        call(lib.sdimage_load_hooks_new_custom, byref(table), token, DESTROY() if serialize is None else _FORGET, byref(out))
        self._handle = Handle(out.value, lib.sdimage_load_hooks_unref)

    _config: dict[str, Any] = {}

    @property
    def config(self) -> Mapping[str, Any]:
        """The arguments by their names."""
        return MappingProxyType(self._config.copy())

    @property
    def pointer(self) -> int:
        """Address of the ``sdimage_load_hooks``, borrowed."""
        return self._handle.pointer


@dataclass(slots=True, weakref_slot=True)
class _Functions:
    process_request: ProcessRequest | None
    cache_key: CacheKey | None
    serialize: Serialize | None
    should_load: ShouldLoad | None
    should_remember_failure: ShouldRemember | None


_functions: WeakTokens[_Functions] = WeakTokens("hook")


def _new_reference(data: ReadableBuffer) -> int | None:
    with _bytes.new_data(data) as made:
        pointer: int | None = lib.sdimage_data_ref(made.pointer)
        return pointer


def _process_request(token: int | None, request: int) -> None:
    try:
        function = _functions.find(token).process_request
        if function is not None:
            function(RequestDraft(request, None))
    except BaseException as error:  # no exception may leave a callback
        _failures.report("process_request", error, LoadRequest(request, None).url)


def _cache_key(token: int | None, request: int) -> int | None:
    asked = LoadRequest(request, None)
    try:
        function = _functions.find(token).cache_key
        key = asked.url if function is None else function(asked)
        return None if key is None else _new_reference(_bytes.key_bytes(key))
    except BaseException as error:  # the same
        _failures.report("cache_key", error, asked.url)
        return _new_reference(_bytes.key_bytes(asked.url))


def _serialize(token: int | None, request: int, image: int, data: int | None) -> int | None:
    came = _bytes.copied(data) if data else None
    try:
        function = _functions.find(token).serialize
        kept = None if function is None else function(LoadRequest(request, None), Image.borrowed(image), came)
        return None if kept is None else _new_reference(kept)
    except BaseException as error:  # the same
        _failures.report("serialize", error, LoadRequest(request, None).url)
        return None if came is None else _new_reference(came)


def _should_load(token: int | None, request: int) -> bool:
    try:
        function = _functions.find(token).should_load
        return function is None or bool(function(LoadRequest(request, None)))
    except BaseException as error:  # the same
        _failures.report("should_load", error, LoadRequest(request, None).url)
        return True


def _should_remember(token: int | None, request: int, failure: int) -> bool:
    try:
        function = _functions.find(token).should_remember_failure
        return function is not None and bool(function(LoadRequest(request, None), from_pointer(failure)))
    except BaseException as error:  # the same
        _failures.report("should_remember_failure", error, LoadRequest(request, None).url)
        return False


_PROCESS_REQUEST = LOAD_HOOKS_TABLE_PROCESS_REQUEST(_process_request)
_CACHE_KEY = LOAD_HOOKS_TABLE_CACHE_KEY(_cache_key)
_SERIALIZE = LOAD_HOOKS_TABLE_SERIALIZE(_serialize)
_SHOULD_LOAD = LOAD_HOOKS_TABLE_SHOULD_LOAD(_should_load)
_SHOULD_REMEMBER = LOAD_HOOKS_TABLE_SHOULD_REMEMBER_FAILURE(_should_remember)
_FORGET = DESTROY(lambda token: _functions.forget(token) and None)
