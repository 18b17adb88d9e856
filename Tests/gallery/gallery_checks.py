"""Checks for every gallery: images that encode their own number, and comparisons of a window's pixels with them.

The colors of its quarters encode the number of an image; animations show their frame number in the middle."""

import io
import os
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[2] / "bindings/python"), str(pathlib.Path(__file__).resolve().parents[1])]
import report  # noqa: E402

try:
    import numpy
    from PIL import Image, ImageDraw
except ImportError as error:
    report.skip("the gallery", str(error))
    raise SystemExit(0) from None

import sdimage  # noqa: E402
from sdimage import placeholders  # noqa: E402
from origin import Origin  # noqa: E402

SHOW = pathlib.Path(__file__).resolve().parents[2] / "examples/gallery/show.py"
PICTURES, COLUMNS, CELL, STEP = 600, 6, 100, 112
SIZE = f"{COLUMNS * STEP + 12}x500"
#: The height of the window without its last line; the number of visible rows.
HEIGHT, ROWS = 472, 6
FRAMES = 8
TOLERANCE = 24
TILE, FAULT, ACCENT = (36, 39, 47), (64, 34, 40), (94, 168, 255)
QUARTERS = ((0.3, 0.3), (0.7, 0.3), (0.3, 0.7), (0.7, 0.7))


# --- Images.

