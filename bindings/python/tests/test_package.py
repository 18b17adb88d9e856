"""The package is typed, and installs with the library inside."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import unittest
import venv
from pathlib import Path
from unittest import mock

from sdimage import _command, _ffi, _library

from .support import PACKAGE, PICTURES, ROOT, TestCase, sdimage


class Candidates(TestCase):
    def test_only_a_checkout_has_builds_beside_it(self) -> None:
        for folder, is_checkout in (("bindings/python", True), ("apps/python", False), ("one/two", False)):
            place = Path(self.folder()).resolve()
            # The folders of the presets, and that of Swift.
            built = [place / "build/install/lib/libsdimage.so.1", place / "build/cmake/lib/libsdimage.so.1",
                     place / ".build/release/libsdimage.so"]  # fmt: skip
            for path in (*built, place / "include/sdimage/base.h"):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.touch()
            package = place / folder / "sdimage"
            with (
                mock.patch.dict(os.environ),
                mock.patch.object(_library, "_PACKAGE", package),
                mock.patch.object(_library, "_CHECKOUT", package.parents[2]),
                self.subTest(folder),
            ):
                os.environ.pop("SDIMAGE_LIBRARY", None)
                expected = [*(str(path) for path in built), "libsdimage.so.1"] if is_checkout else ["libsdimage.so.1"]
                self.assertEqual(_library.candidates(), expected)


class Types(unittest.TestCase):
    def test_mypy_is_content(self) -> None:
        done = subprocess.run([*self.mypy()], cwd=PACKAGE, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def mypy(self) -> list[str]:
        """A mypy that supports current typing features, unlike Debian's. Stored below build/ for later runs."""
        place = PACKAGE.parent.parent / "build" / "mypy"
        tool = place / "bin" / "mypy"
        if not tool.exists():
            try:
                # Without a pip of its own, whose installation takes most of the time.
                venv.create(place, clear=True)
                pip = [sys.executable, "-m", "pip", "--python", str(place / "bin" / "python"), "install", "--quiet", "mypy>=1.11"]
                subprocess.run(pip, check=True, capture_output=True, timeout=600)
            except (OSError, subprocess.SubprocessError, SystemExit):
                shutil.rmtree(place, ignore_errors=True)
                self.skipTest("mypy can neither be found nor installed")
        return [str(tool)]

    @unittest.skipIf(shutil.which("pyright") is None, "pyright is not installed")
    def test_pyright_is_content(self) -> None:
        done = subprocess.run(["pyright"], cwd=PACKAGE, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)


class Command(TestCase):
    def test_it_is_the_program_beside_the_library_and_never_a_script(self) -> None:
        place = Path(self.folder())
        for name in ("lib/libsdimage.so.1", "bin/sdimage"):
            (place / name).parent.mkdir()
            (place / name).write_text("#!/bin/sh\n")
            (place / name).chmod(0o755)
        with mock.patch.dict(os.environ, SDIMAGE_LIBRARY=str(place / "lib/libsdimage.so.1")):
            self.assertIsNone(_command.path())
            shutil.copy(sys.executable, place / "bin/sdimage")
            self.assertEqual(_command.path(), place / "bin/sdimage")
            (place / "bin/sdimage").chmod(0o644)
            self.assertIsNone(_command.path())
            (place / "bin/sdimage").unlink()
            (place / "bin/sdimage").mkdir()
            self.assertIsNone(_command.path())

    def test_a_build_by_swift_finds_it_in_its_own_checkout_only(self) -> None:
        place = Path(self.folder())
        command = place / "build/cmake/bin/sdimage"
        command.parent.mkdir(parents=True)
        shutil.copy(sys.executable, command)
        for library in ("x/y/libsdimage.so", ".build/release/libsdimage.so"):
            with mock.patch.dict(os.environ, SDIMAGE_LIBRARY=str(place / library)):
                self.assertIsNone(_command.path(), library)
        (place / "include").mkdir()
        (place / "include/sdimage.h").touch()
        with mock.patch.dict(os.environ, SDIMAGE_LIBRARY=str(place / ".build/release/libsdimage.so")):
            self.assertEqual(_command.path(), command)

    def test_only_the_layouts_that_are_made_count(self) -> None:
        place = Path(self.folder())
        (place / "bin").mkdir()
        shutil.copy(sys.executable, place / "bin/sdimage")
        triplet = sysconfig.get_config_var("MULTIARCH") or "x86_64-linux-gnu"
        layouts = {
            "lib": True, "lib64": True, f"lib/{triplet}": True,
            "": False, "mine": False, "lib/mine": False, f"mine/{triplet}": False,
        }  # fmt: skip
        for folder, fine in layouts.items():
            library = place / folder / "libsdimage.so.1"
            with mock.patch.dict(os.environ, SDIMAGE_LIBRARY=str(library)), self.subTest(folder):
                self.assertEqual(_command.path(), place / "bin/sdimage" if fine else None)
        # A wheel has its own folder.
        with (
            mock.patch.dict(os.environ, SDIMAGE_LIBRARY=str(place / "libsdimage.so.1")),
            mock.patch.object(_command, "_PACKAGE", place),
        ):
            self.assertEqual(_command.path(), place / "bin/sdimage")

    def test_a_library_near_the_root_has_none_above_it(self) -> None:
        for library in ("/libsdimage.so", "/none/libsdimage.so"):
            with mock.patch.dict(os.environ, SDIMAGE_LIBRARY=library), mock.patch.object(_command, "_is_program") as asked:
                asked.return_value = False
                self.assertIsNone(_command.path())


