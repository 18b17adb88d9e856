"""Packs the library into the wheel: ``SDIMAGE_LIBRARY``, or the checkout's release build, built if missing.

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
BUILD = (
    "swift build -c release --product sdimage -Xswiftc -static-stdlib -Xswiftc -no-toolchain-stdlib-rpath "
    "--disable-local-rpath --explicit-target-dependency-import-check error"
)


def version() -> str:
    header = (ROOT / "include" / "sdimage" / "base.h").read_text()
    parts = (re.search(rf"SDIMAGE_VERSION_{part} (\d+)", header) for part in ("MAJOR", "MINOR", "PATCH"))
    return ".".join(part[1] for part in parts if part)


def library() -> Path:
    named = os.environ.get("SDIMAGE_LIBRARY")
    if named:
        return Path(named)
    built = ROOT / ".build" / "release" / "libsdimage.so"
    if not built.exists():
        if shutil.which("swift") is None:
            raise SystemExit("libsdimage.so is not built: install Swift 6.3, or set SDIMAGE_LIBRARY")
        subprocess.run(BUILD.split(), cwd=ROOT, check=True)
    return built


class BuildWithLibrary(build_py):
    def run(self) -> None:
        super().run()
        payload = os.environ.get("SDIMAGE_WHEEL_PAYLOAD")
        if payload:
            shutil.copytree(payload, self.build_lib, dirs_exist_ok=True)
        elif not getattr(self, "editable_mode", False):
            place = Path(self.build_lib) / "sdimage"
            shutil.copyfile(library(), place / "libsdimage.so.1")
            modules = library().parent / "sdimage"
            if modules.is_dir():
                shutil.copytree(modules, place / "sdimage", dirs_exist_ok=True)


class WithBinaries(Distribution):
    def has_ext_modules(self) -> bool:
        return True


class PlatformWheel(bdist_wheel):
    """Tag for any Python 3 on this machine type: the library does not depend on the Python version."""

    def get_tag(self) -> tuple[str, str, str]:
        return "py3", "none", super().get_tag()[2]


setup(version=version(), distclass=WithBinaries, cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": PlatformWheel})
