"""Scenes 4 and 11: the memory of a large JPEG as a thumbnail, and a cache under memory pressure."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import specimens
from stage import Stage

_CHILDREN = Path(__file__).resolve().parent / "children.py"
_SIDE = 320


def child(*arguments: object, inside: list[str] | None = None) -> dict[str, Any]:
    """The output of a program of ``children.py``."""
    command = [*(inside or []), sys.executable, str(_CHILDREN), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr[-600:]}")
    return dict(json.loads(done.stdout))


def memory(stage: Stage) -> dict[str, Any]:
    """Peak memory of a JPEG of 48 megapixels as a thumbnail, by each method, in a process of its own."""
    terminal, path = stage.terminal, specimens.large_jpeg(stage.made)
    found: dict[str, Any] = {way: child("peak", path, _SIDE, way) for way in ("thumbnail", "whole")}
    for way, said in (("thumbnail", "decoded as a thumbnail"), ("whole", "decoded whole, then resized")):
        row = found[way]
        terminal.line(
            f"   {said:<28} {row['width']} x {row['height']}: peak {row['peak_mb']:6.1f} MB, decoding "
            f"{row['growth_mb']:6.1f} MB, in {row['seconds'] * 1000:.0f} ms"
        )
    small, full = found["thumbnail"]["growth_mb"], found["whole"]["growth_mb"]
    bitmap = specimens.LARGE[0] * specimens.LARGE[1] * 3 / 2**20
    terminal.claim(
        f"the thumbnail took {small:.1f} MB, the full image {full:.1f} MB", small < full / 4 and full >= bitmap
    )
    terminal.claim(f"the thumbnail never held the bitmap of {bitmap:.0f} MB", small < bitmap / 4)
    sizes = {(found[way]["width"], found[way]["height"]) for way in found}
    terminal.claim(f"both are {' and '.join(f'{w} x {h}' for w, h in sizes)} pixels", len(sizes) == 1)
    return {**found, "bitmap_mb": bitmap, "megapixels": specimens.LARGE[0] * specimens.LARGE[1] / 1e6}


def _namespace(fake: Path) -> tuple[list[str], str] | None:
    """A command that runs a program with a system file replaced; None if the kernel does not permit it."""
    real = next((name for name in ("/proc/pressure/memory", "/proc/meminfo") if _readable(name)), None)
    if real is None or shutil.which("unshare") is None:
        return None
    fake.write_text(Path(real).read_text())
    script = 'mount --bind "$1" "$2" && shift 2 && exec "$@"'
    inside = [
        "unshare",
        *([] if os.geteuid() == 0 else ["--user", "--map-root-user"]),
        "--mount",
        "sh",
        "-c",
        script,
        "sh",
        str(fake),
        real,
    ]
    tried = subprocess.run([*inside, "true"], capture_output=True)
    return (inside, real) if tried.returncode == 0 else None


def _readable(name: str) -> bool:
    try:
        return bool(Path(name).read_text())
    except OSError:
        return False


def pressure(stage: Stage) -> dict[str, Any]:
    """The cache of a process before and after the system reports memory pressure."""
    terminal, fake = stage.terminal, stage.folder / "pressure"
    urls = [picture.url for picture in stage.pictures]
    listed = stage.folder / "urls.txt"
    listed.write_text("\n".join(urls))
    way = _namespace(fake)
    found = child(
        "pressure",
        listed,
        stage.folder / "under-pressure",
        fake if way else "",
        way[1] if way else "",
        inside=way[0] if way else None,
    )
    if way:
        terminal.line(f"   a process whose {way[1]} is simulated: {found['wrote']}")
    else:
        terminal.line(
            "   the kernel does not allow a simulated /proc: calling sdimage_trim_memory(true) instead"
        )
    for when in ("before", "after"):
        row = found[when]
        terminal.line(
            f"   {when:<6}  {row['pictures']:3d} images, {row['bytes'] / 2**20:6.1f} MB in memory, "
            f"{row['pixels'] / 2**20:6.1f} MB of pixels; {row['disk']} on disk; resident {row['resident_mb']:.0f} MB"
        )
    before, after = found["before"], found["after"]
    terminal.claim(
        f"the cache of {before['bytes'] / 2**20:.1f} MB was cleared",
        before["pictures"] == len(urls) and after["bytes"] == 0,
    )
    terminal.claim(
        "the disk cache is unchanged, and the next load came from it",
        after["disk"] == len(urls) and found["source"] == "disk",
    )
    released = before["pixels"] - after["pixels"]
    terminal.claim(f"{released / 2**20:.1f} MB of pixels were released", released > before["pixels"] / 2)
    return {**found, "by": way[1] if way else "sdimage_trim_memory"}
