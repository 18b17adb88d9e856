"""The scenes of the demo; each returns what the report shows."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
import urllib.parse
from pathlib import Path
from typing import Any

import sdimage
from pictures import Picture
from sdimage._specimens import jpeg
from sdimage.origin import Origin
from terminal import Terminal

ROUNDS = 5
WAITERS = 200
LAYERS = ("cold", "disk", "memory")


def gallery(terminal: Terminal, origin: Origin, pictures: list[Picture], cache: sdimage.ImageCache) -> dict[str, Any]:
    """All pictures at once over slow connections, with live progress."""
    total = sum(picture.size for picture in pictures)
    for picture in pictures:
        picture.url = origin.url(urllib.parse.quote(picture.name))
    started = time.perf_counter()
    with sdimage.Manager(cache) as manager:
        tasks = [manager.start(picture.url + "?kbps=120&delay_ms=40") for picture in pictures]
        told: set[int] = set()
        while True:
            ended = [index for index, task in enumerate(tasks) if task.done]
            terminal.draw(_bars(terminal, pictures, tasks, total, time.perf_counter() - started))
            if terminal.is_plain:
                for index in ended:
                    if index not in told:
                        print(f"   {len(told) + 1:2d}/{len(tasks)}  {pictures[index].name}", flush=True)
                        told.add(index)
            if len(ended) == len(tasks):
                break
            time.sleep(0.04)
        terminal.drawn()
        seconds = time.perf_counter() - started
        results = [task.wait() for task in tasks]
        # Connections are the origin's count: it says how well they are re-used.
        counters = origin.counters()
        sources = {result.source for result in results}
    terminal.line(f"   {total / 1000:,.0f} kB in {seconds:.1f} s over {counters['connections']} connections")
    terminal.claim(f"{len(pictures)} pictures came from the network", sources == {"network"} and len(pictures) >= 24)
    terminal.claim("the origin was asked once for each", counters["paths"] == {picture.name: 1 for picture in pictures})
    wrong = [text for picture in pictures for text in picture.wrong_probes()]
    points = sum(len(picture.probes) for picture in pictures)
    terminal.claim(
        f"{points} points of them have the colour that was drawn" + "".join(f"; {text}" for text in wrong), not wrong
    )
    return {"seconds": round(seconds, 3), "bytes": total, "origin": counters}


def _bars(
    terminal: Terminal, pictures: list[Picture], tasks: list[sdimage.Task], total: int, seconds: float
) -> list[str]:
    lines, received = [], 0
    for picture, task in zip(pictures, tasks):
        have = picture.size if task.done else min(task.progress[0], picture.size)
        received += have
        state = "done" if task.done else f"{have / 1000:4.0f} kB"
        lines.append(f"   {picture.name:<22.22} {terminal.bar(have / picture.size)} {state}")
    rate = received / 1000 / max(seconds, 0.001)
    last = f"   {'all':<22} {terminal.bar(received / total)} {received / 1000:,.0f} kB, {rate:,.0f} kB/s"
    return [*lines, last] if len(lines) < terminal.rows else [last]


def timings(terminal: Terminal, origin: Origin, pictures: list[Picture], cache: sdimage.ImageCache) -> dict[str, Any]:
    """Each picture by itself: from the network with everything cold, from disk, from memory."""
    origin.reset()
    strays = []
    with sdimage.Manager(cache) as manager:

        def timed(picture: Picture, source: str, **options: Any) -> float:
            started = time.perf_counter()
            result = manager.load(picture.url, **options)
            milliseconds = (time.perf_counter() - started) * 1000
            picture.network_loads += result.source == "network"
            if result.source != source:
                strays.append(f"{picture.name} from {result.source}, not {source}")
            return milliseconds

        for picture in pictures:
            picture.times["cold"] = timed(picture, "network", wait_for_store=True)
            disk, memory = [], []
            for _ in range(ROUNDS):
                cache.remove(picture.url, disk=False)
                disk.append(timed(picture, "disk"))
                memory.append(timed(picture, "memory"))
            picture.times.update(disk=statistics.median(disk), memory=statistics.median(memory))
            picture.requests = origin.hits(picture.name)
    rows = [
        (
            picture.name,
            picture.known["format"],
            f"{picture.known['width']}×{picture.known['height']}",
            f"{picture.size / 1000:.0f}",
            *(f"{picture.times[layer]:.{digits}f}" for layer, digits in zip(LAYERS, (2, 2, 4))),
            picture.network_loads,
            picture.requests,
        )
        for picture in pictures
    ]
    terminal.table(("picture", "format", "pixels", "kB", *(f"{layer} ms" for layer in LAYERS), "ours", "origin"), rows)
    terminal.line(
        "   cold: until it is stored, too. ours: loads that used the network; origin: requests that it counted"
    )
    median = {layer: statistics.median(picture.times[layer] for picture in pictures) for layer in LAYERS}
    told = ", ".join(f"{layer} {median[layer]:.3g} ms" for layer in LAYERS)
    terminal.claim("each load came from where it should" + "".join(f"; {stray}" for stray in strays), not strays)
    terminal.claim(f"medians: {told}: memory < disk < cold", median["memory"] < median["disk"] < median["cold"])
    asked = {(picture.network_loads, picture.requests) for picture in pictures}
    terminal.claim(f"{2 * ROUNDS + 1} loads of each picture were one request", asked == {(1, 1)})
    return {"median_ms": median, "rounds": ROUNDS, "origin": origin.counters()}


def coalescing(terminal: Terminal, origin: Origin, picture: Picture) -> dict[str, Any]:
    """Two hundred loads of one URL, in four sizes, at the same time."""
    origin.reset()
    sides = (None, 64, 128, 256)
    with sdimage.Manager(cache=None) as manager:
        started = time.perf_counter()
        tasks = [
            manager.start(
                picture.url + "?delay_ms=150",
                thumbnail_size=(side, side) if side else None,
            )
            for side in (sides[index % len(sides)] for index in range(WAITERS))
        ]
        images = [task.wait().image for task in tasks]
        seconds = time.perf_counter() - started
    widths = sorted({image.width for image in images if image})
    hits = origin.hits(picture.name)
    terminal.line(
        f"   {WAITERS} loads, {len(widths)} sizes (widths {', '.join(map(str, widths))}), {seconds * 1000:.0f} ms"
    )
    terminal.claim(f"the origin counts {hits} request for {WAITERS} loads", hits == 1 and len(widths) == len(sides))
    return {"loads": WAITERS, "widths": widths, "origin_requests": hits, "seconds": round(seconds, 3)}


PEAK = """
import sys, sdimage
def peak():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))
with open(sys.argv[1], "rb") as file:
    data = file.read()
