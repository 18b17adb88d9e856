"""Entries of a disk cache."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from ctypes import byref, c_size_t, c_void_p
from dataclasses import dataclass

from . import _enums, _words
from ._ffi import lib
from ._handle import Handle
from .errors import call
from .options import date_nanoseconds, unsigned

_PAGE = 500


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of the disk part of a cache. Dates are seconds since 1970, as of :func:`time.time`."""

    key: str
    length: int
    stored: float
    used: float
    #: The expiry; ``None``: `max_disk_age` after the last use.
    expires: float | None
    #: True if the entry has a file of its own.
    is_file: bool


def entries(
    cache: int, prefix: str, order: str, used_until: float | None, least: int, most: int | None
) -> Iterator[Entry]:
    """All matching entries, page by page; concurrent stores and removals may be missed."""
    with Handle(lib.sdimage_cache_query_new(), lib.sdimage_cache_query_unref) as query:
        text = prefix.encode()
        lib.sdimage_cache_query_set_prefix(query.pointer, text, len(text))
        lib.sdimage_cache_query_set_order(query.pointer, _words.number(_enums.CACHE_ORDERS, order, "order"))
        if used_until is not None:
            lib.sdimage_cache_query_set_used_until(query.pointer, date_nanoseconds(used_until, "used_until"))
        most = 2**64 - 1 if most is None else most
        lib.sdimage_cache_query_set_lengths(query.pointer, unsigned(least, "least"), unsigned(most, "most"))
        out = c_void_p()
        call(lib.sdimage_cache_list, cache, query.pointer, None, _PAGE, byref(out))
        page = Handle(out.value, lib.sdimage_cache_page_unref)
        while True:
            for index in range(lib.sdimage_cache_page_count(page.pointer)):
                yield _entry(page.pointer, index)
            if lib.sdimage_cache_page_is_last(page.pointer):
                return page.release()
            out = c_void_p()
            call(lib.sdimage_cache_list, cache, query.pointer, page.pointer, _PAGE, byref(out))
            page = Handle(out.value, lib.sdimage_cache_page_unref)


def _entry(page: int, index: int) -> Entry:
    length = c_size_t()
    key = lib.sdimage_cache_page_key(page, index, byref(length))
    expires = lib.sdimage_cache_page_expires_ns(page, index)
    return Entry(
        key=ctypes.string_at(key, length.value).decode("utf-8", "replace"),
        length=lib.sdimage_cache_page_length(page, index),
        stored=lib.sdimage_cache_page_stored_ns(page, index) / 1e9,
        used=lib.sdimage_cache_page_used_ns(page, index) / 1e9,
        expires=expires / 1e9 if expires else None,
        is_file=lib.sdimage_cache_page_is_file(page, index),
    )
