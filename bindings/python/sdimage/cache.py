"""Images in memory, encoded bytes on disk."""

from __future__ import annotations

import ctypes
import json
import os
import weakref
from collections.abc import Callable, Iterator, Mapping
from ctypes import byref, c_uint64, c_void_p, sizeof
from types import MappingProxyType
from typing import Any, TypeAlias, cast

from . import _bytes, _enums, _failures, _words
from . import entries as _entries
from ._bytes import Path, ReadableBuffer
from ._check import flag, kind, optional_function
from ._closing import Closing, closed_at_exit
from ._ffi import lib
from ._config import recorded
from ._handle import Handle
from ._lookups import Operations
from ._prototypes import CACHE_PATH_TABLE_PATH, DESTROY, CachePathTable
from ._tokens import Tokens
from .entries import Entry
from .errors import Error, call
from .options import date_nanoseconds, seconds, unsigned

#: A function that returns the path of a file with the bytes of a key, or none.
AdditionalPath: TypeAlias = "Callable[[bytes], Path | None]"


@kind("cache")
class ImageCache(Operations, Closing):
    """A memory and disk cache. The disk part survives the process and may be shared by several processes.

    `directory` is the folder of the disk part (``None``: ``$XDG_CACHE_HOME/sdimage`` or ``~/.cache/sdimage``) and
    `namespace` a sub-folder of it. An unusable folder is no error here: stores report the reason. Keys are ``str`` or
    their UTF-8 as ``bytes``. Methods on bytes block on the disk.
    """

    def __init__(
        self,
        directory: Path | None = None,
        namespace: str = "default",
        *,
        memory_only: bool = False,
        max_memory_cost: int | None = None,
        max_memory_count: int | None = None,
        eviction: str = "adaptive",
        keep_in_memory: bool = True,
        keep_weakly: bool = False,
        max_disk_size: int | None = None,
        max_disk_age: float | None = None,
        expire_rule: str = "access",
        inline_entry_limit: int | None = None,
        durable: bool = False,
        folder_mode: int = 0o700,
        file_mode: int = 0o600,
        additional_path: AdditionalPath | None = None,
    ) -> None:
        """Limits are in bytes (`max_memory_cost`, `max_disk_size`, `inline_entry_limit`) and images
        (`max_memory_count`). `max_disk_age` is in seconds since the last access, or, with `expire_rule`
        ``"modification"``, since the store; negative: forever. `eviction` is ``"adaptive"`` or ``"lru"``. Without
        `keep_in_memory` only `set_memory_image` stores images in memory. With `keep_weakly` an image evicted from
        memory is found while a reference to it exists. Other users never get write permission, whatever the modes.
        ``additional_path(key)`` returns the path of a file with the bytes of an entry that the disk part does
        not have, or ``None``; it runs on any thread and must not block."""
        self._config = recorded(locals())
        with Handle(lib.sdimage_cache_config_new(), lib.sdimage_cache_config_unref) as config:
            pointer = config.pointer
            if directory is not None:
                lib.sdimage_cache_config_set_directory(pointer, _bytes.c_path(directory))
            lib.sdimage_cache_config_set_namespace(pointer, _bytes.c_text(namespace, "namespace"))
            lib.sdimage_cache_config_set_memory_only(pointer, flag(memory_only, "memory_only"))
            lib.sdimage_cache_config_set_durable(pointer, flag(durable, "durable"))
            lib.sdimage_cache_config_set_eviction(pointer, _words.number(_enums.EVICTIONS, eviction, "eviction"))
            lib.sdimage_cache_config_set_keep_in_memory(pointer, flag(keep_in_memory, "keep_in_memory"))
            lib.sdimage_cache_config_set_keep_weakly(pointer, flag(keep_weakly, "keep_weakly"))
            rule = _words.number(_enums.EXPIRE_RULES, expire_rule, "expire_rule")
            lib.sdimage_cache_config_set_expire_rule(pointer, rule)
            lib.sdimage_cache_config_set_modes(pointer, folder_mode, file_mode)
            sizes = {
                "max_memory_cost": max_memory_cost,
                "max_memory_count": max_memory_count,
                "max_disk_size": max_disk_size,
                "inline_entry_limit": inline_entry_limit,
            }
            for name, value in sizes.items():
                if value is not None:
                    _SIZES[name](pointer, unsigned(value, name))
            if max_disk_age is not None:
                lib.sdimage_cache_config_set_max_disk_age(pointer, seconds(max_disk_age, "max_disk_age"))
            optional_function(additional_path, "additional_path")
            if additional_path is not None:
                token = _additional.add(additional_path)
                call(lib.sdimage_cache_config_set_additional_path, pointer, byref(_ADDITIONAL), token, _FORGET)
            out = c_void_p()
            call(lib.sdimage_cache_new, pointer, byref(out))
        self._adopt(out.value)

    def _adopt(self, pointer: int | None) -> None:
        self._handle = Handle(pointer, lib.sdimage_cache_unref)
        _open.add(self)

    @classmethod
    def owned(cls, pointer: int) -> ImageCache:
        """Takes over a reference of the library."""
        cache = cls.__new__(cls)
        cache._adopt(pointer)
        return cache

    #: The library references built-in caches, so that the program need not hold them.
    is_held_by_library = True
    _config: dict[str, Any] = {}

    @property
    def config(self) -> Mapping[str, Any]:
        """The configuration by the names of the arguments, with later changes; empty for a cache that the program did
        not create."""
        return MappingProxyType(self._config.copy())

    @property
    def pointer(self) -> int:
        """Address of the ``sdimage_cache``, borrowed."""
        return self._handle.pointer

    def path(self, key: str | bytes | None = None) -> str | None:
        """The path of a file with the bytes, readable until it is unpinned or the cache is closed; ``None`` when there
        is no such entry. Without `key`: the folder of the disk part."""
        out = c_void_p()
        if key is None:
            call(lib.sdimage_cache_get_directory, self.pointer, byref(out))
            return os.fsdecode(_bytes.taken(out))
        name = _bytes.key_bytes(key)
        if not self._found(lib.sdimage_cache_get_path, name, len(name), byref(out)):
            return None
        return os.fsdecode(_bytes.taken(out))

    def unpin(self, path: Path) -> None:
        """Releases a path of :meth:`path`; a path that was returned twice is released twice."""
        call(lib.sdimage_cache_unpin, self.pointer, _bytes.c_path(path))

    def extended_data(self, key: str | bytes) -> bytes | None:
        """Custom bytes stored with an entry; ``None`` when there are none."""
        name = _bytes.key_bytes(key)
        out = c_void_p()
        found = self._found(lib.sdimage_cache_get_extended_data, name, len(name), byref(out))
        return _bytes.taken(out) if found else None

    def set_extended_data(self, key: str | bytes, data: ReadableBuffer | None) -> None:
        """Stores custom bytes with an entry until it is replaced; ``None`` removes them."""
        name = _bytes.key_bytes(key)
        if data is None:
            call(lib.sdimage_cache_set_extended_data, self.pointer, name, len(name), None)
            return
        with _bytes.new_data(data) as handle:
            call(lib.sdimage_cache_set_extended_data, self.pointer, name, len(name), handle.pointer)

    def set_expiry(self, key: str | bytes, date: float | None) -> None:
        """Sets the expiry of an entry in seconds since 1970; ``None``: as given by `max_disk_age`."""
        name = _bytes.key_bytes(key)
        nanoseconds = 0 if date is None else date_nanoseconds(date, "date")
        call(lib.sdimage_cache_set_expiry, self.pointer, name, len(name), nanoseconds)

    def entries(
        self,
        prefix: str = "",
        *,
        order: str = "stored",
        used_until: float | None = None,
        min_length: int = 0,
        max_length: int | None = None,
    ) -> Iterator[Entry]:
        """The entries on disk whose keys begin with `prefix`: the oldest store first, or with `order` ``"used"`` the
        least recently used. Concurrent stores and removals may be missed."""
        return _entries.entries(self.pointer, prefix, order, used_until, min_length, max_length)

    def verify(self, repair: bool = False) -> dict[str, Any]:
        """Reads everything and compares every checksum: a dictionary with ``"sound"``, ``"entries"``, ``"damaged"`` …
        With `repair` damaged parts are removed or rebuilt."""
        out = c_void_p()
        call(lib.sdimage_cache_verify, self.pointer, flag(repair, "repair"), byref(out))
        with Handle(out.value, lib.sdimage_cache_verification_unref) as verification:
            out = c_void_p()
            call(lib.sdimage_cache_verification_to_json, verification.pointer, byref(out))
        return cast("dict[str, Any]", json.loads(_bytes.taken(out)))

    def trim(self, size: int) -> None:
        """Removes the oldest entries, regardless of the limits, until the disk use is below `size` bytes."""
        call(lib.sdimage_cache_trim, self.pointer, unsigned(size, "size"))

    def set_disk_limits(
        self, max_size: int | None = None, max_age: float = 604800, expire_rule: str = "access"
    ) -> None:
        """Changes the limits of the disk part; entries beyond them are removed in the background."""
        rule = _words.number(_enums.EXPIRE_RULES, expire_rule, "expire_rule")
        size, age = unsigned(max_size, "max_size"), seconds(max_age, "max_age")
        lib.sdimage_cache_set_disk_limits(self.pointer, size, age, rule)
        self._config = self._config | {"max_disk_size": max_size, "max_disk_age": max_age, "expire_rule": expire_rule}

    def delete_old_files(self) -> None:
        """Removes entries past their age, and the oldest ones while the size is over its limit."""
        call(lib.sdimage_cache_remove_expired, self.pointer)

    def check(self) -> None:
        """Raises :class:`Error` with the reason, the path and the errno if nothing can be stored on disk now."""
        call(lib.sdimage_cache_check, self.pointer)

    def flush(self) -> None:
        """Waits until all earlier stores are committed, images that are still being encoded for a cache included.

        Raises the first failure of a store on disk since the last flush.
        """
        call(lib.sdimage_cache_flush, self.pointer)

    def _totals(self) -> tuple[int, int]:
        size, count = c_uint64(), c_uint64()
        call(lib.sdimage_cache_get_disk_totals, self.pointer, byref(size), byref(count))
        return size.value, count.value

    def disk_size(self) -> int:
        """Bytes on disk."""
        return self._totals()[0]

    def disk_count(self) -> int:
        """Entries on disk."""
        return self._totals()[1]

    def statistics(self) -> dict[str, Any]:
        """Counters since the cache was opened: ``"memory"`` and ``"disk"``, each with hits, misses, bytes …"""
        out = c_void_p()
        call(lib.sdimage_cache_statistics_to_json, self.pointer, byref(out))
        return cast("dict[str, Any]", json.loads(_bytes.taken(out)))

    def set_memory_limits(self, cost: int | None = None, count: int | None = None) -> None:
        """Changes the limits of the memory part, bytes and images, at once; ``None`` is no limit."""
        lib.sdimage_cache_set_memory_limits(self.pointer, unsigned(cost, "cost"), unsigned(count, "count"))
        self._config = self._config | {"max_memory_cost": cost, "max_memory_count": count}

    def set_keep_in_memory(self, keep: bool) -> None:
        """Sets `keep_in_memory` from now on: loads and disk look-ups store their images in memory."""
        lib.sdimage_cache_set_keep_in_memory(self.pointer, flag(keep, "keep"))
        self._config = self._config | {"keep_in_memory": keep}

    def set_keep_weakly(self, keep: bool) -> None:
        """Sets `keep_weakly` from now on: an image evicted from memory is found while a reference to it exists."""
        lib.sdimage_cache_set_keep_weakly(self.pointer, flag(keep, "keep"))
        self._config = self._config | {"keep_weakly": keep}

    def close(self) -> None:
        """Commits pending stores and closes the disk part; repeated calls are harmless. Later calls raise ``SHUTDOWN``.
        """
        _open.discard(self)
        try:
            call(lib.sdimage_cache_close, self.pointer)
        except Error as error:
            if error.code != "SHUTDOWN":
                raise


