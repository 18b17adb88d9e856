"""Isolation of the plug-ins' own functions."""

from __future__ import annotations

import json
import unittest

from .support import FIXTURES, TestCase, apart, needs

COUNT = """
    import ctypes, json, pathlib, sys
    sdimage.set_isolation("risky")
    name, path = sys.argv[1:]
    data = pathlib.Path(path).read_bytes()
    counting = ctypes.CDLL(plugins[name].path)[f"sdimage_{name}_page_count"]
    counting.argtypes, counting.restype = (ctypes.c_char_p, ctypes.c_size_t), ctypes.c_uint32
    count = counting(data, len(data))
    print(json.dumps([count, sdimage.isolation_statistics()["calls"]]))
    """


class Pages(TestCase):
    def assert_counted_in_a_worker(self, name: str, file: str, pages: int) -> None:
        child = apart(COUNT, name, str(FIXTURES / name / file))
        self.assertEqual(child.returncode, 0, child.stderr)
        self.assertEqual(json.loads(child.stdout), [pages, 1])

    @needs("pdf")
    def test_pages_of_pdf_are_counted_in_a_worker(self) -> None:
        self.assert_counted_in_a_worker("pdf", "pages.pdf", 2)

    @needs("tiff")
    def test_pages_of_tiff_are_counted_in_a_worker(self) -> None:
        self.assert_counted_in_a_worker("tiff", "pages.tif", 3)


if __name__ == "__main__":
    unittest.main()
