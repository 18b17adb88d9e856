#!/usr/bin/env python3
"""Lays out what a wheel carries beside its Python files, and prints the platform tag that follows from it.

    wheel_payload.py TREE PAYLOAD

The libraries that libsdimage needs are copied into sdimage.libs/ under names of their own, so that they meet no other copy in the
process, and find each other there. The libraries of modules and plug-ins stay the machine's.
"""

from __future__ import annotations

import hashlib
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import absent
import elf
import licences

#: Plug-ins whose libraries are under no GPL; pdf (poppler) and av (FFmpeg as Debian builds it) are.
PLUGINS = ("jxl", "memcached", "photos", "redis", "svg", "tiff")
#: From which glibc on systems have a libstdc++ with these symbols, by the compilers of the distributions with that glibc.
CXX_SINCE = {(3, 4, 28): (2, 31), (3, 4, 29): (2, 34), (3, 4, 30): (2, 35), (3, 4, 32): (2, 38), (3, 4, 33): (2, 39)}


def patch(path: Path, *arguments: str) -> None:
    subprocess.run(["patchelf", *arguments, str(path)], check=True)


def renamed(name: str, file: Path) -> str:
    """`libpng16-1a2b3c4d.so.16`: the contents are part of the name."""
    stem, _, version = name.partition(".so")
    return f"{stem}-{hashlib.sha256(file.read_bytes()).hexdigest()[:8]}.so{version}"


def wanted_by(library: Path) -> tuple[dict[str, Path], dict[str, Path]]:
    """What the library needs in the end, and what of that is left out together with all that only it needs; files by name."""
    places, wanted, left_out, todo = elf.closure(library), {}, {}, elf.needed(library)
    while todo:
        name = todo.pop()
        if name.startswith(absent.LEFT_OUT):
            left_out[name] = places[name]
        elif name not in wanted:
            wanted[name] = places[name]
            todo += elf.needed(places[name])
    return wanted, left_out


def graft(library: Path, folder: Path) -> dict[str, str]:
    """Copies what the library needs into the folder; the new names by the old."""
    wanted, left_out = wanted_by(library)
    folder.mkdir(parents=True)
    names = {name: renamed(name, file) for name, file in wanted.items()}
    if left_out:
        stand_in = absent.build(wanted["libcurl.so.4"], left_out, folder)
        names |= dict.fromkeys(left_out, stand_in.name)
    for name, file in wanted.items():
        copy = folder / names[name]
        shutil.copyfile(file, copy)
        copy.chmod(0o755)
        patch(copy, "--set-soname", names[name])
        redirect(copy, names, "$ORIGIN")
    (folder / "LICENCES.txt").write_text(licences.text({names[name]: file for name, file in wanted.items()}))
    return names


def redirect(file: Path, names: dict[str, str], search: str) -> None:
    """Has it look for the copies, in that folder; nothing is changed in a file that needs none."""
    wanted = [name for name in elf.needed(file) if name in names]
    if wanted:
        patch(file, *(part for name in wanted for part in ("--replace-needed", name, names[name])))
        patch(file, "--set-rpath", search)


def platform_tag(files: list[Path]) -> str:
    glibc, cxx = elf.newest(files, "GLIBC"), elf.newest(files, "GLIBCXX")
    since = [needed for version, needed in CXX_SINCE.items() if version >= cxx]
    if not since:
        raise SystemExit(f"no line of CXX_SINCE says which systems have GLIBCXX_{'.'.join(map(str, cxx))}")
    oldest = max(glibc[:2], min(since)) if cxx > (3, 4, 28) else glibc[:2]
    return f"manylinux_{oldest[0]}_{oldest[1]}_{platform.machine()}"


def main() -> None:
    tree, payload = Path(sys.argv[1]), Path(sys.argv[2])
    package = payload / "sdimage"
    (package / "bin").mkdir(parents=True)
    shutil.copy(tree / "lib/libsdimage.so.1", package / "libsdimage.so.1")
    shutil.copy(tree / "bin/sdimage", package / "bin/sdimage")
    shutil.copytree(tree / "lib/sdimage", package / "sdimage")
    for name in PLUGINS:
        plugin = tree / f"lib/libsdimage-{name}.so.1"
        if plugin.exists():
            shutil.copy(plugin, package / plugin.name)
        else:
            print(f"   without the plug-in {name}, which is not built", file=sys.stderr)
    libraries = payload / "sdimage.libs"
    names = graft(package / "libsdimage.so.1", libraries)
    for file in package.glob("*.so.1"):
        redirect(file, names, "$ORIGIN/../sdimage.libs")
    patch(package / "bin/sdimage", "--set-rpath", "$ORIGIN/..")
    files = [file for file in payload.rglob("*") if file.is_file() and elf.is_elf(file)]
    print(platform_tag(files))


main()
