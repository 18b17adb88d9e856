"""Coders of further formats, each in a separate file beside the library."""

from __future__ import annotations

from ctypes import byref, c_void_p
from dataclasses import dataclass

from ._ffi import lib
from ._handle import Handle
from .errors import Error, call, from_pointer, text


@dataclass(frozen=True)
class Plugin:
    """The state of a plug-in."""

    #: ``"tiff"``, ``"jxl"``, ``"svg"``, ``"pdf"``, ``"av"``.
    name: str
    path: str
    #: The decoding library and its version: ``"libtiff 4.5.0"``.
    library: str
    #: None when loaded; ``NOT_FOUND`` when not installed, ``MODULE_MISSING`` when it cannot be opened.
    error: Error | None


def load_plugins() -> dict[str, Plugin]:
    """Opens the installed plug-ins and registers their coders from the next decode on. Returns by name the outcome of
    each plug-in that this version knows. May be called repeatedly."""
    out = c_void_p()
    call(lib.sdimage_plugins_load_all, byref(out))
    plugins = Handle(out.value, lib.sdimage_plugin_list_unref)
    try:
        rows = [_row(plugins.pointer, index) for index in range(lib.sdimage_plugin_list_count(plugins.pointer))]
    finally:
        plugins.release()
    return {row.name: row for row in rows}


def _row(plugins: int, index: int) -> Plugin:
    error = lib.sdimage_plugin_list_error(plugins, index)
    return Plugin(
        text(lib.sdimage_plugin_list_name(plugins, index)),
        text(lib.sdimage_plugin_list_path(plugins, index)),
        text(lib.sdimage_plugin_list_library(plugins, index)),
        from_pointer(error) if error else None,
    )
