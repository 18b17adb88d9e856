#!/usr/bin/env python3
"""The image provider for Qt Quick, in its window: flung through hundreds of pictures, every cell compared with its URL.

    qt_gallery.py FOLDER-OF-PROGRAMS

The pictures are those of gallery.py. Qt draws without a screen, by its software renderer; once it does under Xvfb."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass

import gallery
from gallery import (
    CELL,
    COLUMNS,
    FAULT,
    QUARTERS,
    ROWS,
    SIZE,
    TILE,
    Image,
    ImageDraw,
    Origin,
    colours,
    encoded,
    is_missing,
    is_near,
    numpy,
    placeholders,
    publish,
    quarters,
    report,
    sdimage,
)

PROGRAM = pathlib.Path(sys.argv[1]).resolve() / "gallery-qt"
NAME = "gallery-qt"


@dataclass
class Cell:
    """A line of `print`: a place in pixels, and the size of what came."""

    item: int
    x: int
    y: int
    side: int
    state: str
    size: str
    url: str


@dataclass
class View:
    """What one `print` tells."""

    cells: list[Cell]
    loads: int
    cancelled: int
    pictures: int


def views(text: str) -> list[View]:
    found, cells = [], []
    for line in text.splitlines():
        kind, *words = line.replace(",", "").split()
        if kind == "cell":
            item, x, y, side, state, size, url = words
            cells.append(Cell(int(item), int(x), int(y), int(side), state, size, url))
        else:
            found.append(View(sorted(cells, key=lambda cell: cell.item), *(int(word) for word in words[::2])))
            cells = []
    return found


class Program:
    def __init__(self, folder: pathlib.Path, environment: dict[str, str]) -> None:
        self.folder, self.environment = folder, environment

    def run(self, lines: list[str], script: str, *more: str, **environment: str) -> list[View]:
        wall = self.folder / "list"
        wall.write_text("\n".join(lines) + "\n")
        done = subprocess.run(
            [PROGRAM, "--cell", str(CELL), "--size", SIZE, "--list", wall, "--script", script, *more],
            cwd=self.folder, env={**self.environment, **environment}, capture_output=True, text=True, timeout=100,
        )  # fmt: skip
        if done.returncode != 0:
            raise RuntimeError(f"status {done.returncode}: {done.stdout[-300:]} {done.stderr[-300:]}")
        return views(done.stdout)

    def shot(self, name: str) -> numpy.ndarray:
        return numpy.asarray(Image.open(self.folder / name).convert("RGB")).astype(int)


def at(shot: numpy.ndarray, cell: Cell, x: float, y: float) -> tuple[int, ...] | None:
    return gallery.at(shot, cell, x, y)  # type: ignore[arg-type]


def wrong(shot: numpy.ndarray, view: View) -> list[str]:
    """Cells that do not show the picture of their URL, or not at their place."""
    found = []
    for cell in view.cells:
        if (cell.x - 12) / (CELL + 12) != cell.item % COLUMNS:
            found.append(f"{cell.item} stands at {cell.x}")
        if is_missing(cell.item):
            if cell.state != "error" or not is_near(at(shot, cell, 0.3, 0.8), FAULT, 6):
                found.append(f"{cell.item}: {cell.state}, {at(shot, cell, 0.3, 0.8)}")
            continue
        if cell.state != "shown":
            found.append(f"{cell.item}: {cell.state}")
        for (x, y), colour in zip(QUARTERS, colours(cell.item)):
            if not is_near(at(shot, cell, x, y), colour):
                found.append(f"{cell.item} at {x},{y}: {at(shot, cell, x, y)}, not {colour}")
    return found


# --- Tests.


def fling(program: Program, origin: Origin, folder: pathlib.Path) -> None:
    """Through hundreds of pictures and back, with a look now and then."""
    walk = ("row 0", "fling 30", "fling 61", "fling -45", "row 1000", "row 8")
    script = ", ".join(f"{step}, settle, shot {index}.png, print" for index, step in enumerate(walk))
    seen = program.run(publish(origin), script + ", empty, print")
    for index, (step, view) in enumerate(zip(walk, seen)):
        bad = wrong(program.shot(f"{index}.png"), view)
        enough = len(view.cells) >= (ROWS - 2) * COLUMNS
        report.check(
            f"{NAME}: every cell has its picture after '{step}'",
            enough and not bad,
            f"{len(view.cells)} " + "; ".join(bad[:5]),
        )
    firsts = [view.cells[0].item // COLUMNS for view in seen[:-1]]
    report.check(f"{NAME}: the list stands where it was scrolled to", firsts == [0, 30, 91, 46, 95, 8], str(firsts))
    # Those that are seen, a row above and below, and what the software renderer has not let go of yet.
    most = max(view.pictures for view in seen)
    report.check(
        f"{NAME}: {seen[-1].loads} loads hold few pictures",
        seen[-1].loads >= 500 and most <= 2 * (ROWS + 3) * COLUMNS,
        f"{most}",
    )
    report.check(f"{NAME}: Qt gives every picture back", seen[-1].pictures == 0 and not seen[-1].cells, f"{seen[-1]}")


def haste(program: Program, origin: Origin, folder: pathlib.Path) -> None:
    """A look in the middle of a fling: a cell shows its own picture, or nothing yet."""
    lines = [f"{line}?delay_ms=100" for line in publish(origin)]
    walk = [f"fling {rows}, shot {index}.png, print" for index, rows in enumerate((9, 14, -7, 30, -41))]
    bad, count = [], 0
    for index, view in enumerate(program.run(lines, ", ".join(walk))):
        shot = program.shot(f"{index}.png")
        for cell in view.cells:
            count += cell.state == "loading"
            for (x, y), colour in zip(QUARTERS, colours(cell.item)):
                seen = at(shot, cell, x, y)
                fine = is_near(seen, colour) or is_missing(cell.item)
                if not fine and not (cell.state == "loading" and is_near(seen, TILE)):
                    bad.append(f"{cell.item} {cell.state} {seen}")
    report.check(f"{NAME}: no cell shows a picture of another on the way", count > 0 and not bad, f"{count} {bad[:5]}")


def cancelling(program: Program, origin: Origin, folder: pathlib.Path) -> None:
    """What scrolls away is cancelled: an origin that never answers does not keep its connections from what follows."""
    silent = [f"{line}?fault=hang" for line in publish(origin)[:120]]
    lines = silent + [f"{line}?n=1" for line in publish(origin)[120:240]]
    before, after = program.run(lines, "row 0, print, row 25, settle, shot cancel.png, print")
    bad = wrong(program.shot("cancel.png"), after)
    report.check(
        f"{NAME}: what scrolls away is cancelled",
        not bad and after.cancelled >= len(before.cells) > 0,
        f"{after.cancelled} {bad[:5]}",
    )


def waiting(program: Program, origin: Origin, folder: pathlib.Path) -> None:
    """An origin that never answers: the placeholders stand."""
    colour = (200, 90, 40)
    plain = sdimage.Image.from_pixels(bytes(colour) * 256, 16, 16, "rgb8")
    url = origin.add("never.png", b"")
    hashes = [
        "blurhash " + placeholders.blurhash_encode(plain),
        "thumbhash " + placeholders.thumbhash_encode(plain).hex(),
        "",
    ]
    lines = [f"{url}?fault=hang&n={number} {hashes[number % 3]}" for number in range(18)]
    (view,) = program.run(lines, "row 0, placeholders 12, shot wait.png, print")
    shot = program.shot("wait.png")
    bad = [
        f"{cell.item} {cell.state} {at(shot, cell, x, y)}"
        for cell in view.cells
        for x, y in QUARTERS
        if cell.state != "loading" or not is_near(at(shot, cell, x, y), TILE if cell.item % 3 == 2 else colour)
    ]
    report.check(
        f"{NAME}: placeholders stand while an origin is silent", len(view.cells) == 18 and not bad, "; ".join(bad[:5])
    )


def sizes(program: Program, origin: Origin, folder: pathlib.Path) -> None:
    """A large picture comes as small as it was asked for, and transparency stays."""
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
    report.check(f"{NAME}: a picture is decoded into the size asked for", seen[:1] == ["150x100"], f"{view}")
    (dense,) = program.run(lines[:1], "row 0, settle, print", QT_SCALE_FACTOR="2")
    report.check(f"{NAME}: with the pixels of the screen", dense.cells[0].size == "300x200", f"{dense}")
    colors = (at(shot, view.cells[1], 0.25, 0.25), at(shot, view.cells[1], 0.75, 0.75))
    report.check(
        f"{NAME}: what is clear shows what is below",
        is_near(colors[0], (250, 0, 0)) and is_near(colors[1], TILE),
        f"{colors}",
    )
    bad = [place for place, colour in zip(QUARTERS, colours(7)) if not is_near(at(shot, view.cells[2], *place), colour)]
    report.check(
        f"{NAME}: a URL keeps every character", view.cells[2].state == "shown" and not bad, f"{view.cells[2]} {bad}"
    )


def freshness(program: Program, origin: Origin, folder: pathlib.Path) -> None:
    """A cached picture is used as long as HTTP says; then its origin is asked whether it has changed."""
    picture = encoded(quarters(3), "PNG")
    lines = [origin.add("fresh.png", picture) + "?max_age=600", origin.add("stale.png", picture) + "?max_age=0"]
    cache = ("--cache", str(folder / "cache"))
    for _ in range(2):
        (view,) = program.run(lines, "row 0, settle, print", *cache)
        report.check(
            f"{NAME}: fresh and stale pictures are shown",
            [cell.state for cell in view.cells] == ["shown"] * 2,
            f"{view}",
        )
    hits = origin.hits("fresh.png"), origin.hits("stale.png"), origin.counters()["not_modified"]
    report.check(f"{NAME}: only what is stale is asked for again", hits == (1, 2, 1), f"{hits}")


def readme(program: Program, origin: Origin, folder: pathlib.Path) -> None:
    """The picture of the README, under Xvfb where that is there."""
    show = pathlib.Path(__file__).resolve().parents[2] / "examples/gallery/show.py"
    path = folder / "readme.png"
    command = [sys.executable, str(show), "--qt", "--programs", str(PROGRAM.parent), "--shot", str(path)]
    with gallery.Display() as environment:
        environment.pop("QT_QPA_PLATFORM", None)
        done = subprocess.run(
            command, env={**environment, "QT_QPA_PLATFORM": "xcb"}, capture_output=True, text=True, timeout=60
        )
    shot = program.shot("readme.png") if path.exists() else numpy.zeros((780, 1164, 3), int)
    places = [192 * index + 12 for index in range(6)]
    flat = sum(shot[y : y + 180, x : x + 180].std() < 8 for y in places[:4] for x in places)
    report.check(
        f"{NAME}: show.py makes the picture of the README under Xvfb",
        done.returncode == 0 and flat <= 1 and path.stat().st_size < 200_000, f"{done.stderr} {flat}",
    )  # fmt: skip


def main() -> None:
    if not PROGRAM.exists():
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
                report.skip(f"{NAME} under Xvfb", "there is no Xvfb")
                continue
            folder = pathlib.Path(name) / test.__name__
            folder.mkdir()
            with Origin() as origin:
                try:
                    test(Program(folder, environment), origin, folder)
                except Exception as error:
                    report.check(f"{NAME}: {test.__doc__}", False, str(error))
    report.finish()


if __name__ == "__main__":
    main()
