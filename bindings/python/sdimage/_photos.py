"""The functions of the photo library plug-in."""

from __future__ import annotations

import ctypes
import os

from ._ffi import function
from ._library import candidates
from ._prototypes import PLUGINS

SONAME = "libsdimage-photos.so.1"


def _open() -> ctypes.CDLL:
    """The plug-in beside the library, or the system's own."""
    beside = [os.path.join(os.path.dirname(name), SONAME) for name in candidates() if os.sep in name]
    for name in [place for place in beside if os.path.exists(place)] + [SONAME]:
        try:
            return ctypes.CDLL(name)
        except OSError as error:
            if name != SONAME:
                raise ImportError(f"the plug-in {name} cannot be opened: {error}") from None
    raise ImportError(f"the photo library plug-in, {SONAME}, is not installed")


lib = _open()
for _name, _prototype in PLUGINS["photos"].items():
    setattr(lib, _name, function(lib, _name, *_prototype))
