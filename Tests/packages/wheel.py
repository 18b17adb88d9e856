#!/usr/bin/env python3
"""Tests the wheel: its contents, and its use on a machine with Python and nothing else.

    wheel.py WHEEL PREFIX"""

from __future__ import annotations

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile

import bare
import grafted
import transfers

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "Tests/support"))
import machine  # noqa: E402
import report  # noqa: E402
from report import output  # noqa: E402

PICTURES = {"badge.png": "png", "balloons.jpg": "jpeg", "leaf.webp": "webp"}
#: An image for each module and coder plug-in of the wheel, and the packages whose libraries these open.
FOREIGN = {"heif/still.heic": "libde265-0", "avif/still.avif": "libavif15", "tiff/*.tif*": "libtiff6", "svg/*.svg": "librsvg2-2",
           "jxl/lossy.jxl": "libjxl0.7"}
#: The libraries that PEP 600 expects on every machine with manylinux: the C and C++ runtime, and zlib.
RUNTIME = re.compile(r"(libc|libm|libdl|librt|libpthread|libresolv|libgcc_s|libstdc\+\+|ld-linux[-\w]*|libz)\.so[.\d]*")
#: The machine's libraries that modules and plug-ins use; none of them is under the GPL.
MACHINE = re.compile(r"(libde265|libavif|libtiff|libjxl|libjxl_threads|librsvg-2|libcairo|libxml2|libg(lib|object)-2\.0|libhiredis|libmemcached)"
                     r"\.so[.\d]*")
#: The packages of the libraries that the other plug-ins use.
CLIENTS = ("libhiredis0.14", "libmemcached11")
SECONDS = 30


def contents(wheel: pathlib.Path, folder: pathlib.Path) -> None:
    zipfile.ZipFile(wheel).extractall(folder)
    files = [path for path in folder.rglob("*") if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"]
    carried = {path.name for path in files}
    strange, astray = [], []
    for path in files:
        dynamic = output("readelf", "-d", "-W", str(path))
        for name in re.findall(r"\(NEEDED\).*\[(.+)\]", dynamic):
            machines = path.parent.name == "1" or path.name.startswith("libsdimage-")
            if not (name in carried or RUNTIME.fullmatch(name) or machines and MACHINE.fullmatch(name)):
                strange.append(f"{path.name}: {name}")
        astray += [f"{path.name}: {part}" for where in re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.+)\]", dynamic)
                   for part in where.split(":") if not part.startswith("$ORIGIN")]
    report.check("the wheel brings what its files need", not strange, f"{strange}")
    report.check("the wheel's files look nowhere else for each other", not astray, f"{astray}")
    versions = [tuple(map(int, found.split("."))) for path in files
                for found in re.findall(r"GLIBC_(\d[\d.]*)", output("objdump", "-T", str(path)))]
    newest = max(versions)
    tag = re.search(r"-py3-none-manylinux_(\d+)_(\d+)_\w+\.whl$", wheel.name)
    report.check("the wheel's tag is its newest glibc symbol", tag and (int(tag[1]), int(tag[2])) == newest, f"{wheel.name}: {newest}")
    grafted.check(wheel, folder)
    gpl = [name for name in carried if re.match(r"lib(sdimage-(av|pdf)|poppler|av(codec|format|util)|x26[45]|swscale|gnutls|com_err)", name)]
    report.check("the wheel brings nothing that is under the GPL alone", not gpl, f"{gpl}")


