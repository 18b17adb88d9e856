"""From a URL to pixels."""

from __future__ import annotations

import asyncio
import enum
import math
import threading
import time
import weakref
from collections.abc import AsyncIterator, Iterable, Mapping
from ctypes import byref, c_void_p, sizeof
from dataclasses import dataclass
from types import MappingProxyType, TracebackType
from typing import Any, Self, Unpack, cast

from . import _asyncio, _bytes, _callbacks, _enums, _failures, _words
from ._bytes import URLLike
from ._check import checked, deadline, flag, kind, optional_function, pointer_of
from ._closing import Closing, closed_at_exit
from ._color import ColorLike
from ._config import recorded
from ._ffi import lib
from ._handle import Handle
from ._kept import KeptRequests
from ._listener import OnProgress, OnResult
from ._prototypes import DESTROY, LOAD_OBSERVER_LOAD_ENDED, LoadHandler, LoadObserver
from ._tokens import WeakTokens
from .batch import Batch, Places, WritableArray
from .cache import ImageCache
from .caches import AnyCache
from .defaults import default_cache, default_loader
from .errors import Error, call
from .events import EventQueue, Listener
from .load_hooks import LoadHooks
from .loader import Loader, LoadFunction, as_loader
from .options import U32, seconds
from .prefetch import OnGroupProgress, PrefetchGroup, Prefetchers, texts_of
from .request import RequestOptions, hold, new_request, shown
from .result import Result
from .task import Task, readable, wait_in_slices, wait_or_cancel
from .transforms import Transformer

_NO_DESTROY = DESTROY()


class _Shared(enum.Enum):
    CACHE = "the cache that all managers of the process share"


@kind("manager")
class Manager(Closing):
    """Loads images through memory, disk and network.

    `cache` is by default a cache with the default configuration, shared by all managers of the process; ``None``
    disables caching. `loader` is a :class:`Loader`, or a function for one; by default http, https, file and data URLs
    are loaded. `failed_url_retry_after` is the time in seconds for which a permanently failed URL is not requested
    again (negative: until :meth:`forget_failed`; 0: failures are not remembered). `transformer` changes every image
    whose request names none. `freshness` applies to loads that do not set one: ``"ignore"``, ``"respect"`` or
    ``"refresh"``. With `ignore_signatures` a URL with a new signature finds its cached image. `load_hooks` apply to
    every load. ``on_load(result)`` is called at the end of each load, on a thread of the library; keep it short.

    Wherever a URL is taken, a path that is no ``str``, such as a :class:`pathlib.Path`, means its ``file:`` URL.

    Safe to use from any thread. A manager does not survive a fork: calls in the child raise ``FORKED``.
    """

    def __init__(
        self,
        cache: AnyCache | None | _Shared = _Shared.CACHE,
        loader: Loader | LoadFunction | None = None,
        *,
        failed_url_retry_after: float | None = None,
        transformer: Transformer | None = None,
        freshness: str = "ignore",
        ignore_signatures: bool = False,
        load_hooks: LoadHooks | None = None,
        on_load: OnResult | None = None,
    ) -> None:
        self._config = recorded(locals())
        own = None if loader is None else as_loader(loader)
        with Handle(lib.sdimage_manager_config_new(), lib.sdimage_manager_config_unref) as config:
            if cache is None:
                lib.sdimage_manager_config_set_cache(config.pointer, None)
            elif not isinstance(cache, _Shared):
                lib.sdimage_manager_config_set_cache(config.pointer, pointer_of(cache, "cache", "cache"))
            if own is not None:
                lib.sdimage_manager_config_set_loader(config.pointer, own.pointer)
            if failed_url_retry_after is not None:
                lib.sdimage_manager_config_set_failed_url_retry_after(config.pointer, seconds(failed_url_retry_after, "failed_url_retry_after"))
            if transformer is not None:
                lib.sdimage_manager_config_set_transformer(config.pointer, pointer_of(transformer, "transformer", "transformer"))
            number = _words.number(_enums.FRESHNESS, freshness, "freshness")
            lib.sdimage_manager_config_set_freshness(config.pointer, number)
            ignores = flag(ignore_signatures, "ignore_signatures")
            lib.sdimage_manager_config_set_ignore_signatures(config.pointer, ignores)
            if load_hooks is not None:
                lib.sdimage_manager_config_set_load_hooks(config.pointer, pointer_of(load_hooks, "load_hooks", "load hooks"))
            optional_function(on_load, "on_load")
            if on_load is not None:
                self._observer = _Observer(on_load)
                token = _observers.add(self._observer)
                call(lib.sdimage_manager_config_set_observer, config.pointer, byref(_OBSERVER), token, _NO_DESTROY)
            out = c_void_p()
            call(lib.sdimage_manager_new, config.pointer, byref(out))
        named = default_cache() if isinstance(cache, _Shared) else cache
        self._adopt(out.value, named, own or default_loader(), load_hooks)
        self._has_cache = cache is not None

    def _adopt(
        self, pointer: int | None, cache: AnyCache | None, loader: Loader | None, load_hooks: LoadHooks | None
    ) -> None:
        self._handle = Handle(pointer, lib.sdimage_manager_unref)
        self._cache = cache
        self._has_cache = True
        # Custom loaders and hooks live as long as the manager that uses them.
        self._loader, self._load_hooks = loader, load_hooks
        self._prefetchers = Prefetchers()
        self._kept = KeptRequests()
        self._queues: weakref.WeakSet[EventQueue] = weakref.WeakSet()
        _managers.add(self)

    @classmethod
    def shared(cls) -> Manager:
        """The manager that the process shares, created with the defaults on first use. Closing it closes it for all
        users; the next use creates a new one."""
        out = c_void_p()
        call(lib.sdimage_manager_get_shared, byref(out))
        # It may have been created with defaults that were replaced since. Its end is not reported.
        _held_for_ever.update((id(each), each) for each in (default_cache(), default_loader()))
        manager = cls.__new__(cls)
        manager._adopt(out.value, None, None, None)
        return manager

    _config: dict[str, Any] = {
        "failed_url_retry_after": None,
        "transformer": None,
        "freshness": "ignore",
        "ignore_signatures": False,
        "load_hooks": None,
        "on_load": None,
    }

    @property
    def config(self) -> Mapping[str, Any]:
        """The configuration by the names of the arguments; cache and loader are those in use, ``None`` for the built-in
        loaders."""
        return MappingProxyType({**self._config, "cache": self.cache, "loader": self._loader})

    @property
    def cache(self) -> AnyCache | None:
        """The cache in use."""
        if self._cache is None and self._has_cache:
            out = c_void_p()
            lib.sdimage_manager_get_cache(self._handle.pointer, byref(out))
            self._cache = ImageCache.owned(out.value) if out.value else None
        return self._cache

    def load(self, url: URLLike, **options: Unpack[RequestOptions]) -> Result:
        """Loads and waits while other Python threads run; raises :class:`Error`.

        The options are those of :class:`RequestOptions`. With ``source_policy="cache_only"`` an image that no cache
        holds is no error: the result's image is ``None``.
        """
        found = self._find(url, options)
        if found is not None:
            return found
        return wait_or_cancel(self.start(url, **options))

    def _find(self, url: URLLike, options: RequestOptions) -> Result | None:
        # Hooks would be called a second time by the load that follows.
        return self._kept.find(self._handle.pointer, url, options) if self._load_hooks is None else None

    def start(
        self,
        url: URLLike,
        on_progress: OnProgress | None = None,
        on_partial: OnResult | None = None,
        on_result: OnResult | None = None,
        events: EventQueue | None = None,
        **options: Unpack[RequestOptions],
    ) -> Task:
        """Starts a load and returns.

        ``on_progress(received, expected)`` reports bytes; `expected` may be ``None``. A function with three parameters
        without defaults also receives the :class:`Task`, and thereby the URL. ``on_partial(result)`` receives
        images that better ones follow, and makes the load progressive unless ``progressive=False``.
        ``on_result(result)`` is called once, with :attr:`Result.error` set on failure. The callbacks run on a thread of
        the library, serialized: keep them short, and do not wait for loads in them. Their exceptions are logged. With
        `events` they run where that queue is drained, and raise there.
        """
        _check_callbacks(on_progress, on_partial, on_result)
        if events is not None:
            checked(events, "events", "events")
            return self._hear(events, Listener(on_progress, on_partial, on_result), url, options)[0]
        with new_request(url, shown(options, on_partial)) as request:
            held = hold(request, options)
            plain = readable(url)
            if on_progress is None and on_partial is None and on_result is None and not held:
                return self._begin(request, None, None, plain, options)
            load = _callbacks.Running((self, held), on_progress, on_partial, on_result, plain)
            return _callbacks.begin(load, lambda handler, token: self._begin(request, handler, token, plain, options))

    async def load_async(
        self,
        url: URLLike,
        on_progress: OnProgress | None = None,
        on_partial: OnResult | None = None,
        **options: Unpack[RequestOptions],
    ) -> Result:
        """Loads without blocking the running asyncio loop; cancelling the asyncio task cancels the load.

        The callbacks of :meth:`start` run on the loop, and no more once it is closed. An image in memory is returned without
        suspending the coroutine.
        """
        _check_callbacks(on_progress, on_partial, None)
        queue = _asyncio.queue()
        found = self._find(url, options)
        if found is not None:
            return found
        final: asyncio.Future[Result] = asyncio.get_running_loop().create_future()

        def settle(result: Result) -> None:
            if not final.done():
                final.set_result(result)

        task, token = self._hear(queue, Listener(on_progress, on_partial, settle), url, options)
        try:
            result = task.result()
            if result is None:
                try:
                    result = await final
                except asyncio.CancelledError:
                    task.cancel()
                    raise
            return task.checked(result)
        finally:
            queue.forget(token)

    def results(
        self, url: URLLike, on_progress: OnProgress | None = None, **options: Unpack[RequestOptions]
    ) -> AsyncIterator[Result]:
        """Yields each delivery of a load: partial images while bytes arrive, then the final one. Raises :class:`Error`.

        A partial image is skipped if a newer one arrives before it is read. Leaving the loop cancels the load.
        """
        return _asyncio.deliveries(lambda show: self.load_async(url, on_progress, show, **options))

    def prefetch(
        self,
        urls: Iterable[URLLike],
        on_progress: OnGroupProgress | None = None,
        *,
        max_concurrent: int | None = None,
        **options: Unpack[RequestOptions],
    ) -> PrefetchGroup:
        """Loads a list of URLs in advance, a few at a time, and returns at once.

        ``on_progress(finished, total)`` runs on a thread of the library. `max_concurrent` is the number of simultaneous
        loads of all lists together, 3 if never set. The options are those of loads; the default ``priority`` is
        ``"low"``, so that loads with waiting callers go first.
        """
        wish = options.copy()
        wish.setdefault("priority", "low")
        with new_request(b"", wish) as request:
            held = self, hold(request, wish)
            return self._prefetchers.start(self._handle.pointer, urls, request, on_progress, max_concurrent, held)

    def load_many(
        self,
        urls: Iterable[URLLike],
        size: tuple[int, int],
        *,
        out: WritableArray | None = None,
        scale_mode: str = "aspect_fill",
        background_color: ColorLike = (0.0, 0.0, 0.0),
        max_concurrent: int = 64,
        on_progress: OnGroupProgress | None = None,
        **options: Unpack[RequestOptions],
    ) -> Batch:
        """Loads N images into one array, each scaled to `size`, ``(width, height)`` in pixels. Waits while other
        threads run.

        `out` is a writable array of shape ``(N, height, width, channels)``, such as one of numpy or of shared memory:
        1, 3 or 4 channels of ``uint8`` or ``uint16``, or 4 of ``float32``; rows and images may have gaps between them.
        By default a zeroed array in `pixel_format` (``"rgb8"``) is created: by numpy if installed, else as a
        ``memoryview``.

        `scale_mode`: ``"aspect_fill"`` covers the size and crops the rest, ``"aspect_fit"`` leaves bars of the
        `background_color`, which is also the background of transparent pixels in formats without alpha; ``"fill"``
        stretches. Each image is decoded no larger than necessary, and its rows are written by the thread that decoded
        it.

        An image that cannot be loaded leaves its slot unchanged, and its :class:`Error` is in ``Batch.errors``, by
        index. ``on_progress(finished, total)`` runs on a thread of the library. `max_concurrent` limits simultaneous
        loads. The options are those of loads. Ctrl-C cancels the rest; nothing is written to the array after this
        method has returned or raised.
        """
        texts = texts_of(urls)
        batch = Places(len(texts), size, out, options.get("pixel_format"))
        with new_request(b"", options) as request:
            held = self, hold(request, options)
            with batch.options(scale_mode, background_color, max_concurrent, request) as wish:
                filled = self._prefetchers.fill(self._handle.pointer, wish, batch, texts, on_progress)
        # Until here the objects that the loads reference by number had to be held.
        del held
        return filled

    def _hear(
        self, events: EventQueue, listener: Listener, url: URLLike, options: RequestOptions
    ) -> tuple[Task, int]:
        """Starts a load with delivery to a queue, under the returned token."""
        token = events.add(listener)
        try:
            with new_request(url, shown(options, listener.on_partial)) as request:
                listener.held = self, hold(request, options)
                lib.sdimage_request_set_dispatcher(request.pointer, events.dispatcher.pointer)
                listener.url = readable(url)
                handler = _RESULTS_ONLY if listener.on_progress is None else None
                task = self._begin(request, handler, token, listener.url, options)
        except BaseException:
            events.forget(token)
            raise
        self._queues.add(events)
        return task, token

    def _begin(
        self, request: Handle, handler: Any, token: int | None, url: str, options: Mapping[str, Any]
    ) -> Task:
        started = time.monotonic()
        out = c_void_p()
        call(
            lib.sdimage_manager_load,
            self._handle.pointer,
            request.pointer,
            handler,
            token,
            _NO_DESTROY,
            byref(out),
        )
        return Task(out.value, self, url, started if self.has_functions(options) else math.inf, options)

    def has_functions(self, options: Mapping[str, Any]) -> bool:
        """True if functions of the program take part in a load: only then it may end with one of their exceptions."""
        if self._load_hooks is not None or self._loader is not None or self._config["transformer"] is not None:
            return True
        return any(options.get(name) is not None for name in ("load_hooks", "loader", "transformer"))

    def cache_key(self, url: URLLike, **options: Unpack[RequestOptions]) -> bytes:
        """The cache key that a load would use, in its printed form."""
        return self._key(lib.sdimage_manager_get_cache_key, url, options)

    def entry_key(self, url: URLLike, **options: Unpack[RequestOptions]) -> bytes:
        """The key that identifies the entry of a load exactly: no URL is spelled like the key of a variant."""
        return self._key(lib.sdimage_manager_get_entry_key, url, options)

    def _key(self, function: Any, url: URLLike, options: RequestOptions) -> bytes:
        out = c_void_p()
        with new_request(url, options) as request:
            call(function, self._handle.pointer, request.pointer, byref(out))
        return _bytes.taken(out)

    @property
    def running_count(self) -> int:
        """The number of loads without a final result."""
        return cast(int, lib.sdimage_manager_running_count(self._handle.pointer))

    @property
    def offline(self) -> bool:
        """True if loading of http and https URLs is switched off, and only cached images are found."""
        return cast(bool, lib.sdimage_manager_is_offline(self._handle.pointer))

    @offline.setter
    def offline(self, offline: bool) -> None:
        lib.sdimage_manager_set_offline(self._handle.pointer, flag(offline, "offline"))

    def cancel_all(self) -> None:
        """Cancels all loads in progress."""
        lib.sdimage_manager_cancel_all(self._handle.pointer)

    def wait_all(self, timeout: float | None = None) -> None:
        """Waits until no load is in progress and the last callbacks have returned; those of an :class:`EventQueue`
        remain queued.

        `timeout` is in seconds; raises ``Error("TIMEOUT")`` when it expires.
        """
        wait_in_slices(lib.sdimage_manager_wait_all, self._handle.pointer, timeout)

    def forget_failed(self, urls: Iterable[URLLike] | None = None) -> None:
        """Forgets failed URLs, by default all of them."""
        if urls is None:
            lib.sdimage_manager_forget_failed(self._handle.pointer, None, 0)
            return
        for address in texts_of(urls):
            lib.sdimage_manager_forget_failed(self._handle.pointer, address, len(address))

    def flush(self, timeout: float | None = None) -> None:
        """Waits until the stores of finished loads are committed, images that are still being encoded for the cache
        included.

        `timeout` is in seconds; raises ``Error("TIMEOUT")`` when it expires, and the first failure of a store on disk
        since the last flush. Concerns the cache of the manager; :meth:`ImageCache.flush` does the same for a cache that
        was set on a load.
        """
        wait_in_slices(lib.sdimage_manager_flush, self._handle.pointer, timeout)

    def close(self, timeout: float | None = 5.0) -> None:
        """Accepts no more loads, ends the running ones with ``SHUTDOWN`` and waits for their callbacks.

        `timeout` is in seconds, ``None`` without a limit; ``Error("TIMEOUT")`` when a callback does not return. Repeated
        calls are harmless. The cache stays open. Thumbnails and transformed images that are not encoded for the cache
        after 2 seconds are not stored; :meth:`flush` waits for all of them. On the thread of an :class:`EventQueue` its
        callbacks run here; the first of their exceptions is raised when the manager is closed, others are logged.
        """
        # On the thread that drains a queue, closing would wait for deliveries that only this thread can drain.
        queues = [queue for queue in self._queues if queue.thread == threading.get_ident()]
        end = deadline(timeout)
        self._kept.clear()
        self._prefetchers.close(end)
        failure: Exception | None = None
        while True:
            left = max(0, int(min((end - time.monotonic()) * 1000, 20 if queues else U32)))
            try:
                call(lib.sdimage_manager_close, self._handle.pointer, left)
                break
            except Error as error:
                if error.code != "TIMEOUT" or time.monotonic() >= end:
                    raise error from failure or error.__cause__
                for queue in queues:
                    try:
                        queue.drain()
                    except Exception as raised:
                        if failure is not None:
                            _failures.report("on_result", raised)
                        failure = failure or raised
        _managers.discard(self)
        if failure is not None:
            raise failure

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.get_running_loop().run_in_executor(None, self.close)


def _check_callbacks(on_progress: object, on_partial: object, on_result: object) -> None:
    optional_function(on_progress, "on_progress")
    optional_function(on_partial, "on_partial")
    optional_function(on_result, "on_result")


@dataclass(slots=True, weakref_slot=True)
class _Observer:
    on_load: OnResult


_observers: WeakTokens[_Observer] = WeakTokens("observer")
_held_for_ever: dict[int, object] = {}


def _on_load(token: int | None, pointer: int) -> None:
    observer = _observers.get(token)
    if observer is None:
        return
    try:
        observer.on_load(Result.borrowed(pointer))
    except BaseException as error:  # no exception may leave a callback
        _failures.report("on_load", error)


_OBSERVER = LoadObserver(sizeof(LoadObserver), LOAD_OBSERVER_LOAD_ENDED(_on_load))
# For queues, which take events in place of its callbacks. A load without a handler would wake the thread for its progress, too.
_RESULTS_ONLY = byref(LoadHandler(sizeof(LoadHandler)))
_managers: weakref.WeakSet[Manager] = closed_at_exit(lambda manager: manager.close(2.0))
