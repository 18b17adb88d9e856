"""The show of ``examples/demo``, on a library that is built: ``python3 examples/show [--ci]``."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bindings" / "python"))
os.environ["PYTHONPATH"] = str(ROOT / "bindings" / "python")

import contact
import pictures as gallery
import report
import scenes
import sdimage
import transformed
from sdimage.origin import Origin
from terminal import Terminal


def _machine() -> str:
    with open("/proc/cpuinfo") as file:
        names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    processor = names[0] if names else platform.machine()
    return f"{processor}, {os.cpu_count()} processors, Linux {platform.release()}"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="examples/demo", description="Shows sdimage at work, and checks what it says."
    )
    parser.add_argument("--ci", action="store_true", help="no colours, no bars")
    parser.add_argument("--pictures", type=Path, default=ROOT / "Tests" / "Fixtures" / "pictures", help="a folder")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "demo", help="where the report goes")
    return parser.parse_args()


def main() -> int:
    options = _arguments()
    terminal = Terminal(plain=options.ci)
    pictures = gallery.find(options.pictures)
    if not pictures:
        print(f"demo: there are no pictures in {options.pictures}", file=sys.stderr)
        return 1
    options.out.mkdir(parents=True, exist_ok=True)
    found: dict[str, object] = {"version": sdimage.version(), "machine": _machine()}
    started = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="sdimage-demo-") as folder, Origin(options.pictures) as origin:
        terminal.line(f"   sdimage {sdimage.version()}, {found['machine']}; the origin is {origin.url('')}")
        terminal.title(1, f"{len(pictures)} pictures at once, 120 kB a second for each connection")
        with sdimage.ImageCache(folder, "gallery") as cache:
            found["gallery"] = scenes.gallery(terminal, origin, pictures, cache)
        with sdimage.ImageCache(folder, "timings") as cache:
            terminal.title(2, "Each by itself: network, disk, memory")
            found["timings"] = scenes.timings(terminal, origin, pictures, cache)
            terminal.title(3, f"{scenes.WAITERS} loads of one URL at the same time")
            found["coalescing"] = scenes.coalescing(terminal, origin, pictures[0])
            terminal.title(4, "A JPEG of 24 megapixels, as a thumbnail and in full")
            found["memory"] = scenes.memory(terminal, Path(folder))
            terminal.title(5, "What servers do wrong")
            found["bad_answers"] = scenes.bad_answers(terminal, origin, pictures[0], cache)
    found["claims"] = terminal.claims
    terminal.title(6, "Report")
    _write(options.out, pictures, found)
    for name in ("report.html", "contact.png", "transforms.png", "timings.json"):
        terminal.line(f"   {os.path.relpath(options.out / name)}")
    wrong = [said for said, is_true in terminal.claims if not is_true]
    said = f"{len(terminal.claims) - len(wrong)} of {len(terminal.claims)} claims hold"
    terminal.line(f"\n{said}; the show took {time.perf_counter() - started:.1f} s")
    return 1 if wrong else 0


def _write(out: Path, pictures: list[gallery.Picture], found: dict[str, object]) -> None:
    (out / "contact.png").write_bytes(contact.sheet(pictures))
    (out / "transforms.png").write_bytes(transformed.sheet(pictures[0].path))
    (out / "report.html").write_text(report.page(pictures, found))
    rows = [
        {
            "name": picture.name,
            "bytes": picture.size,
            **{name: picture.known[name] for name in ("format", "width", "height", "frame_count")},
            "times_ms": picture.times,
            "network_loads": picture.network_loads,
            "origin_requests": picture.requests,
        }
        for picture in pictures
    ]
    (out / "timings.json").write_text(json.dumps({**found, "pictures": rows}, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
