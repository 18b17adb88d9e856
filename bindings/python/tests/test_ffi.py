"""The generated tables match the library; Tests/style/bindings.py compares them with the headers."""

from __future__ import annotations

import re
import unittest

from sdimage import _enums, _ffi, _prototypes, _words

from .support import HEADERS, sdimage


class Table(unittest.TestCase):
    def test_the_table_names_exactly_the_functions_of_symbols_txt(self) -> None:
        lines = (HEADERS.parent / "symbols.txt").read_text().splitlines()
        symbols = {line.split()[0] for line in lines if line.strip() and not line.startswith("#")}
        self.assertEqual(set(_prototypes.PROTOTYPES), symbols)

    def test_the_library_has_the_version_of_the_headers(self) -> None:
        header = (HEADERS / "base.h").read_text()
        parts = [re.search(rf"SDIMAGE_VERSION_{part} (\d+)", header) for part in ("MAJOR", "MINOR", "PATCH")]
        self.assertEqual(sdimage.version(), ".".join(part[1] for part in parts if part))


class Enums(unittest.TestCase):
    def test_the_library_uses_the_same_words(self) -> None:
        for word, number in _enums.PIXEL_FORMATS.items():
            self.assertEqual(_ffi.lib.sdimage_pixel_format_name(number).decode(), word)
        for word, number in _enums.FORMATS.items():
            self.assertEqual(_ffi.lib.sdimage_format_name(number).decode(), word)
        for word, number in _enums.IMAGE_SOURCES.items():
            self.assertEqual(_ffi.lib.sdimage_image_source_name(number).decode(), word)
        for word, (samples, size) in _words.PIXEL_LAYOUTS.items():
            self.assertEqual(_ffi.lib.sdimage_pixel_format_bytes(_enums.PIXEL_FORMATS[word]), samples * size)

    def test_every_status_has_its_name(self) -> None:
        for word, number in _enums.STATUSES.items():
            self.assertEqual(_ffi.lib.sdimage_status_name(number).decode(), word.upper())
