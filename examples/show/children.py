"""Programs that scenes run in processes of their own; each prints its results as JSON.

children.py peak FILE SIDE thumbnail|whole      the peak memory of decoding an image
children.py pressure URLS CACHE FAKE REAL       a cache before and after memory pressure"""

from __future__ import annotations

import json
import re
import sys
import time
from pathlib import Path
from typing import Any

import sdimage
from sdimage import transforms


def _status(name: str) -> float:
    """A value of this process in megabytes, read from a number of kilobytes."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(name)) / 1024


def _pixel_bytes() -> int:
    """The memory of pixels: that of images, and that kept for the next ones."""
    values = re.findall(r"^sdimage_pixel_bytes\{.+\} (.+)$", sdimage.metrics(), re.MULTILINE)
    return sum(int(float(value)) for value in values)


def peak(path: str, side: str, way: str) -> dict[str, Any]:
    """Decodes an image to a thumbnail, or decodes it whole and then resizes it."""
    with open(path, "rb") as file:
        data = file.read()
    before, started, box = _status("VmHWM"), time.perf_counter(), int(side)
    if way == "thumbnail":
        image = sdimage.decode(data, thumbnail_size=(box, box))
    else:
        whole = sdimage.decode(data)
        image = whole.transform(transforms.resize((box, round(box * whole.height / whole.width))))
    seconds, after = time.perf_counter() - started, _status("VmHWM")
    return {
        "width": image.width,
        "height": image.height,
        "peak_mb": after,
        "growth_mb": after - before,
        "seconds": seconds,
    }


def pressure(listed: str, folder: str, fake: str, real: str) -> dict[str, Any]:
    """Fills a cache, simulates memory pressure, and waits for the library's reaction."""
    urls = Path(listed).read_text().split("\n")
    sdimage.set_isolation("risky")
    sdimage.load_plugins()
    with sdimage.ImageCache(folder) as cache, sdimage.Manager(cache) as manager:

        def state() -> dict[str, Any]:
            memory = cache.statistics()["memory"]
            return {
                "pictures": memory["count"],
                "bytes": memory["bytes"],
                "disk": cache.disk_count(),
                "pixels": _pixel_bytes(),
                "resident_mb": _status("VmRSS"),
            }

        for task in [manager.start(url, wait_for_store=True) for url in urls]:
            task.wait()
        before, started, wrote = state(), time.perf_counter(), ""
        if fake:
            sdimage.watch_memory_pressure()
            wrote = _shortage(Path(fake), real)
            while cache.statistics()["memory"]["bytes"] and time.perf_counter() - started < 120:
                time.sleep(0.02)
        else:
            sdimage.trim_memory(empty_caches=True)
        seconds = time.perf_counter() - started
        # The images are released shortly after the library's reaction.
        while _pixel_bytes() >= before["pixels"] / 2 and time.perf_counter() - started < 120:
            time.sleep(0.02)
        after = state()
        if fake:
            sdimage.watch_memory_pressure(False)
        source = manager.load(urls[0]).source
    return {"before": before, "after": after, "seconds": seconds, "source": source, "wrote": wrote}


def _shortage(fake: Path, real: str) -> str:
    """Writes memory pressure to the file that replaces the system's; returns the written line."""
    if real.endswith("pressure/memory"):
        line = "some avg10=42.00 avg60=11.00 avg300=3.00 total=1234567"
        fake.write_text(f"{line}\nfull avg10=20.00 avg60=5.00 avg300=1.00 total=234567\n")
    else:
        lines = fake.read_text().split("\n")
        line = "MemAvailable:          1 kB"
        fake.write_text("\n".join(line if each.startswith("MemAvailable:") else each for each in lines))
    return line


if __name__ == "__main__":
    print(json.dumps({"peak": peak, "pressure": pressure}[sys.argv[1]](*sys.argv[2:])))
