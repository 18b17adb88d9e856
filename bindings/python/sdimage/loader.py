"""Loaders: the built-in ones, and loaders from Python functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from ctypes import byref, c_void_p, sizeof
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack, cast

from . import _bytes, _enums, _failures, _words
from ._bytes import ReadableBuffer, URLLike
from ._check import flag, kind, mapping, optional_function, pointer_of, real, tuple_of, wrong
from ._config import recorded, without_secrets
from ._ffi import lib
from ._handle import Handle
from ._prototypes import (
    DESTROY,
    LOADER_TABLE_CANCEL,
    LOADER_TABLE_CAN_LOAD,
    LOADER_TABLE_LOAD,
    LOADER_TABLE_SHOULD_REMEMBER_FAILURE,
    LoaderTable,
)
from ._tokens import WeakTokens
from .errors import Error, call, from_pointer, new_pointer, text
from .hooks import DownloadHooks, DownloadRequest
from .image import Image
from .options import U32, U64, DecodeOptions, OptionT, OptionValues, carried, read_options, unsigned
from .task import Task, wait_or_cancel
from .transport import Transport

if TYPE_CHECKING:
    from ._listener import OnProgress, OnResult
    from .request import RequestOptions
    from .result import Result


class LoadRequest:
    """The request that a custom loader receives; valid while its function runs."""

    __slots__ = ("_pointer", "_sink", "url")

    def __init__(self, pointer: int, sink: int | None) -> None:
        self._pointer = pointer
        self._sink = sink
        #: The requested URL.
        self.url = text(lib.sdimage_request_url(pointer, None))

    @property
    def is_cancelled(self) -> bool:
        """True if no caller is waiting any longer."""
        return self._sink is not None and cast(bool, lib.sdimage_load_sink_is_cancelled(self._sink))

    def expect(self, length: int) -> None:
        """Announces the number of bytes to come, for progress; no effect if negative."""
        if self._sink is not None and length >= 0:
            lib.sdimage_load_sink_set_expected_length(self._sink, length)

    def show(self, image: Image) -> None:
        """Shows a preview until the final image is available, through ``on_partial`` of the load."""
        if self._sink is not None:
            lib.sdimage_load_sink_show(self._sink, pointer_of(image, "image", "image"))

    def progress(self, received: int, expected: int = -1) -> None:
        """Reports progress, for a loader that returns an image."""
        if self._sink is not None:
            lib.sdimage_load_sink_report_progress(self._sink, received, expected)

    def keep_off_disk(self) -> None:
        """Excludes the result from disk caches, because it is already on the user's disk."""
        if self._sink is not None:
            lib.sdimage_load_sink_set_storable(self._sink, False)

    @property
    def method(self) -> str:
        """The HTTP method; ``"GET"`` by default."""
        return text(lib.sdimage_request_method(self._pointer))

    @property
    def headers(self) -> list[tuple[str, str]]:
        """The header fields that the request sets, in their order."""
        return DownloadRequest(self._pointer).headers

    @property
    def body(self) -> bytes | None:
        """The body of the request."""
        return DownloadRequest(self._pointer).body

    @property
    def cache_policy(self) -> frozenset[str]:
        """The exceptions from the default use of the cache: ``{"skip_disk_write"}``."""
        bits = lib.sdimage_request_cache_policy(self._pointer)
        policies = _enums.CACHE_POLICIES.items()
        return frozenset(word for word, number in policies if number and not number & (number - 1) and bits & number)

    @property
    def decode_options(self) -> DecodeOptions:
        """The decode options of the request, such as ``thumbnail_size``, with the limits in force."""
        out = c_void_p()
        lib.sdimage_request_copy_decode_options(self._pointer, byref(out))
        with Handle(out.value, lib.sdimage_decode_options_unref) as options:
            return read_options(options.pointer)

    @property
    def options(self) -> OptionValues:
        """The values that the request carries."""
        return OptionValues(lib.sdimage_request_options(self._pointer))

    def option(self, name: str, fallback: OptionT) -> OptionT:
        """A value that the request carries under `name`, of the type of `fallback`; else `fallback`."""
        return carried(lib.sdimage_request_options(self._pointer), name, fallback)


