"""Completion of replies by Python hooks."""

from __future__ import annotations

from collections.abc import Callable

from . import _bytes, _failures
from ._ffi import lib
from .errors import new_pointer


def complete(reply: int, body: Callable[[], bytes | None], what: str, load: str | bytes = "") -> None:
    """Completes a reply with the return value or exception of a function, and releases it. `what` is the name of the
    function and `load` the URL of the load, for reports of exceptions."""
    try:
        data = body()
        if data is None:
            lib.sdimage_reply_complete(reply)
        else:
            with _bytes.new_data(data) as handle:
                lib.sdimage_reply_complete_with_data(reply, handle.pointer)
    except BaseException as error:  # no exception may leave a callback
        _failures.refuse(what, error, load)
        pointer = new_pointer(error)
        lib.sdimage_reply_complete_with_error(reply, pointer)
        lib.sdimage_error_unref(pointer)
    finally:
        lib.sdimage_reply_unref(reply)
