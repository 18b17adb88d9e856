"""Checks the libraries in a wheel: origin, license, exports, and that each symbol is found."""

from __future__ import annotations

import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "Tests/support"))
import report  # noqa: E402
from report import output  # noqa: E402

AUDITWHEEL = ROOT / "build/auditwheel/bin/auditwheel"
#: The files of modules and plug-ins, which use libraries of the machine.
OPTIONAL = re.compile(r"sdimage/(sdimage/\d+/\w+\.so|libsdimage-\w+\.so\.1)")


def original_name(path: pathlib.Path) -> str:
    """Returns `libpng16.so.16.39.0` for `libpng16-1a2b3c4d.so.16.39.0`."""
    return re.sub(r"-[0-9a-f]{8}(?=\.so)", "", path.name)


def exports(path: pathlib.Path) -> set[str]:
    """The exported functions of a library, with their versions."""
    found = re.findall(r"\s(?:FUNC|IFUNC)\s+\w+\s+\w+\s+(\S+) (\S+)", output("readelf", "--dyn-syms", "-W", str(path)))
    return {name for section, name in found if section != "UND"}


def system_library(name: str) -> pathlib.Path | None:
    """The file with that name or soname on this machine."""
    for folder in ("/usr/lib", "/lib", *map(str, pathlib.Path("/usr/lib").glob("*-linux-gnu"))):
        if (pathlib.Path(folder) / name).exists():
            return pathlib.Path(folder) / name
    return None


def check(wheel: pathlib.Path, folder: pathlib.Path) -> None:
    libraries = sorted((folder / "sdimage.libs").glob("*.so*"))
    licenses = (folder / "sdimage.libs/LICENSES.txt").read_text()
    named = dict(re.findall(r"^=+\n(.+)\nlicence: (.+\nsource: \S+ \S+)\n=+$", licenses, flags=re.M))
    names = {name for line in named for name in line.split(", ")}
    unnamed = [path.name for path in libraries if original_name(path) not in names]
    report.check("the wheel has the license of each library that it brings", libraries and not unnamed, f"{unnamed}")
    missing = names - {original_name(path) for path in libraries}
    report.check("the wheel has each library whose license it names", not missing, f"{missing}")
    copies = [name for name, count in collections.Counter(original_name(path) for path in libraries).items() if count > 1]
    report.check("the wheel has no library twice", not copies, f"{copies}")
    unlike = []
    for path in libraries:
        original = system_library(original_name(path))
        if original is None or not exports(path) or exports(path) != exports(original):
            unlike.append(path.name)
    report.check("each library of the wheel exports what the machine's exports", not unlike, f"{unlike}")
    audited(wheel)


def shown(wheel: pathlib.Path) -> dict[str, Any]:
    done = subprocess.run([AUDITWHEEL, "show", "--json", wheel], capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else {"error": done.stderr}


def audited(wheel: pathlib.Path) -> None:
    """Runs auditwheel: checks the symbol versions of the whole wheel, and everything in the wheel without its
    optional files."""
    tag = wheel.stem.rpartition("-")[2]
    said = shown(wheel)
    report.check("auditwheel finds symbol versions that fit the wheel's tag", said.get("sym_tag") == tag, f"{said.get('sym_tag', said)}")
    with tempfile.TemporaryDirectory() as name:
        core = pathlib.Path(name) / wheel.name
        with zipfile.ZipFile(wheel) as whole, zipfile.ZipFile(core, "w") as part:
            for entry in whole.namelist():
                data = whole.read(entry)
                if entry.endswith(".dist-info/RECORD"):
                    data = b"".join(line for line in data.splitlines(True) if not OPTIONAL.fullmatch(line.decode().partition(",")[0]))
                if not OPTIONAL.fullmatch(entry):
                    part.writestr(entry, data)
        said = shown(core)
    report.check("auditwheel finds the wheel's tag where its optional files are left out", said.get("overall_tag") == tag,
                 f"{said.get('overall_tag', said)}")


def resolved(here: Any, label: str, *patterns: str) -> None:
    """Runs ldd -r in the minimal system: each library and each symbol is found, relative to the location of the
    files."""
    place = next(here.system.folder.glob("srv/venv/lib/python3*/site-packages"))
    files = [path for pattern in patterns or ("../sdimage.libs/*.so*", "libsdimage.so.1", "bin/sdimage")
             for path in place.joinpath("sdimage").glob(pattern)]
    wrong = []
    for path in files:
        done = here.system.run("ldd", "-r", "/" + str(path.resolve().relative_to(here.system.folder)))
        wrong += [f"{path.name}: {line.strip()}" for line in (done.stdout + done.stderr).splitlines()
                  if "not found" in line or "undefined symbol" in line or "no version information" in line]
    report.check(f"every symbol {label} is found", files and not wrong, f"{len(files)} files: {wrong}")
