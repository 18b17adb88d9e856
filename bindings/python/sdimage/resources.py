"""A program's own pictures, by their names."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable
from ctypes import byref, c_void_p
from typing import Unpack

from ._bytes import Path
from ._ffi import lib
from ._handle import Handle
from .errors import Error, call
from .image import Image
from .options import DecodeOptions, decode_options, known


class Resources:
    """The pictures below a folder that came with the program: icons, buttons, sprites.

    >>> icons = sdimage.Resources("/usr/share/paint/icons", scales=(2, 3, 1))
    >>> icons["tools/brush"]                                     # tools/brush@2x.png, where it is there

    Each is decoded when it is first asked for and then kept, until :meth:`clear`, other :attr:`scales`, or
    ``sdimage.trim_memory(True)``; any thread may ask. `options` are those of :func:`sdimage.decode`; a `scale` among
    them does not count, because names tell it.
    """

    def __init__(self, folder: Path, scales: Iterable[float] = (1, 2, 3), **options: Unpack[DecodeOptions]) -> None:
        """The folder must be there. `scales`: see :attr:`scales`."""
        known(options, DecodeOptions)
        out = c_void_p()
        with decode_options(options) as wish:
            call(lib.sdimage_resources_new, _name(folder), wish.pointer, byref(out))
        self._handle = Handle(out.value, lib.sdimage_resources_unref)
        self.scales = tuple(scales)

    @property
    def scales(self) -> tuple[float, ...]:
        """Pixels per point that are preferred, the best first: 1 to 100, at most 16. A screen of two pixels a point wants
        ``(2, 3, 1)``. Setting others forgets the pictures."""
        return self._scales

    @scales.setter
    def scales(self, scales: Iterable[float]) -> None:
        numbers = tuple(float(scale) for scale in scales)
        array = (ctypes.c_double * max(1, len(numbers)))(*numbers)
        call(lib.sdimage_resources_set_scales, self._handle.pointer, array, len(numbers))
        self._scales = numbers

    def image(self, name: Path) -> Image:
        """The picture of a name, a path below the folder: ``"cat"``, ``"pets/cat.gif"``.

        Without an extension it is that of a PNG. A name that ends in a scale, ``"cat@2x"``, is looked for first; then
        the name with each of the preferred scales, ``"cat@2x.png"``; then without one, ``"cat.png"``. The first file
        that is there is the picture. ``Error("NOT_FOUND")`` lists what was looked for; names that would leave the folder are
        ``INVALID_ARGUMENT``; a broken file tells its own error.
        """
        out = c_void_p()
        call(lib.sdimage_resources_copy_image, self._handle.pointer, _name(name), byref(out))
        return Image.owned(out.value)

    def __getitem__(self, name: Path) -> Image:
        """The same; ``KeyError`` where there is no such picture."""
        try:
            return self.image(name)
        except Error as error:
            if error.code != "NOT_FOUND":
                raise
            raise KeyError(error.message) from error

    # A folder is not listed: without this `in` and `for` would ask for the names 0, 1, 2.
    __iter__ = None
    __contains__ = None

    def clear(self) -> None:
        """Forgets all pictures: the next look reads the file again."""
        lib.sdimage_resources_clear(self._handle.pointer)


def _name(path: Path) -> bytes:
    """The file system's bytes; C would take what stands before a NUL for all of it."""
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"a name is needed, not {type(path).__name__}")
    name = os.fsencode(path)
    if b"\0" in name:
        raise Error("INVALID_ARGUMENT", "a name with a NUL")
    return name
