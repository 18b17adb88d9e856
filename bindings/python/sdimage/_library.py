"""Search for libsdimage.so."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_CHECKOUT = _PACKAGE.parents[2]
_SONAME = "libsdimage.so.1"


def candidates() -> list[str]:
    """Candidate names of the library, best first.

    ``SDIMAGE_LIBRARY`` alone when it is set; else the copy inside the package (wheels), the builds of a checkout, and
    the system's own library.
    """
    named = os.environ.get("SDIMAGE_LIBRARY")
    if named:
        return [named]
    places = [_PACKAGE / _SONAME]
    # Only in a checkout: elsewhere another user may own the folder three levels above the package.
    if _PACKAGE == _CHECKOUT / "bindings/python/sdimage" and (_CHECKOUT / "include" / "sdimage").is_dir():
        places += [
            _CHECKOUT / "build" / "install" / "lib" / _SONAME,
            _CHECKOUT / "build" / "cmake" / "lib" / _SONAME,
            _CHECKOUT / ".build" / "release" / "libsdimage.so",
            _CHECKOUT / ".build" / "debug" / "libsdimage.so",
        ]
    return [str(place) for place in places if place.exists()] + [_SONAME]


def open_library() -> tuple[ctypes.CDLL, str]:
    """The opened library and the name it was opened with.

    A file that exists and cannot be opened is an immediate error: trying the next one would hide a broken build.
    """
    for name in candidates():
        try:
            return ctypes.CDLL(name), name
        except OSError as error:
            if name != _SONAME:
                raise ImportError(f"the library {name} cannot be opened: {error}") from None
    raise ImportError(
        "libsdimage.so was not found: build it in the checkout with "
        "`cmake --preset release && cmake --build --preset release --target install`, install it, or name it in "
        "SDIMAGE_LIBRARY"
    )
