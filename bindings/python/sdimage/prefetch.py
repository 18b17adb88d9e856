"""Lists of URLs loaded before they are needed."""

from __future__ import annotations

import asyncio
import functools
import itertools
import os
import threading
import time
from collections.abc import Callable, Generator, Iterable, Mapping
from ctypes import byref, c_char_p, c_size_t, c_void_p, sizeof
from types import MappingProxyType
from typing import Any, Self, TypeAlias, cast

from . import _bytes, _failures
from ._bytes import URLLike
from ._check import deadline, optional_function, wrong
from ._ffi import lib
from ._handle import Handle
from ._prototypes import (
    DESTROY,
    PREFETCH_HANDLER_COMPLETED,
    PREFETCH_HANDLER_FETCHED,
    PREFETCH_HANDLER_PROGRESS,
    PrefetchHandler,
)
from ._tokens import Tokens
from .batch import Batch, Places
from .errors import Error, call, from_pointer
from .options import U32, unsigned
from .result import Result

#: A blocking call returns to the interpreter this often, in milliseconds, so that Ctrl-C works.
_SLICE_MS = 200

OnGroupProgress = Callable[[int, int], object]
#: The index of a URL in its list, and its result, which may be a failure.
OnFetched: TypeAlias = "Callable[[int, Result], object]"
OnCompleted: TypeAlias = "Callable[[PrefetchGroup], object]"
#: The call that starts a list: its arguments for the URLs, and those at its end.
Start = Callable[[tuple[Any, ...], tuple[Any, ...]], object]


