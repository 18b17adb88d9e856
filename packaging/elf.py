"""Properties of ELF files, read by readelf and ldd."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

#: The C and C++ runtime, which every machine has: never part of a package.
RUNTIME = re.compile(r"(libc|libm|libdl|librt|libpthread|libresolv|libgcc_s|libstdc\+\+|ld-linux[-\w]*)\.so[.\d]*")


def output(*arguments: str | Path) -> str:
    return subprocess.run([str(a) for a in arguments], capture_output=True, text=True, check=True).stdout


def needed(path: Path) -> list[str]:
    """The names of its direct dependencies, without the runtime."""
    names = re.findall(r"\(NEEDED\).*\[(.+)\]", output("readelf", "-d", "-W", path))
    return [name for name in names if not RUNTIME.fullmatch(name)]


def closure(path: Path, first: Path) -> dict[str, Path]:
    """All its direct and indirect dependencies, without the runtime: by name, the file in the folder `first` or of
    this machine."""
    found = {}
    listed = subprocess.run(["ldd", str(path)], capture_output=True, text=True, check=True, env={**os.environ, "LD_LIBRARY_PATH": str(first)})
    for name, place in re.findall(r"^\s*(\S+) => (.+?)(?: \(0x[0-9a-f]+\))?$", listed.stdout, flags=re.M):
        if RUNTIME.fullmatch(name):
            continue
        if place == "not found":
            raise SystemExit(f"{path.name} needs {name}, which this machine has not")
        found[name] = Path(place).resolve()
    return found


def newest(paths: list[Path], family: str) -> tuple[int, ...]:
    """The newest version of a family of symbol versions, such as GLIBC, that the files need: (2, 34)."""
    versions = [(0,)]
    for path in paths:
        needs = output("readelf", "--version-info", "-W", path).partition("Version needs section")[2]
        found = re.findall(rf"Name: {family}_([\d.]+)\s", needs)
        versions += [tuple(int(part) for part in version.split(".")) for version in found]
        if family == "GLIBC" and "GLIBC_PRIVATE" in needs:
            raise SystemExit(f"{path.name} uses symbols that are private to this machine's glibc")
        if "GLIBC_ABI_DT_RELR" in needs:
            versions.append((2, 36))  # the first glibc that supports these relocations
    return max(versions)
