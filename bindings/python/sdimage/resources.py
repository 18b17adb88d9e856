"""Images of the program by name."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable, Mapping
from ctypes import byref, c_void_p
from types import MappingProxyType
from typing import Any, Unpack

from ._bytes import Path
from ._ffi import lib
from ._handle import Handle
from .errors import Error, call
from .image import Image
from .options import DecodeOptions, decode_options, known


class Resources:
    """The images below a folder of the program: icons, buttons, sprites.

    >>> icons = sdimage.Resources("/usr/share/paint/icons", scales=(2, 3, 1))
    >>> icons["tools/brush"]                                     # tools/brush@2x.png, where it is there

    Each image is decoded on first use and then held until :meth:`clear`, a change of :attr:`scales`, or
    ``sdimage.trim_memory(True)``. Safe on any thread. `options` are those of :func:`sdimage.decode`; a `scale` among
    them is ignored, because names determine it.
    """

    def __init__(self, folder: Path, scales: Iterable[float] = (1, 2, 3), **options: Unpack[DecodeOptions]) -> None:
        """The folder must exist. `scales`: see :attr:`scales`."""
        known(options, DecodeOptions)
        self._config = {"folder": folder, **options}
        out = c_void_p()
        with decode_options(options) as wish:
            call(lib.sdimage_resources_new, _name(folder), wish.pointer, byref(out))
        self._handle = Handle(out.value, lib.sdimage_resources_unref)
        self.scales = tuple(scales)

    @property
    def config(self) -> Mapping[str, Any]:
        """The folder, the scales and the options given."""
        return MappingProxyType({**self._config, "scales": self._scales})

    @property
    def scales(self) -> tuple[float, ...]:
        """The preferred pixels per point, best first: 1 to 100, at most 16 values. For a screen with two pixels per
        point use ``(2, 3, 1)``. Setting it forgets the images."""
        return self._scales

    @scales.setter
    def scales(self, scales: Iterable[float]) -> None:
        numbers = tuple(float(scale) for scale in scales)
        array = (ctypes.c_double * max(1, len(numbers)))(*numbers)
        call(lib.sdimage_resources_set_scales, self._handle.pointer, array, len(numbers))
        self._scales = numbers

    def image(self, name: Path) -> Image:
        """The image of a name, a path below the folder: ``"cat"``, ``"pets/cat.gif"``.

        Without an extension the name is that of a PNG. The search order is: a name that ends in a scale, ``"cat@2x"``,
        as it is; the name with each of the preferred scales, ``"cat@2x.png"``; the name without a scale, ``"cat.png"``.
        The first existing file is used. ``Error("NOT_FOUND")`` lists the names tried; names that would leave the folder
        are ``INVALID_ARGUMENT``; a broken file raises its own error.
        """
        out = c_void_p()
        call(lib.sdimage_resources_get_image, self._handle.pointer, _name(name), byref(out))
        return Image.owned(out.value)

    def __getitem__(self, name: Path) -> Image:
        """The same; ``KeyError`` when there is no such image."""
        try:
            return self.image(name)
        except Error as error:
            if error.code != "NOT_FOUND":
                raise
            raise KeyError(error.message) from error

    # A folder is not listed: without this `in` and `for` would request the names 0, 1, 2.
    __iter__ = None
    __contains__ = None

    def clear(self) -> None:
        """Forgets all images: the next use reads the file again."""
        lib.sdimage_resources_clear(self._handle.pointer)


def _name(path: Path) -> bytes:
    """The file system's bytes; C would read only the part before a NUL."""
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"a name is needed, not {type(path).__name__}")
    name = os.fsencode(path)
    if b"\0" in name:
        raise Error("INVALID_ARGUMENT", "resources: name contains a NUL")
    return name
