"""Scene 9: one image, changed by each transformer and filter with its defaults."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import contact
import sdimage
from sdimage import transforms
from stage import Cell, Stage

_COLUMNS = 7
#: For filters whose defaults do not change the image.
_PARAMETERS = {
    "CIColorControls": {"saturation": 1.7, "contrast": 1.3},
    "CIGammaAdjust": {"power": 2.0},
    "CIExposureAdjust": {"ev": 1.0},
    "CIHueAdjust": {"angle": 2.0},
    "CIVibrance": {"amount": 1.0},
    "CITemperatureAndTint": {"temperature": 4000.0},
    "CIColorMatrix": {"red_from_red": 0.0, "red_from_green": 1.0, "green_from_green": 0.0, "green_from_red": 1.0},
    "CISharpenLuminance": {"sharpness": 3.0},
    "CIUnsharpMask": {"intensity": 3.0},
}
#: Size of each cell's image, in pixels.
_BOX = (160, 120)


def changes() -> Iterator[tuple[str, transforms.Transformer]]:
    """Every transformer with a name for it."""
    width, height = _BOX
    yield "fill", transforms.resize((width, height / 2), "fill")
    yield "aspect fit", transforms.resize((width, height / 2), "aspect_fit")
    yield "aspect fill", transforms.resize((width, height / 2), "aspect_fill")
    yield "crop", transforms.crop((width / 4, height / 4, width / 2, height / 2))
    yield "round corner", transforms.round_corner(30)
    yield "two corners", transforms.round_corner(40, ["top_left", "bottom_right"])
    yield "border", transforms.round_corner(30, border_width=6, border_color="#ffcc33")
    yield "flip", transforms.flip(horizontal=True)
    yield "flip down", transforms.flip(vertical=True)
    yield "quarter turn", transforms.pipeline([transforms.resize((height, height)), transforms.rotate(math.pi / 2)])
    yield "rotate", transforms.rotate(math.radians(20), fit_size=False)
    yield "blur 4", transforms.blur(4)
    for mode in ("source_atop", "multiply", "screen", "overlay", "color_dodge", "difference", "hue", "luminosity"):
        yield mode.replace("_", " "), transforms.tint("#e0602080" if mode == "source_atop" else "#e06020", mode)
    for name in transforms.filters():
        yield name.removeprefix("CI"), transforms.filter(name, **_PARAMETERS.get(name, {}))


def transformers(stage: Stage) -> dict[str, Any]:
    """One image changed by each of them; verifies the results where possible."""
    terminal, path = stage.terminal, stage.pictures[0].path
    image = sdimage.decode(path).transform(transforms.resize(_BOX, "aspect_fill"))
    names = [(name, change) for name, change in changes()]
    cells = [Cell(image, "original"), *(Cell(image.transform(change), name) for name, change in names)]
    stage.strips["transformers"] = [cells]
    (stage.out / "transforms.png").write_bytes(_sheet(cells))
    stage.screen.show([[cell.image for cell in cells[4:10]]])
    terminal.line(f"   {len(names)} transformers and filters: {', '.join(name for name, _ in names[:12])} …")
    twice = image.transform(transforms.flip(horizontal=True), transforms.flip(horizontal=True))
    terminal.claim("two flips restore the image exactly", twice.tobytes() == image.tobytes())
    round_, side = transforms.round_corner(30), _BOX[0] // 2
    cut = image.transform(round_).convert("rgba8")
    terminal.claim(
        "rounded corners are transparent, the center is not",
        cut.pixels[3] == 0 and cut.pixels[cut.stride * 60 + side * 4 + 3] == 255,
    )
    parts = transforms.resize((_BOX[1], _BOX[1])), transforms.rotate(math.pi / 2)
    by_step, at_once = image.transform(*parts), image.transform(transforms.pipeline(list(parts)))
    terminal.claim("a pipeline equals its parts in sequence", by_step.tobytes() == at_once.tobytes())
    return {"count": len(names), "in_a_load": _in_a_load(stage)}


def _in_a_load(stage: Stage) -> dict[str, Any]:
    """A load with a transformer stores the variant under a key of its own."""
    url = stage.pictures[0].url
    change = transforms.pipeline([transforms.resize((120, 120)), transforms.round_corner(60)])
    stage.origin.reset()
    with stage.cache() as cache, sdimage.Manager(cache) as manager:
        first = manager.load(url, transformer=change, wait_for_store=True)
        cache.clear(disk=False)
        second = manager.load(url, transformer=change)
    assert first.image and second.image
    stage.terminal.claim(
        "a transformed image is found on disk under its own key, unchanged",
        second.source == "disk"
        and second.cache_key != url
        and second.image.tobytes() == first.image.tobytes()
        and stage.origin.hits() == 1,
    )
    return {"key": second.cache_key.removeprefix(stage.origin.url("")), "source": second.source}


def _sheet(cells: list[Cell]) -> bytes:
    """The sheet as PNG."""
    step = (_BOX[0] + 16, _BOX[1] + 36)
    canvas = contact.Canvas(_COLUMNS * step[0] + 16, -(-len(cells) // _COLUMNS) * step[1] + 16)
    for index, cell in enumerate(cells):
        each = cell.image
        assert each
        x, y = 16 + index % _COLUMNS * step[0], 16 + index // _COLUMNS * step[1]
        # An image larger than its cell is cropped to its center.
        if each.width > _BOX[0] or each.height > _BOX[1]:
            each = each.transform(transforms.resize(_BOX, "aspect_fill"))
        canvas.image(each, x, y + _BOX[1] - each.height)
        canvas.text(cell.caption[:18], x, y + _BOX[1] + 8, contact.BRIGHT, 1)
    return canvas.png()
