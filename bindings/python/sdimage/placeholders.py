"""Images in a few bytes, shown until the real one is available: BlurHash and ThumbHash."""

from __future__ import annotations

from ctypes import byref, c_void_p

from . import _bytes
from ._bytes import ReadableBuffer
from ._check import pointer_of
from ._check import text as checked_text
from ._ffi import lib
from .errors import call
from .image import Image
from .options import U32, unsigned


def blurhash_encode(image: Image, x_components: int = 4, y_components: int = 3) -> str:
    """The BlurHash of an image, with 1 to 9 components along each side."""
    out = c_void_p()
    x, y = unsigned(x_components, "x_components", U32), unsigned(y_components, "y_components", U32)
    call(lib.sdimage_blurhash_encode, pointer_of(image, "image", "image"), x, y, byref(out))
    return _bytes.taken(out).decode("ascii")


def blurhash_decode(text: str, width: int = 32, height: int = 32, punch: float = 1.0) -> Image:
    """Draws a BlurHash as an ``rgb8`` image."""
    out = c_void_p()
    data = checked_text(text, "text").encode()
    size = unsigned(width, "width", U32), unsigned(height, "height", U32)
    call(lib.sdimage_blurhash_decode, data, len(data), *size, punch, byref(out))
    return Image.owned(out.value)


def thumbhash_encode(image: Image) -> bytes:
    """The ThumbHash of an image: at most 25 bytes."""
    out = c_void_p()
    call(lib.sdimage_thumbhash_encode, pointer_of(image, "image", "image"), byref(out))
    return _bytes.taken(out)


def thumbhash_decode(data: ReadableBuffer) -> Image:
    """Draws a ThumbHash as an ``rgba8`` image of 32 pixels along its longer side."""
    out = c_void_p()
    call(lib.sdimage_thumbhash_decode, *_bytes.borrowed(data), byref(out))
    return Image.owned(out.value)