#: An image for each module.
FIXTURES = {name: str(ROOT / f"Tests/fixtures/{folder}") for name, folder in (("heif", "heif/still.heic"), ("avif", "avif/still.avif"))}


#: Decodes in a worker; prints the width of the image and the number of workers.
ISOLATED = """if True:
    import sys, sdimage
    sdimage.set_isolation("all")
    print(sdimage.decode(sys.argv[1]).width, sdimage.isolation_statistics()["started"])"""


class Wheel(TestCase):
    def test_it_installs_into_an_empty_environment_and_carries_the_library(self) -> None:
        place = Path(self.folder()) / "venv"
        try:
            venv.create(place, with_pip=True)
        except (subprocess.CalledProcessError, SystemExit):
            self.skipTest("python3-venv is not installed")
        source = Path(self.folder()) / "checkout"
        (source / "bindings").mkdir(parents=True)
        # Other suites may write the caches at this moment.
        ignored = shutil.ignore_patterns("build", "*.egg-info", "__pycache__", ".mypy_cache")
        shutil.copytree(PACKAGE, source / "bindings" / "python", ignore=ignored)
        shutil.copytree(ROOT / "include", source / "include")
        library = os.path.abspath(_ffi.library_path)
        if not os.path.exists(library):
            self.skipTest("the library in use is the system's")
        of_checkout = ("PYTHONPATH", "SDIMAGE_LIBRARY", "SDIMAGE_DECODER_PATH")
        base = {name: value for name, value in os.environ.items() if name not in of_checkout}
        install = subprocess.run(
            [str(place / "bin" / "pip"), "install", "--disable-pip-version-check", str(source / "bindings" / "python")],
            env={**base, "SDIMAGE_LIBRARY": library},
            capture_output=True,
            text=True,
        )
        if install.returncode and "No matching distribution found for setuptools" in install.stdout + install.stderr:
            self.skipTest("no network: pip cannot fetch its build tools")
        self.assertEqual(install.returncode, 0, install.stderr)
        code = "import sdimage, sdimage._ffi as f; print(sdimage.__file__, f.library_path, sdimage.version())"
        module, loaded, _version = self.python(place, base, code).split()
        for path in (module, loaded):
            self.assertTrue(path.startswith(str(place)), path)
        self.assertTrue((Path(module).parent / "py.typed").exists())
        # Modules and plug-ins come with the library.
        code = """if True:
            import sys, sdimage
            print(*sorted(name for name, plugin in sdimage.load_plugins().items() if plugin.error is None))
            print(*(sdimage.decode(open(file, "rb").read()).format for file in sys.argv[1:]))"""
        modules = {path.stem: FIXTURES[path.stem] for path in Path(library).parent.glob("sdimage/*/*.so")}
        plugins, formats = self.python(place, base, code, *modules.values()).splitlines()
        here = sorted(name for name, plugin in sdimage.load_plugins().items() if plugin.error is None)
        self.assertEqual(plugins.split(), here)
        carried = {path.name[len("libsdimage-") : -len(".so.1")] for path in Path(module).parent.glob("libsdimage-*")}
        self.assertFalse({name for name in carried if re.match("gtk|qt", name)}, carried)
        self.assertEqual(formats.split(), [Path(file).suffix[1:] for file in modules.values()])
        if (Path(library).parents[1] / "libexec/sdimage/sdimage-decoder").exists():
            self.assertEqual(self.python(place, base, ISOLATED, str(PICTURES / "badge.png")).split(), ["400", "1"])

    def python(self, place: Path, environment: dict[str, str], code: str, *arguments: str) -> str:
        """The output of the environment's interpreter."""
        command = [str(place / "bin" / "python"), "-c", code, *arguments]
        done = subprocess.run(command, env=environment, cwd=place, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout
