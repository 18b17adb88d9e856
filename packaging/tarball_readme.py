#!/usr/bin/env python3
"""Prints the README of a tarball: its dependencies on the machine, file by file.

    tarball_readme.py TREE"""

from __future__ import annotations

import platform
import sys
from pathlib import Path

import elf

TEXT = """\
libsdimage, for {machine}: from a URL to pixels.

The tree can be placed in any folder:

    HERE=$PWD
    export PKG_CONFIG_PATH=$HERE/lib/pkgconfig           # cc example.c $(pkg-config --cflags --libs sdimage)
    cmake -DCMAKE_PREFIX_PATH=$HERE …                    # find_package(sdimage CONFIG REQUIRED), sdimage::sdimage
    export LD_LIBRARY_PATH=$HERE/lib                     # or link with -Wl,-rpath,$HERE/lib
    $HERE/bin/sdimage doctor                             # finds its library by itself

It needs glibc {glibc} or later, and these libraries of the machine:

{libraries}

Only those of the first line are required. A module or plug-in whose library is missing is not used; `sdimage doctor` names it.
libsdimage-pdf (poppler) and libsdimage-av (FFmpeg as Debian builds it) load libraries under the GPL; the GPL
extends to programs that load these two. Everything else is under the MIT license: share/doc/sdimage/LICENSE.
"""


def main() -> None:
    tree = Path(sys.argv[1])
    found = [tree / "lib/libsdimage.so.1", *sorted((tree / "lib/sdimage").rglob("*.so")), *sorted(tree.glob("lib/libsdimage-*.so.1"))]
    files = {file.relative_to(tree): [n for n in elf.needed(file) if not n.startswith("libsdimage.")] for file in found}
    lines = [f"    {str(file).removeprefix('lib/'):<28} {', '.join(names)}" for file, names in files.items()]
    glibc = elf.newest([*found, tree / "bin/sdimage"], "GLIBC")
    print(TEXT.format(machine=platform.machine(), glibc=".".join(map(str, glibc)), libraries="\n".join(lines)), end="")


main()
