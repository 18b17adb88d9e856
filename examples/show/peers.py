"""One job by one program: URLs to thumbnails. Prints the sizes of the thumbnails and the peak memory as JSON. Exits
with status 3 and a reason if the program cannot run.

peers.py sdimage|pillow|pyvips URLS FOLDER SIDE"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def _cannot(why: str) -> None:
    print(why)
    sys.exit(3)


def sdimage_(urls: list[str], folder: Path, side: int) -> list[str]:
    """The library, with a cache in the folder."""
    import sdimage

    with sdimage.ImageCache(folder / "cache") as cache, sdimage.Manager(cache) as manager:
        tasks = [manager.start(url, thumbnail_size=(side, side)) for url in urls]
        images = [task.wait().image for task in tasks]
    return [f"{image.width}x{image.height}" for image in images if image]


def _fetched(urls: list[str], folder: Path) -> list[Path]:
    """Downloads all URLs with one curl, six at a time, like the library."""
    if shutil.which("curl") is None:
        _cannot("curl is not installed")
    files = [folder / f"{number}.jpg" for number in range(len(urls))]
    config = "".join(f'url = "{url}"\noutput = "{file}"\n' for url, file in zip(urls, files))
    command = ["curl", "-sf", "--parallel", "--parallel-max", "6", "-K", "-"]
    # In some versions -s does not silence the progress of parallel transfers.
    subprocess.run(command, input=config, text=True, check=True, stderr=subprocess.DEVNULL)
    return files


def _each(files: list[Path], function: Callable[[Path], str]) -> list[str]:
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(function, files))


def pillow(urls: list[str], folder: Path, side: int) -> list[str]:
    """curl, and Pillow on one thread per processor."""
    try:
        from PIL import Image
    except ImportError:
        _cannot("Pillow is not installed")

    def thumbnail(path: Path) -> str:
        with Image.open(path) as image:
            image.thumbnail((side, side))
            return f"{image.width}x{image.height}"

    return _each(_fetched(urls, folder), thumbnail)


def pyvips_(urls: list[str], folder: Path, side: int) -> list[str]:
    """curl, and libvips, which has its own threads."""
    try:
        import pyvips
    except (ImportError, OSError):
        _cannot("pyvips is not installed")

    def thumbnail(path: Path) -> str:
        image = pyvips.Image.thumbnail(str(path), side, height=side)
        image.write_to_memory()
        return f"{image.width}x{image.height}"

    return _each(_fetched(urls, folder), thumbnail)


if __name__ == "__main__":
    job = {"sdimage": sdimage_, "pillow": pillow, "pyvips": pyvips_}[sys.argv[1]]
    made = job(Path(sys.argv[2]).read_text().split("\n"), Path(sys.argv[3]), int(sys.argv[4]))
    # The peak that wait4(2) reports is at least that of the parent before exec.
    peak = re.search(r"VmHWM:\s*(\d+)", Path("/proc/self/status").read_text())
    print(json.dumps({"sizes": " ".join(made), "peak_mb": int(peak[1]) / 1024 if peak else 0}))