#: Encoded bytes at once, or in pieces, or a decoded image.
Loaded: TypeAlias = ReadableBuffer | Iterable[bytes] | Image
LoadFunction: TypeAlias = Callable[[LoadRequest], Loaded]
ShouldRememberFailure: TypeAlias = Callable[[LoadRequest, Error], bool]


@dataclass(frozen=True)
class _Functions:
    load: LoadFunction
    can_load: Callable[[str], bool] | None
    should_remember_failure: ShouldRememberFailure | None


def _u32(name: str, value: Any) -> tuple[int]:
    return (unsigned(value, name, U32),)


def _text(name: str, value: Any) -> tuple[bytes | None, ...]:
    return _texts(name, (value,))


def _texts(name: str, values: Iterable[str | None]) -> tuple[bytes | None, ...]:
    return tuple(None if value is None else _bytes.c_text(value, name) for value in values)


#: Options of :meth:`Loader.http` that are words: the functions that set them, and the words.
_HTTP_WORDS = {
    "execution_order": (lib.sdimage_downloader_config_set_execution_order, _enums.EXECUTION_ORDERS),
    "address_policy": (lib.sdimage_downloader_config_set_address_policy, _enums.ADDRESS_POLICIES),
    "http_version": (lib.sdimage_downloader_config_set_http_version, _enums.HTTP_VERSIONS),
}
#: Options of :meth:`Loader.http` that may be None: the functions that set them, and the conversions to their arguments.
_HTTP_OPTIONS: dict[str, tuple[Callable[..., None], Callable[[str, Any], tuple[Any, ...]]]] = {
    "min_progress_interval": (
        lib.sdimage_downloader_config_set_min_progress_interval,
        lambda name, value: (real(value, name),),
    ),
    "max_per_host": (lib.sdimage_downloader_config_set_max_per_host, _u32),
    "max_total": (lib.sdimage_downloader_config_set_max_total, _u32),
    "connect_timeout_ms": (lib.sdimage_downloader_config_set_connect_timeout_ms, _u32),
    "inactivity_timeout_ms": (lib.sdimage_downloader_config_set_inactivity_timeout_ms, _u32),
    "total_timeout_ms": (lib.sdimage_downloader_config_set_total_timeout_ms, _u32),
    "max_body_bytes": (
        lib.sdimage_downloader_config_set_max_body_bytes,
        lambda name, value: (unsigned(value, name, U64),),
    ),
    "max_redirects": (lib.sdimage_downloader_config_set_max_redirects, _u32),
    "ca_file": (lib.sdimage_downloader_config_set_ca_file, _text),
    "max_retries": (lib.sdimage_downloader_config_set_max_retries, _u32),
    "retry_delay_ms": (
        lib.sdimage_downloader_config_set_retry_delay_ms,
        lambda name, value: tuple(unsigned(each, name, U32) for each in tuple_of(2, value, name)),
    ),
    "max_retry_after_ms": (lib.sdimage_downloader_config_set_max_retry_after_ms, _u32),
    "user_agent": (lib.sdimage_downloader_config_set_user_agent, _text),
    "credential": (
        lib.sdimage_downloader_config_set_credential,
        lambda name, value: _texts(name, tuple_of(2, value, name)),
    ),
    "bearer_token": (lib.sdimage_downloader_config_set_bearer_token, _text),
    "client_certificate": (
        lib.sdimage_downloader_config_set_client_certificate,
        lambda name, value: _texts(name, tuple_of(3, value, name)),
    ),
    "unix_socket": (lib.sdimage_downloader_config_set_unix_socket, _text),
    "hooks": (lib.sdimage_downloader_config_set_hooks, lambda name, value: (pointer_of(value, name, "download hooks"),)),
    "transport": (lib.sdimage_downloader_config_set_transport, lambda name, value: (pointer_of(value, name, "transport"),)),
}


