#!/usr/bin/env python3
"""Lays out the non-Python files of a wheel, and prints the options by which `auditwheel repair` grafts the
libraries.

    wheel_payload.py TREE LIBCURL PAYLOAD

LIBCURL is the output folder of packaging/libcurl. Modules and plug-ins use the machine's libraries."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import elf
import licenses

#: Plug-ins without GPL libraries; pdf (poppler) and av (FFmpeg as Debian builds it) have them.
PLUGINS = ("jxl", "memcached", "photos", "redis", "svg", "tiff")
#: PEP 600: every machine that supports manylinux wheels has it.
EXPECTED = ("libz.so.1",)


def search(file: Path, folder: str) -> None:
    """Sets the folder in which the file finds libsdimage.so.1; auditwheel adds that of the grafted libraries."""
    subprocess.run(["patchelf", "--set-rpath", folder, str(file)], check=True)


def main() -> None:
    tree, libcurl, payload = (Path(argument) for argument in sys.argv[1:])
    package = payload / "sdimage"
    (package / "bin").mkdir(parents=True)
    shutil.copy(tree / "lib/libsdimage.so.1", package / "libsdimage.so.1")
    shutil.copy(tree / "bin/sdimage", package / "bin/sdimage")
    shutil.copytree(tree / "lib/sdimage", package / "sdimage")
    shutil.copy(tree / "libexec/sdimage/sdimage-decoder", package / "sdimage/1/sdimage-decoder")
    for name in PLUGINS:
        plugin = tree / f"lib/libsdimage-{name}.so.1"
        if plugin.exists():
            shutil.copy(plugin, package / plugin.name)
            search(package / plugin.name, "$ORIGIN")
        else:
            print(f"   without the plug-in {name}, which is not built", file=sys.stderr)
    search(package / "bin/sdimage", "$ORIGIN/..")
    optional = [*package.glob("libsdimage-*.so.1"), *package.glob("sdimage/*/*.so")]
    for file in package.glob("sdimage/*/*"):
        search(file, "$ORIGIN/../..")
    grafted = elf.closure(package / "libsdimage.so.1", libcurl / "lib")
    for name in EXPECTED:
        grafted.pop(name, None)
    (payload / "sdimage.libs").mkdir()
    (payload / "sdimage.libs/LICENSES.txt").write_text(licenses.text(grafted, libcurl))
    machines = {name for file in optional for name in elf.needed(file)} - grafted.keys() - {"libsdimage.so.1"}
    print(*(f"--exclude={name}" for name in sorted(machines)))


main()
