"""Custom caches, and combinations of caches."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from ctypes import byref, c_void_p, sizeof
from types import MappingProxyType
from typing import Any, TypeAlias

from . import _bytes, _enums, _failures, _words
from ._check import flag, kind, pointer_of
from ._ffi import lib
from ._handle import Handle
from ._lookups import Lookups, Operations
from ._prototypes import (
    CACHE_TABLE_CLEAR,
    CACHE_TABLE_CONTAINS,
    CACHE_TABLE_MEMORY_IMAGE,
    CACHE_TABLE_QUERY,
    CACHE_TABLE_REMOVE,
    CACHE_TABLE_SET_MEMORY_IMAGE,
    CACHE_TABLE_STORE,
    DESTROY,
    CacheTable,
)
from ._reply import complete
from ._tokens import Outliving, WeakTokens
from .cache import ImageCache
from .errors import Error, call
from .image import Image
from .options import OptionT, carried


@kind("cache")
class Cache(Outliving, Lookups):
    """A custom cache: subclass it, and pass an instance to a manager, a load or a :class:`CacheChain`.

    Keys are ``bytes``. :meth:`query`, :meth:`store`, :meth:`remove`, :meth:`contains` and :meth:`clear` run on threads
    of the library, several at once, and may block. Their exceptions are logged and count as a miss or as a failed
    store. The two memory methods run on the thread that starts a load, and must not block. The library holds a cache
    that it still uses, such as for stores after the end of a load.

    :meth:`lookup`, :meth:`start_lookup`, :meth:`lookup_async`, :meth:`image`, :meth:`data` and :meth:`store_image` are
    those of all caches, for the program: they call the methods of the subclass.
    """

    #: True for a cache whose entries other users or machines read: it receives no private responses.
    shared = False

    def query(self, key: bytes) -> bytes | None:
        """The encoded bytes of an entry; ``None`` when there is none."""
        raise NotImplementedError

    def store(self, key: bytes, data: bytes) -> None:
        """Stores encoded bytes."""
        raise NotImplementedError

    def remove(self, key: bytes, memory: bool, disk: bool) -> None:
        """Removes an entry from the given layers."""
        raise NotImplementedError

    def contains(self, key: bytes) -> bool:
        """True if :meth:`query` would find the entry."""
        return self.query(key) is not None

    def clear(self, memory: bool, disk: bool) -> None:
        """Removes everything from the given layers."""
        raise Error("UNSUPPORTED", "cache: cannot be cleared")

    def option(self, name: str, fallback: OptionT) -> OptionT:
        """A value of the current request, of the type of `fallback`; else `fallback`. For use in :meth:`query` and
        :meth:`store`."""
        return carried(getattr(_asking, "options", None), name, fallback)

    def memory_image(self, key: bytes) -> Image | None:
        """An image in memory."""
        return None

    def set_memory_image(self, key: bytes, image: Image) -> None:
        """Stores an image in memory."""

    @property
    def pointer(self) -> int:
        """Address of the ``sdimage_cache``, borrowed."""
        with _making:
            if self._handle is None:
                out, token = c_void_p(), _caches.add(self)
                table = _SHARED_TABLE if self.shared else _TABLE
                call(lib.sdimage_cache_new_custom, byref(table), token, _FORGET, byref(out))
                self._outlive(_caches, token)
                self._handle = Handle(out.value, lib.sdimage_cache_unref)
        return self._handle.pointer


@kind("cache")
class CacheChain(Operations):
    """Several caches combined as one; the one added last is the highest.

    With `promote`, an entry found in a lower cache is stored in those above it.
    """

    def __init__(self, caches: Iterable[AnyCache] = (), *, promote: bool = False) -> None:
        out = c_void_p()
        call(lib.sdimage_cache_new_chain, byref(out))
        self._handle = Handle(out.value, lib.sdimage_cache_unref)
        self._members: list[AnyCache] = []
        self._policies = dict(_POLICIES)
        self.promote = promote
        for cache in caches:
            self.add(cache)

    @property
    def pointer(self) -> int:
        """Address of the ``sdimage_cache``, borrowed."""
        return self._handle.pointer

    @property
    def members(self) -> tuple[AnyCache, ...]:
        """The caches, the highest last."""
        return tuple(self._members)

    @property
    def promote(self) -> bool:
        """True if an entry found in a lower cache is stored in those above it; may be set."""
        return self._promote

    @promote.setter
    def promote(self, promote: bool) -> None:
        call(lib.sdimage_cache_chain_set_promote, self.pointer, flag(promote, "promote"))
        self._promote = promote

    @property
    def policies(self) -> Mapping[str, str]:
        """The policy of each operation; set by :meth:`set_policy`."""
        return MappingProxyType(self._policies.copy())

    @property
    def config(self) -> Mapping[str, Any]:
        """The arguments with later changes."""
        return MappingProxyType({"caches": self.members, "promote": self.promote, "policies": self.policies})

    def add(self, cache: AnyCache) -> None:
        """Adds a cache as the highest; an existing member moves there."""
        call(lib.sdimage_cache_chain_add, self.pointer, pointer_of(cache, "cache", "cache"))
        # The library references Python caches by number only.
        self._members = [member for member in self._members if member is not cache] + [cache]

    def remove(self, key: str | bytes | AnyCache, memory: bool = True, disk: bool = True) -> None:
        """Removes an entry; a missing entry is no error. With a cache: :meth:`remove_member`."""
        if isinstance(key, Lookups):
            self.remove_member(key)
        else:
            super().remove(key, memory, disk)

    def remove_member(self, cache: AnyCache) -> None:
        """Removes a cache from the chain; ``Error("NOT_FOUND")`` when it is not a member."""
        call(lib.sdimage_cache_chain_remove, self.pointer, pointer_of(cache, "cache", "cache"))
        self._members = [member for member in self._members if member is not cache]

    def set_policy(self, operation: str, policy: str) -> None:
        """For ``"all"``, ``"query"``, ``"store"``, ``"remove"``, ``"contains"`` or ``"clear"``: ``"serial"``, ``"concurrent"``,
        ``"highest_only"`` or ``"lowest_only"``."""
        what = _words.number(_enums.CACHE_CHAIN_OPERATIONS, operation, "operation")
        how = _words.number(_enums.CACHE_CHAIN_POLICIES, policy, "policy")
        call(lib.sdimage_cache_chain_set_policy, self.pointer, what, how)
        for name in self._policies if operation == "all" else (operation,):
            self._policies[name] = policy


#: The policies of a new chain.
_POLICIES = {
    "query": "serial",
    "store": "highest_only",
    "remove": "concurrent",
    "contains": "serial",
    "clear": "concurrent",
}


@kind("cache")
class LayeredCache(Operations):
    """A cache of two halves: images in the memory part of `memory`, bytes in the disk part of `disk`."""

    def __init__(self, memory: AnyCache, disk: AnyCache) -> None:
        out = c_void_p()
        call(lib.sdimage_cache_new_layered, pointer_of(memory, "memory", "cache"), pointer_of(disk, "disk", "cache"), byref(out))
        self._handle = Handle(out.value, lib.sdimage_cache_unref)
        # The library references Python caches by number only.
        self._halves = (memory, disk)

    @property
    def config(self) -> Mapping[str, Any]:
        """The arguments."""
        return MappingProxyType({"memory": self._halves[0], "disk": self._halves[1]})

    @property
    def pointer(self) -> int:
        """Address of the ``sdimage_cache``, borrowed."""
        return self._handle.pointer


@kind("cache")
class TieredCache(Operations):
    """The cache of a process in a fleet: `local`, memory over disk, on top of `shared`, such as a
    :class:`sdimage.RedisCache`.

    Entries found only in `shared` are stored in `local` as well, and stores go to both.
    """

    def __init__(self, local: AnyCache, shared: AnyCache) -> None:
        out = c_void_p()
        call(lib.sdimage_cache_new_tiered, pointer_of(local, "local", "cache"), pointer_of(shared, "shared", "cache"), byref(out))
        self._handle = Handle(out.value, lib.sdimage_cache_unref)
        # The library references Python caches by number only.
        self._tiers = (local, shared)

    @property
    def config(self) -> Mapping[str, Any]:
        """The arguments."""
        return MappingProxyType({"local": self._tiers[0], "shared": self._tiers[1]})

    @property
    def pointer(self) -> int:
        """Address of the ``sdimage_cache``, borrowed."""
        return self._handle.pointer


#: A cache that a manager accepts.
AnyCache: TypeAlias = ImageCache | Cache | CacheChain | LayeredCache | TieredCache

# Two threads that request the first address of one cache both get the same address.
_making = threading.RLock()
_caches: WeakTokens[Cache] = WeakTokens("cache")


def _key(key: int | None, length: int) -> bytes:
    return ctypes.string_at(key, length) if key else b""


def _layers(layers: int) -> tuple[bool, bool]:
    words = _enums.CACHE_LAYERS
    return bool(layers & words["memory"]), bool(layers & words["disk"])


def _memory_image(token: int | None, key: int | None, length: int) -> int | None:
    try:
        cache = _caches.get(token)
        image = cache.memory_image(_key(key, length)) if cache is not None else None
        return lib.sdimage_image_ref(image.pointer) if image is not None else None
    except BaseException as error:  # no exception may leave a callback
        _failures.report("memory_image", error)
        return None


def _set_memory_image(token: int | None, key: int | None, length: int, image: int) -> None:
    try:
        cache = _caches.get(token)
        if cache is not None:
            cache.set_memory_image(_key(key, length), Image.borrowed(image))
    except BaseException as error:  # no exception may leave a callback
        _failures.report("set_memory_image", error)


#: The options of the request that this thread currently serves.
_asking = threading.local()


@contextmanager
def _carrying(options: int | None) -> Iterator[None]:
    _asking.options = options
    try:
        yield
    finally:
        _asking.options = None


def _reply(token: int | None, reply: int, what: str, body: Callable[[Cache], bytes | None]) -> None:
    """Completes a reply with the return value or exception of a method."""

    def ask() -> bytes | None:
        return body(_caches.find(token))

    complete(reply, ask, what)


def _query(token: int | None, key: int | None, length: int, options: int | None, reply: int) -> None:
    name = _key(key, length)
    with _carrying(options):
        _reply(token, reply, "query", lambda cache: cache.query(name))


def _store(token: int | None, key: int | None, length: int, data: int, options: int | None, reply: int) -> None:
    name = _key(key, length)
    with _carrying(options):
        _reply(token, reply, "store", lambda cache: cache.store(name, _bytes.copied(data)))


def _remove(token: int | None, key: int | None, length: int, layers: int, reply: int) -> None:
    name = _key(key, length)
    _reply(token, reply, "remove", lambda cache: cache.remove(name, *_layers(layers)))


def _contains(token: int | None, key: int | None, length: int, reply: int) -> None:
    name = _key(key, length)
    _reply(token, reply, "contains", lambda cache: b"" if cache.contains(name) else None)


def _clear(token: int | None, layers: int, reply: int) -> None:
    _reply(token, reply, "clear", lambda cache: cache.clear(*_layers(layers)))


def _forget(token: int | None) -> None:
    _caches.forget(token)


_FORGET = DESTROY(_forget)


def _table(shared: bool) -> CacheTable:
    return CacheTable(
        size=sizeof(CacheTable),
        memory_image=CACHE_TABLE_MEMORY_IMAGE(_memory_image),
        set_memory_image=CACHE_TABLE_SET_MEMORY_IMAGE(_set_memory_image),
        query=CACHE_TABLE_QUERY(_query),
        store=CACHE_TABLE_STORE(_store),
        remove=CACHE_TABLE_REMOVE(_remove),
        contains=CACHE_TABLE_CONTAINS(_contains),
        clear=CACHE_TABLE_CLEAR(_clear),
        is_shared=shared,
    )


_TABLE = _table(False)
_SHARED_TABLE = _table(True)
