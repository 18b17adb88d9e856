#!/usr/bin/env python3
"""The gallery in its windows: flung through hundreds of pictures under Xvfb, every cell is compared with its URL.

    gallery.py FOLDER-OF-PROGRAMS

Each picture says by the colours of its quarters which one it is; animations count their frames in the middle."""

import concurrent.futures
import io
import os
import pathlib
import subprocess
import sys
import tempfile
from dataclasses import dataclass

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "HeaderTests"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bindings/python"))
import report  # noqa: E402

try:
    import numpy
    from PIL import Image, ImageDraw
except ImportError as error:
    report.skip("the gallery", str(error))
    raise SystemExit(0) from None

import sdimage  # noqa: E402
from sdimage import placeholders  # noqa: E402
from sdimage.origin import Origin  # noqa: E402

PROGRAMS = pathlib.Path(sys.argv[1]).resolve()
PICTURES, COLUMNS, CELL, STEP = 600, 6, 100, 112
SIZE = f"{COLUMNS * STEP + 12}x500"
#: The window without its last line; rows that can be seen at once, and those that may have cells.
HEIGHT, ROWS, ROWS_WITH_CELLS = 472, 6, 4 + 2 + 1 + 1
FRAMES = 8
TOLERANCE = 24
TILE, FAULT, ACCENT = (36, 39, 47), (64, 34, 40), (94, 168, 255)


# --- Pictures.

