"""Exceptions of the program's own functions, which cannot pass through C: they are logged, and raised where a caller
waits for the load."""

from __future__ import annotations

import logging
import time
import traceback
from collections import deque
from dataclasses import dataclass

from .errors import Error, described, explanations

#: The logger of the package.
log = logging.getLogger("sdimage")


@dataclass(frozen=True, slots=True)
class Failure:
    """An exception of a function of the program."""

    #: The function, ``"cache_key"``.
    what: str
    error: BaseException
    #: The type and the text of the exception.
    text: str
    #: The URL or the cache key of the load; empty if the function receives neither.
    load: str
    time: float


#: The latest exceptions. A load finds its own by the URL or key and by the time.
_latest: deque[Failure] = deque(maxlen=64)


def report(what: str, error: BaseException, load: str | bytes = "") -> None:
    """Logs an exception and remembers it for the callers that wait for the load."""
    text = described(error)
    try:
        log.error("%s raised %s", what, text, exc_info=(type(error), error, error.__traceback__))
    except BaseException:  # a handler of the program may raise; no exception may leave a callback
        pass
    # The objects that the function used must not live until the exception is displaced.
    traceback.clear_frames(error.__traceback__)
    name = load.decode("utf-8", "surrogateescape") if isinstance(load, bytes) else load
    _latest.append(Failure(what, error, text, name, time.monotonic()))


def refuse(what: str, error: BaseException, load: str | bytes = "") -> None:
    """The same for functions whose exceptions become errors of the library. An :class:`Error` is an answer, and is not
    logged."""
    if not isinstance(error, Error):
        report(what, error, load)


def explain(error: Error) -> None:
    """Adds the exception from which an error of the library was made as its cause."""
    if error.__cause__ is None:
        for failure in reversed(list(_latest)):
            if failure.text and failure.text in error.message:
                error.__cause__ = failure.error
                break


explanations.append(explain)


def of_load(names: tuple[str, ...], started: float) -> BaseException | None:
    """The exception of a function that was called for a load; ``None`` without one."""
    for failure in list(_latest):
        if failure.load and failure.load in names and failure.time >= started:
            # Ctrl-C and sys.exit in a function on the thread of the caller are passed on as they are.
            if isinstance(failure.error, Error) or not isinstance(failure.error, Exception):
                return failure.error
            code = "TRANSFORM_FAILED" if failure.what == "transformer" else "INTERNAL_ERROR"
            error = Error(code, f"{failure.what}: raised {failure.text}", url=names[0])
            error.__cause__ = failure.error
            return error
    return None


def are_known() -> bool:
    """True if any function has raised."""
    return bool(_latest)