class PrefetchGroup:
    """A list of URLs being prefetched. Dropping it does not cancel it; awaiting it waits for its end.

    Cancelling the asyncio task that awaits a group cancels the group.
    """

    def __init__(
        self,
        owner: object,
        start: Start,
        urls: list[bytes],
        on_progress: OnGroupProgress | None,
        held: object = None,
        on_fetched: OnFetched | None = None,
        on_completed: OnCompleted | None = None,
        options: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        self._owner = owner
        self._urls, self._options = urls, options
        self._on_fetched = optional_function(on_fetched, "on_fetched")
        self._on_completed = optional_function(on_completed, "on_completed")
        self._on_progress = optional_function(on_progress, "on_progress")
        self._ended = threading.Event()
        self._waiters: list[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]] = []
        self._lock = threading.RLock()
        self._handle: Handle | None = None
        #: Cancelled, perhaps by a callback that ran before the starting call had returned.
        self._is_unwanted = False
        #: Objects that live until the list has ended.
        self.held = held
        token = _groups.add(self)
        out = c_void_p()
        texts = (c_char_p * len(urls))(*urls)
        lengths = (c_size_t * len(urls))(*map(len, urls))
        handle: Handle | None = None
        try:
            handler = _handler(on_fetched is not None, on_progress is not None)
            start((texts, lengths, len(urls)), (byref(handler), token, _NO_DESTROY, byref(out)))
            # An empty list has no object.
            handle = Handle(out.value, lib.sdimage_prefetch_group_unref) if out.value else None
            with self._lock:
                self._handle = handle
                is_unwanted = self._is_unwanted
        except BaseException:
            # Ctrl-C may arrive after the list has started: cancelling waits until nothing is written any more.
            lib.sdimage_prefetch_group_cancel(out)
            if handle is None:
                lib.sdimage_prefetch_group_unref(out)
            _groups.forget(token)
            raise
        if is_unwanted:
            self.cancel()

    @property
    def urls(self) -> list[str]:
        """The URLs of the list."""
        return [url.decode("utf-8", "surrogateescape") for url in self._urls]

    @property
    def options(self) -> Mapping[str, Any]:
        """The options of its loads."""
        return MappingProxyType(dict(self._options))

    @property
    def total(self) -> int:
        """The number of URLs in the list."""
        return cast(int, lib.sdimage_prefetch_group_total_count(self._pointer))

    @property
    def finished(self) -> int:
        """The number of finished URLs, including failed ones."""
        return cast(int, lib.sdimage_prefetch_group_finished_count(self._pointer))

    @property
    def skipped(self) -> int:
        """The number of finished URLs without an image."""
        return cast(int, lib.sdimage_prefetch_group_skipped_count(self._pointer))

    @property
    def failed(self) -> list[tuple[str, Error]]:
        """The URLs without an image, and their errors, in the order of failure."""
        return [(self._url(index), error) for index, error in self.errors.items()]

    @property
    def errors(self) -> dict[int, Error]:
        """The errors of missing images by index in the list, in the order of failure."""
        found: dict[int, Error] = {}
        for number in itertools.count():
            index, failure = c_size_t(), c_void_p()
            try:
                call(lib.sdimage_prefetch_group_get_failure, self._pointer, number, byref(index), byref(failure))
            except Error as error:
                if error.code in ("NOT_FOUND", "INVALID_ARGUMENT"):
                    return found
                raise
            with Handle(failure.value, lib.sdimage_error_unref) as reason:
                found[index.value] = from_pointer(reason.pointer)
        return found

    def _url(self, index: int) -> str:
        url = c_void_p()
        call(lib.sdimage_prefetch_group_get_url, self._pointer, index, byref(url))
        return _bytes.taken(url).decode("utf-8", "surrogateescape")

    @property
    def done(self) -> bool:
        """True if everything is finished, or the list was cancelled."""
        return self._handle is None or bool(lib.sdimage_prefetch_group_is_finished(self._pointer))

    @property
    def cancelled(self) -> bool:
        """True if the list was cancelled before its end."""
        return bool(lib.sdimage_prefetch_group_is_cancelled(self._pointer))

    def cancel(self) -> None:
        """Cancels the loads of the list; waiting ones never start."""
        with self._lock:
            self._is_unwanted = True
            pointer = self._pointer
        lib.sdimage_prefetch_group_cancel(pointer)

    def wait(self, timeout: float | None = None) -> Self:
        """Waits until everything is finished, or the list is cancelled.

        `timeout` is in seconds; raises ``Error("TIMEOUT")`` when it expires.
        """
        end = deadline(timeout)
        while not self.done:
            left = int(min(_SLICE_MS, max(0, (end - time.monotonic()) * 1000 + 1)))
            try:
                call(lib.sdimage_prefetch_group_wait, self._pointer, left)
            except Error as error:
                if error.code != "TIMEOUT" or (time.monotonic() >= end and not self.done):
                    raise
        return self

    def _wait_once(self) -> None:
        """Raises on a thread of the library, also when there is nothing left to wait for."""
        try:
            call(lib.sdimage_prefetch_group_wait, self._pointer, 0)
        except Error as error:
            if error.code != "TIMEOUT":
                raise

    def __await__(self) -> Generator[Any, None, Self]:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()
        with self._lock:
            if not self._ended.is_set():
                self._waiters.append((loop, future))
            else:
                future.set_result(None)
        try:
            yield from future
        except asyncio.CancelledError:
            self.cancel()
            raise
        return self

    @property
    def _pointer(self) -> int | None:
        return self._handle.pointer if self._handle is not None else None

    def _adopt(self, pointer: int | None) -> None:
        """Takes a reference, for a callback that runs before the starting call has returned."""
        with self._lock:
            if self._handle is None and pointer:
                self._handle = Handle(lib.sdimage_prefetch_group_ref(pointer), lib.sdimage_prefetch_group_unref)

    def _told_end(self) -> None:
        # Before any waiter resumes, because it may free the object.
        self.held = None
        with self._lock:
            self._ended.set()
            waiters, self._waiters = self._waiters, []
        for loop, future in waiters:
            try:
                loop.call_soon_threadsafe(_wake, future)
            except RuntimeError:
                pass  # the loop is closed: nothing waits


