#!/usr/bin/env python3
"""Tests the Debian packages with lintian, and on a system with their dependencies and nothing else.

    debian.py FOLDER VERSION"""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import bare

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "Tests/support"), str(ROOT / "Tests/install")]
import installed  # noqa: E402
import report  # noqa: E402

GTK_PACKAGES = ["libsdimage-gtk4-1", "libsdimage-gtk4-dev", "gir1.2-sdimage-1"]
QT_PACKAGES = ["libsdimage-qt6-1", "libsdimage-qt6-dev", "qml6-module-sdimage"]
PACKAGES = ["libsdimage1", "libsdimage-dev", "libsdimage-plugins", "libsdimage-plugins-gpl", "sdimage-tools", "python3-sdimage",
            *GTK_PACKAGES, *QT_PACKAGES]
#: Not installed together with the others, because most systems will not have what they depend on.
APART = ["libsdimage-plugins-gpl", *GTK_PACKAGES, *QT_PACKAGES]
PICTURES = {"badge.png": "png", "balloons.jpg": "jpeg", "leaf.webp": "webp"}


def run(*arguments: object, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(argument) for argument in arguments], capture_output=True, text=True, errors="replace", **options)


def field(package: pathlib.Path, name: str) -> str:
    return run("dpkg-deb", "-f", package, name).stdout.strip()


def dependencies(packages: list[pathlib.Path], name: str) -> list[str]:
    """The names of their external dependencies."""
    said = ",".join(field(package, name) for package in packages)
    names = {re.sub(r"[\s(:|].*", "", part.strip(), flags=re.S) for part in said.split(",")}
    return sorted(names - set(PACKAGES) - {""})


def lint(packages: list[pathlib.Path]) -> None:
    if not shutil.which("lintian"):
        report.skip("lintian has nothing to say", "lintian is not installed")
        return
    done = run("lintian", "--allow-root", "--fail-on", "error,warning", *packages)
    report.check("lintian has nothing to say", done.returncode == 0 and not done.stdout.strip(), done.stdout + done.stderr)
    unexplained = []
    for path in (ROOT / "packaging/debian").glob("*.lintian-overrides"):
        lines = path.read_text().splitlines()
        unexplained += [f"{path.name}: {tag}" for before, tag in zip(["", *lines], lines) if not tag.startswith("#") and not before.startswith("#")]
    report.check("every override of lintian has its reason", not unexplained, f"{unexplained}")


def unpacked(packages: list[pathlib.Path], version: str, folder: pathlib.Path) -> None:
    """Uses packages that were only unpacked into a folder, by CMake."""
    for package in packages:
        run("dpkg-deb", "-x", package, folder / "unpacked")
    library = next((folder / "unpacked/usr/lib").glob("*/libsdimage.so.1")).parent
    build = folder / "outside"
    installed.built_and_run("find_package finds the unpacked packages",
                            [["cmake", "-S", ROOT / "Tests/install/consumers", "-B", build, f"-DCMAKE_PREFIX_PATH={folder}/unpacked/usr",
                              f"-DCMAKE_BUILD_RPATH={library}"], ["cmake", "--build", build]], build / "outside", folder, version)


def described(folder: pathlib.Path) -> None:
    """Uses the unpacked library for GTK through introspection, and by pkg-config."""
    library = next((folder / "unpacked/usr/lib").glob("*/libsdimage-gtk4.so.1")).parent
    environment = {**os.environ, "LD_LIBRARY_PATH": str(library), "GI_TYPELIB_PATH": str(library / "girepository-1.0"),
                   "PKG_CONFIG_PATH": str(library / "pkgconfig")}
    said = "import gi; gi.require_version('Sdimage', '1'); from gi.repository import Sdimage; print(Sdimage.Picture.__gtype__.name)"
    done = run("/usr/bin/python3", "-c", said, env=environment)
    report.check("the typelib of the packages is found", done.stdout == "SdimagePicture\n", done.stdout + done.stderr)
    done = run("sh", "-c", f"gcc -shared -o {folder}/gallery.so -fPIC {ROOT}/examples/gtk/gallery.c $(pkg-config --cflags --libs sdimage-gtk4)",
               env=environment)
    report.check("a program for GTK is compiled by pkg-config", done.returncode == 0, done.stderr)


def used_by_qt(packages: dict[str, pathlib.Path], folder: pathlib.Path) -> None:
    """Uses unpacked packages from programs in Qt Widgets and QML."""
    prefix = folder / "unpacked/usr"
    names = dependencies([packages[name] for name in QT_PACKAGES], "Depends")
    missing = {"libqt6gui6", "libqt6widgets6", "libqt6quick6", "qml6-module-qtquick", "qt6-base-dev"} - set(names)
    report.check("the packages for Qt depend on its libraries", not missing, f"{missing}")
    build = folder / "qt"
    library = next((prefix / "lib").glob("*/libsdimage.so.1")).parent
    for command in (["cmake", "-S", ROOT / "Tests/qt6", "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_BUILD_RPATH={library}"],
                    ["cmake", "--build", build, "--target", "widgets", "--target", "quick"]):
        done = run(*command)
        if not report.check(f"Qt programs are built: {command[1]}", done.returncode == 0, done.stderr[-300:]):
            return
    environment = {**os.environ, "LD_LIBRARY_PATH": str(library), "QT_QPA_PLATFORM": "offscreen", "QT_QUICK_BACKEND": "software", "XDG_RUNTIME_DIR": str(folder)}
    for command in ([build / "widgets", "label"], [build / "quick", library / "qt6/qml", "item"]):
        done = run(*command, env=environment)
        report.check(f"a program for Qt runs: {command[0].name}", done.returncode == 0 and "not ok" not in done.stdout, done.stdout[-300:] + done.stderr[-300:])


