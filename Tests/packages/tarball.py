#!/usr/bin/env python3
"""Tests the tarball, unpacked at two locations: programs that find it by pkg-config alone and by find_package alone,
and its command.

    tarball.py TARBALL VERSION"""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Tests/support"), str(ROOT / "Tests/install")]
import installed  # noqa: E402
import report  # noqa: E402


def place(tree: pathlib.Path, version: str, folder: pathlib.Path, label: str) -> None:
    missing = [name for name in (*installed.FILES, "README", "share/doc/sdimage/LICENSE") if not (tree / name).exists()]
    report.check(f"every file is there, {label}", not missing, f"{missing}")
    installed.with_pkg_config("gcc", tree, version, folder, label)
    installed.with_cmake("gcc", tree, version, folder, label)
    done = subprocess.run([tree / "bin/sdimage", "--version"], capture_output=True, text=True)
    report.check(f"the command finds its library, {label}", done.stdout == f"sdimage {version}\n", done.stdout + done.stderr)
    # The dynamic linker names each file that it initializes (ld.so(8), LD_DEBUG).
    done = subprocess.run([tree / "bin/sdimage", "doctor", "--json"], capture_output=True, text=True,
                          env={**os.environ, "LD_DEBUG": "libs"})
    places = re.findall(r"calling init: (/\S+?/(?:sdimage/1/\w+\.so|libsdimage-\w+\.so\.1))", done.stderr)
    astray = [path for path in places if not path.startswith(str(tree))]
    report.check(f"modules and plug-ins are those of the tree, {label}", places and not astray, f"{places} {done.stdout}")
    decoder = pathlib.Path(json.loads(done.stdout)["decoder_path"] or "/")
    report.check(f"the program of workers is that of the tree, {label}", decoder.resolve().is_relative_to(tree.resolve()), f"{decoder}")
    done = subprocess.run([tree / "bin/sdimage", "info", "--isolation", "all", ROOT / "Tests/fixtures/pictures/badge.png"],
                          capture_output=True, text=True)
    report.check(f"workers decode, {label}", "format: png" in done.stdout, done.stdout + done.stderr)


def main() -> None:
    tarball, version = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for label in ("one place", "another place"):
            where = folder / label.replace(" ", "-")
            where.mkdir()
            subprocess.run(["tar", "-xf", tarball, "-C", where], check=True)
            trees = list(where.iterdir())
            report.check(f"one folder is unpacked, {label}", [tree.name for tree in trees] == [f"sdimage-{version}"], f"{trees}")
            place(trees[0], version, folder, label)
        told = [path.name for path in trees[0].rglob("*") if path.suffix in (".pc", ".cmake") and str(ROOT) in path.read_text()]
        report.check("no file for build systems knows where the tree was made", not told, f"{told}")
    report.finish()


main()