@kind("loader")
class Loader:
    """Fetches bytes.

    ``Loader(function)`` calls ``function(request)`` on threads of the library, several at once. The function returns
    the encoded bytes, an iterable of pieces, or an :class:`Image`, and may block. A raised :class:`Error` is the error
    of the load; any other exception is logged and becomes ``INTERNAL_ERROR`` with its text, and is the cause of the
    error that a waiting caller receives. ``can_load(url)`` must not block.
    ``should_remember_failure(request, error)`` decides if a failed URL is not requested again for some time, by default
    the library by the error.
    """

    def __init__(
        self,
        function: LoadFunction,
        can_load: Callable[[str], bool] | None = None,
        name: str = "python",
        should_remember_failure: ShouldRememberFailure | None = None,
    ) -> None:
        if not callable(function):
            raise wrong("function", "a function", function)
        optional_function(can_load, "can_load")
        optional_function(should_remember_failure, "should_remember_failure")
        self._functions = _Functions(function, can_load, should_remember_failure)
        token = _functions.add(self._functions)
        table = _TABLE if should_remember_failure is None else _TABLE_WITH_VOTE
        out = c_void_p()
        call(lib.sdimage_loader_new_custom, _bytes.c_text(name), byref(table), token, _NO_DESTROY, byref(out))
        self._handle = Handle(out.value, lib.sdimage_loader_unref)
        self._config = {
            "function": function,
            "can_load": can_load,
            "name": name,
            "should_remember_failure": should_remember_failure,
        }

    @classmethod
    def _owned(cls, pointer: int | None) -> Loader:
        loader = cls.__new__(cls)
        loader._handle = Handle(pointer, lib.sdimage_loader_unref)
        return loader

    @classmethod
    def file(cls) -> Loader:
        """Loads ``file:`` URLs."""
        return cls._built_in(lib.sdimage_loader_new_file)

    @classmethod
    def data_url(cls) -> Loader:
        """Loads ``data:`` URLs."""
        return cls._built_in(lib.sdimage_loader_new_data_url)

    @classmethod
    def _built_in(cls, function: Any) -> Loader:
        out = c_void_p()
        call(function, byref(out))
        return cls._owned(out.value)

    @classmethod
    def http(
        cls,
        *,
        max_per_host: int | None = None,
        max_total: int | None = None,
        execution_order: str = "fifo",
        connect_timeout_ms: int | None = None,
        inactivity_timeout_ms: int | None = None,
        total_timeout_ms: int | None = None,
        max_body_bytes: int | None = None,
        max_redirects: int | None = None,
        address_policy: str = "any",
        address_allow: Iterable[str] = (),
        headers: Mapping[str, str | None] | None = None,
        ca_file: str | None = None,
        max_retries: int | None = None,
        retry_delay_ms: tuple[int, int] | None = None,
        max_retry_after_ms: int | None = None,
        acceptable_statuses: Iterable[tuple[int, int]] | None = None,
        acceptable_content_types: Iterable[str] | None = None,
        min_progress_interval: float = 0,
        user_agent: str | None = None,
        credential: tuple[str, str] | None = None,
        bearer_token: str | None = None,
        client_certificate: tuple[str, str | None, str | None] | None = None,
        proxy: str | None = None,
        no_proxy: str | None = None,
        unix_socket: str | None = None,
        http_version: str = "automatic",
        hooks: DownloadHooks | None = None,
        transport: Transport | None = None,
    ) -> Downloader:
        """Loads http and https.

        `execution_order` is ``"fifo"`` or ``"lifo"``. `address_policy` is ``"any"`` or ``"public_only"``, for services
        that load untrusted URLs. `address_allow` lists exceptions from the latter, ``"10.0.0.0/8"``,
        ``"10.1.2.3:9000"``, ``"fd00::/8"``, ``"[fd00::]/8:9000"``; other text raises ``INVALID_ARGUMENT``.
        `retry_delay_ms` is the first and the longest delay, `acceptable_statuses` pairs of first and last (none: any),
        `credential` user and password, `client_certificate` certificate file, key file and its password, `no_proxy`
        hosts separated by commas, `http_version` ``"automatic"`` or ``"1.1"``. `hooks` apply to every download; a
        `transport` replaces libcurl."""
        options = recorded(locals())
        # Iterators can be read only once.
        options["address_allow"] = _listed(address_allow, "address_allow")
        if acceptable_statuses is not None:
            options["acceptable_statuses"] = tuple(acceptable_statuses)
        if acceptable_content_types is not None:
            options["acceptable_content_types"] = _listed(acceptable_content_types, "acceptable_content_types")
        with Handle(lib.sdimage_downloader_config_new(), lib.sdimage_downloader_config_unref) as config:
            for name, (setter, words) in _HTTP_WORDS.items():
                setter(config.pointer, _words.number(words, options[name], name))
            for name, (setter, arguments) in _HTTP_OPTIONS.items():
                if options[name] is not None:
                    setter(config.pointer, *arguments(name, options[name]))
            lib.sdimage_downloader_config_set_proxy(config.pointer, *_texts("proxy", (proxy, no_proxy)))
            _add_http_lists(config.pointer, options)
            out = c_void_p()
            call(lib.sdimage_downloader_new, config.pointer, byref(out))
        loader = cast(Downloader, Downloader._owned(out.value))
        loader._members = (hooks, transport)
        loader._config = without_secrets(options)
        return loader

    @classmethod
    def chain(cls, *loaders: Loader | LoadFunction) -> LoaderChain:
        """Combines loaders: each URL goes to the first that can load it; the last of `loaders` is tried first. Loaders
        may be added and removed later."""
        out = c_void_p()
        call(lib.sdimage_loader_new_chain, byref(out))
        chain = cast(LoaderChain, LoaderChain._owned(out.value))
        for loader in loaders:
            chain.add(loader)
        return chain

    #: Keeps custom loaders and hooks alive as long as the loader that uses them.
    _members: tuple[object, ...] = ()
    _config: dict[str, Any] = {}

    @property
    def config(self) -> Mapping[str, Any]:
        """The arguments that created it, with later changes. Passwords, tokens and the values of header fields that carry
        them are replaced by ``"…"``."""
        return MappingProxyType(self._config.copy())

    @property
    def pointer(self) -> int:
        """Address of the ``sdimage_loader``, borrowed."""
        return self._handle.pointer

    @property
    def name(self) -> str:
        """``"http"``, ``"file"``, ``"data"``, ``"chain"``, or a custom name."""
        return text(lib.sdimage_loader_name(self.pointer))

    def load(self, url: URLLike, **options: Unpack[RequestOptions]) -> Result:
        """Fetches the encoded bytes of a URL, :attr:`Result.data`, and waits while other Python threads run; raises
        :class:`Error`. No cache is used and nothing is decoded. A custom loader may return an image instead.

        Only the options of the transfer have an effect: header fields, method, body, limits, retries, cookies,
        certificates, hooks of the download, and priority."""
        return wait_or_cancel(self.start(url, **options))

    def start(
        self,
        url: URLLike,
        on_progress: OnProgress | None = None,
        on_result: OnResult | None = None,
        **options: Unpack[RequestOptions],
    ) -> Task:
        """Starts the same and returns; the callbacks are those of :meth:`Manager.start`."""
        from . import _fetch

        return _fetch.start(self, url, on_progress, on_result, options)


