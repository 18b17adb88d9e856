"""Processes that end while libraries with global objects decode and encode."""

from __future__ import annotations

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from .support import FIXTURES, ROOT, TestCase, needs, sdimage

LIBRARY = Path(os.environ["SDIMAGE_LIBRARY"])
IS_ENCODED = "heic" in sdimage.doctor()["formats"]["encode"]


class Exits(TestCase):
    def assert_ends(self, file: str, encodes: bool) -> None:
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder, "exits")
            subprocess.run(["gcc", "-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'include'}", "-o", program,
                            ROOT / "Tests" / "plugins" / "exits.c", LIBRARY, f"-Wl,-rpath,{LIBRARY.parent}", "-pthread"], check=True)
            child = subprocess.run([program, FIXTURES / file, str(int(encodes))], capture_output=True, text=True, timeout=600)
        self.assertEqual(child.returncode, 0, child.stderr[-300:])

    @needs("pdf")
    def test_a_process_ends_while_poppler_draws(self) -> None:
        self.assert_ends("pdf/pages.pdf", encodes=False)

    @unittest.skipUnless(IS_ENCODED, "no libheif with an encoder is installed")
    def test_a_process_ends_while_libheif_decodes(self) -> None:
        self.assert_ends("heif/identity.heic", encodes=True)


if __name__ == "__main__":
    unittest.main()