def colours(number: int) -> list[tuple[int, int, int]]:
    """Of the quarters: another four for every number."""
    digits = [number // 8**place % 8 for place in range(4)]
    return [tuple(210 if digit >> bit & 1 else 40 for bit in range(3)) for digit in digits]  # type: ignore[misc]


def quarters(number: int, side: int = 40) -> Image.Image:
    image = Image.new("RGB", (side, side))
    draw, half = ImageDraw.Draw(image), side // 2
    for index, colour in enumerate(colours(number)):
        x, y = index % 2 * half, index // 2 * half
        draw.rectangle((x, y, x + half - 1, y + half - 1), fill=colour)
    return image


def gray(frame: int) -> int:
    return 20 + 30 * frame


def frames(number: int, noise: bool = False) -> list[Image.Image]:
    made = []
    for frame in range(FRAMES):
        image = quarters(number, 320 if noise else 40)
        if noise:
            # What cannot be compressed takes its time to come: a band at the upper edge, which no test looks at.
            random = numpy.random.default_rng(frame)
            image.paste(Image.fromarray(random.integers(0, 256, (48, 320, 3), numpy.uint8)))
        side = image.width
        middle = (side * 3 // 8, side * 3 // 8, side * 5 // 8, side * 5 // 8)
        ImageDraw.Draw(image).rectangle(middle, fill=(gray(frame),) * 3)
        made.append(image)
    return made


def encoded(image: Image.Image | list[Image.Image], kind: str) -> bytes:
    out = io.BytesIO()
    if isinstance(image, list):
        image[0].save(out, kind, save_all=True, append_images=image[1:], duration=60, loop=0)
    else:
        image.save(out, kind)
    return out.getvalue()


def is_moving(number: int) -> bool:
    return number % 25 == 3


def is_missing(number: int) -> bool:
    return number % 97 == 8


def publish(origin: Origin) -> list[str]:
    """A wall of pictures; some move, some are not there."""
    lines = []
    for number in range(PICTURES):
        if is_missing(number):
            lines.append(origin.url(f"missing{number}.png"))
        elif is_moving(number):
            lines.append(origin.add(f"{number}.gif", encoded(frames(number), "GIF")))
        else:
            lines.append(origin.add(f"{number}.png", encoded(quarters(number), "PNG")))
    return lines


# --- Programs, and what they show.

@dataclass
class Cell:
    """A line of `print`."""

    item: int
    x: int
    y: int
    side: int
    state: str
    size: str
    frames: int
    progress: float
    url: str


@dataclass
class View:
    """What one `print` tells."""

    cells: list[Cell]
    counts: str

    def count(self, what: str) -> int:
        words = self.counts.replace(",", " ").replace(";", " ").split()
        return int(words[words.index(what) - 1])


def views(text: str) -> list[View]:
    found, cells = [], []
    for line in text.splitlines():
        kind, *words = line.split()
        if kind == "cell":
            item, x, y, side, state, size, shown, progress, url = words
            cells.append(Cell(int(item), int(x), int(y), int(side), state, size, int(shown), float(progress), url))
        else:
            found.append(View(sorted(cells, key=lambda cell: cell.item), line))
            cells = []
    return found


class Program:
    """One of the two, in a folder of its own."""

    def __init__(self, name: str, folder: pathlib.Path, environment: dict[str, str]) -> None:
        self.name, self.folder = name, folder
        self.environment = environment

    def run(self, lines: list[str], script: str, size: str = SIZE, **environment: str) -> list[View]:
        """The views of a script; its pictures are the files named in it."""
        wall = self.folder / "list"
        wall.write_text("\n".join(lines) + "\n")
        done = subprocess.run(
            [str(PROGRAMS / self.name), "--cell", str(CELL), "--size", size, "--list", str(wall), "--script", script],
            cwd=self.folder, env={**self.environment, **environment}, capture_output=True, text=True, timeout=100,
        )  # fmt: skip
        if done.returncode != 0:
            raise RuntimeError(f"status {done.returncode}: {done.stdout} {done.stderr}")
        return views(done.stdout)

    def shot(self, name: str) -> numpy.ndarray:
        return numpy.asarray(Image.open(self.folder / name).convert("RGB")).astype(int)


def at(shot: numpy.ndarray, cell: Cell, x: float, y: float) -> tuple[int, ...] | None:
    """The colour around a place in a cell, its sides being 1; None outside the window."""
    reach = max(1, cell.side // 50)
    left, top = cell.x + int(x * cell.side), cell.y + int(y * cell.side)
    scale = cell.side / CELL
    if top - reach < 0 or top + reach >= HEIGHT * scale:
        return None
    area = shot[top - reach : top + reach, left - reach : left + reach].reshape(-1, 3)
    return tuple(int(value) for value in area.mean(axis=0))


def is_near(colour: tuple[int, ...] | None, wanted: tuple[int, ...], tolerance: int = TOLERANCE) -> bool:
    return colour is None or max(abs(a - b) for a, b in zip(colour, wanted)) <= tolerance


QUARTERS = ((0.3, 0.3), (0.7, 0.3), (0.3, 0.7), (0.7, 0.7))


def wrong(shot: numpy.ndarray, view: View) -> list[str]:
    """Cells that do not show the picture of their URL, or not at their place."""
    found = []
    for cell in view.cells:
        column = (cell.x - 12 * cell.side // CELL) * CELL // cell.side / STEP
        if column != cell.item % COLUMNS:
            found.append(f"{cell.item} stands in column {column}")
        if is_missing(cell.item):
            # What was fetched ahead is known to fail already.
            if cell.state not in ("HTTP_STATUS", "FAILED_URL") or not is_near(at(shot, cell, 0.3, 0.8), FAULT, 6):
                found.append(f"{cell.item}: {cell.state}, {at(shot, cell, 0.3, 0.8)}")
            continue
        if cell.state != "shown" or cell.size != f"{cell.side}x{cell.side}":
            found.append(f"{cell.item}: {cell.state} {cell.size}")
        for (x, y), colour in zip(QUARTERS, colours(cell.item)):
            if not is_near(at(shot, cell, x, y), colour):
                found.append(f"{cell.item} at {x},{y}: {at(shot, cell, x, y)}, not {colour}")
        if is_moving(cell.item) and frame_of(shot, cell) is None and at(shot, cell, 0.5, 0.5):
            found.append(f"{cell.item} shows no frame: {at(shot, cell, 0.5, 0.5)}")
    return found


def frame_of(shot: numpy.ndarray, cell: Cell) -> int | None:
    """Which frame of an animation stands there."""
    colour = at(shot, cell, 0.5, 0.5)
    near = [frame for frame in range(FRAMES) if colour and is_near(colour, (gray(frame),) * 3, 12)]
    return near[0] if near else None


# --- Tests.

def fling(program: Program, origin: Origin) -> None:
    """Through hundreds of pictures and back, with a look now and then."""
    lines = publish(origin)
    walk = ("row 0", "fling 30", "fling 61", "fling -45", "row 1000", "row 8")
    script = ", ".join(f"{step}, settle, shot {index}.png, print" for index, step in enumerate(walk))
    seen = program.run(lines, script)
    for index, (step, view) in enumerate(zip(walk, seen)):
        bad = wrong(program.shot(f"{index}.png"), view)
        enough = len(view.cells) >= (ROWS - 2) * COLUMNS
        report.check(f"{program.name}: every cell has its picture after '{step}'", enough and not bad, "; ".join(bad[:5]))
    firsts = [view.cells[0].item // COLUMNS for view in seen]
    report.check(
        f"{program.name}: the list stands where it was scrolled to", firsts == [0, 30, 91, 46, 95, 8], str(firsts)
    )
    cells, loads = seen[-1].count("cells"), seen[-1].count("loads")
    report.check(
        f"{program.name}: {loads} loads are made by {cells} cells",
        loads >= 500 and cells <= ROWS_WITH_CELLS * COLUMNS, seen[-1].counts,
    )  # fmt: skip
    report.check(f"{program.name}: the rows that follow are fetched", seen[-1].count("fetched") > 100, seen[-1].counts)


def haste(program: Program, origin: Origin) -> None:
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
                fine = is_near(seen, colour) or is_missing(cell.item) or cell.state == "fading"
                if not fine and not (cell.state == "loading" and is_near(seen, TILE)):
                    bad.append(f"{cell.item} {cell.state} {seen}")
    report.check(f"{program.name}: no cell shows a picture of another on the way", count > 0 and not bad, f"{count} {bad[:5]}")


def motion(program: Program, origin: Origin) -> None:
    """Animations play while they can be seen, and stills stand still."""
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
    report.check(
        f"{program.name}: an animation shows frame after frame",
        whole and all(None not in pair for pair in shown) and any(x != y for x, y in shown), str(shown),
    )  # fmt: skip
    counted = all(later[cell.item].frames > cell.frames for cell in moving)
    stills = all(later[cell.item].frames == cell.frames for cell in first.cells if cell not in moving)
    report.check(f"{program.name}: stills are shown once", counted and stills, f"{first.cells} {second.cells}")
    bad = wrong(b, second)
    report.check(f"{program.name}: no other cell changes meanwhile", not bad, "; ".join(bad[:5]))
    playing = [view.count("playing") for view in (first, hidden, again)]
    report.check(
        f"{program.name}: what nobody sees does not play", playing == [len(moving), 0, len(moving)], str(playing)
    )


def waiting(program: Program, origin: Origin) -> None:
    """An origin that never answers: the placeholders stand."""
    colour = (200, 90, 40)
    plain = sdimage.Image.from_pixels(bytes(colour) * 256, 16, 16, "rgb8")
    url = origin.add("never.png", b"")
    hashes = ["blurhash " + placeholders.blurhash_encode(plain), "thumbhash " + placeholders.thumbhash_encode(plain).hex(), ""]
    lines = [f"{url}?fault=hang&n={number} {hashes[number % 3]}" for number in range(30)]
    (view,) = program.run(lines, "row 0, shot wait.png, print")
    shot = program.shot("wait.png")
    bad = [
        f"{cell.item} {cell.state} {at(shot, cell, x, y)}"
        for cell in view.cells
        for x, y in QUARTERS
        if cell.state != "loading" or not is_near(at(shot, cell, x, y), TILE if cell.item % 3 == 2 else colour)
    ]
    report.check(f"{program.name}: placeholders stand while an origin is silent", view.cells and not bad, "; ".join(bad[:5]))


def arriving(program: Program, origin: Origin) -> None:
    """A slow origin: the bars grow, and an animation plays as far as it has come."""
    url = origin.add("slow.gif", encoded(frames(77, noise=True), "GIF"))
    lines = [f"{url}?kbps=40"]
    (view,) = program.run(lines, "row 0, progress 40, frames 3, shot slow.png, print")
    shot, (cell,) = program.shot("slow.png"), view.cells
    edge, bar = CELL / 12, CELL / 30 + 1
    y = (CELL - edge - bar / 2) / CELL
    ends = [shot[cell.y + int(y * CELL), cell.x + int(x)] for x in (edge + 3, CELL - edge - 3)]
    fine = cell.state == "loading" and 0.4 <= cell.progress < 1
    grown = is_near(tuple(ends[0]), ACCENT, 12) and not is_near(tuple(ends[1]), ACCENT, 60)
    report.check(f"{program.name}: a bar says how much has come", fine and grown, f"{cell} {ends}")
    bad = [place for place, colour in zip(QUARTERS[:2], colours(77)) if not is_near(at(shot, cell, *place), colour)]
    report.check(
        f"{program.name}: an animation plays while it is downloaded",
        cell.frames >= 3 and frame_of(shot, cell) is not None and not bad, f"{cell} {frame_of(shot, cell)} {bad}",
    )  # fmt: skip


def dense(program: Program, origin: Origin) -> None:
    """Two pixels for a point."""
    lines = publish(origin)
    (view,) = program.run(lines, "fling 3, settle, shot dense.png, print", GDK_SCALE="2")
    bad = wrong(program.shot("dense.png"), view)
    sizes = {cell.size for cell in view.cells if cell.state == "shown"}
    report.check(f"{program.name}: pictures have the pixels of the screen", sizes == {"200x200"} and not bad, f"{sizes} {bad[:5]}")


def readme(program: Program, _origin: Origin) -> None:
    """The picture of the README."""
    show = pathlib.Path(__file__).resolve().parents[2] / "examples/gallery/show.py"
    path = program.folder / "readme.png"
    command = [sys.executable, str(show), "--programs", str(PROGRAMS), "--shot", str(path)]
    if program.name == "gallery-gtk":
        command.append("--gtk")
    done = subprocess.run(command, env=program.environment, capture_output=True, text=True, timeout=60)
    shot = program.shot("readme.png") if path.exists() else numpy.zeros((808, 1164, 3), int)
    sides = [192 * index + 12 for index in range(6)]
    flat = sum(shot[y : y + 180, x : x + 180].std() < 8 for y in sides[:4] for x in sides)
    report.check(
        f"{program.name}: show.py makes the picture of the README",
        done.returncode == 0 and flat <= 1 and path.stat().st_size < 300_000, f"{done.stderr} {flat}",
    )  # fmt: skip


class Display:
    """Xvfb, and what programs need to find it."""

    def __enter__(self) -> dict[str, str]:
        read, write = os.pipe()
        self.folder = tempfile.TemporaryDirectory()
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", "1600x1200x24", "-nolisten", "tcp"],
            pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(write)
        with os.fdopen(read) as numbers:
            number = numbers.readline().strip()
        if not number:
            raise RuntimeError("Xvfb does not start")
        return {
            **os.environ,
            "DISPLAY": f":{number}", "XDG_RUNTIME_DIR": self.folder.name, "XDG_CACHE_HOME": self.folder.name,
            "SDL_RENDER_DRIVER": "software", "GSK_RENDERER": "cairo", "GDK_BACKEND": "x11", "GTK_A11Y": "none",
        }  # fmt: skip

    def __exit__(self, *_: object) -> None:
        self.server.terminate()
        self.server.wait()
        self.folder.cleanup()


def test(window: Program, origin: Origin) -> None:
    tests = [fling, haste, motion, waiting, arriving, readme]
    for one in [*tests, dense] if window.name == "gallery-gtk" else tests:
        try:
            one(window, origin)
        except (RuntimeError, ValueError, OSError, subprocess.TimeoutExpired) as error:
            report.check(f"{window.name}: {one.__doc__}", False, str(error))


def main() -> None:
    with Display() as environment, tempfile.TemporaryDirectory() as name, Origin() as origin:
        windows = []
        for program in ("gallery-sdl", "gallery-gtk"):
            if (PROGRAMS / program).exists():
                folder = pathlib.Path(name) / program
                folder.mkdir()
                windows.append(Program(program, folder, environment))
        # They wait for clocks most of the time.
        with concurrent.futures.ThreadPoolExecutor() as pool:
            for _ in pool.map(lambda window: test(window, origin), windows):
                pass
    report.finish()


if __name__ == "__main__":
    main()
