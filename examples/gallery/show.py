#!/usr/bin/env python3
"""Runs the gallery with test images: serves a folder on the loopback interface and opens a window with it.

    python3 examples/gallery/show.py [--gtk | --qt | --qtwidgets] [--pictures FOLDER] [--count N] [--kbps N] [--shot FILE]
                                     [--programs FOLDER]

By default the programs and the library are those of ``build/cmake``. Each image comes with its BlurHash or, for SDL, its
ThumbHash, as in a list from a service, and some are animated. ``--shot`` writes the contents of the window in 256
colors while a few images are still loading, and exits; the result is the same everywhere, also under Xvfb. The
window for GTK is that of ``examples/gtk``, those for Qt are in ``examples/qt``."""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import sys
import tempfile
import urllib.parse
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / "build" / "cmake"
os.environ.setdefault("SDIMAGE_LIBRARY", str(BUILT / "lib" / "libsdimage.so.1"))
sys.path[:0] = [str(ROOT / "bindings" / "python"), str(ROOT / "Tests")]

import sdimage
from sdimage import placeholders, transforms
from origin import Origin

#: Generated animations: the format, frames, milliseconds per frame, and the rotation in radians at a time from 0 to 1.
MOVING = {
    "pinwheel.gif": ("png", 36, 40, lambda moment: math.tau * moment),
    "star-sticker.gif": ("webp", 24, 50, lambda moment: 0.3 * math.sin(math.tau * moment)),
    "badge.png": ("gif", 30, 60, lambda moment: -math.tau * moment),
}
#: For --shot: six columns and four rows; the slow images, and the image after which one is missing.
SIZE = {"sdl": "1164x808", "qt": "1164x780", "qtwidgets": "1180x780"}
SLOW, MISSING = {"contour-map.png": 36, "ember-sky-16.png": 36, "ink-garden.jpg": 36}, 13
RENDERERS = {"SDL_RENDER_DRIVER": "software", "GSK_RENDERER": "cairo", "GTK_A11Y": "none", "QT_QUICK_BACKEND": "software"}


def publish(folder: Path, origin: Origin, only_blurhash: bool) -> list[tuple[str, str]]:
    """URL and hash of every image, formats side by side."""
    names = sorted(path.name for path in folder.iterdir() if path.suffix != ".json")
    found = []
    for name in (name for start in range(7) for name in names[start::7]):
        url = origin.url(urllib.parse.quote(name))
        still = sdimage.decode(folder / name, thumbnail_size=(100, 100), first_frame_only=True)
        if name in MOVING:
            url = origin.add(f"moving/{name}", _moving(folder / name))
        found.append((url, _hash(still, 0 if only_blurhash else len(found))))
    return found


def _moving(path: Path) -> bytes:
    kind, count, milliseconds, angle = MOVING[path.name]
    still = sdimage.decode(path, thumbnail_size=(240, 240), pixel_format="rgba8")
    still = still.transform(transforms.round_corner(0 if kind == "webp" else 120))
    frames = [still.transform(transforms.rotate(angle(index / count), fit_size=False)) for index in range(count)]
    return sdimage.Image.animation(frames, [milliseconds] * count).encode(kind)


def _hash(image: sdimage.Image, index: int) -> str:
    if index % 2:
        return "thumbhash " + placeholders.thumbhash_encode(image).hex()
    return "blurhash " + placeholders.blurhash_encode(image)


def entries(pictures: list[tuple[str, str]], origin: Origin, count: int) -> Iterator[str]:
    """Lines of a list: the images repeated, each time under another URL; in the first round some arrive slowly."""
    for number in range(count):
        url, text = pictures[number % len(pictures)]
        slow = SLOW.get(url.rpartition("/")[2]) if number < len(pictures) else None
        yield f"{url}?n={number}{f'&kbps={slow}' if slow else ''} {text}"
        if number == MISSING:
            yield origin.url("lost.jpg")


def shrink(path: Path) -> None:
    """Reduces an image to 256 colors."""
    few = sdimage.decode(sdimage.decode(path).encode("gif"))
    path.write_bytes(few.encode("png", effort=9))


def main() -> int:
    parser = argparse.ArgumentParser(description="Shows the gallery on pictures of its own.")
    toolkit = parser.add_mutually_exclusive_group()
    toolkit.add_argument("--gtk", action="store_const", dest="toolkit", const="gtk", help="in GTK 4; else in SDL 2")
    toolkit.add_argument("--qt", action="store_const", dest="toolkit", const="qt", help="in Qt Quick")
    toolkit.add_argument("--qtwidgets", action="store_const", dest="toolkit", const="qtwidgets", help="in Qt Widgets")
    parser.set_defaults(toolkit="sdl")
    parser.add_argument("--pictures", type=Path, default=ROOT / "Tests" / "fixtures" / "pictures", help="a folder")
    parser.add_argument("--count", type=int, default=1000, help="how many are on the wall")
    parser.add_argument("--kbps", type=int, default=0, help="kilobytes a second for each picture")
    parser.add_argument("--shot", type=Path, help="writes what the window shows, and leaves")
    parser.add_argument("--programs", type=Path, default=BUILT / "bin", help="where the programs are")
    options = parser.parse_args()
    environment = dict(os.environ)
    with (
        tempfile.TemporaryDirectory(prefix="gallery-") as folder,
        Origin(options.pictures, kbps=options.kbps) as origin,
    ):
        wall = Path(folder) / "list"
        lines = entries(publish(options.pictures, origin, options.toolkit != "sdl"), origin, options.count)
        wall.write_text("\n".join(lines) + "\n")
        command = [str(options.programs / f"gallery-{options.toolkit}"), "--list", str(wall)]
        if options.toolkit == "gtk":
            command = [command[0], *(["--shot", str(options.shot)] if options.shot else []), str(wall)]
        if options.shot:
            environment.update(RENDERERS)
        if options.shot and options.toolkit != "gtk":
            command += ["--size", SIZE[options.toolkit]]
            if options.toolkit == "sdl":
                command += ["--script", f"progress 45, frames 40, shot {options.shot}"]
            else:
                command += ["--shot", str(options.shot)]
        status = subprocess.run(command, env=environment, check=False).returncode
    if options.shot and status == 0:
        shrink(options.shot)
    return status


if __name__ == "__main__":
    sys.exit(main())