class Installed:
    """The wheel in an empty environment of a minimal system."""

    def __init__(self, system: bare.Bare, wheel: pathlib.Path) -> None:
        self.system = system
        for name in ("pictures", "foreign"):
            (system.folder / "srv" / name).mkdir()
        for name in PICTURES:
            shutil.copy(ROOT / "Tests/fixtures/pictures" / name, system.folder / "srv/pictures")
        shutil.copy(HERE / "inside.py", system.folder / "srv")
        shutil.copy(wheel, system.folder / "srv")
        self.foreign = [sorted((ROOT / "Tests/fixtures").glob(pattern))[0] for pattern in FOREIGN]
        for path in self.foreign:
            shutil.copy(path, system.folder / "srv/foreign")

    def python(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        return self.system.run("/srv/venv/bin/python", *arguments)

    def inside(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        return self.python("/srv/inside.py", *arguments)

    def formats(self) -> list[str]:
        done = self.inside("formats", *(f"/srv/foreign/{path.name}" for path in self.foreign))
        return done.stdout.splitlines() or [done.stderr]


def from_wheel_to_picture(here: Installed, wheel: pathlib.Path) -> bool:
    lacking = [name for name in ("libcurl.so.4", "libjpeg.so.62", "libpng16.so.16", "libwebp.so.7", "liblcms2.so.2", "libde265.so.0")
               if here.system.has_library(name)]
    report.check("the bare system has no library of pictures", not lacking, f"{lacking}")
    done = here.system.run("python3", "-m", "venv", "/srv/venv")
    before = machine.contention()
    started = time.monotonic()
    if not done.returncode:
        done = here.system.run("/srv/venv/bin/pip", "install", "--no-index", "--disable-pip-version-check", f"/srv/{wheel.name}")
    installed = time.monotonic() - started
    if not report.check("the wheel installs into an empty environment without a network", done.returncode == 0, done.stdout + done.stderr):
        return False
    done = here.inside("load", "/srv/pictures")
    took = time.monotonic() - started
    told = [line.split() for line in done.stdout.splitlines()]
    wanted = [[name, kind, "True", "network", "memory"] for name, kind in PICTURES.items()]
    seen = [[line[0], line[1], *line[4:]] for line in told]
    report.check("the wheel loads JPEG, PNG and WebP over HTTP there", seen == wanted, f"{seen} {done.stderr[-300:]}")
    print(f"from the wheel to pictures: {took:.1f} s, of which pip {installed:.1f} s", file=sys.stderr)
    # A busy machine gets more time.
    in_time = took < SECONDS * max(before, machine.contention())
    return report.check(f"from the wheel to a picture in less than {SECONDS} s", in_time, f"{took:.1f} s")


def command_line(here: Installed, prefix: pathlib.Path) -> None:
    """`python -m sdimage` and the script `sdimage` are the command in C."""
    for label, words in (("info", ["info", "--json", "srv/pictures/badge.png"]), ("wrong usage", ["nonsense"]),
                         ("info by a worker", ["info", "srv/pictures/badge.png", "--isolation", "all"]),
                         ("a missing file", ["convert", "nothing", "tmp/out.png"])):
        plain = subprocess.run([str(prefix / "bin/sdimage"), *words], capture_output=True, text=True, cwd=here.system.folder)
        for name, done in (("python -m sdimage", here.python("-m", "sdimage", *words)),
                           ("the script sdimage", here.system.run("/srv/venv/bin/sdimage", *words))):
            same = (done.returncode, done.stdout, done.stderr) == (plain.returncode, plain.stdout, plain.stderr)
            report.check(f"{name} is the command: {label}", same, f"{done} against {plain}")


def foreign(here: Installed) -> bool:
    """Modules and plug-ins: refused with a reason if their libraries are missing, and functional if they are
    installed."""
    lines = here.formats()
    refused = [line for line in lines[:-1] if not line.endswith((" UNSUPPORTED", " MODULE_MISSING"))]
    report.check("formats whose library is missing are unsupported", len(lines) == len(FOREIGN) + 1 and not refused, f"{lines}")
    said = json.loads(lines[-1]) if lines[-1].startswith("{") else {}
    reasons = {**{name: said.get(name, "") for name in ("heif", "avif")}, **said.get("plugins", {})}
    silent = [f"{name}: {reasons.get(name)}" for name in ("heif", "avif", "tiff", "svg", "jxl") if ".so" not in reasons.get(name, "")]
    report.check("doctor names the libraries that are missing", not silent, f"{silent}")
    try:
        here.system.add(*FOREIGN.values(), *CLIENTS)
    except LookupError as error:
        report.skip("formats by the machine's libraries", str(error))
        return False
    lines = here.formats()
    decoded = [line for line in lines[:-1] if re.fullmatch(r"\S+ \d+ \d+", line)]
    report.check("formats are decoded by the machine's libraries where they are", len(decoded) == len(FOREIGN), f"{lines}")
    return True


def main() -> None:
    wheel, prefix = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        contents(wheel, folder / "contents")
        why = bare.unusable()
        if why:
            report.skip("the wheel on a bare system", why)
        else:
            here = Installed(bare.Bare(folder / "bare", "python3-venv", "libstdc++6"), wheel)
            if from_wheel_to_picture(here, wheel):
                command_line(here, prefix)
                transfers.check(here, folder)
                grafted.resolved(here, "of the library")
                if foreign(here):
                    grafted.resolved(here, "of modules and plug-ins", "libsdimage-*.so.1", "sdimage/1/*.so")
    report.finish()


main()
