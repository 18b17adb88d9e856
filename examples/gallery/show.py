#!/usr/bin/env python3
"""The gallery on pictures of its own: serves a folder on the loopback interface and opens a window on it.

    python3 examples/gallery/show.py [--gtk] [--pictures FOLDER] [--count N] [--shot FILE]

It looks for the programs and the library in ``build/cmake``. Each picture comes with its BlurHash or ThumbHash, as a
list from a service would have it. ``--shot`` writes what the window shows while a few pictures are on their way, and leaves:
with the cairo renderer of GTK and the software renderer of SDL it is the same everywhere, Xvfb included.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import urllib.parse
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bindings" / "python"))

import sdimage
from sdimage import placeholders
from sdimage.origin import Origin

#: Rows and columns of the picture for the README, and what is still on its way there.
SHOT_SIZE = "1164x808"
SLOW = ("contour-map.png", "ember-sky-16.png", "ink-garden.jpg")
MISSING = 13


def entries(folder: Path, origin: Origin, count: int) -> Iterator[str]:
    """Lines of a list: the pictures again and again, each time under another URL."""
    names = [path.name for path in sorted(folder.iterdir()) if path.suffix != ".json"]
    # Formats side by side rather than one after the other.
    names = [name for start in range(7) for name in names[start::7]]
    hashes = [_hash(folder / name, index) for index, name in enumerate(names)]
    for number in range(count):
        name, text = names[number % len(names)], hashes[number % len(names)]
        slow = f"&kbps={32}" if name in SLOW and number < len(names) else ""
        yield f"{origin.url(urllib.parse.quote(name))}?n={number}{slow} {text}"
        if number == MISSING:
            yield f"{origin.url('lost.jpg')}"


def _hash(path: Path, index: int) -> str:
    image = sdimage.decode(path, thumbnail_size=(100, 100))
    if index % 2:
        return "thumbhash " + placeholders.thumbhash_encode(image).hex()
    return "blurhash " + placeholders.blurhash_encode(image)


def main() -> int:
    parser = argparse.ArgumentParser(description="Shows the gallery on pictures of its own.")
    parser.add_argument("--gtk", action="store_true", help="in GTK 4; else in SDL 2")
    parser.add_argument("--pictures", type=Path, default=ROOT / "Tests" / "Fixtures" / "pictures", help="a folder")
    parser.add_argument("--count", type=int, default=1000, help="how many are on the wall")
    parser.add_argument("--kbps", type=int, default=0, help="kilobytes a second for each picture")
    parser.add_argument("--shot", type=Path, help="writes what the window shows, and leaves")
    options = parser.parse_args()
    program = ROOT / "build" / "cmake" / "bin" / ("gallery-gtk" if options.gtk else "gallery-sdl")
    environment = dict(os.environ)
    with tempfile.TemporaryDirectory(prefix="sdimage-gallery-") as folder, Origin(
        options.pictures, kbps=options.kbps
    ) as origin:
        wall = Path(folder) / "list"
        wall.write_text("\n".join(entries(options.pictures, origin, options.count)) + "\n")
        command = [str(program), "--list", str(wall)]
        if options.shot:
            environment.update(SDL_RENDER_DRIVER="software", GSK_RENDERER="cairo")
            command += ["--size", SHOT_SIZE, "--script", f"progress 45, shot {options.shot}"]
        return subprocess.run(command, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
