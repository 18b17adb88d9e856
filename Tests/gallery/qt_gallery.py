#!/usr/bin/env python3
"""Tests the image provider for Qt Quick in its window: scrolls through hundreds of images and compares every cell
with its URL.

    qt_gallery.py FOLDER-OF-PROGRAMS

Qt uses its software renderer without a screen, and Xvfb once."""

import os
import pathlib
import shutil
import sys
import tempfile

from gallery_checks import (
    COLUMNS,
    QUARTERS,
    ROWS,
    TILE,
    Display,
    Image,
    ImageDraw,
    Origin,
    Program,
    at,
    attempt,
    colours,
    encoded,
    flung,
    haste,
    held_up,
    is_near,
    pictured,
    publish,
    quarters,
    report,
    wrong,
)


class Window(Program):
    missing = ("error",)


def fling(program: Program, origin: Origin) -> None:
    """Scrolls through hundreds of images and back."""
    seen = flung(program, origin, ", empty, print")
    # The visible cells, a row above and below, and images that the software renderer has not released yet.
    most, last = max(view.count("pictures") for view in seen), seen[-1]
    few = most <= 2 * (ROWS + 3) * COLUMNS
    program.check(f"{last.count('loads')} loads hold few pictures", last.count("loads") >= 500 and few, f"{most}")
    program.check("Qt gives every picture back", last.count("pictures") == 0 and not last.cells, f"{last}")


def cancelling(program: Program, origin: Origin) -> None:
    """Cells that scroll away cancel their loads: stalled loads do not block the connections of later ones."""
    silent = [f"{line}?fault=hang" for line in publish(origin)[:120]]
    lines = silent + [f"{line}?n=1" for line in publish(origin)[120:240]]
    before, after = program.run(lines, "row 0, print, row 25, settle, shot cancel.png, print")
    bad = wrong(program, program.shot("cancel.png"), after)
    program.check(
        "what scrolls away is cancelled",
        not bad and after.count("cancelled") >= len(before.cells) > 0,
        f"{after.counts} {bad[:5]}",
    )


def waiting(program: Program, origin: Origin) -> None:
    """An origin that never responds."""
    held_up(program, origin, 18, "row 0, placeholders 12, shot wait.png, print")


def sizes(program: Program, origin: Origin) -> None:
    """A large image is decoded at the requested size, and keeps its transparency."""
    large = origin.add("large.png", encoded(quarters(5, 600).resize((600, 400)), "PNG"))
    clear = Image.new("RGBA", (50, 50), (0, 0, 0, 0))
    ImageDraw.Draw(clear).rectangle((0, 0, 24, 24), fill=(250, 0, 0, 255))
    lines = [
        large,
        origin.add("clear.png", encoded(clear, "PNG")),
        f"{origin.url('')}a%20b%2525%2Bc%C3%A9.png?x=1%262#top",
    ]
    origin.add("a b%25+cé.png", encoded(quarters(7), "PNG"))
    (view,) = program.run(lines, "row 0, settle, shot sizes.png, print")
    shot = program.shot("sizes.png")
    seen = [cell.size for cell in view.cells]
    program.check("a picture is decoded into the size asked for", seen[:1] == ["150x100"], f"{view}")
    (dense,) = program.run(lines[:1], "row 0, settle, print", QT_SCALE_FACTOR="2")
    program.check("with the pixels of the screen", dense.cells[0].size == "300x200", f"{dense}")
    colors = (at(shot, view.cells[1], 0.25, 0.25), at(shot, view.cells[1], 0.75, 0.75))
    program.check(
        "what is clear shows what is below",
        is_near(colors[0], (250, 0, 0)) and is_near(colors[1], TILE),
        f"{colors}",
    )
    bad = [place for place, colour in zip(QUARTERS, colours(7)) if not is_near(at(shot, view.cells[2], *place), colour)]
    program.check(
        "a URL keeps every character", view.cells[2].state == "shown" and not bad, f"{view.cells[2]} {bad}"
    )


def freshness(program: Program, origin: Origin) -> None:
    """A cached image is used while it is fresh (HTTP), then revalidated."""
    picture = encoded(quarters(3), "PNG")
    lines = [origin.add("fresh.png", picture) + "?max_age=600", origin.add("stale.png", picture) + "?max_age=0"]
    cache = ("--cache", str(program.folder / "cache"))
    for _ in range(2):
        (view,) = program.run(lines, "row 0, settle, print", *cache)
        program.check(
            "fresh and stale pictures are shown",
            [cell.state for cell in view.cells] == ["shown"] * 2,
            f"{view}",
        )
    hits = origin.hits("fresh.png"), origin.hits("stale.png"), origin.counters()["not_modified"]
    program.check("only what is stale is asked for again", hits == (1, 2, 1), f"{hits}")


def readme(program: Program, _origin: Origin) -> None:
    """The image of the README, under Xvfb if that is installed."""
    with Display() as environment:
        fine, why = pictured(program, {**environment, "QT_QPA_PLATFORM": "xcb"}, 200_000, "--qt")
    program.check("show.py makes the picture of the README under Xvfb", fine, why)


def main() -> None:
    path = pathlib.Path(sys.argv[1]).resolve() / "gallery-qt"
    if not path.exists():
        return
    with tempfile.TemporaryDirectory() as name:
        environment = {
            **os.environ,
            "QT_QPA_PLATFORM": "offscreen",
            "QT_QUICK_BACKEND": "software",
            "XDG_CACHE_HOME": name,
            "XDG_RUNTIME_DIR": name,
        }
        for test in (fling, haste, cancelling, waiting, sizes, freshness, readme):
            if test is readme and not shutil.which("Xvfb"):
                report.skip(f"{path.name} under Xvfb", "there is no Xvfb")
                continue
            folder = pathlib.Path(name) / test.__name__
            folder.mkdir()
            with Origin() as origin:
                attempt(test, Window(path, folder, environment), origin)
    report.finish()


if __name__ == "__main__":
    main()