_SIZES = {
    "max_memory_cost": lib.sdimage_cache_config_set_max_memory_cost,
    "max_memory_count": lib.sdimage_cache_config_set_max_memory_count,
    "max_disk_size": lib.sdimage_cache_config_set_max_disk_size,
    "inline_entry_limit": lib.sdimage_cache_config_set_inline_entry_limit,
}


_additional: Tokens[AdditionalPath] = Tokens("cache")


def _additional_path(token: int | None, key: int | None, length: int, path: int | None, capacity: int) -> int:
    try:
        function = _additional.get(token)
        name = function(ctypes.string_at(key, length) if key else b"") if function is not None else None
        text = b"" if name is None else os.fsencode(name)
        if not path or len(text) > capacity:
            return 0
        ctypes.memmove(path, text, len(text))
        return len(text)
    except BaseException as error:  # no exception may leave a callback
        _failures.report("additional_path", error)
        return 0


def _forget(token: int | None) -> None:
    _additional.forget(token)


_ADDITIONAL = CachePathTable(sizeof(CachePathTable), CACHE_PATH_TABLE_PATH(_additional_path))
_FORGET = DESTROY(_forget)
# Commits recent stores before the process ends.
_open: weakref.WeakSet[ImageCache] = closed_at_exit(ImageCache.close)
