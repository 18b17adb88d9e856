"""The show of ``examples/demo``, on a library that is already built: ``python3 examples/show [--ci]``."""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bindings" / "python"), str(ROOT / "Tests")]
os.environ["PYTHONPATH"] = str(ROOT / "bindings" / "python")

import comparison
import contact
import pictures as gallery
import report
import scene_animation
import scene_freshness
import scene_hdr
import scene_loading
import scene_memory
import scene_network
import scene_prefetch
import scene_progressive
import sdimage
import specimens
import transformed
from screen import Screen
from origin import Origin
from stage import Stage
from terminal import Terminal

#: In the order of the show: the key of each scene, its title, and its function.
SCENES: tuple[tuple[str, str, Callable[[Stage], dict[str, Any]]], ...] = (
    ("gallery", "All images at once, over slow connections", scene_loading.gallery),
    ("timings", "Times of network, revalidation, disk and memory", scene_loading.timings),
    ("coalescing", "200 concurrent loads of one URL", scene_loading.coalescing),
    ("memory", "Memory of a 48-megapixel thumbnail", scene_memory.memory),
    ("progressive", "Progressive display", scene_progressive.progressive),
    ("network", "Network faults", scene_network.network),
    ("freshness", "Freshness", scene_freshness.freshness),
    ("animation", "Animations and the frame budget", scene_animation.animation),
    ("transformers", "Transformers", transformed.transformers),
    ("prefetch", "A visible load among 100 prefetches", scene_prefetch.prefetch),
    ("pressure", "Memory pressure", scene_memory.pressure),
    ("hdr", "Renditions of an HDR photograph", scene_hdr.hdr),
    ("comparison", "Comparison with other programs", comparison.comparison),
)
_FEWEST = 4
#: Makes the show send extra requests to the origin, so that a figure is wrong: a test checks the exit status.
_STRAY = "SDIMAGE_DEMO_STRAY"


def _machine() -> str:
    with open("/proc/cpuinfo") as file:
        names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    processor = names[0] if names else platform.machine()
    return f"{processor}, {os.cpu_count()} processors, Linux {platform.release()}"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="examples/demo", description="Demonstrates the library and verifies each statement."
    )
    words = [name for name, _, _ in SCENES]
    parser.add_argument("--ci", action="store_true", help="print neither colors nor progress bars")
    parser.add_argument("--pictures", type=Path, default=specimens.PICTURES, help="use the images of this folder, at least four")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "demo", help="write the report into this folder")
    parser.add_argument(
        "--scene",
        action="append",
        choices=words,
        metavar="SCENE",
        help=f"run only this scene; may be repeated: {', '.join(words)}",
    )
    return parser.parse_args()


def main() -> int:
    options = _arguments()
    terminal, started = Terminal(plain=options.ci), time.perf_counter()
    sdimage.set_isolation("risky")
    sdimage.load_plugins()
    options.out.mkdir(parents=True, exist_ok=True)
    terminal.line("   The demo takes about twenty seconds; the first run also generates its images.")
    made = specimens.folder(options.out)
    folder, missing = specimens.further(made, options.pictures)
    pictures = gallery.find(folder)
    if len(pictures) < _FEWEST:
        print(f"demo: {len(pictures)} images in {options.pictures}, expected at least {_FEWEST}", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(prefix="sdimage-demo-") as temporary, Origin(folder) as origin:
        stage = Stage(terminal, Screen.open(options.ci), origin, pictures, Path(temporary), made, options.out, missing)
        stage.has_stray = _STRAY in os.environ
        scene_loading.urls(stage)
        found = _play(stage, options.scene)
        found["seconds"] = time.perf_counter() - started
        if options.scene is None:
            terminal.title(len(SCENES) + 1, "Report")
            _write(stage, found)
    return _told(terminal, started)


def _play(stage: Stage, wanted: list[str] | None) -> dict[str, Any]:
    """Runs the wanted scenes, or all of them; returns their results by key."""
    terminal, today = stage.terminal, datetime.date.today().isoformat()
    missing = {each.name: f"{each.code}, install {each.package}" for each in stage.missing}
    found: dict[str, Any] = {"version": sdimage.version(), "machine": _machine(), "date": today, "missing": missing}
    terminal.line(f"   sdimage {found['version']}, {found['machine']}, {today}; the origin is {stage.origin.url('')}")
    for name, why in missing.items():
        terminal.line(f"   missing: {name}: {why}")
    for number, (name, title, play) in enumerate(SCENES, 1):
        if wanted is None or name in wanted:
            terminal.title(number, title)
            first = len(terminal.claims)
            found[name] = play(stage)
            found[name].update(claims=terminal.claims[first:], where=f"{found['machine']}, {today}")
    return {**found, "claims": terminal.claims}


def _told(terminal: Terminal, started: float) -> int:
    wrong = [said for said, is_true in terminal.claims if not is_true]
    said = f"{len(terminal.claims) - len(wrong)} of {len(terminal.claims)} claims hold"
    terminal.line(f"\n{said}; the demo took {time.perf_counter() - started:.1f} s")
    for text in wrong:
        terminal.line(f"not true: {text}")
    return 1 if wrong else 0


def _write(stage: Stage, found: dict[str, Any]) -> None:
    out, pictures = stage.out, stage.pictures
    (out / "contact.png").write_bytes(contact.sheet(pictures, stage.missing))
    (out / "metrics.prom").write_text(sdimage.metrics())
    (out / "report.html").write_text(report.page(stage, found))
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
    for name in sorted(path.name for path in out.iterdir() if path.is_file()):
        stage.terminal.line(f"   {os.path.relpath(out / name)}")


if __name__ == "__main__":
    sys.exit(main())