def as_loader(loader: Loader | LoadFunction) -> Loader:
    """A loader, or a new one from a function."""
    if isinstance(loader, Loader):
        return loader
    if not callable(loader):
        raise wrong("loader", "Loader or a function", loader)
    return Loader(loader)


class LoaderChain(Loader):
    """Several loaders, created by :meth:`Loader.chain`; may change while it is used."""

    @property
    def members(self) -> tuple[Loader, ...]:
        """The loaders; the last is tried first."""
        return cast("tuple[Loader, ...]", self._members)

    @property
    def config(self) -> Mapping[str, Any]:
        """The loaders."""
        return MappingProxyType({"loaders": self.members})

    def add(self, loader: Loader | LoadFunction) -> Loader:
        """Adds a loader, which is tried before the others, and returns it; a member moves there."""
        added = as_loader(loader)
        if added in self._members:
            self.remove(added)
        call(lib.sdimage_loader_chain_add, self.pointer, added.pointer)
        self._members = (*self._members, added)
        return added

    def remove(self, loader: Loader) -> None:
        """Removes a loader; its running loads continue. ``Error("NOT_FOUND")`` when it is not a member."""
        call(lib.sdimage_loader_chain_remove, self.pointer, pointer_of(loader, "loader", "loader"))
        self._members = tuple(member for member in self._members if member is not loader)


