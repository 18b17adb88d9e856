"""Caches on servers, shared by a fleet of processes: the plug-ins ``libsdimage-redis.so.1`` and
``libsdimage-memcached.so.1``."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Mapping
from ctypes import byref, c_void_p
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypedDict, Unpack, cast

from . import _bytes, _enums
from ._check import text, wrong
from ._ffi import function, lib, library_path
from ._handle import Shared
from ._prototypes import PLUGINS
from .cache import ImageCache
from .errors import Error, call
from .options import I64, bag, known, unsigned

#: Names of the counters of ``sdimage_remote_statistic``, in their order.
STATISTICS = tuple(_enums.REMOTE_STATISTICS)


class RemoteOptions(TypedDict, total=False):
    """Keyword arguments of remote caches; ``sdimage/plugins/remote.h`` documents them."""

    namespace: str
    ttl_s: int
    max_entry: int
    budget_ms: int
    store_timeout_ms: int
    connections: int
    queue_bytes: int
    breaker_failures: int
    breaker_pause_ms: int
    lease_ms: int
    lease_wait_ms: int


@functools.cache
def _plugin(name: str) -> ctypes.CDLL:
    """The plug-in, from beside the library or from the system's library folders."""
    file = f"libsdimage-{name}.so.1"
    beside = Path(library_path).resolve().parent / file
    try:
        return ctypes.CDLL(str(beside) if beside.exists() else file)
    except OSError as error:
        raise Error("MODULE_MISSING", f"plug-in: {file} cannot be opened ({error})") from None


def _checked(value: object, name: str) -> str | int:
    """The value of an option: the plug-ins ignore values of other types."""
    if name == "namespace":
        return text(value, name)
    if value is None or isinstance(value, (bool, float)):
        raise wrong(name, "int", value)
    return unsigned(cast(int, value), name, I64)


class RemoteCache(ImageCache):
    """The common parts of caches on servers: methods on bytes, which block, and :meth:`statistics`.

    No behavior of a server fails a load or corrupts it: missing, late or damaged entries are misses.
    """

    _name = ""

    def __init__(self, address: str, **options: Unpack[RemoteOptions]) -> None:
        plugin = _plugin(self._name)
        names = (f"sdimage_{self._name}_cache_new", f"sdimage_{self._name}_cache_statistic")
        make, self._number = (function(plugin, name, *PLUGINS[self._name][name]) for name in names)
        known(options, RemoteOptions)
        self._config = {"address": address, **options}
        out = c_void_p()
        with bag({f"remote.{name}": _checked(value, name) for name, value in options.items()}) as carried:
            call(make, _bytes.c_text(address), carried.pointer, byref(out))
        self._handle = Shared(out.value, lib.sdimage_cache_unref)

    @property
    def config(self) -> Mapping[str, Any]:
        """The address and the options given."""
        return MappingProxyType(self._config.copy())

    def close(self) -> None:
        """Releases the server connections when the cache is no longer used; repeated calls are harmless."""
        self._handle.release()

    def statistics(self) -> dict[str, Any]:
        """Counters since the cache was created, by the names of :data:`STATISTICS`."""
        return {name: self._number(self.pointer, number) for name, number in _enums.REMOTE_STATISTICS.items()}


class RedisCache(RemoteCache):
    """A cache on Redis, Valkey or a compatible server: ``redis://[[user]:password@]host[:port][/database]``,
    ``host:port`` or the path of a socket."""

    _name = "redis"


class MemcachedCache(RemoteCache):
    """A cache on memcached servers: ``host:port`` separated by commas, or paths of sockets; the same list in every
    process."""

    _name = "memcached"
