#!/usr/bin/env python3
"""Runs the galleries of examples/qt with an origin, and looks at their windows.

    galleries.py FOLDER-OF-PROGRAMS"""

import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "gallery"))
from gallery_checks import Display, Program, pictured, report  # noqa: E402

LINES = 150


def main() -> None:
    folder = pathlib.Path(sys.argv[1]).resolve()
    sources = pathlib.Path(__file__).resolve().parents[2] / "examples/qt"
    for program, option, files in (
        ("gallery-qt", "--qt", ("gallery.cpp", "gallery.qml", "options.h")),
        ("gallery-qtwidgets", "--qtwidgets", ("widgets.cpp", "options.h")),
    ):
        lines = sum(len((sources / name).read_text().splitlines()) for name in files)
        report.check(f"{program} has fewer than {LINES} lines", lines < LINES, f"{lines}")
        for screen in ("offscreen", "xcb"):
            with tempfile.TemporaryDirectory() as name, Display() as environment:
                made = Program(folder / program, pathlib.Path(name), environment)
                fine, why = pictured(made, {**environment, "QT_QPA_PLATFORM": screen}, 220_000, option)
                report.check(f"{program} shows the images of the README ({screen})", fine, why)
    report.finish()


if __name__ == "__main__":
    main()
