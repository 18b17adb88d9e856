"""Event loops of toolkits, on which the library runs callbacks."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from ctypes import CFUNCTYPE, byref, c_void_p, sizeof
from typing import Any, TypeAlias, cast

from . import _failures
from ._check import wrong
from ._ffi import lib
from ._handle import Handle
from ._prototypes import DESTROY, DISPATCHER_TABLE_IS_CURRENT, DISPATCHER_TABLE_POST, DispatcherTable
from ._tokens import WeakTokens
from .errors import call

#: Runs a function on the toolkit's thread.
Post: TypeAlias = Callable[[Callable[[], None]], object]

_RUN = CFUNCTYPE(None, c_void_p)


class Loop:
    """A toolkit's event loop, and its thread."""

    def __init__(self, post: Post) -> None:
        self.post = post
        self.thread = threading.get_ident()
        self.token = _loops.add(self)
        out = c_void_p()
        call(lib.sdimage_dispatcher_new_custom, byref(_TABLE), self.token, DESTROY(), byref(out))
        self.dispatcher = Handle(out.value, lib.sdimage_dispatcher_unref)


# Held by the objects that deliver on them, and by their loads and lists: nothing is delivered afterwards.
_loops: WeakTokens[Loop] = WeakTokens("event loop")
_by_place: weakref.WeakValueDictionary[tuple[Post, int], Loop] = weakref.WeakValueDictionary()


def loop(post: Post) -> Loop:
    """The loop of the calling thread for `post`. The caller holds it as long as something may be delivered on it."""
    if not callable(post):
        raise wrong("post", "a function", post)
    place = (post, threading.get_ident())
    return _by_place.get(place) or _by_place.setdefault(place, Loop(post))


def _post(token: int | None, run: int, argument: int) -> None:
    found = _loops.get(token)
    if found is not None:
        try:
            found.post(_once(run, argument))
        except BaseException as error:  # no exception may leave a callback
            _failures.report("post", error)


def _once(run: int, argument: int) -> Callable[[], None]:
    """A function that runs the library's function on its first call only: the argument is freed by then."""
    left = [argument]

    def once() -> None:
        try:
            argument = left.pop()
        except IndexError:
            return
        cast(Any, _RUN(run))(argument)

    return once


def _is_current(token: int | None) -> bool:
    found = _loops.get(token)
    return found is not None and found.thread == threading.get_ident()


_TABLE = DispatcherTable(
    sizeof(DispatcherTable), DISPATCHER_TABLE_POST(_post), DISPATCHER_TABLE_IS_CURRENT(_is_current)
)