before = peak()
side = int(sys.argv[2])
image = sdimage.decode(data, thumbnail_size=(side, side) if side else None)
print(image.width, image.height, before, peak())
"""


def memory(terminal: Terminal, folder: Path) -> dict[str, Any]:
    """Peak memory of a JPEG of 24 megapixels as a thumbnail and in full, each in a process of its own."""
    path = folder / "large.jpg"
    path.write_bytes(jpeg(6000, 4000))
    found: dict[str, Any] = {}
    for name, side in (("thumbnail", 256), ("full", 0)):
        done = subprocess.run(
            [sys.executable, "-c", PEAK, str(path), str(side)], capture_output=True, text=True, check=True
        )
        width, height, before, peak = map(int, done.stdout.split())
        found[name] = {"width": width, "height": height, "peak_mb": peak / 1024, "growth_mb": (peak - before) / 1024}
        terminal.line(
            f"   {width:4d} x {height:<4d}  peak {peak / 1024:6.1f} MB, "
            f"of which decoding {(peak - before) / 1024:5.1f} MB"
        )
    small, full = found["thumbnail"]["growth_mb"], found["full"]["growth_mb"]
    bitmap = 6000 * 4000 * 3 / 2**20
    path.unlink()
    terminal.claim(
        f"the thumbnail took {small:.1f} MB, the full picture {full:.1f} MB", small < full / 4 and full >= bitmap
    )
    terminal.claim(f"the thumbnail never held the bitmap of {bitmap:.0f} MB", small < bitmap / 4)
    return found


FAULTS = (
    ("a web page under 200", "fault=html", "NOT_AN_IMAGE"),
    ("half a picture under 200", "fault=truncated", "TRUNCATED"),
    ("no such picture", "status=404", "HTTP_STATUS"),
    ("a broken server", "status=500", "HTTP_STATUS"),
    ("an empty body", "fault=empty", "EMPTY_DATA"),
    ("random bytes", "fault=garbage", "NOT_AN_IMAGE"),
    ("a body shorter than announced", "fault=short", "CONNECTION_LOST"),
    ("a reset in the middle", "fault=reset", "CONNECTION_LOST"),
)


def bad_answers(
    terminal: Terminal, origin: Origin, picture: Picture, cache: sdimage.ImageCache
) -> list[dict[str, Any]]:
    """What servers do wrong: each refused with its own code, nothing kept, and the next good load works."""
    found = []
    with sdimage.Manager(cache) as manager:
        for said, query, want in FAULTS:
            url = f"{picture.url}?{query}&{len(found)}"
            try:
                code, message = "none", str(manager.load(url, wait_for_store=True).image)
            except sdimage.Error as error:
                code, message = error.code, error.message
            cache.flush()
            kept = cache.contains(url)
            good = manager.load(picture.url + f"?good&{len(found)}").image is not None
            found.append({"answer": said, "code": code, "message": message, "kept": kept, "good": good, "want": want})
    terminal.table(
        ("the origin sent", "refused as", "kept", "then a good load"),
        [(row["answer"], row["code"], row["kept"], "works" if row["good"] else "fails") for row in found],
    )
    right = all(row["code"] == row["want"] for row in found)
    terminal.claim("every bad answer was refused for what it is", right)
    terminal.claim(
        "none was cached, and good loads went on", all(row["kept"] == "none" and row["good"] for row in found)
    )
    return found
