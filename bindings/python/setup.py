"""Packs the library, its modules, its plug-ins and the program of its workers into the wheel: those of
``SDIMAGE_LIBRARY``, or of the checkout, which CMake builds into ``build/install``.

``packaging/wheel`` creates wheels for other machines: it puts its files into the folder ``SDIMAGE_WHEEL_PAYLOAD``, and
replaces the platform tag afterwards.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:
    from wheel.bdist_wheel import bdist_wheel

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def version() -> str:
    header = (ROOT / "include" / "sdimage" / "base.h").read_text()
    parts = (re.search(rf"SDIMAGE_VERSION_{part} (\d+)", header) for part in ("MAJOR", "MINOR", "PATCH"))
    return ".".join(part[1] for part in parts if part)


def library() -> Path:
    """The library; its modules and plug-ins are in the same folder."""
    named = os.environ.get("SDIMAGE_LIBRARY")
    if named:
        return Path(named)
    if shutil.which("cmake") is None:
        raise SystemExit("cmake is missing: install CMake 3.20 and Swift 6.3, or set SDIMAGE_LIBRARY")
    build, prefix = ROOT / "build/cmake", ROOT / "build/install"
    subprocess.run(["cmake", "-S", ROOT, "-B", build, "-DCMAKE_INSTALL_LIBDIR=lib"], check=True)
    subprocess.run(["cmake", "--build", build], check=True)
    # Root may have installed the build, too, and owns this list then.
    (build / "install_manifest.txt").unlink(missing_ok=True)
    subprocess.run(["cmake", "--install", build, "--prefix", prefix], check=True)
    return prefix / "lib" / "libsdimage.so.1"


def pack(file: Path, place: Path) -> None:
    """Copies a library and its own files into the package. Libraries of toolkits are no plug-ins, and stay out."""
    shutil.copyfile(file, place / "libsdimage.so.1")
    for name in sorted(header.stem for header in (ROOT / "include/sdimage/plugins").glob("*.h")):
        plugin = file.parent / f"libsdimage-{name}.so.1"
        if plugin.exists():
            shutil.copyfile(plugin, place / plugin.name)
    # Debian has the program of the workers beside the modules, as the package.
    if (file.parent / "sdimage").is_dir():
        shutil.copytree(file.parent / "sdimage", place / "sdimage", dirs_exist_ok=True)
    for folder in (file.parent.parent, file.parent.parent.parent):
        program = folder / "libexec/sdimage/sdimage-decoder"
        if program.exists():
            (place / "sdimage/1").mkdir(parents=True, exist_ok=True)
            shutil.copy(program, place / "sdimage/1/sdimage-decoder")
            break


class BuildWithLibrary(build_py):
    def run(self) -> None:
        super().run()
        payload = os.environ.get("SDIMAGE_WHEEL_PAYLOAD")
        if payload:
            shutil.copytree(payload, self.build_lib, dirs_exist_ok=True)
        elif not getattr(self, "editable_mode", False):
            pack(library(), Path(self.build_lib) / "sdimage")


class WithBinaries(Distribution):
    def has_ext_modules(self) -> bool:
        return True


class PlatformWheel(bdist_wheel):
    """Tag for any Python 3 on this machine type: the library does not depend on the Python version."""

    def get_tag(self) -> tuple[str, str, str]:
        return "py3", "none", super().get_tag()[2]


setup(version=version(), distclass=WithBinaries, cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": PlatformWheel})
