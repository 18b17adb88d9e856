"""From a URL to pixels."""

from __future__ import annotations

import asyncio
import atexit
import enum
import itertools
import threading
import time
import weakref
from collections.abc import AsyncIterator, Iterable
from ctypes import byref, c_void_p, sizeof
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self, Unpack, cast

from . import _asyncio, _bytes, _enums
from ._ffi import DESTROY, OBSERVER, ON_PROGRESS, ON_RESULT, LoadHandler, lib
from ._color import ColorLike
from ._handle import Handle
from ._listener import OnProgress, OnResult
from .batch import Batch, Places, WritableArray
from .cache import ImageCache
from .caches import AnyCache
from .errors import Error, call
from .events import EventQueue, Listener
from .load_hooks import LoadHooks
from .loader import Loader, LoadFunction
from .prefetch import OnGroupProgress, PrefetchGroup, Prefetchers, texts_of
from .request import RequestOptions, new_request
from .result import Result
from .task import Task
from .transforms import Transformer

_FINAL = 3
#: Options that are objects of Python's, which a load holds.
_HELD = frozenset(("cache", "original_cache", "loader", "hooks", "load_hooks"))
#: Requests that a manager keeps for pictures that are asked for again.
_KEPT_REQUESTS = 1024


class _Shared(enum.Enum):
    CACHE = "the cache that all managers of the process share"


_managers: weakref.WeakSet[Manager] = weakref.WeakSet()


class Manager:
    """Loads pictures through memory, disk and network.

    `cache` left out is one with the default configuration, shared by all managers of the process; ``None`` is none.
    `loader` is a :class:`Loader`, or a function for one; left out: http, https, file and data URLs.
    `failed_url_retry_after` is in seconds: how long a URL that failed for good is not asked again (negative: until
    :meth:`forget_failed`; 0: not remembered). `transformer` changes every picture whose request names none.
    `freshness` is that of loads which do not say: ``"ignore"``, ``"respect"`` or ``"refresh"``. With `ignore_signatures`
    a URL that was signed anew finds its picture. `load_hooks` has a say in every load. ``on_load(result)`` hears of every
    load that ends, on a thread of the library; keep it short.

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
        # Custom loaders and hooks live as long as the manager that asks them.
        self._loader = _as_loader(loader) if loader is not None else None
        self._load_hooks = load_hooks
        with Handle(lib.sdimage_manager_config_new(), lib.sdimage_manager_config_unref) as config:
            if cache is None:
                lib.sdimage_manager_config_set_cache(config.pointer, None)
            elif not isinstance(cache, _Shared):
                lib.sdimage_manager_config_set_cache(config.pointer, cache.pointer)
            if self._loader is not None:
                lib.sdimage_manager_config_set_loader(config.pointer, self._loader.pointer)
            if failed_url_retry_after is not None:
                lib.sdimage_manager_config_set_failed_url_retry_after(config.pointer, int(failed_url_retry_after))
            if transformer is not None:
                lib.sdimage_manager_config_set_transformer(config.pointer, transformer.pointer)
            number = _enums.number(_enums.FRESHNESS, freshness, "freshness")
            lib.sdimage_manager_config_set_freshness(config.pointer, number)
            lib.sdimage_manager_config_set_ignore_signatures(config.pointer, ignore_signatures)
            if load_hooks is not None:
                lib.sdimage_manager_config_set_load_hooks(config.pointer, load_hooks.pointer)
            if on_load is not None:
                token = next(_tokens)
                _observers[token] = on_load
                weakref.finalize(self, _observers.pop, token, None).atexit = False
                lib.sdimage_manager_config_set_observer(config.pointer, _OBSERVER, token, DESTROY())
            out = c_void_p()
            call(lib.sdimage_manager_new, config.pointer, byref(out))
        self._handle = Handle(out.value, lib.sdimage_manager_unref)
        self._cache = None if isinstance(cache, _Shared) else cache
        self._has_cache = cache is not None
        self._prefetchers = Prefetchers()
        self._requests: dict[object, Handle] = {}
        self._requests_lock = threading.Lock()
        self._queues: weakref.WeakSet[EventQueue] = weakref.WeakSet()
        _managers.add(self)

    @classmethod
    def shared(cls) -> Manager:
        """The manager that the process shares, made with the defaults by whoever asks first; closing it closes it for all,
        and who asks after that gets a new one."""
        out = c_void_p()
        call(lib.sdimage_manager_shared, byref(out))
        manager = cls.__new__(cls)
        manager._handle = Handle(out.value, lib.sdimage_manager_unref)
        manager._loader, manager._load_hooks, manager._cache, manager._has_cache = None, None, None, True
        manager._prefetchers = Prefetchers()
        manager._requests, manager._requests_lock = {}, threading.Lock()
        manager._queues = weakref.WeakSet()
        _managers.add(manager)
        return manager

    @property
    def cache(self) -> AnyCache | None:
        """The cache in use."""
        if self._cache is None and self._has_cache:
            out = c_void_p()
            lib.sdimage_manager_copy_cache(self._handle.pointer, byref(out))
            self._cache = ImageCache.owned(out.value) if out.value else None
        return self._cache

    def load(self, url: str | bytes, **options: Unpack[RequestOptions]) -> Result:
        """Loads and waits, letting other Python threads run; raises :class:`Error`.

        The options are those of :class:`RequestOptions`. With ``source_policy="cache_only"`` a picture that no cache
        holds is no error: the result's image is ``None``.
        """
        found = self._find(url, options)
        if found is not None:
            return found
        task = self.start(url, **options)
        try:
            return task.wait()
        except BaseException:
            task.cancel()  # Ctrl-C: nobody waits any more
            raise

    def _find(self, url: str | bytes, options: RequestOptions) -> Result | None:
        """What memory has, in one call of the library: requests are kept for those who ask again."""
        # Hooks would be asked once more by the load that follows.
        if self._load_hooks is not None or not _HELD.isdisjoint(options):
            return None
        try:
            key = url, *sorted(options.items())
            hash(key)
        except TypeError:
            return None  # dictionaries among the options: nobody compares them for this
        with self._requests_lock:
            request = self._requests.pop(key, None)
        request = request or new_request(url, options)
        out = c_void_p()
        call(lib.sdimage_manager_find, self._handle.pointer, request.pointer, byref(out))
        if not out.value:
            return None
        result = Result(out.value)
        # One thread at a time has a request: it was taken out, and goes back as the newest.
        with self._requests_lock:
            self._requests[key] = request
            if len(self._requests) > _KEPT_REQUESTS:
                del self._requests[next(iter(self._requests))]
        return result

    def start(
        self,
        url: str | bytes,
        on_progress: OnProgress | None = None,
        on_partial: OnResult | None = None,
        on_result: OnResult | None = None,
        events: EventQueue | None = None,
        **options: Unpack[RequestOptions],
    ) -> Task:
        """Starts a load and returns.

        ``on_progress(received, expected)`` in bytes, `expected` may be ``None``; ``on_partial(result)`` for pictures
        that are followed by better ones, which makes the load progressive unless ``progressive=False``;
        ``on_result(result)`` once, with :attr:`Result.error` set when it failed.
        They run on a thread of the library, one after another: keep them short, and do not wait for loads in them. With
        `events` they run where that queue is drained.
        """
        if events is not None:
            return self._hear(events, Listener(on_progress, on_partial, on_result), url, options)[0]
        with new_request(url, _showing(options, on_partial)) as request:
            held = self._set_loader(request, options), *_held(options)
            if on_progress is None and on_partial is None and on_result is None and not any(held):
                return self._begin(request, None, None)
            token = next(_tokens)
            _running[token] = _Running(self, held, on_progress, on_partial, on_result)
            try:
                return self._begin(request, _HANDLER, token)
            except BaseException:
                _running.pop(token, None)
                raise

    async def load_async(
        self,
        url: str | bytes,
        on_progress: OnProgress | None = None,
        on_partial: OnResult | None = None,
        **options: Unpack[RequestOptions],
    ) -> Result:
        """Loads without blocking the running asyncio loop; cancelling the asyncio task cancels the load.

        The callbacks of :meth:`start` run on the loop. A picture in memory is returned without giving way.
        """
        queue = _asyncio.queue()
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
            return result.checked()
        finally:
            queue.forget(token)

    async def results(
        self, url: str | bytes, on_progress: OnProgress | None = None, **options: Unpack[RequestOptions]
    ) -> AsyncIterator[Result]:
        """Every delivery of one load: parts of the picture while it arrives, then the whole one; raises :class:`Error`.

        A part that was not taken before the next one came is skipped. Leaving the loop cancels the load.
        """
        parts: asyncio.Queue[Result] = asyncio.Queue()
        load = asyncio.ensure_future(self.load_async(url, on_progress, parts.put_nowait, **options))
        try:
            while not load.done():
                part = asyncio.ensure_future(parts.get())
                await asyncio.wait({load, part}, return_when=asyncio.FIRST_COMPLETED)
                if load.done() or not part.done():
                    part.cancel()
                    continue
                newest = part.result()
                while not parts.empty():
                    newest = parts.get_nowait()
                yield newest
            yield load.result()
        finally:
            load.cancel()

    def prefetch(
        self,
        urls: Iterable[str | bytes],
        on_progress: OnGroupProgress | None = None,
        *,
        max_concurrent: int | None = None,
        **options: Unpack[RequestOptions],
    ) -> PrefetchGroup:
        """Loads a list before anybody asks for it, a few at a time, and returns at once.

        ``on_progress(finished, total)`` runs on a thread of the library. `max_concurrent` is how many loads of all
        lists together run at once, 3 when never given. The options are those of loads; ``priority`` is ``"low"`` when
        left out, so that what somebody waits for goes first.
        """
        wish = options.copy()
        wish.setdefault("priority", "low")
        with new_request(b"", wish) as request:
            held = self, self._set_loader(request, wish), *_held(wish)
            return self._prefetchers.start(self._handle.pointer, urls, request, on_progress, max_concurrent, held)

    def load_many(
        self,
        urls: Iterable[str | bytes],
        size: tuple[int, int],
        *,
        out: WritableArray | None = None,
        scale_mode: str = "aspect_fill",
        background_color: ColorLike = (0.0, 0.0, 0.0),
        max_concurrent: int = 64,
        on_progress: OnGroupProgress | None = None,
        **options: Unpack[RequestOptions],
    ) -> Batch:
        """Loads N pictures into one array, each brought to `size`, ``(width, height)`` in pixels; waits, other threads go on.

        `out` is a writable array of shape ``(N, height, width, channels)``, such as one of numpy or of shared memory: 1, 3
        or 4 channels of ``uint8`` or ``uint16``, or 4 of ``float32``; rows and pictures may have gaps between them. Left
        out, it is made, of zeros, in `pixel_format` (``"rgb8"``): by numpy where that is installed, else as a ``memoryview``.

        `scale_mode`: ``"aspect_fill"`` covers the size and cuts off what stands over, ``"aspect_fit"`` leaves bars of the
        `background_color`, which also lies below clear pixels where there is no alpha; ``"fill"`` stretches. Each picture is decoded no
        larger than that takes, and its rows are written by the thread that decoded it.

        A picture that cannot be had leaves its place as it was, and its :class:`Error` in ``Batch.errors``, by index.
        ``on_progress(finished, total)`` runs on a thread of the library; loads at once: `max_concurrent`. The options
        are those of loads. Ctrl-C cancels what is left; nothing is written to the array after this has returned or raised.
        """
        texts = texts_of(urls)
        batch = Places(len(texts), size, out, options.get("pixel_format"))
        with new_request(b"", options) as request:
            held = self, self._set_loader(request, options), *_held(options)
            with batch.options(scale_mode, background_color, max_concurrent, request) as wish:
                filled = self._prefetchers.fill(self._handle.pointer, wish, batch, texts, on_progress)
        # Until here somebody held what the loads knew by number only.
        del held
        return filled

    def _hear(
        self, events: EventQueue, listener: Listener, url: str | bytes, options: RequestOptions
    ) -> tuple[Task, int]:
        """Starts a load that a queue hears of, under the token that is returned."""
        token = events.add(listener)
        try:
            with new_request(url, _showing(options, listener.on_partial)) as request:
                listener.held = self, self._set_loader(request, options), *_held(options)
                lib.sdimage_request_set_dispatcher(request.pointer, events.dispatcher.pointer)
                task = self._begin(request, None, token)
        except BaseException:
            events.forget(token)
            raise
        self._queues.add(events)
        return task, token

    def _set_loader(self, request: Handle, options: RequestOptions) -> Loader | None:
        if "loader" not in options:
            return None
        loader = _as_loader(options["loader"])
        lib.sdimage_request_set_loader(request.pointer, loader.pointer)
        return loader

    def _begin(self, request: Handle, handler: Any, token: int | None) -> Task:
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
        return Task(out.value, self)

    def cache_key(self, url: str | bytes, **options: Unpack[RequestOptions]) -> bytes:
        """The cache key that a load would use."""
        out = c_void_p()
        with new_request(url, options) as request:
            call(lib.sdimage_manager_cache_key, self._handle.pointer, request.pointer, byref(out))
        return _bytes.taken(out)

    @property
    def running_count(self) -> int:
        """Loads without a final result."""
        return cast(int, lib.sdimage_manager_running_count(self._handle.pointer))

    @property
    def offline(self) -> bool:
        """Whether loading of http and https URLs is switched off: then only what is cached is found."""
        return cast(bool, lib.sdimage_manager_is_offline(self._handle.pointer))

    @offline.setter
    def offline(self, offline: bool) -> None:
        lib.sdimage_manager_set_offline(self._handle.pointer, offline)

    def cancel_all(self) -> None:
        """Cancels every load that is under way."""
        lib.sdimage_manager_cancel_all(self._handle.pointer)

    def forget_failed(self, urls: Iterable[str] | None = None) -> None:
        """Forgets that URLs failed; all of them when left out."""
        if urls is None:
            lib.sdimage_manager_forget_failed(self._handle.pointer, None, 0)
            return
        for url in urls:
            address = url.encode("utf-8", "surrogateescape")
            lib.sdimage_manager_forget_failed(self._handle.pointer, address, len(address))

    def close(self, timeout: float = 5.0) -> None:
        """Takes no more loads, ends the running ones with ``SHUTDOWN`` and waits for their callbacks.

        `timeout` is in seconds; ``Error("TIMEOUT")`` when a callback does not return. Again is harmless. The cache
        stays open.
        """
        # On the thread that drains a queue nobody else drains what closing waits for.
        queues = [queue for queue in self._queues if queue.thread == threading.get_ident()]
        end = time.monotonic() + timeout
        with self._requests_lock:
            self._requests.clear()
        self._prefetchers.close(end)
        while True:
            left = max(0, int((end - time.monotonic()) * 1000))
            try:
                call(lib.sdimage_manager_close, self._handle.pointer, min(left, 20) if queues else left)
                break
            except Error as error:
                if error.code != "TIMEOUT" or time.monotonic() >= end:
                    raise
                for queue in queues:
                    queue.drain()
        _managers.discard(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.get_running_loop().run_in_executor(None, self.close)


def _showing(options: RequestOptions, on_partial: OnResult | None) -> RequestOptions:
    """The options of a load that somebody watches."""
    if on_partial is None or "progressive" in options:
        return options
    shown = options.copy()
    shown["progressive"] = True
    return shown


def _held(options: RequestOptions) -> tuple[object, ...]:
    """What the library knows by number only, so that somebody must hold it until the load has ended."""
    caches = options.get("cache"), options.get("original_cache")
    own = (None if isinstance(cache, ImageCache) else cache for cache in caches)
    return *own, options.get("hooks"), options.get("load_hooks")


def set_default_cache(cache: AnyCache | None) -> None:
    """The cache of managers made from now on that name none, the shared one among them; ``None``: the library's own."""
    lib.sdimage_set_default_cache(None if cache is None else cache.pointer)
    _defaults["cache"] = cache


def set_default_loader(loader: Loader | LoadFunction | None) -> None:
    """The loader of managers made from now on that name none; ``None``: the built-in ones."""
    made = None if loader is None else _as_loader(loader)
    lib.sdimage_set_default_loader(None if made is None else made.pointer)
    _defaults["loader"] = made


def _as_loader(loader: Loader | LoadFunction) -> Loader:
    if isinstance(loader, Loader):
        return loader
    if not callable(loader):
        raise Error("INVALID_ARGUMENT", f"a loader is a Loader or a function, not {type(loader).__name__}")
    return Loader(loader)


@dataclass(slots=True)
class _Running:
    """What a load with callbacks keeps alive until its last delivery."""

    manager: Manager
    held: tuple[object, ...]
    on_progress: OnProgress | None
    on_partial: OnResult | None
    on_result: OnResult | None


# The library holds a number in place of a Python object, see loader.py.
_running: dict[int, _Running] = {}
# The same of what all managers share.
_defaults: dict[str, object] = {}
_tokens = itertools.count(1)


def _on_result(token: int | None, _task: int, pointer: int) -> None:
    if lib.sdimage_result_kind(pointer) == _FINAL:
        load = _running.pop(token or 0, None)
        if load is not None and load.on_result is not None:
            load.on_result(Result.borrowed(pointer))
        return
    load = _running.get(token or 0)
    if load is not None and load.on_partial is not None:
        load.on_partial(Result.borrowed(pointer))


def _on_progress(token: int | None, _task: int, received: int, expected: int) -> None:
    load = _running.get(token or 0)
    if load is not None and load.on_progress is not None:
        load.on_progress(received, expected if expected >= 0 else None)


_NO_DESTROY = DESTROY()
_TABLE = LoadHandler(sizeof(LoadHandler), ON_RESULT(_on_result), ON_PROGRESS(_on_progress))
_HANDLER = byref(_TABLE)

_observers: dict[int, OnResult] = {}


def _on_load(token: int | None, pointer: int) -> None:
    observer = _observers.get(token or 0)
    if observer is not None:
        observer(Result.borrowed(pointer))


_OBSERVER = OBSERVER(_on_load)


@atexit.register
def _close_all() -> None:
    """No callback may enter an interpreter that is ending."""
    for manager in list(_managers):
        try:
            manager.close(2.0)
        except Error:
            pass  # nobody is left to be told