def colors(number: int) -> list[tuple[int, int, int]]:
    """The colors of the quarters: different for every number."""
    digits = [number // 8**place % 8 for place in range(4)]
    return [tuple(210 if digit >> bit & 1 else 40 for bit in range(3)) for digit in digits]  # type: ignore[misc]


def quarters(number: int, side: int = 40) -> Image.Image:
    image = Image.new("RGB", (side, side))
    draw, half = ImageDraw.Draw(image), side // 2
    for index, color in enumerate(colors(number)):
        x, y = index % 2 * half, index // 2 * half
        draw.rectangle((x, y, x + half - 1, y + half - 1), fill=color)
    return image


def gray(frame: int) -> int:
    return 20 + 30 * frame


def frames(number: int, noise: bool = False) -> list[Image.Image]:
    made = []
    for frame in range(FRAMES):
        image = quarters(number, 320 if noise else 40)
        if noise:
            # Incompressible data that takes time to arrive: a band at the upper edge, which the tests ignore.
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
    """Publishes a wall of images: some are animated, some are missing."""
    lines = []
    for number in range(PICTURES):
        if is_missing(number):
            lines.append(origin.url(f"missing{number}.png"))
        elif is_moving(number):
            lines.append(origin.add(f"{number}.gif", encoded(frames(number), "GIF")))
        else:
            lines.append(origin.add(f"{number}.png", encoded(quarters(number), "PNG")))
    return lines


# --- Programs, and their output.

@dataclass
class Cell:
    """A line of `print`: a position in pixels, and the cell's contents."""

    item: int
    x: int
    y: int
    side: int
    state: str
    size: str
    url: str
    #: Printed only by some programs.
    frames: int = 0
    progress: float = 0


@dataclass
class View:
    """The output of one `print`."""

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
            item, x, y, side, state, size, *told, url = words
            frames, progress = told or (0, 0)
            cells.append(Cell(int(item), int(x), int(y), int(side), state, size, url, int(frames), float(progress)))
        else:
            found.append(View(sorted(cells, key=lambda cell: cell.item), line))
            cells = []
    return found


class Program:
    """A gallery, in a folder of its own."""

    #: The states of cells whose image is missing.
    missing: tuple[str, ...] = ()

    def __init__(self, path: pathlib.Path, folder: pathlib.Path, environment: dict[str, str]) -> None:
        self.path, self.name, self.folder, self.environment = path, path.name, folder, environment

    def run(self, lines: list[str], script: str, *more: str, **environment: str) -> list[View]:
        """Runs a script and returns its views; screenshots are the files named in it."""
        wall = self.folder / "list"
        wall.write_text("\n".join(lines) + "\n")
        done = subprocess.run(
            [self.path, "--cell", str(CELL), "--size", SIZE, "--list", wall, "--script", script, *more],
            cwd=self.folder, env={**self.environment, **environment}, capture_output=True, text=True, timeout=600,
        )  # fmt: skip
        if done.returncode != 0:
            raise RuntimeError(f"status {done.returncode}: {done.stdout[-300:]} {done.stderr[-300:]}")
        return views(done.stdout)

    def shot(self, name: str) -> numpy.ndarray:
        return numpy.asarray(Image.open(self.folder / name).convert("RGB")).astype(int)

    def faults(self, shot: numpy.ndarray, cell: Cell) -> list[str]:
        """Further errors of a visible image."""
        return []

    def check(self, what: str, fine: object, why: str) -> None:
        report.check(f"{self.name}: {what}", fine, why)


class Display:
    """Xvfb, and the environment that programs need to find it."""

    def __enter__(self) -> dict[str, str]:
        read, write = os.pipe()
        self.folder = tempfile.TemporaryDirectory()
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", "1600x1200x24", "-nolisten", "tcp", "-noreset"],
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


def at(shot: numpy.ndarray, cell: Cell, x: float, y: float) -> tuple[int, ...] | None:
    """The color at a point in a cell of side 1; None outside the window."""
    reach = max(1, cell.side // 50)
    left, top = cell.x + int(x * cell.side), cell.y + int(y * cell.side)
    scale = cell.side / CELL
    if top - reach < 0 or top + reach >= HEIGHT * scale:
        return None
    area = shot[top - reach : top + reach, left - reach : left + reach].reshape(-1, 3)
    return tuple(int(value) for value in area.mean(axis=0))


def is_near(color: tuple[int, ...] | None, wanted: tuple[int, ...], tolerance: int = TOLERANCE) -> bool:
    return color is None or max(abs(a - b) for a, b in zip(color, wanted)) <= tolerance


def wrong(program: Program, shot: numpy.ndarray, view: View) -> list[str]:
    """Cells with a wrong image or a wrong position."""
    found = []
    for cell in view.cells:
        column = (cell.x - 12 * cell.side // CELL) * CELL // cell.side / STEP
        if column != cell.item % COLUMNS:
            found.append(f"{cell.item} stands in column {column}")
        if is_missing(cell.item):
            if cell.state not in program.missing or not is_near(at(shot, cell, 0.3, 0.8), FAULT, 6):
                found.append(f"{cell.item}: {cell.state}, {at(shot, cell, 0.3, 0.8)}")
            continue
        if cell.state != "shown":
            found.append(f"{cell.item}: {cell.state}")
        for (x, y), color in zip(QUARTERS, colors(cell.item)):
            if not is_near(at(shot, cell, x, y), color):
                found.append(f"{cell.item} at {x},{y}: {at(shot, cell, x, y)}, not {color}")
        found += program.faults(shot, cell)
    return found


def frame_of(shot: numpy.ndarray, cell: Cell) -> int | None:
    """The number of the visible frame of an animation."""
    color = at(shot, cell, 0.5, 0.5)
    near = [frame for frame in range(FRAMES) if color and is_near(color, (gray(frame),) * 3, 12)]
    return near[0] if near else None


# --- Tests of every gallery.

def flung(program: Program, origin: Origin, more: str = "") -> list[View]:
    """Scrolls through hundreds of images and back with occasional screenshots; returns the views, and the results of
    `more`."""
    walk = ("row 0", "fling 30", "fling 61", "fling -45", "row 1000", "row 8")
    script = ", ".join(f"{step}, settle, shot {index}.png, print" for index, step in enumerate(walk))
    seen = program.run(publish(origin), script + more)
    for index, (step, view) in enumerate(zip(walk, seen)):
        bad = wrong(program, program.shot(f"{index}.png"), view)
        enough = len(view.cells) >= (ROWS - 2) * COLUMNS
        why = f"{len(view.cells)} cells; " + "; ".join(bad[:5])
        program.check(f"every cell has its picture after '{step}'", enough and not bad, why)
    firsts = [view.cells[0].item // COLUMNS for view in seen[: len(walk)]]
    program.check("the list stands where it was scrolled to", firsts == [0, 30, 91, 46, 95, 8], str(firsts))
    return seen


def haste(program: Program, origin: Origin) -> None:
    """A screenshot during a fling: a cell shows its own image, or nothing yet."""
    # Every second image comes after the fling, however slow the machine is.
    lines = [f"{line}?delay_ms={5000 if index % 2 else 100}" for index, line in enumerate(publish(origin))]
    walk = [f"fling {rows}, shot {index}.png, print" for index, rows in enumerate((9, 14, -7, 30, -41))]
    bad, count = [], 0
    for index, view in enumerate(program.run(lines, ", ".join(walk))):
        shot = program.shot(f"{index}.png")
        for cell in view.cells:
            count += cell.state == "loading"
            for (x, y), color in zip(QUARTERS, colors(cell.item)):
                seen = at(shot, cell, x, y)
                fine = is_near(seen, color) or is_missing(cell.item) or cell.state == "fading"
                if not fine and not (cell.state == "loading" and is_near(seen, TILE)):
                    bad.append(f"{cell.item} {cell.state} {seen}")
    program.check("no cell shows a picture of another on the way", count > 0 and not bad, f"{count} {bad[:5]}")


def held_up(program: Program, origin: Origin, count: int, script: str) -> None:
    """An origin that never responds: all of `count` cells show their placeholders."""
    color = (200, 90, 40)
    plain = sdimage.Image.from_pixels(bytes(color) * 256, 16, 16, "rgb8")
    url = origin.add("never.png", b"")
    hashes = ["blurhash " + placeholders.blurhash_encode(plain), "thumbhash " + placeholders.thumbhash_encode(plain).hex(), ""]
    lines = [f"{url}?fault=hang&n={number} {hashes[number % 3]}" for number in range(count)]
    (view,) = program.run(lines, script)
    shot = program.shot("wait.png")
    bad = [
        f"{cell.item} {cell.state} {at(shot, cell, x, y)}"
        for cell in view.cells
        for x, y in QUARTERS
        if cell.state != "loading" or not is_near(at(shot, cell, x, y), TILE if cell.item % 3 == 2 else color)
    ]
    fine = len(view.cells) == count and not bad
    program.check("placeholders stand while an origin is silent", fine, f"{len(view.cells)} cells; " + "; ".join(bad[:5]))


def pictured(program: Program, environment: dict[str, str], most_bytes: int, *options: str) -> tuple[bool, str]:
    """True if show.py makes the image of the README; and the program's output."""
    path = program.folder / "readme.png"
    command = [sys.executable, str(SHOW), "--programs", str(program.path.parent), "--shot", str(path), *options]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    shot = program.shot("readme.png") if path.exists() else numpy.zeros((808, 1164, 3), int)
    places = [192 * index + 12 for index in range(6)]
    flat = sum(shot[y : y + 180, x : x + 180].std() < 8 for y in places[:4] for x in places)
    return done.returncode == 0 and flat <= 1 and path.stat().st_size < most_bytes, f"{done.stderr} {flat}"


def attempt(test: Callable[[Program, Origin], None], program: Program, origin: Origin) -> None:
    """Runs a test; an exception is a failure."""
    try:
        test(program, origin)
    except Exception as error:
        program.check(str(test.__doc__), False, repr(error))
