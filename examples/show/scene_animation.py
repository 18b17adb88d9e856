"""Scene 8: films, frame by frame, and many of them at once."""

from __future__ import annotations

import io
import operator
import time
import zlib
from typing import Any

import moving
import sdimage
from stage import Cell, Stage

_PLAYERS, _BUDGET, _SIDE, _TICKS = 20, 6 << 20, 160, 32
#: Frames in the strips: one of each kind, and the frame after it.
_SHOWN = (1, 3, 5, 9, 10, 11)
#: Largest accepted mean difference of samples, of 255, for a lossy codec.
_LOSSY = 2.0
_SAME = "every pixel"


def animation(stage: Stage) -> dict[str, Any]:
    """One film in four formats, compared with its source frames; and players under one memory budget."""
    terminal, films, rows = stage.terminal, {}, []
    drawn, disposals = moving.painted(), [frame.dispose for frame in moving.script()]
    files = {"gif": moving.gif(), "png": moving.apng(), "webp": moving.webp()}
    avif = stage.made / "pictures" / "night-film.avif"
    if avif.exists():
        files["avif"] = avif.read_bytes()
    else:
        terminal.line("   avif: not shown, no coder")
    for name, data in files.items():
        films[name] = _film(stage, name, data, drawn)
        frames = films[name].pop("images")
        rows.append([Cell(frames[index], name, f"frame {index}: {disposals[index]}") for index in _SHOWN])
    stage.strip("animation", rows)
    terminal.table(
        ("format", "frames", "kB", "compared with the drawing", "compared with Pillow"),
        [
            (name, film["frames"], f"{film['bytes'] / 1000:.1f}", film["drawn"], film["pillow"])
            for name, film in films.items()
        ],
    )
    _compared(stage, films, disposals)
    return {"films": films, "players": _players(stage)}


def _compared(stage: Stage, films: dict[str, dict[str, Any]], disposals: list[str]) -> None:
    """The claims about the films."""
    terminal = stage.terminal
    kinds = ", ".join(f"{disposals.count(kind)} × {kind}" for kind in (moving.KEEP, moving.PREVIOUS, moving.BACKGROUND))
    exact = [name for name in films if name != "avif"]
    terminal.claim(
        f"{', '.join(exact)}: {len(disposals)} frames ({kinds}) are identical to the drawing",
        all(films[name]["drawn"] == _SAME for name in exact),
    )
    if "avif" in films:
        worst = films["avif"]["difference"]
        terminal.claim(f"avif: its frames differ by at most {worst:.2f} of 255, as expected of a lossy codec", worst <= _LOSSY)
    compared = [name for name in films if films[name]["pillow"] != "not run"]
    if compared:
        same = all(films[name]["pillow"] == _SAME for name in compared)
        terminal.claim(f"{', '.join(compared)}: Pillow's frames are the same", same)
    else:
        terminal.line("   Pillow is not installed, no comparison")


def _film(stage: Stage, name: str, data: bytes, drawn: list[bytes]) -> dict[str, Any]:
    """Loads a film from the origin and compares it with its source frames."""
    url = stage.origin.add(f"film.{name}", data)
    with sdimage.Manager(cache=None) as manager:
        image = manager.load(url).image
    assert image
    images = [image.frame(index) for index in range(image.frame_count)]
    pixels = [frame.convert("rgba8").tobytes() for frame in images]
    differences = [_difference(ours, theirs) for ours, theirs in zip(pixels, drawn)]
    same = len(pixels) == len(drawn) and image.durations_ms == [moving.FRAME_MS] * len(drawn) and max(differences) == 0
    reference = _pillow(data)
    pillow = "not run"
    if reference is not None:
        equal = len(reference) == len(pixels) and all(map(_is_seen_as, pixels, reference))
        pillow = _SAME if equal else "different"
    return {
        "images": images,
        "frames": image.frame_count,
        "bytes": len(data),
        "difference": max(differences),
        "drawn": _SAME if same else f"within {max(differences):.2f}",
        "pillow": pillow,
    }


def _difference(ours: bytes, theirs: bytes) -> float:
    if _is_seen_as(ours, theirs):
        return 0.0
    return sum(map(abs, map(operator.sub, ours, theirs))) / len(theirs)


def _is_seen_as(ours: bytes, theirs: bytes) -> bool:
    """True if the visible pixels are equal: transparent pixels have no color."""
    return ours == theirs or _seen(ours) == _seen(theirs)


def _seen(rgba: bytes) -> bytes:
    out = bytearray(rgba)
    for at in range(0, len(out), 4):
        if not out[at + 3]:
            out[at : at + 3] = bytes(3)
    return bytes(out)


def _pillow(data: bytes) -> list[bytes] | None:
    """Pillow's frames; None if it is not installed or does not support the film."""
    try:
        from PIL import Image, ImageSequence, UnidentifiedImageError
    except ImportError:
        return None
    try:
        with Image.open(io.BytesIO(data)) as film:
            return [frame.convert("RGBA").tobytes() for frame in ImageSequence.Iterator(film)]
    except UnidentifiedImageError:
        return None


def _players(stage: Stage) -> dict[str, Any]:
    """Many players, each of its own file; all their frames together far exceed the budget."""
    terminal = stage.terminal
    picture = next((each for each in stage.pictures if each.name == "orbits.gif"), None)
    data = picture.path.read_bytes() if picture else moving.gif()
    before = sdimage.frame_memory()["limit"]
    sdimage.frame_memory(limit=_BUDGET)
    try:
        image, shown, everything, peak, seconds = _play(data)
    finally:
        sdimage.frame_memory(limit=before)
    frames = _PLAYERS * _TICKS
    terminal.line(
        f"   {_PLAYERS} players, {frames:,} frames in {seconds:.2f} s; all frames need {everything / 2**20:.0f} MB, "
        f"the peak was {peak / 2**20:.1f} MB"
    )
    turn = [zlib.crc32(image.frame(index).pixels) for index in range(image.frame_count)]
    wanted = [turn[tick % len(turn)] for tick in range(_TICKS + 1)]
    terminal.claim(
        f"{_PLAYERS} players stayed within {_BUDGET / 2**20:.0f} MB, and each showed every frame in order",
        # A view first shows the still image, which is the first frame.
        peak <= _BUDGET < everything and all(each[-len(wanted) :] == wanted for each in shown),
    )
    return {
        "players": _PLAYERS,
        "frames": frames,
        "seconds": seconds,
        "peak": peak,
        "budget": _BUDGET,
        "everything": everything,
    }


def _play(data: bytes) -> tuple[sdimage.Image, list[list[int]], int, int, float]:
    """Plays a file in many views at once. Returns the image, the checksums of the shown frames for each view, the
    bytes of all frames, the peak memory, and the seconds."""
    shown: list[list[int]] = [[] for _ in range(_PLAYERS)]
    views, everything, peak = [], 0, 0
    for drawn in shown:
        image = sdimage.decode(data, thumbnail_size=(_SIDE, _SIDE))
        everything += image.frame_count * image.width * image.height * 4
        view = sdimage.AnimatedView(lambda frame, drawn=drawn: frame and drawn.append(zlib.crc32(frame.pixels)))
        view.set(image)
        views.append(view)
    ms, started = image.durations_ms[0], time.perf_counter()
    for _ in range(_TICKS):
        for view in views:
            view.tick(ms)
            # After each view: when a round has ended, the frames may already have been evicted.
            now = sdimage.frame_memory()
            peak = max(peak, now["bytes"] + now["canvas_bytes"])
    seconds = time.perf_counter() - started
    for view in views:
        view.close()
    return image, shown, everything, peak, seconds
