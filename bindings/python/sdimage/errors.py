"""The error of this package, and the single place that raises errors of the library."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, c_void_p
from typing import Any

from . import _enums
from ._ffi import lib


class Error(Exception):
    """An error of the library.

    ``code`` is the name of the status without its prefix: ``"TOO_LARGE"``, ``"NOT_AN_IMAGE"``, ``"HTTP_STATUS"`` …
    ``transient`` is true if the same call may succeed later without any change.
    """

    def __init__(
        self,
        code: str,
        message: str = "",
        http_status: int = 0,
        url: str = "",
        system_error: int = 0,
        library_code: int = 0,
        transient: bool = False,
    ) -> None:
        super().__init__(code, message, http_status, url, system_error, library_code, transient)
        self.code = code
        self.message = message
        #: HTTP status of the refused response, or 0.
        self.http_status = http_status
        #: The URL of the load, without user and password, or "".
        self.url = url
        #: ``errno`` of the failed call, or 0.
        self.system_error = system_error
        #: Error number from the codec, database or transfer library, or 0.
        self.library_code = library_code
        self.transient = transient

    def __str__(self) -> str:
        text = f"{self.code}: {self.message}" if self.message else self.code
        return f"{text} ({_shown(self.url)})" if self.url else text


class WrongType(Error, TypeError):
    """An argument of a wrong type: an :class:`Error` with the code ``INVALID_ARGUMENT``, and a :class:`TypeError`."""

    def __init__(self, message: str, *rest: Any) -> None:
        super().__init__("INVALID_ARGUMENT", message)

    def __reduce__(self) -> tuple[Any, ...]:
        return WrongType, (self.message,)

    def __str__(self) -> str:
        return self.message


def _shown(url: str) -> str:
    """The URL for messages, which end up in logs: without query and fragment, which carry tokens, and without user in
    malformed URLs."""
    plain, mark, _ = url.partition("?" if "?" in url.partition("#")[0] else "#")
    scheme, colon, rest = plain.partition(":")
    if not rest.startswith("//") and "@" in url:
        plain = f"{scheme}{colon}…" if scheme in ("http", "https", "file", "ftp") else "…"
    return f"{plain}{mark}…" if mark else plain


def status_name(status: int) -> str:
    """``-53`` → ``"TOO_LARGE"``."""
    return text(lib.sdimage_status_name(status))


def text(value: bytes | None) -> str:
    """Converts text of the library."""
    return (value or b"").decode("utf-8", "replace")


def from_pointer(pointer: int) -> Error:
    """A copy of a borrowed ``sdimage_error``, with the exception from which it was made as its cause."""
    error = Error(
        status_name(lib.sdimage_error_code(pointer)),
        text(lib.sdimage_error_message(pointer)),
        lib.sdimage_error_http_status(pointer),
        text(lib.sdimage_error_url(pointer)),
        lib.sdimage_error_system_error(pointer),
        lib.sdimage_error_library_code(pointer),
        lib.sdimage_error_is_transient(pointer),
    )
    for explain in explanations:
        explain(error)
    return error


#: Add the exceptions from which errors were made.
explanations: list[Callable[[Error], object]] = []


def call(function: Callable[..., Any], *arguments: Any) -> int:
    """Calls a function that ends with ``sdimage_error **``; raises :class:`Error`, or returns the status."""
    out = c_void_p()
    status: int = function(*arguments, byref(out))
    if status >= 0:
        return status
    if not out.value:
        raise Error(status_name(status))
    try:
        error = from_pointer(out.value)
    finally:
        lib.sdimage_error_unref(out)
    try:
        raise error
    finally:
        # The traceback references this frame, so the error would keep itself, and all that callers hold, until cycles
        # are collected; and a borrowed bytearray could not be resized while the error is handled.
        del error, arguments


# --- The reverse: exceptions of the program's own functions, for the library.


def described(error: BaseException) -> str:
    """The type and the text of an exception."""
    kind = type(error).__name__
    try:
        return f"{kind}: {error}"
    except BaseException:  # an exception of the program may raise when it is converted to text
        return kind


_CODES = {"OSError": "IO_ERROR", "FileNotFoundError": "NOT_FOUND", "PermissionError": "PERMISSION_DENIED"}


def status_number(code: str) -> int:
    """``"TOO_LARGE"`` → -53; unknown codes are ``INTERNAL_ERROR``."""
    numbers = (number for number in range(-1, -128, -1) if status_name(number) == code)
    return next(numbers, _enums.STATUSES["internal_error"])


def new_pointer(error: BaseException) -> int | None:
    """A new ``sdimage_error`` with the contents of an exception; the caller releases it. ``None`` when memory is
    refused."""
    kind = type(error).__name__
    code, message = _CODES.get(kind, "INTERNAL_ERROR"), described(error)
    if isinstance(error, Error):
        try:
            code, message = str(error.code), str(error.message)
        except BaseException:  # an exception of the program may raise when it is converted to text
            code, message = "INTERNAL_ERROR", kind
    pointer: int | None = lib.sdimage_error_new(
        status_number(code), message.encode("utf-8", "replace").replace(b"\0", b" ")
    )
    return pointer


def answer(error_out: Any, body: Callable[[], None], failed: Callable[[BaseException], None]) -> int:
    """Runs a method for the library; returns the status, and the error if it raised, which `failed` receives."""
    try:
        body()
        return 0
    except BaseException as error:  # no exception may leave a callback
        failed(error)
        pointer = new_pointer(error)
        status: int = lib.sdimage_error_code(pointer) if pointer else _enums.STATUSES["no_memory"]
        if error_out and pointer:
            error_out[0] = pointer
        else:
            lib.sdimage_error_unref(pointer)
        return status
