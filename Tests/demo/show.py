#!/usr/bin/env python3
"""Tests the show of examples/demo: its output, its images on terminals, and that each of its scenes can fail.

    show.py OUT        OUT is the output folder of a run; files for reuse are taken from there"""

from __future__ import annotations

import base64
import contextlib
import html.parser
import importlib.util
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import Any
from unittest import mock

HERE = pathlib.Path(__file__).resolve()
ROOT = HERE.parents[2]
SHOW = ROOT / "examples" / "show"
OUT = pathlib.Path(sys.argv[1]).resolve()
sys.path.insert(0, str(HERE.parents[1] / "support"))
import report as lines  # noqa: E402

# The show has a module of that name, too.
sys.path[0] = str(SHOW)
del sys.modules["report"]
sys.path.append(str(ROOT / "Tests"))
sys.path.insert(0, str(ROOT / "bindings" / "python"))
os.environ["PYTHONPATH"] = sys.path[0]

import charts  # noqa: E402
import comparison  # noqa: E402
import contact  # noqa: E402
import pictures as gallery  # noqa: E402
import scene_animation  # noqa: E402
import scene_freshness  # noqa: E402
import scene_hdr  # noqa: E402
import scene_loading  # noqa: E402
import scene_memory  # noqa: E402
import scene_network  # noqa: E402
import scene_prefetch  # noqa: E402
import scene_progressive  # noqa: E402
import screen  # noqa: E402
import sdimage  # noqa: E402
import specimens  # noqa: E402
import terminal  # noqa: E402
import transformed  # noqa: E402
import wall  # noqa: E402
from origin import Origin  # noqa: E402
from stage import Stage  # noqa: E402

SCENES = [
    *("gallery", "timings", "coalescing", "memory", "progressive", "network", "freshness", "animation"),
    *("transformers", "prefetch", "pressure", "hdr", "comparison"),
]


# --- The output of a run.


class Page(html.parser.HTMLParser):
    """Looks for resources that a page loads from elsewhere, and for unclosed tags."""

    VOID = ("meta", "link", "img", "source", "br", "wbr")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.sections: list[str] = []
        self.count: dict[str, int] = {}

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.count[tag] = self.count.get(tag, 0) + 1
        known = {name: value or "" for name, value in attributes}
        for name in ("src", "srcset", "href"):
            if name in known and not known[name].startswith(("data:image/", "#")):
                self.wrong.append(f"{tag} {name}={known[name][:40]}")
        if tag == "img" and not known.get("alt"):
            self.wrong.append("img without alt")
        if tag == "script":
            self.wrong.append("a script")
        if tag == "section":
            self.sections.append(known["id"])
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> closes another")


def left_behind() -> None:
    found = json.loads((OUT / "timings.json").read_text())
    lines.check("timings.json has all scenes", set(SCENES) <= set(found), f"{sorted(found)}")
    lines.check("and two claims or more in eleven of them", sum(len(found[name]["claims"]) >= 2 for name in SCENES) >= 11, "fewer")
    lines.check("which are all true", all(true for _, true in found["claims"]), f"{found['claims']}")
    lines.check("24 pictures or more", len(found["pictures"]) >= 24, f"{len(found['pictures'])}")
    text = (OUT / "report.html").read_text()
    page = Page()
    page.feed(text)
    style = re.search(r"<style>(.*?)</style>", text, re.S)
    outside = re.findall(r"url\((?!data:)|@import", style[1] if style else "")
    alone = not page.wrong and not page.open and not outside
    why = f"{page.wrong} {page.open} {outside}"
    lines.check("report.html wants nothing from elsewhere, and its tags are closed", alone, why)
    lines.check("it has a section for each scene", page.sections == SCENES, f"{page.sections}")
    lines.check("pictures and charts", page.count["img"] > 100 and page.count["svg"] > 100, f"{page.count}")
    queries = ("(prefers-color-scheme: dark", "(max-width", "(prefers-reduced-motion")
    lines.check("light and dark, wide and narrow, moving or not", all(query in text for query in queries), "not")
    metrics = (OUT / "metrics.prom").read_text()
    form = re.compile(r"(# (HELP|TYPE) \w+ .+|\w+(\{[^}]*\})? [-+\d.eE]+)$")
    odd = [line for line in metrics.splitlines() if not form.match(line)]
    lines.check("metrics.prom is Prometheus's text", metrics.count("\n") > 20 and not odd, f"{odd[:2]}")
    film = sdimage.decode(OUT / "gallery.webp")
    lines.check("gallery.webp moves", film.frame_count > 5, f"{film}")
    first, last = film.frame(0).tobytes(), film.frame(film.frame_count - 1).tobytes()
    lines.check("from one end to another", first != last, "it stands still")
    strips = ("gallery", "coalescing", "progressive", "network", "freshness", "animation", "hdr")
    names = ["contact.png", "transforms.png", *(f"strip-{name}.png" for name in strips)]
    sizes = [sdimage.decode(OUT / name).width for name in names]
    lines.check("every sheet and strip is a picture", min(sizes) > 100, f"{sizes}")


