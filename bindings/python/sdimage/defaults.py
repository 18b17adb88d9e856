"""Defaults for managers."""

from __future__ import annotations

from ._check import optional_pointer
from ._ffi import lib
from .caches import AnyCache
from .loader import Loader, LoadFunction, as_loader


class _Defaults:
    cache: AnyCache | None = None
    loader: Loader | None = None


def set_default_cache(cache: AnyCache | None) -> None:
    """Sets the cache of managers created from now on without one, including the shared one; ``None``: the library's
    own."""
    lib.sdimage_set_default_cache(optional_pointer(cache, "cache", "cache"))
    _Defaults.cache = cache


def set_default_loader(loader: Loader | LoadFunction | None) -> None:
    """Sets the loader of managers created from now on without one; ``None``: the built-in ones."""
    made = None if loader is None else as_loader(loader)
    lib.sdimage_set_default_loader(None if made is None else made.pointer)
    _Defaults.loader = made


def default_cache() -> AnyCache | None:
    """The cache of :func:`set_default_cache`. A manager created with it must hold it: the library references it by
    number only."""
    return _Defaults.cache


def default_loader() -> Loader | None:
    """The loader of :func:`set_default_loader`, under the same rule."""
    return _Defaults.loader
