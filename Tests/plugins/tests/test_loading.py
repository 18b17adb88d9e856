"""Finding the plug-ins: the loaded ones, and the reasons for the others."""

from __future__ import annotations

import ctypes
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from .support import DAMAGE, PLUGINS, ROOT, TestCase, apart, lib, sdimage

LOADED = [plugin for plugin in PLUGINS.values() if plugin.error is None]
TELL = """
    import json
    print(json.dumps({p.name: [p.path, p.library, p.error and p.error.code, p.error and p.error.message]
                      for p in plugins.values()}))
    """


class Loading(TestCase):
    def test_every_plugin_is_told_of(self) -> None:
        self.assertEqual(sorted(PLUGINS), ["av", "jxl", "pdf", "svg", "tiff"])
        for plugin in PLUGINS.values():
            with self.subTest(plugin.name):
                self.assertTrue(plugin.path.endswith(f"/libsdimage-{plugin.name}.so.1"))
                if plugin.error is None:
                    self.assertRegex(plugin.library, r"^\w+ \d+\.\d+")
                else:
                    self.assertEqual(plugin.error.code, "NOT_FOUND")

    def test_doctor_has_them(self) -> None:
        report = sdimage.doctor()
        self.assertEqual(sorted(report["plugins"]), sorted(PLUGINS))
        for plugin in LOADED:
            self.assertEqual(report["plugins"][plugin.name], plugin.library)
        formats = {"jxl", "pdf", "svg", "tiff"} & {plugin.name for plugin in LOADED}
        self.assertLessEqual(formats, set(report["formats"]["decode"]))

    def test_a_hint_reaches_coders_that_are_registered_one_by_one(self) -> None:
        for name in sorted({"jxl", "pdf", "svg", "tiff"} & {plugin.name for plugin in LOADED}):
            with self.subTest(name):
                module, pointer = ctypes.CDLL(PLUGINS[name].path), ctypes.c_void_p()
                self.assertEqual(module[f"sdimage_{name}_coder_new"](ctypes.byref(pointer), None), 0)
                coder = sdimage.LibraryCoder(pointer.value)
                sdimage.register_coder(coder)
                try:
                    error = self.assert_error(tuple(DAMAGE), b"words, and no image", format_hint=name)
                finally:
                    sdimage.unregister_coder(coder)
                self.assertNotIn("no coder recognizes", error.message)

    def test_loading_again_changes_nothing(self) -> None:
        before = lib.sdimage_coder_registered_count()
        self.assertEqual({name: plugin.library for name, plugin in sdimage.load_plugins().items()},
                         {name: plugin.library for name, plugin in PLUGINS.items()})
        self.assertEqual(lib.sdimage_coder_registered_count(), before)

    def test_an_empty_folder_has_none(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            told = json.loads(apart(TELL, SDIMAGE_PLUGIN_PATH=folder).stdout)
        for name, (path, library, code, message) in told.items():
            self.assertEqual((path, code), (f"{folder}/libsdimage-{name}.so.1", "NOT_FOUND"))
            self.assertEqual(message, f"plug-in: {name} is not installed")
            self.assertTrue(library)

    def test_a_file_that_is_no_library_is_told_with_the_reason(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "libsdimage-tiff.so.1").write_text("words")
            told = json.loads(apart(TELL, SDIMAGE_PLUGIN_PATH=folder).stdout)
        self.assertEqual(told["tiff"][2], "MODULE_MISSING")
        self.assertIn("libsdimage-tiff.so.1", told["tiff"][3])

    @unittest.skipUnless(LOADED, "no plug-in is installed")
    def test_one_of_them_alone_is_enough(self) -> None:
        only = LOADED[0]
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(only.path, folder)
            told = json.loads(apart(TELL, SDIMAGE_PLUGIN_PATH=folder).stdout)
        self.assertEqual([name for name, row in told.items() if row[2] is None], [only.name])

    def test_nothing_is_opened_unless_it_is_asked_for(self) -> None:
        code = "import sdimage; print([l for l in open('/proc/self/maps') if 'libsdimage-' in l])"
        done = subprocess.run([sys.executable, "-c", code], cwd=ROOT / "bindings/python", capture_output=True, text=True)
        self.assertEqual(done.stdout.strip(), "[]", done.stderr)


if __name__ == "__main__":
    unittest.main()
