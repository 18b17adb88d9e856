"""Download hooks: change requests and responses, decrypt bodies, refuse redirects, observe transfers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from ctypes import byref, c_char_p, c_void_p, sizeof
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias, cast

from . import _bytes, _enums, _failures, _words
from ._bytes import ReadableBuffer
from ._check import kind, mapping, optional_function, text_bytes
from ._config import recorded, without_secrets
from ._ffi import lib
from ._handle import Handle
from ._prototypes import (
    DESTROY,
    DOWNLOAD_HOOKS_TABLE_DECRYPT,
    DOWNLOAD_HOOKS_TABLE_EVENT,
    DOWNLOAD_HOOKS_TABLE_MODIFY_REQUEST,
    DOWNLOAD_HOOKS_TABLE_MODIFY_RESPONSE,
    DOWNLOAD_HOOKS_TABLE_REDIRECT,
    DownloadHooksTable,
)
from ._reply import complete
from ._tokens import WeakTokens
from .errors import Error, answer, call, from_pointer, text


class DownloadRequest:
    """A request before it is sent; valid while its function runs."""

    __slots__ = ("_pointer",)

    def __init__(self, pointer: int) -> None:
        self._pointer = pointer

    @property
    def url(self) -> str:
        """The URL of the request; may be set."""
        return text(lib.sdimage_request_url(self._pointer, None))

    @url.setter
    def url(self, url: str) -> None:
        address = text_bytes(url, "url")
        lib.sdimage_request_set_url(self._pointer, address, len(address))

    @property
    def method(self) -> str:
        """``"GET"`` by default; may be set."""
        return text(lib.sdimage_request_method(self._pointer))

    @method.setter
    def method(self, method: str) -> None:
        lib.sdimage_request_set_method(self._pointer, _bytes.c_text(method))

    @property
    def body(self) -> bytes | None:
        """The body of the request; may be set, with a method other than GET."""
        data = lib.sdimage_request_body(self._pointer)
        return _bytes.copied(data) if data else None

    @body.setter
    def body(self, body: ReadableBuffer | None) -> None:
        if body is None:
            lib.sdimage_request_set_body(self._pointer, None)
            return
        with _bytes.new_data(body) as data:
            lib.sdimage_request_set_body(self._pointer, data.pointer)

    @property
    def headers(self) -> list[tuple[str, str]]:
        """All header fields that the request sets, in their order."""
        fields: list[tuple[str, str]] = []
        value = c_char_p()
        while name := lib.sdimage_request_header_at(self._pointer, len(fields), byref(value)):
            fields.append((text(name), text(value.value)))
        return fields

    def header(self, name: str) -> str | None:
        """The value of a header field that the request sets."""
        value = lib.sdimage_request_header(self._pointer, _bytes.c_text(name))
        return None if value is None else text(value)

    def set_header(self, name: str, value: str | None) -> None:
        """Sets a header field; ``None`` removes it."""
        lib.sdimage_request_set_header(self._pointer, _bytes.c_text(name), None if value is None else _bytes.c_text(value))


class DownloadResponse:
    """The response of a server; valid while its function runs."""

    __slots__ = ("_pointer",)

    def __init__(self, pointer: int) -> None:
        self._pointer = pointer

    @property
    def url(self) -> str:
        """The URL after redirects, without user and password."""
        return text(lib.sdimage_response_url(self._pointer))

    @property
    def status(self) -> int:
        """The HTTP status; may be set."""
        return cast(int, lib.sdimage_response_status(self._pointer))

    @status.setter
    def status(self, status: int) -> None:
        lib.sdimage_response_set_status(self._pointer, status)

    def header(self, name: str) -> str | None:
        """The value of a header field; ``None`` when it is absent."""
        value = lib.sdimage_response_header(self._pointer, _bytes.c_text(name))
        return None if value is None else text(value)

    def set_header(self, name: str, value: str | None) -> None:
        """Sets a header field and replaces all fields of that name; ``None`` removes them."""
        lib.sdimage_response_set_header(self._pointer, _bytes.c_text(name), None if value is None else _bytes.c_text(value))


@dataclass(frozen=True, slots=True)
class DownloadEvent:
    """An event of a transfer."""

    #: ``"started"``, ``"responded"``, ``"stopped"``, and, on success, ``"finished"``.
    kind: str
    url: str
    #: 0 before a response.
    http_status: int
    received: int
    expected: int | None
    #: Time since the transfer started.
    seconds: float
    error: Error | None


ModifyRequest: TypeAlias = Callable[[DownloadRequest], object]
ModifyResponse: TypeAlias = Callable[[DownloadResponse], object]
Decrypt: TypeAlias = Callable[[bytes, DownloadResponse], ReadableBuffer]
Redirect: TypeAlias = Callable[[str, str, int], "bool | str | None"]
OnEvent: TypeAlias = Callable[[DownloadEvent], object]


@kind("download hooks")
class DownloadHooks:
    """Functions that the built-in downloader calls; pass them to :meth:`Loader.http`, or to one load as ``hooks``.

    ``modify_request(request)`` changes the request. ``modify_response(response)`` changes a response before it is
    evaluated. ``decrypt(data, response)`` returns the bytes of the image. ``redirect(from_url, to_url, status)``
    returns true to follow, false to refuse, or another URL. ``event(event)`` receives the events of each transfer. An
    exception refuses the request, the response, the bytes or the redirect, and is the cause of the error; those of
    ``event`` are logged. The functions run on threads of the library,
    several at once, and may block, except ``event``.
    """

    def __init__(
        self,
        *,
        modify_request: ModifyRequest | None = None,
        modify_response: ModifyResponse | None = None,
        decrypt: Decrypt | None = None,
        redirect: Redirect | None = None,
        event: OnEvent | None = None,
    ) -> None:
        self._config = recorded(locals())
        for name, function in (
            ("modify_request", modify_request),
            ("modify_response", modify_response),
            ("decrypt", decrypt),
            ("redirect", redirect),
            ("event", event),
        ):
            optional_function(function, name)
        self._functions = _Functions(modify_request, modify_response, decrypt, redirect, event)
        token = _functions.add(self._functions)
        table = DownloadHooksTable(
            sizeof(DownloadHooksTable),
            _MODIFY_REQUEST if modify_request else DOWNLOAD_HOOKS_TABLE_MODIFY_REQUEST(),
            _MODIFY_RESPONSE if modify_response else DOWNLOAD_HOOKS_TABLE_MODIFY_RESPONSE(),
            _DECRYPT if decrypt else DOWNLOAD_HOOKS_TABLE_DECRYPT(),
            _REDIRECT if redirect else DOWNLOAD_HOOKS_TABLE_REDIRECT(),
            _EVENT if event else DOWNLOAD_HOOKS_TABLE_EVENT(),
        )
        out = c_void_p()
        call(lib.sdimage_download_hooks_new_custom, byref(table), token, DESTROY(), byref(out))
        self._handle = Handle(out.value, lib.sdimage_download_hooks_unref)

    @classmethod
    def fixed(
        cls,
        *,
        method: str | None = None,
        headers: Mapping[str, str] | None = None,
        body: ReadableBuffer | None = None,
        status: int = 0,
        response_headers: Mapping[str, str] | None = None,
    ) -> DownloadHooks:
        """Applies the same settings to every request and every response: given values replace those of each. A `status`
        of 0 leaves the status unchanged."""
        config = without_secrets(recorded(locals()))
        hooks = cls.__new__(cls)
        hooks._config = config
        out = c_void_p()
        with (
            Handle(lib.sdimage_request_new_bytes(b"", 0), lib.sdimage_request_unref) as request,
            Handle(lib.sdimage_response_new(status), lib.sdimage_response_unref) as response,
        ):
            template = DownloadRequest(request.pointer)
            if method is not None:
                template.method = method
            if body is not None:
                template.body = body
            for name, value in mapping(headers, "headers").items():
                template.set_header(name, value)
            for name, value in mapping(response_headers, "response_headers").items():
                lib.sdimage_response_set_header(response.pointer, _bytes.c_text(name), _bytes.c_text(value))
            changes = response.pointer if status or response_headers else None
            call(lib.sdimage_download_hooks_new_fixed, request.pointer, changes, byref(out))
        hooks._handle = Handle(out.value, lib.sdimage_download_hooks_unref)
        return hooks

    @classmethod
    def base64(cls) -> DownloadHooks:
        """Decrypts bodies encoded in base 64."""
        hooks = cls.__new__(cls)
        out = c_void_p()
        call(lib.sdimage_download_hooks_new_base64, byref(out))
        hooks._handle = Handle(out.value, lib.sdimage_download_hooks_unref)
        return hooks

    _config: dict[str, Any] = {}

    @property
    def config(self) -> Mapping[str, Any]:
        """The arguments by their names."""
        return MappingProxyType(self._config.copy())

    @property
    def pointer(self) -> int:
        """Address of the ``sdimage_download_hooks``, borrowed."""
        return self._handle.pointer


@dataclass(slots=True, weakref_slot=True)
class _Functions:
    modify_request: ModifyRequest | None
    modify_response: ModifyResponse | None
    decrypt: Decrypt | None
    redirect: Redirect | None
    event: OnEvent | None


_functions: WeakTokens[_Functions] = WeakTokens("hook")


def _modify_request(token: int | None, request: int, reply: int) -> None:
    def body() -> None:
        function = _functions.find(token).modify_request
        if function is not None:
            function(DownloadRequest(request))

    complete(reply, body, "modify_request", DownloadRequest(request).url)


def _modify_response(token: int | None, response: int, reply: int) -> None:
    def body() -> None:
        function = _functions.find(token).modify_response
        if function is not None:
            function(DownloadResponse(response))

    complete(reply, body, "modify_response", DownloadResponse(response).url)


def _decrypt(token: int | None, data: int, response: int, plain: Any, error_out: Any) -> int:
    def body() -> None:
        function = _functions.find(token).decrypt
        if function is not None:
            with _bytes.new_data(function(_bytes.copied(data), DownloadResponse(response))) as made:
                plain[0] = lib.sdimage_data_ref(made.pointer)

    return answer(error_out, body, lambda error: _failures.refuse("decrypt", error, DownloadResponse(response).url))


def _redirect(token: int | None, here: bytes, there: bytes, status: int, reply: int) -> None:
    def body() -> bytes | None:
        function = _functions.find(token).redirect
        said = function(text(here), text(there), status) if function is not None else True
        if isinstance(said, str):
            return said.encode("utf-8", "surrogateescape")
        if not said:
            raise Error("REDIRECT_FORBIDDEN", "hook: redirect refused")
        return None

    complete(reply, body, "redirect", here)


def _event(token: int | None, event: int) -> None:
    try:
        function = _functions.find(token).event
        if function is None:
            return
        expected, failure = lib.sdimage_download_event_expected(event), lib.sdimage_download_event_error(event)
        function(
            DownloadEvent(
                _words.word(_enums.TRANSFER_STAGES, lib.sdimage_download_event_stage(event)),
                text(lib.sdimage_download_event_url(event)),
                lib.sdimage_download_event_http_status(event),
                lib.sdimage_download_event_received(event),
                expected if expected >= 0 else None,
                lib.sdimage_download_event_time_ns(event) / 1e9,
                from_pointer(failure) if failure else None,
            )
        )
    except BaseException as error:  # no exception may leave a callback
        _failures.report("event", error)


_MODIFY_REQUEST = DOWNLOAD_HOOKS_TABLE_MODIFY_REQUEST(_modify_request)
_MODIFY_RESPONSE = DOWNLOAD_HOOKS_TABLE_MODIFY_RESPONSE(_modify_response)
_DECRYPT = DOWNLOAD_HOOKS_TABLE_DECRYPT(_decrypt)
_REDIRECT = DOWNLOAD_HOOKS_TABLE_REDIRECT(_redirect)
_EVENT = DOWNLOAD_HOOKS_TABLE_EVENT(_event)