class System:
    """A minimal system with the packages."""

    def __init__(self, folder: pathlib.Path, packages: dict[str, pathlib.Path]) -> None:
        self.packages = packages
        self.bare = bare.Bare(folder, "python3")
        (folder / "srv/pictures").mkdir()
        for name in PICTURES:
            shutil.copy(ROOT / "Tests/fixtures/pictures" / name, folder / "srv/pictures")
        for path in (HERE / "inside.py", ROOT / "Tests/install/consumers/outside.c", *packages.values()):
            shutil.copy(path, folder / "srv")
        for name, pattern in (("still.heic", "heif/still.heic"), ("picture.tif", "tiff/*.tif*")):
            shutil.copy(sorted((ROOT / "Tests/fixtures").glob(pattern))[0], folder / "srv" / name)

    def dpkg(self, action: str, *names: str) -> subprocess.CompletedProcess[str]:
        files = [f"/srv/{self.packages[name].name}" if action == "--install" else name for name in names]
        return self.bare.run("dpkg", action, *files)


def installs(system: System, names: list[str]) -> bool:
    done = system.dpkg("--install", "libsdimage1")
    report.check("dpkg misses what the library depends on where it is not", done.returncode != 0 and "libcurl4" in done.stderr, done.stderr)
    system.dpkg("--purge", "libsdimage1")
    files = [system.packages[name] for name in names]
    try:
        # Compiler and pkg-config are needed to test the -dev package; ca-certificates generates files when it is
        # installed.
        system.bare.add(*dependencies(files, "Depends"), "gcc", "libc6-dev", "pkg-config")
    except LookupError as error:
        report.check("what the packages depend on is a build's", False, str(error))
        return False
    done = system.dpkg("--install", *names)
    return report.check("the packages install where what they depend on is, and nothing else", done.returncode == 0, done.stderr)


def used(system: System, version: str) -> None:
    run_in = system.bare.run
    done = run_in("sdimage", "--version")
    report.check("the command runs", done.stdout == f"sdimage {version}\n", done.stdout + done.stderr)
    done = run_in("sdimage", "convert", "/srv/pictures/balloons.jpg", "/tmp/out.png", "--thumbnail", "64x64")
    report.check("the command converts", done.returncode == 0 and (system.bare.folder / "tmp/out.png").exists(), done.stderr)
    compiled = "gcc -Wall -Werror -o /tmp/outside /srv/outside.c $(pkg-config --cflags --libs sdimage) && /tmp/outside"
    done = run_in("sh", "-c", compiled)
    report.check("a C program is compiled by pkg-config and runs", done.stdout == f"{version} 1\n", done.stdout + done.stderr)
    done = run_in("python3", "/srv/inside.py", "load", "/srv/pictures")
    seen = [line.split()[:2] for line in done.stdout.splitlines()]
    report.check("the Python package loads pictures", seen == [list(pair) for pair in PICTURES.items()], done.stdout + done.stderr)
    done = run_in("python3", "-c", "import importlib.metadata as m; print(m.version('sdimage'))")
    report.check("the Python package knows its version", done.stdout == f"{version}\n", done.stderr)
    done = run_in("sdimage", "info", "/srv/picture.tif")
    report.check("the plug-ins work", done.returncode == 0, done.stdout + done.stderr)
    done = run_in("sdimage", "convert", "/srv/still.heic", "/tmp/out.png")
    report.check("HEIC without its recommended library is refused", done.returncode == 1 and "libde265" in done.stderr, done.stdout + done.stderr)
    try:
        system.bare.add(*dependencies([system.packages["libsdimage1"]], "Recommends"))
    except LookupError as error:
        report.skip("HEIC with the recommended libraries", str(error))
        return
    done = run_in("sdimage", "convert", "/srv/still.heic", "/tmp/out.png")
    report.check("HEIC with the recommended libraries is decoded", done.returncode == 0, done.stdout + done.stderr)


def removed(system: System, names: list[str]) -> None:
    done = system.dpkg("--purge", *names)
    left = [str(path.relative_to(system.bare.folder)) for part in ("usr", "etc", "var/lib/dpkg/info") for path in (system.bare.folder / part).rglob("*sdimage*")]
    report.check("nothing is left when they are removed", done.returncode == 0 and not left, f"{done.stderr} {left}")


def main() -> None:
    folder, version = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    packages = {path.name.partition("_")[0]: path for path in sorted(folder.glob("*.deb"))}
    if not report.check("the packages are those that are promised", sorted(packages) == sorted(PACKAGES), f"{sorted(packages)}"):
        report.finish()
    lint(list(packages.values()))
    gpl = [name for name in dependencies([packages[name] for name in PACKAGES if name not in APART], "Depends")
           if name.startswith(("libpoppler", "libavcodec", "libavformat"))]
    report.check("libraries under the GPL are needed by their own package alone", not gpl, f"{gpl}")
    with tempfile.TemporaryDirectory() as name:
        place = pathlib.Path(name)
        unpacked(list(packages.values()), version, place)
        described(place)
        used_by_qt(packages, place)
        why = bare.unusable()
        if why:
            report.skip("the packages on a bare system", why)
        else:
            system, names = System(place / "bare", packages), [name for name in PACKAGES if name not in APART]
            if installs(system, names):
                used(system, version)
                removed(system, names)
    report.finish()


main()