# --- Images on terminals.


def _picture() -> sdimage.Image:
    """Red above blue, the right half transparent."""
    rows = [(b"\xff\0\0\xff" if y < 8 else b"\0\0\xff\xff") * 8 + bytes(32) for y in range(16)]
    return sdimage.Image.from_pixels(b"".join(rows), 16, 16, "rgba8")


def _sixels(text: str) -> dict[tuple[int, int], int]:
    """A small parser of sixels: the register of each dot."""
    points, x, y, register = {}, 0, 0, -1
    body = re.match(r'\x1b7\x1bP7;1q"1;1;\d+;\d+(.*)\x1b\\\x1b8$', text, re.S)
    for number, rest, sign in re.findall(r"#(\d+)((?:;\d+)*)|([$\-?-~])", body[1] if body else ""):
        if number:
            register = int(number) if not rest else register
        elif sign == "$":
            x = 0
        elif sign == "-":
            x, y = 0, y + 6
        else:
            points.update({(x, y + bit): register for bit in range(6) if (ord(sign) - 63) >> bit & 1})
            x += 1
    return points


def terminals() -> None:
    image = _picture()
    text = screen.Screen(screen.BLOCKS).draw(image, 4, 2)
    seen = re.findall(r"38;2;(\d+;\d+;\d+);48;2;(\d+;\d+;\d+)m▀", text)
    red, blue, black = (255, 0, 0), (0, 0, 255), (0, 0, 0)
    wanted = [red, red] * 2 + [black, black] * 2 + [blue, blue] * 2 + [black, black] * 2
    colors = [tuple(map(int, color.split(";"))) for both in seen for color in both]
    # Colors at edges are blended, because the image is scaled down.
    far = [each for each, right in zip(colors, wanted) if max(abs(a - b) for a, b in zip(each, right)) > 32]
    lines.check("half blocks show two pixels each, on black", len(colors) == len(wanted) and not far, f"{colors}")
    points = _sixels(screen.Screen(screen.SIXEL, (4, 8)).draw(image, 4, 2))
    places = {(x, y): 180 if x < 8 and y < 8 else 5 if x < 8 else 0 for x in range(16) for y in range(16)}
    lines.check("sixels are the nearest of 216 colors", points == places, f"{len(points)} points")
    text = screen.Screen(screen.KITTY, (4, 8)).draw(image, 4, 2)
    pieces = re.findall(r"\x1b_G([^;]*);([^\x1b]*)\x1b\\", text)
    pixels = base64.b64decode("".join(piece for _, piece in pieces))
    fine = pixels == image.tobytes() and "s=16,v=16,c=4,r=2" in pieces[0][0] and pieces[-1][0].endswith("m=0")
    lines.check("kitty gets the pixels, in pieces", fine, f"{pieces[0][0]}")
    for columns, rows in ((80, 24), (120, 40), (200, 60)):
        grid = wall._grid(39, columns, rows)
        across, width, height = grid or (0, 0, 0)
        fits = 3 + across * (width + 1) <= columns and -(-39 // across) * (height + 1) + 2 <= rows
        lines.check(f"39 tiles fit on {columns} x {rows}", grid and fits, f"{grid}")
    lines.check("and on a tiny screen there are none", wall._grid(39, 20, 8) is None, f"{wall._grid(39, 20, 8)}")
    axis = charts.Logarithmic([0.05, 40.0])
    places = [axis.at(value) for value in (0.01, 0.1, 1, 10, 100)]
    lines.check("the axis is logarithmic", [round(each) for each in places] == [0, 25, 50, 75, 100], f"{places}")


def missing_packages() -> None:
    """Images that cannot be loaded have tiles that name their packages."""
    missing = [gallery.Missing(f"{name}.pdf", "libpoppler-glib-dev", "UNSUPPORTED") for name in "abcde"]
    divided = contact.lines(missing[0].package, 12)
    lines.check("the name of a package is divided after a hyphen", divided == ["libpoppler-", "glib-dev"], f"{divided}")
    for size in (contact.BOX, (84, 63)):
        tile = contact.missing_tile(missing[0], size)
        said = tile.tobytes().count(bytes(contact.BRIGHT))
        lines.check(f"a tile of {size} has text", (tile.width, tile.height) == size and said > 20, f"{said}")
    sheet = sdimage.decode(contact.sheet([], missing))
    lines.check("the contact sheet has their tiles", sheet.tobytes().count(bytes(contact.BRIGHT)) > 200, f"{sheet.width}")
    with contextlib.redirect_stdout(io.StringIO()) as said, mock.patch.object(wall, "_grid", return_value=(4, 17, 3)):
        wall.Wall(terminal.Terminal(plain=True), screen.Screen(screen.BLOCKS), [], missing)
    text = said.getvalue()
    lines.check("the wall has them", text.count("libpoppler-glib-") == text.count(" pdf ") == 5, repr(text))
    # The fifth tile is at the left of the second row: 9 rows of the wall, without the 4 of the first row.
    lines.check("in their place", "\033[5A\r\033[3C" + f"{'pdf':^17}" in text, repr(text))


def live() -> None:
    """The gallery on a terminal of its own: every tile is drawn at least twice, and the output fits."""
    place = importlib.util.spec_from_file_location("pseudo", HERE.parents[1] / "cli/terminal.py")
    assert place and place.loader
    pseudo = importlib.util.module_from_spec(place)
    place.loader.exec_module(pseudo)
    command = [sys.executable, str(SHOW), "--scene", "gallery", "--out", str(OUT)]
    count = len(json.loads((OUT / "timings.json").read_text())["pictures"])
    for kind, columns, rows, answer, mark in (
        ("half blocks", 120, 42, b"\x1b[?62c", "▀".encode()),
        ("kitty", 100, 40, b"\x1b_Gi=31;OK\x1b\\\x1b[?62c", b"\x1b_Ga=T,f=32"),
    ):
        pseudo.COLUMNS, pseudo.ROWS, pseudo.WIDTH, pseudo.HEIGHT = columns, rows, columns * 8, rows * 16
        status, written = pseudo.run(command, answer=answer, limit=600)
        width = (wall._grid(count, columns, rows) or (0, 1, 0))[1] if kind == "half blocks" else 1
        tiles = written.count(mark) / (width * round(width * 3 / 8) if width > 1 else 1)
        lines_of = [line for line in written.replace(b"\r", b"\n").split(b"\n") if b"kB/s" in line]
        widest = max(len(re.sub(r"\x1b\[[\d;]*[A-Za-z]", "", line.decode())) for line in lines_of) if lines_of else 999
        fine = status == 0 and tiles >= 2 * count and len(lines_of) > 1 and widest <= columns
        lines.check(f"the gallery is drawn as it arrives, with {kind}", fine, f"{status} {tiles} {len(lines_of)} {widest}")


# --- Every scene can fail.


class Twice(Origin):
    """An origin that counts each request twice, as if another client requested everything too."""

    def count(self, what: str, path: str | None = None, by: int = 1) -> int:
        if what != "requests":
            return super().count(what, path, by)
        super().count(what, path, by)
        return super().count(what, path, by)


@contextlib.contextmanager
def a_stage(kind: type[Origin] = Origin) -> Any:
    sdimage.load_plugins()
    made = specimens.folder(OUT)
    folder, _ = specimens.further(made, specimens.PICTURES)
    with tempfile.TemporaryDirectory() as temporary, kind(folder) as origin:
        place = pathlib.Path(temporary)
        stage = Stage(terminal.Terminal(plain=True), screen.Screen(), origin, gallery.find(folder), place, made, place)
        scene_loading.urls(stage)
        yield stage


def fails(name: str, scene: Callable[[Stage], Any], kind: type[Origin] = Origin, **patches: tuple[Any, str, Any]) -> None:
    """Checks that a scene with a false claim reports it."""
    with contextlib.ExitStack() as stack:
        stage = stack.enter_context(a_stage(kind))
        for target, attribute, value in patches.values():
            stack.enter_context(mock.patch.object(target, attribute, value))
        with contextlib.redirect_stdout(io.StringIO()) as said:
            scene(stage)
        wrong = [text for text, true in stage.terminal.claims if not true]
        lines.check(f"{name} is found out", wrong and "NO " in said.getvalue(), "every claim held")


def one_pixel_off() -> list[bytes]:
    frames = _painted()
    return [*frames[:-1], frames[-1][:-4] + b"\x01\x02\x03\xff"]


_painted = scene_animation.moving.painted
_child = scene_memory.child
_behind = scene_prefetch._behind


def _kept(*arguments: object, **options: Any) -> dict[str, Any]:
    """Simulates a cache that has stored everything."""
    found = _child(*arguments, **options)
    return {**found, "after": found["before"]}


def scenes_can_fail() -> None:
    fails("a gallery of pictures that were asked for twice", scene_loading.gallery, Twice)
    fails("a request too many while times are taken", scene_loading.timings, Twice)
    whole = {"width": 320, "height": 240, "peak_mb": 200.0, "growth_mb": 150.0, "seconds": 1.0}
    fails("a thumbnail that holds the bitmap", scene_memory.memory, child=(scene_memory, "child", lambda *_: whole))
    fails("a picture that does not grow", scene_progressive.progressive, looked=(scene_progressive, "_looked", lambda _: bytes(9)))
    answers = (("a good picture", "good", "NOT_AN_IMAGE"),)
    fails("an answer that is not refused", scene_network.network, faults=(scene_network, "FAULTS", answers))
    fails("a request for what is fresh", scene_freshness.freshness, Twice)
    fails("a film with one wrong pixel", scene_animation.animation, painted=(scene_animation.moving, "painted", one_pixel_off))
    fails("players over their budget", scene_animation.animation, budget=(scene_animation, "_BUDGET", 1 << 30))
    square = lambda *_, **__: sdimage.transforms.flip(horizontal=True)  # noqa: E731
    fails("corners that are not round", transformed.transformers, corner=(transformed.transforms, "round_corner", square))
    equal = lambda stage, *_: {**_behind(stage, "normal", "normal"), "group": {"in_cache": 0, "failed": 0}}  # noqa: E731
    fails("a load that waits behind all prefetches", scene_prefetch.prefetch, behind=(scene_prefetch, "_behind", equal))
    fails("a cache that stays full", scene_memory.pressure, child=(scene_memory, "child", _kept))
    fails("an HDR rendition without light above white", scene_hdr.hdr, light=(scene_hdr, "_light", lambda _: [1.0]))
    fails("a second run that asks again", comparison.comparison, Twice)


def without_a_namespace() -> None:
    """The scene calls the function that the watch would call if no system file can be replaced."""
    with a_stage() as stage, mock.patch.object(scene_memory, "_namespace", lambda _: None):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            found = scene_memory.pressure(stage)
    fine = found["by"] == "sdimage_trim_memory" and all(true for _, true in stage.terminal.claims)
    lines.check("memory gets short without a file of the system, too", fine, said.getvalue())


def exit_status() -> None:
    """The complete program, and once with extra requests at the origin."""
    command = [sys.executable, str(SHOW), "--ci", "--scene", "coalescing", "--out", str(OUT)]
    runs = (
        ("true", {}, 0, "1 of 1 claims hold"),
        ("false", {"SDIMAGE_DEMO_STRAY": "1"}, 1, "not true: the origin counts 2 requests"),
    )
    for name, stray, status, said in runs:
        done = subprocess.run(command, env={**os.environ, **stray}, capture_output=True, text=True, timeout=600)
        fine = done.returncode == status and said in done.stdout and "\x1b" not in done.stdout
        why = f"status {done.returncode}: {done.stdout[-300:]}{done.stderr[-300:]}"
        lines.check(f"the exit status of a figure that is {name} is {status}", fine, why)


def main() -> None:
    left_behind()
    terminals()
    missing_packages()
    live()
    scenes_can_fail()
    without_a_namespace()
    exit_status()
    lines.finish()


if __name__ == "__main__":
    main()
