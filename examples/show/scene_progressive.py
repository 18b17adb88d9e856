"""Scene 5: partial images from a part of the bytes."""

from __future__ import annotations

from typing import Any

import sdimage
from sdimage import transforms
from stage import Cell, Stage

PARTS = (10, 25, 50, 100)
_OPTIONS: dict[str, dict[str, Any]] = {
    "jpeg": {"progressive": True, "quality": 0.95},
    "webp": {"quality": 0.95},
    "jxl": {"quality": 0.95, "effort": 2},
}
#: Size for comparisons: small, so that coarse images are close to the final one.
_LOOK = (48, 36)


def progressive(stage: Stage) -> dict[str, Any]:
    """One image as JPEG, WebP and JPEG XL, at four points of its arrival."""
    terminal = stage.terminal
    image = sdimage.decode(stage.picture("ink-garden.jpg").path, pixel_format="rgb8")
    found, rows, heads = {}, [], ["format", "kB", *(f"{part} %" for part in PARTS)]
    table = []
    for name, options in _OPTIONS.items():
        try:
            data = image.encode(name, **options)
        except sdimage.Error as error:
            terminal.line(f"   {name}: not shown, {error.code}")
            continue
        cells, differences = _arrival(name, data)
        rows.append(cells)
        found[name] = {"bytes": len(data), "difference": dict(zip(map(str, PARTS), differences))}
        table.append(
            (
                name,
                f"{len(data) / 1000:.0f}",
                *("-" if each is None else f"{each:.1f}" for each in differences),
            )
        )
    stage.strip("progressive", rows)
    terminal.table(heads, table)
    terminal.line("   mean difference of samples (0 to 255) from the final image, both scaled down")
    for name, row in found.items():
        differences = list(row["difference"].values())
        seen = [each for each in differences if each is not None]
        falls = all(later < earlier for earlier, later in zip(seen, seen[1:]))
        terminal.claim(
            f"{name}: shown with a quarter of its bytes; each update is closer to the final image, and the last is equal",
            differences[PARTS.index(25)] is not None and falls and seen[-1] == 0,
        )
    terminal.claim("JPEG and WebP were shown in part", {"jpeg", "webp"} <= set(found))
    return found


def _arrival(name: str, data: bytes) -> tuple[list[Cell], list[float | None]]:
    """The partial image of a file at each point, and its difference from the final image."""
    whole = _looked(sdimage.decode(data))
    cells, differences, at = [], list[float | None](), 0
    # With alpha: missing rows are transparent.
    with sdimage.Animation(b"", pixel_format="rgba8") as growing:
        for part in PARTS:
            end = len(data) * part // 100
            growing.update(data[at:end], finished=part == PARTS[-1])
            at, image = end, growing.image
            cells.append(Cell(_with_alpha(image), f"{part} %", f"{name}, {end / 1000:.0f} kB"))
            look = _looked(image) if image else None
            differences.append(None if look is None else sum(abs(a - b) for a, b in zip(look, whole)) / len(whole))
    return cells, differences


def _with_alpha(image: sdimage.Image | None) -> sdimage.Image | None:
    """The image as raw pixels, so that a file without alpha is not treated as opaque."""
    return image and sdimage.Image.from_pixels(image.convert("rgba8").tobytes(), image.width, image.height, "rgba8")


def _looked(image: sdimage.Image) -> bytes:
    return image.convert("rgb8").transform(transforms.resize(_LOOK)).convert("rgb8").tobytes()