def _add_http_lists(config: int, options: Mapping[str, Any]) -> None:
    """Adds the lists of :meth:`Loader.http` to an ``sdimage_downloader_config``."""
    for allowed in options["address_allow"]:
        call(lib.sdimage_downloader_config_add_allowed_address, config, _bytes.c_text(allowed))
    for field, content in mapping(options["headers"], "headers").items():
        lib.sdimage_downloader_config_set_header(config, *_texts("headers", (field, content)))
    if options["acceptable_statuses"] is not None:
        lib.sdimage_downloader_config_clear_acceptable_statuses(config)
        for pair in options["acceptable_statuses"]:
            first, last = (unsigned(each, "acceptable_statuses") for each in tuple_of(2, pair, "acceptable_statuses"))
            lib.sdimage_downloader_config_add_acceptable_statuses(config, first, last)
    for media_type in options["acceptable_content_types"] or ():
        lib.sdimage_downloader_config_add_acceptable_type(config, _bytes.c_text(media_type))


def _listed(values: Iterable[str], name: str) -> tuple[str, ...]:
    if isinstance(values, str):
        raise wrong(name, "a list of str", values)
    return tuple(values)


class Downloader(Loader):
    """The built-in loader for http and https, created by :meth:`Loader.http`; adjustable while it runs."""

    def set_max_per_host(self, count: int) -> None:
        """Sets the number of simultaneous transfers to one host; 0 restores the default."""
        lib.sdimage_downloader_set_max_per_host(self.pointer, unsigned(count, "count", U32))
        self._config["max_per_host"] = count or None

    def set_max_total(self, count: int) -> None:
        """Sets the total number of simultaneous transfers; 0 restores the default."""
        lib.sdimage_downloader_set_max_total(self.pointer, unsigned(count, "count", U32))
        self._config["max_total"] = count or None

    def set_execution_order(self, order: str) -> None:
        """``"fifo"`` or ``"lifo"``."""
        number = _words.number(_enums.EXECUTION_ORDERS, order, "order")
        lib.sdimage_downloader_set_execution_order(self.pointer, number)
        self._config["execution_order"] = order

    @property
    def headers(self) -> list[tuple[str, str]]:
        """The header fields of every request, in their order."""
        fields: list[tuple[str, str]] = []
        name, value = c_void_p(), c_void_p()
        while lib.sdimage_downloader_get_header_at(self.pointer, len(fields), byref(name), byref(value)):
            fields.append((_bytes.taken(name).decode(), _bytes.taken(value).decode()))
        return fields

    def set_header(self, name: str, value: str | None) -> None:
        """Sets a header field of requests that are sent from now on; ``None`` removes it."""
        call(lib.sdimage_downloader_set_header, self.pointer, *_texts("header", (name, value)))
        fields = {known: text for known, text in (self._config["headers"] or {}).items() if known.lower() != name.lower()}
        self._config["headers"] = {**fields, name: value}

    @property
    def suspended(self) -> bool:
        """While suspended, running transfers continue and waiting ones do not start."""
        return cast(bool, lib.sdimage_downloader_is_suspended(self.pointer))

    @suspended.setter
    def suspended(self, value: bool) -> None:
        lib.sdimage_downloader_set_suspended(self.pointer, flag(value, "suspended"))

    @property
    def transfer_count(self) -> int:
        """The number of transfers that run or wait."""
        return cast(int, lib.sdimage_downloader_transfer_count(self.pointer))

    def cancel_all(self) -> None:
        """Ends all its transfers with ``CANCELLED``."""
        lib.sdimage_downloader_cancel_all(self.pointer)

    def invalidate(self, cancel: bool = False) -> None:
        """Accepts no more loads; transfers in progress are cancelled, or finish on their own."""
        lib.sdimage_downloader_invalidate(self.pointer, flag(cancel, "cancel"))


