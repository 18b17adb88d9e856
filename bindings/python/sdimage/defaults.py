"""What managers are made of that do not say."""

from __future__ import annotations

from ._ffi import lib
from .caches import AnyCache
from .loader import Loader, LoadFunction, as_loader


class _Defaults:
    cache: AnyCache | None = None
    loader: Loader | None = None


def set_default_cache(cache: AnyCache | None) -> None:
    """The cache of managers made from now on that name none, the shared one among them; ``None``: the library's own."""
    lib.sdimage_set_default_cache(None if cache is None else cache.pointer)
    _Defaults.cache = cache


def set_default_loader(loader: Loader | LoadFunction | None) -> None:
    """The loader of managers made from now on that name none; ``None``: the built-in ones."""
    made = None if loader is None else as_loader(loader)
    lib.sdimage_set_default_loader(None if made is None else made.pointer)
    _Defaults.loader = made


def default_cache() -> AnyCache | None:
    """What :func:`set_default_cache` set; who makes a manager with it holds it, for the library knows it by number only."""
    return _Defaults.cache


def default_loader() -> Loader | None:
    """The same of :func:`set_default_loader`."""
    return _Defaults.loader