class Prefetchers:
    """The prefetcher of one manager, created on first use."""

    def __init__(self) -> None:
        self._handle: Handle | None = None
        self._lock = threading.RLock()

    def start(
        self,
        manager: int,
        urls: Iterable[URLLike],
        request: Handle,
        on_progress: OnGroupProgress | None,
        max_concurrent: int | None,
        held: object,
    ) -> PrefetchGroup:
        """Starts a list on the manager with this address."""
        with self._lock:
            if self._handle is None:
                out = c_void_p()
                call(lib.sdimage_prefetcher_new, manager, None, byref(out))
                self._handle = Handle(out.value, lib.sdimage_prefetcher_unref)
            handle = self._handle
        if max_concurrent is not None:
            lib.sdimage_prefetcher_set_max_concurrent(handle.pointer, unsigned(max_concurrent, "max_concurrent", U32))

        def begin(lists: tuple[Any, ...], ends: tuple[Any, ...]) -> None:
            call(lib.sdimage_prefetcher_start, handle.pointer, *lists, request.pointer, *ends)

        return PrefetchGroup(self, begin, texts_of(urls), on_progress, held)

    def fill(
        self,
        manager: int,
        options: Handle,
        places: Places,
        urls: list[bytes],
        on_progress: OnGroupProgress | None,
    ) -> Batch:
        """Loads a list into an array, and waits for the last callback."""

        def begin(lists: tuple[Any, ...], ends: tuple[Any, ...]) -> None:
            call(lib.sdimage_manager_load_batch, manager, options.pointer, *lists, places.address, places.size, *ends)

        group: PrefetchGroup | None = None
        try:
            group = PrefetchGroup(self, begin, urls, on_progress, places)
            if group._handle is not None:
                group._wait_once()
            group.wait()
            group._ended.wait()
        except BaseException:
            # After this the array belongs to the caller again.
            if group is not None:
                group.cancel()
            raise
        if group.cancelled:
            raise Error("CANCELLED", "manager: closed")
        return Batch(places.array, group.errors)

    def close(self, end: float) -> None:
        """Cancels running lists, and waits until their callbacks have returned, until a monotonic time at most."""
        cancel_groups(self, end)


def texts_of(urls: Iterable[URLLike]) -> list[bytes]:
    """URLs in the form that C takes."""
    if isinstance(urls, (str, bytes)) or not isinstance(urls, Iterable):
        raise wrong("urls", "an iterable of URLs", urls)
    return [_bytes.url_bytes(url, f"urls[{index}]") for index, url in enumerate(urls)]


def _wake(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


_groups: Tokens[PrefetchGroup] = Tokens("prefetch")
# In the child of a fork, the end of these is never reported: closing would wait for it in vain.
os.register_at_fork(after_in_child=_groups.clear)


def _on_progress(token: int | None, pointer: int | None, finished: int, total: int) -> None:
    group = _groups.get(token)
    if group is None or group._on_progress is None:
        return
    group._adopt(pointer)
    try:
        group._on_progress(finished, total)
    except BaseException as error:  # no exception may leave a callback
        _failures.report("on_progress", error)


def _on_fetched(token: int | None, pointer: int | None, index: int, result: int) -> None:
    group = _groups.get(token)
    if group is None or group._on_fetched is None:
        return
    group._adopt(pointer)
    try:
        group._on_fetched(index, Result.borrowed(result))
    except BaseException as error:  # no exception may leave a callback
        _failures.report("on_fetched", error)


def _on_completed(token: int | None, pointer: int | None, _finished: int, _skipped: int, _error: int | None) -> None:
    group = _groups.forget(token)
    if group is None:
        return
    if group._on_completed is not None:
        group._adopt(pointer)
        try:
            group._on_completed(group)
        except BaseException as error:  # no exception may leave a callback
            _failures.report("on_completed", error)
    group._told_end()


_NO_DESTROY = DESTROY()
_FETCHED = PREFETCH_HANDLER_FETCHED(_on_fetched)
_PROGRESS = PREFETCH_HANDLER_PROGRESS(_on_progress)
_COMPLETED = PREFETCH_HANDLER_COMPLETED(_on_completed)


@functools.cache
def _handler(fetched: bool, progress: bool) -> PrefetchHandler:
    """Each call waits for the interpreter's lock, so these callbacks are set only on request."""
    return PrefetchHandler(
        sizeof(PrefetchHandler),
        _FETCHED if fetched else PREFETCH_HANDLER_FETCHED(),
        _PROGRESS if progress else PREFETCH_HANDLER_PROGRESS(),
        _COMPLETED,
    )


def groups_of(owner: object) -> list[PrefetchGroup]:
    """The groups of a prefetcher whose last callback has not returned."""
    return [group for group in _groups.values() if group._owner is owner]


def cancel_groups(owner: object, end: float) -> None:
    """Cancels running lists, and waits until their callbacks have returned, until a monotonic time at most. Does not
    wait on a thread of the library, where the callbacks run."""
    own = groups_of(owner)
    for group in own:
        group.cancel()
    for group in own:
        try:
            if group._handle is not None:
                group._wait_once()
        except Error:
            return
        group._ended.wait(min(max(0.0, end - time.monotonic()), threading.TIMEOUT_MAX))
