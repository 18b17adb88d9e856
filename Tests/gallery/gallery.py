#!/usr/bin/env python3
"""Tests the gallery of SDL in its window under Xvfb: scrolls through hundreds of images and compares every cell with its
URL.

    gallery.py FOLDER-OF-PROGRAMS"""

import pathlib
import sys
import tempfile

from gallery_checks import (
    ACCENT,
    CELL,
    COLUMNS,
    QUARTERS,
    Cell,
    Display,
    Origin,
    Program,
    at,
    attempt,
    colors,
    encoded,
    flung,
    frame_of,
    frames,
    haste,
    held_up,
    is_moving,
    is_near,
    numpy,
    pictured,
    publish,
    report,
    wrong,
)

#: The maximum number of rows that may have cells.
ROWS_WITH_CELLS = 4 + 2 + 1 + 1


class Window(Program):
    # FAILED_URL after a prefetch of the same URL has failed.
    missing = ("HTTP_STATUS", "FAILED_URL")

    def faults(self, shot: numpy.ndarray, cell: Cell) -> list[str]:
        found = [] if cell.size == f"{cell.side}x{cell.side}" else [f"{cell.item} is of {cell.size}"]
        if is_moving(cell.item) and frame_of(shot, cell) is None and at(shot, cell, 0.5, 0.5):
            found.append(f"{cell.item} shows no frame: {at(shot, cell, 0.5, 0.5)}")
        return found


def fling(program: Program, origin: Origin) -> None:
    """Scrolls through hundreds of images and back."""
    last = flung(program, origin)[-1]
    cells, loads = last.count("cells"), last.count("loads")
    few = cells <= ROWS_WITH_CELLS * COLUMNS
    program.check(f"{loads} loads are made by {cells} cells", loads >= 500 and few, last.counts)
    program.check("the rows that follow are fetched", last.count("fetched") > 100, last.counts)


def motion(program: Program, origin: Origin) -> None:
    """Animations play while visible, and still images do not move."""
    lines = publish(origin)
    first, second, hidden, again = program.run(
        lines,
        "row 0, settle, frames 1, shot a.png, print, frames 11, shot b.png, print, hide, print, show, frames 2, print",
    )
    a, b = program.shot("a.png"), program.shot("b.png")
    moving = [cell for cell in first.cells if is_moving(cell.item)]
    whole = [cell for cell in moving if at(a, cell, 0.5, 0.5)]
    later = {cell.item: cell for cell in second.cells}
    shown = [(frame_of(a, cell), frame_of(b, later[cell.item])) for cell in whole]
    program.check(
        "an animation shows frame after frame",
        whole and all(None not in pair for pair in shown) and any(x != y for x, y in shown), str(shown),
    )  # fmt: skip
    counted = all(later[cell.item].frames > cell.frames for cell in moving)
    stills = all(later[cell.item].frames == cell.frames for cell in first.cells if cell not in moving)
    program.check("stills are shown once", counted and stills, f"{first.cells} {second.cells}")
    bad = wrong(program, b, second)
    program.check("no other cell changes meanwhile", not bad, "; ".join(bad[:5]))
    playing = [view.count("playing") for view in (first, hidden, again)]
    program.check("an invisible animation does not play", playing == [len(moving), 0, len(moving)], str(playing))


def waiting(program: Program, origin: Origin) -> None:
    """An origin that never responds."""
    held_up(program, origin, 30, "row 0, shot wait.png, print")


def arriving(program: Program, origin: Origin) -> None:
    """A slow origin that never sends the end: the bar grows, and an animation plays the frames received so far."""
    url = origin.add("slow.gif", encoded(frames(77, noise=True), "GIF"))
    lines = [f"{url}?kbps=40&gate=1"]
    (view,) = program.run(lines, "row 0, frames 3, progress 40, shot slow.png, print")
    shot, (cell,) = program.shot("slow.png"), view.cells
    edge, bar = CELL / 12, CELL / 30 + 1
    y = (CELL - edge - bar / 2) / CELL
    ends = [shot[cell.y + int(y * CELL), cell.x + int(x)] for x in (edge + 3, CELL - edge - 3)]
    fine = cell.state == "loading" and 0.4 <= cell.progress < 1
    grown = is_near(tuple(ends[0]), ACCENT, 12) and not is_near(tuple(ends[1]), ACCENT, 60)
    program.check("a bar says how much has come", fine and grown, f"{cell} {ends}")
    bad = [place for place, color in zip(QUARTERS[:2], colors(77)) if not is_near(at(shot, cell, *place), color)]
    program.check(
        "an animation plays while it is downloaded",
        cell.frames >= 3 and frame_of(shot, cell) is not None and not bad, f"{cell} {frame_of(shot, cell)} {bad}",
    )  # fmt: skip


def readme(program: Program, _origin: Origin) -> None:
    """The screenshot of show.py."""
    fine, why = pictured(program, program.environment, 300_000)
    program.check("show.py makes its picture", fine, why)


def main() -> None:
    programs = pathlib.Path(sys.argv[1]).resolve()
    with Display() as environment, tempfile.TemporaryDirectory() as name, Origin() as origin:
        if (programs / "gallery-sdl").exists():
            window = Window(programs / "gallery-sdl", pathlib.Path(name), environment)
            for test in (fling, haste, motion, waiting, arriving, readme):
                if report.selected(test.__name__):
                    attempt(test, window, origin)
    report.finish()


if __name__ == "__main__":
    main()
