"""Numbers beyond the C types, and text with a NUL: refused, never wrapped or truncated."""

from __future__ import annotations

import ctypes
import math
import unittest
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from sdimage import _ffi, _prototypes

from .support import TestCase, sdimage

INTEGERS = (ctypes.c_int, ctypes.c_int32, ctypes.c_int64, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_size_t)
PIXEL = bytes(4)


def outside(kind: Any) -> tuple[int, ...]:
    """Numbers that the type cannot hold."""
    bits = 8 * ctypes.sizeof(kind)
    is_signed = kind(-1).value == -1
    least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)
    return least - 1, most + 1, most + 2, 1 << 200


def nothing(kind: Any) -> Any:
    """An argument that every function refuses or ignores."""
    if kind in INTEGERS:
        return 0
    return kind() if isinstance(kind, type) and issubclass(kind, (ctypes.Structure, ctypes._CFuncPtr)) else None


def tables() -> Iterator[tuple[Any, dict[str, Any]]]:
    yield _ffi.lib, _prototypes.PROTOTYPES
    try:
        from sdimage import _photos
    except ImportError:
        return
    yield _photos.lib, _prototypes.PLUGINS["photos"]


class Prototypes(unittest.TestCase):
    def test_every_function_refuses_integers_out_of_range(self) -> None:
        count = 0
        for library, prototypes in tables():
            for name, (_, arguments) in prototypes.items():
                for index, kind in enumerate(arguments):
                    for number in outside(kind) if kind in INTEGERS else ():
                        values = [nothing(each) for each in arguments]
                        values[index] = number
                        count += 1
                        with self.subTest(name, argument=index, number=number), self.assertRaises(OverflowError):
                            getattr(library, name)(*values)
        self.assertGreater(count, 400)

    def test_every_function_refuses_text_with_a_nul(self) -> None:
        count = 0
        for library, prototypes in tables():
            for name, (_, arguments) in prototypes.items():
                for index, kind in enumerate(arguments):
                    has_length = arguments[index + 1 : index + 2] == (ctypes.c_size_t,)
                    if kind is not ctypes.c_char_p or has_length:
                        continue
                    values = [nothing(each) for each in arguments]
                    values[index] = b"a\0b"
                    count += 1
                    with self.subTest(name, argument=index), self.assertRaises(ValueError):
                        getattr(library, name)(*values)
        self.assertGreater(count, 20)

    def test_the_ends_of_each_range_are_taken(self) -> None:
        for name, number in (("frame_budget_set_limit", 2**64 - 1), ("frame_budget_set_limit", 0)):
            getattr(_ffi.lib, f"sdimage_{name}")(number)
        for number in (-(2**31), 2**31 - 1):
            self.assertIsNotNone(_ffi.lib.sdimage_status_name(number))