_functions: WeakTokens[_Functions] = WeakTokens("loader")


def _can_load(token: int | None, request: int) -> bool:
    url = LoadRequest(request, None).url
    try:
        entry = _functions.get(token)
        return entry is not None and (entry.can_load is None or bool(entry.can_load(url)))
    except BaseException as error:  # no exception may leave a callback
        _failures.report("can_load", error, url)
        return False


def _load(token: int | None, request: int, sink: int) -> int:
    try:
        _deliver(_functions.find(token).load(LoadRequest(request, sink)), sink)
    except BaseException as error:  # no exception may leave a callback
        _failures.refuse("loader", error, LoadRequest(request, None).url)
        _fail(error, sink)
    return 0


def _deliver(loaded: Loaded, sink: int) -> None:
    if isinstance(loaded, Image):
        lib.sdimage_load_sink_finish_with_image(sink, loaded.pointer)
        return
    try:
        view = memoryview(cast(ReadableBuffer, loaded))
    except TypeError:
        pass
    else:
        with _bytes.new_data(view) as data:
            lib.sdimage_load_sink_finish_with_data(sink, data.pointer)
        return
    if not isinstance(loaded, Iterable) or isinstance(loaded, str):
        raise Error("INTERNAL_ERROR", f"loader: returned {type(loaded).__name__}, expected bytes")
    for piece in loaded:
        call(lib.sdimage_load_sink_write, sink, *_bytes.borrowed(piece))
    lib.sdimage_load_sink_finish(sink, None)


def _fail(error: BaseException, sink: int) -> None:
    pointer = new_pointer(error)
    if pointer:  # no error would mean success; releasing the sink is an error of the load
        lib.sdimage_load_sink_finish(sink, pointer)
        lib.sdimage_error_unref(pointer)


def _cancel(_token: int | None, _sink: int) -> None:
    """Does nothing: the function checks :attr:`LoadRequest.is_cancelled`, and writing pieces fails."""


def _should_remember(token: int | None, request: int, failure: int) -> bool:
    try:
        function = _functions.find(token).should_remember_failure
        return function is not None and bool(function(LoadRequest(request, None), from_pointer(failure)))
    except BaseException as error:  # no exception may leave a callback
        _failures.report("should_remember_failure", error, LoadRequest(request, None).url)
        return False


_NO_DESTROY = DESTROY()
_TABLE = LoaderTable(
    sizeof(LoaderTable), LOADER_TABLE_CAN_LOAD(_can_load), LOADER_TABLE_LOAD(_load), LOADER_TABLE_CANCEL(_cancel)
)
_TABLE_WITH_VOTE = LoaderTable.from_buffer_copy(_TABLE)
_TABLE_WITH_VOTE.should_remember_failure = LOADER_TABLE_SHOULD_REMEMBER_FAILURE(_should_remember)
