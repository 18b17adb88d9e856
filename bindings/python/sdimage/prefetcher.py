"""Images loaded before they are needed."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterable, Mapping
from ctypes import byref, c_void_p, sizeof, string_at
from types import MappingProxyType
from typing import Any, TypeAlias, Unpack, cast

from . import _failures
from ._bytes import URLLike
from ._check import checked, deadline, kind, optional_function
from ._closing import Closing, closed_at_exit
from ._ffi import lib
from ._handle import Shared
from ._loops import Post, loop
from ._prototypes import DESTROY, PREFETCHER_HANDLER_FETCHED, PREFETCHER_HANDLER_IDLE, PrefetcherHandler
from ._tokens import WeakTokens
from .defaults import default_cache, default_loader
from .errors import call, text
from .manager import Manager
from .options import U32, known, unsigned
from .prefetch import OnCompleted, OnFetched, OnGroupProgress, PrefetchGroup, cancel_groups, groups_of, texts_of
from .request import RequestOptions, hold, new_request

#: A finished URL, and the numbers of finished and of all URLs of the running groups.
OnURL: TypeAlias = Callable[[str, int, int], object]
#: The number of URLs of the last groups, and of those without an image.
OnIdle: TypeAlias = Callable[[int, int], object]


@kind("prefetcher")
class Prefetcher(Closing):
    """Loads lists of URLs before they are needed, a few at a time over all lists.

    >>> with sdimage.Prefetcher(manager, on_fetched=print, thumbnail_size=(200, 200)) as prefetcher:
    ...     group = prefetcher.start(urls, on_completed=lambda group: print(group.skipped, "failed"))
    ...     group.wait()

    Use the manager that shows the images later: the keys then agree, and transfers are shared. Its loads go first.
    ``on_fetched(url, finished, total)`` observes each URL of all groups, ``on_idle(total, skipped)`` the end of the
    last group. The callbacks run on a thread of the library, serialized, or with `post`, as for
    :class:`sdimage.Target`, on the toolkit's own thread. Their exceptions are logged.
    """

    def __init__(
        self,
        manager: Manager | None = None,
        *,
        max_concurrent: int = 3,
        on_fetched: OnURL | None = None,
        on_idle: OnIdle | None = None,
        post: Post | None = None,
        **options: Unpack[RequestOptions],
    ) -> None:
        """`manager` is by default a separate one with the default cache and loader; `max_concurrent` is the number of
        simultaneous loads. The options are those of loads, for groups that do not set them; the default ``priority`` is
        ``"low"``."""
        known(options, RequestOptions)
        self._options = RequestOptions(priority="low")
        self._options.update(options)
        self._manager = None if manager is None else checked(manager, "manager", "manager")
        self._post = post
        self._loop = None if post is None else loop(post)
        # The library references loaders and caches of the program by number only.
        self._held = self._manager or (default_cache(), default_loader())
        out = c_void_p()
        call(
            lib.sdimage_prefetcher_new,
            None if self._manager is None else self._manager._handle.pointer,
            None if self._loop is None else self._loop.dispatcher.pointer,
            byref(out),
        )
        self._handle = Shared(out.value, lib.sdimage_prefetcher_unref)
        self._observer = _Observer(None, None)
        self._token = _observers.add(self._observer)
        _open.add(self)
        self.set_observer(on_fetched, on_idle)
        self.max_concurrent = max_concurrent

    def start(
        self,
        urls: Iterable[URLLike],
        *,
        on_progress: OnGroupProgress | None = None,
        on_fetched: OnFetched | None = None,
        on_completed: OnCompleted | None = None,
        **options: Unpack[RequestOptions],
    ) -> PrefetchGroup:
        """Starts a list and returns at once; lists that were started earlier go first.

        ``on_progress(finished, total)`` and ``on_fetched(index, result)`` are called after each URL;
        ``on_completed(group)`` is called once, as the last.
        """
        known(options, RequestOptions)
        wish = self._options.copy()
        wish.update(options)
        with new_request(b"", wish) as request:
            held = self, self._held, self._loop, hold(request, wish)
            pointer = self._handle.pointer

            def begin(lists: tuple[Any, ...], ends: tuple[Any, ...]) -> None:
                call(lib.sdimage_prefetcher_start, pointer, *lists, request.pointer, *ends)

            given = cast("Mapping[str, Any]", wish)
            return PrefetchGroup(self, begin, texts_of(urls), on_progress, held, on_fetched, on_completed, given)

    def cancel(self) -> None:
        """Cancels all groups."""
        lib.sdimage_prefetcher_cancel_all(self._handle.pointer)

    @property
    def groups(self) -> list[PrefetchGroup]:
        """The groups that are not finished, in the order of their starts."""
        return [group for group in groups_of(self) if not group.done]

    @property
    def max_concurrent(self) -> int:
        """The number of simultaneous loads of all groups; may be set."""
        return cast(int, lib.sdimage_prefetcher_max_concurrent(self._handle.pointer))

    @max_concurrent.setter
    def max_concurrent(self, count: int) -> None:
        lib.sdimage_prefetcher_set_max_concurrent(self._handle.pointer, unsigned(count, "max_concurrent", U32))

    @property
    def manager(self) -> Manager | None:
        """The manager that loads; ``None`` for a separate one."""
        return self._manager

    @property
    def options(self) -> Mapping[str, Any]:
        """The options of groups that do not set them."""
        return MappingProxyType(dict(self._options))

    @property
    def config(self) -> Mapping[str, Any]:
        """The arguments, with later changes."""
        observer = _observers.get(self._token) or _Observer(None, None)
        return MappingProxyType(
            {
                "manager": self._manager,
                "max_concurrent": self.max_concurrent,
                "on_fetched": observer.on_fetched,
                "on_idle": observer.on_idle,
                "post": self._post,
                **self._options,
            }
        )

    def set_observer(self, on_fetched: OnURL | None = None, on_idle: OnIdle | None = None) -> None:
        """Replaces the functions that observe all groups."""
        optional_function(on_fetched, "on_fetched")
        optional_function(on_idle, "on_idle")
        observer = _observers.find(self._token)
        observer.on_fetched, observer.on_idle = on_fetched, on_idle
        # Each call waits for the interpreter's lock, so only the given functions are set.
        handler = PrefetcherHandler(
            sizeof(PrefetcherHandler),
            _FETCHED if on_fetched is not None else PREFETCHER_HANDLER_FETCHED(),
            _IDLE if on_idle is not None else PREFETCHER_HANDLER_IDLE(),
        )
        call(lib.sdimage_prefetcher_set_handler, self._handle.pointer, byref(handler), self._token, DESTROY())

    def close(self, timeout: float | None = 5.0) -> None:
        """Cancels all groups and waits for their callbacks, at most `timeout` seconds, ``None`` without a limit;
        callbacks of finished groups that are still pending are waited for, too. In a callback it does not wait. Repeated
        calls are harmless."""
        end = deadline(timeout)
        if _observers.get(self._token) is None:
            return  # already closed
        # The loop's own thread would wait for callbacks that only it can run.
        is_loop = self._loop is not None and self._loop.thread == threading.get_ident()
        cancel_groups(self, deadline(0) if is_loop else end)
        _observers.forget(self._token)
        self._handle.release()
        self._loop = None
        _open.discard(self)


class _Observer:
    __slots__ = ("__weakref__", "on_fetched", "on_idle")

    def __init__(self, on_fetched: OnURL | None, on_idle: OnIdle | None) -> None:
        self.on_fetched = on_fetched
        self.on_idle = on_idle


_observers: WeakTokens[_Observer] = WeakTokens("prefetcher")


def _on_fetched(token: int | None, url: int | None, finished: int, total: int) -> None:
    observer = _observers.get(token)
    if observer is None or observer.on_fetched is None:
        return
    try:
        observer.on_fetched(text(string_at(url) if url else b""), finished, total)
    except BaseException as error:  # no exception may leave a callback
        _failures.report("on_fetched", error)


def _on_idle(token: int | None, total: int, skipped: int) -> None:
    observer = _observers.get(token)
    if observer is None or observer.on_idle is None:
        return
    try:
        observer.on_idle(total, skipped)
    except BaseException as error:  # no exception may leave a callback
        _failures.report("on_idle", error)


_FETCHED = PREFETCHER_HANDLER_FETCHED(_on_fetched)
_IDLE = PREFETCHER_HANDLER_IDLE(_on_idle)
_open: weakref.WeakSet[Prefetcher] = closed_at_exit(lambda prefetcher: prefetcher.close(2.0))