class Functions(TestCase):
    def refuses(self, what: str, function: Callable[[], Any]) -> None:
        with self.subTest(what):
            try:
                function()
            except (ValueError, OverflowError):
                return
            except sdimage.Error as error:
                self.assertEqual(error.code, "INVALID_ARGUMENT")
                return
            self.fail("accepted")

    def test_the_package_refuses_numbers_that_do_not_fit(self) -> None:
        image = sdimage.Image.from_pixels(PIXEL * 4, 2, 2, "rgba8")
        png = image.encode("png")
        cache = sdimage.ImageCache(self.folder())
        self.addCleanup(cache.close)
        cache.store("key", data=png)
        far: dict[str, Callable[[int], Any]] = {
            "thumbnail width": lambda number: sdimage.decode(png, thumbnail_size=(number, 1)),
            "thumbnail height": lambda number: sdimage.decode(png, thumbnail_size=(1, number)),
            "limit_bytes": lambda number: sdimage.decode(png, limit_bytes=number),
            "max_pixels": lambda number: sdimage.decode(png, max_pixels=number),
            "max_bytes": lambda number: sdimage.decode(png, max_bytes=number),
            "max_work_ms": lambda number: sdimage.decode(png, max_work_ms=number),
            "option": lambda number: sdimage.decode(png, options={"value": number if number > 0 else -(2**63) - 1}),
            "stride": lambda number: sdimage.Image.from_pixels(PIXEL, 1, 1, "rgba8", number),
            "duration": lambda number: sdimage.Image.animation([image, image], [number, 1]),
            "loop_count": lambda number: sdimage.Image.animation([image, image], [1, 1], number),
            "frame": lambda number: image.frame(number),
            "color_at": lambda number: image.color_at(number, 0),
            "max_pixel_size": lambda number: image.encode("png", max_pixel_size=(number, 1)),
            "max_file_size": lambda number: image.encode("jpeg", max_file_size=number),
            "trim": lambda number: cache.trim(number),
            "max_disk_size": lambda number: sdimage.ImageCache(self.folder(), max_disk_size=number),
            "max_memory_cost": lambda number: sdimage.ImageCache(self.folder(), max_memory_cost=number),
            "max_per_host": lambda number: sdimage.Loader.http(max_per_host=number),
            "blurhash": lambda number: sdimage.placeholders.blurhash_encode(image, number, 1),
        }
        for what, function in far.items():
            for number in (-1, 2**64, 2**64 + 4, 2**200):
                self.refuses(f"{what} {number}", lambda function=function, number=number: function(number))  # type: ignore[misc]

    def test_the_package_refuses_times_that_do_not_fit(self) -> None:
        cache = sdimage.ImageCache(self.folder())
        self.addCleanup(cache.close)
        cache.store("key", data=sdimage.Image.from_pixels(PIXEL, 1, 1, "rgba8").encode("png"))
        for time in (1e300, 2.0**63 / 1e9 * 2, math.inf, math.nan):
            self.refuses(f"set_expiry {time}", lambda time=time: cache.set_expiry("key", time))  # type: ignore[misc]
        for time in (1e300, math.nan):
            self.refuses(f"max_disk_age {time}", lambda time=time: sdimage.ImageCache(self.folder(), max_disk_age=time))  # type: ignore[misc]

    def test_a_manager_closes_with_any_timeout(self) -> None:
        for timeout in (0.0, -1.0, 2.0**32 / 1000 + 1, 1e300, math.inf):
            with self.subTest(timeout):
                sdimage.Manager(cache=None).close(timeout)

    def test_a_manager_flushes_with_any_timeout(self) -> None:
        manager = self.manager()
        for timeout in (None, 0.0, -1.0, 2.0**32 / 1000 + 1, 1e300, math.inf):
            with self.subTest(timeout):
                manager.flush(timeout)

    def test_an_error_whose_text_has_a_nul_is_still_an_error(self) -> None:
        for raised in (sdimage.Error("NOT_FOUND", "a\0b"), ValueError("a\0b")):

            def load(_request: sdimage.LoadRequest, raised: Exception = raised) -> bytes:
                raise raised

            with sdimage.Manager(cache=None, loader=sdimage.Loader(load)) as manager:
                with self.assertRaises(sdimage.Error) as caught:
                    manager.start("http://example.org/").wait(120)
                self.assertIn("a b", caught.exception.message)
                code = raised.code if isinstance(raised, sdimage.Error) else "INTERNAL_ERROR"
                self.assertEqual(caught.exception.code, code)

    def test_text_with_a_nul_is_refused(self) -> None:
        image = sdimage.Image.from_pixels(PIXEL, 1, 1, "rgba8")
        png = image.encode("png")
        place = Path(self.folder())
        self.refuses("decode", lambda: sdimage.decode(str(place / "a\0b")))
        self.refuses("save", lambda: image.save(str(place / "a\0b.png")))
        self.refuses("cache", lambda: sdimage.ImageCache(str(place / "a\0b")))
        self.refuses("option name", lambda: sdimage.decode(png, options={"a\0b": 1}))
        self.refuses("option text", lambda: sdimage.decode(png, options={"a": "a\0b"}))
        self.refuses("user agent", lambda: sdimage.Loader.http(user_agent="a\0b"))
        self.refuses("header name", lambda: sdimage.Loader.http(headers={"a\0b": "c"}))
        self.refuses("header value", lambda: sdimage.Loader.http(headers={"a": "b\0c"}))
        self.assertEqual(list(place.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
