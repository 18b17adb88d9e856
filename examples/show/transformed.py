"""The sheet of all transformers and filters: one picture, changed by each of them with its defaults."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import contact
import sdimage
from sdimage import transforms

_COLUMNS = 7
#: For filters whose defaults change nothing.
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
#: The side of each cell's picture, in pixels.
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


def sheet(path: Path) -> bytes:
    """The sheet as PNG."""
    image = sdimage.decode(path).transform(transforms.resize(_BOX, "aspect_fill"))
    cells = [("the picture", image)] + [(name, image.transform(change)) for name, change in changes()]
    step = (_BOX[0] + 16, _BOX[1] + 36)
    canvas = contact.Canvas(_COLUMNS * step[0] + 16, -(-len(cells) // _COLUMNS) * step[1] + 16)
    for index, (name, each) in enumerate(cells):
        x, y = 16 + index % _COLUMNS * step[0], 16 + index // _COLUMNS * step[1]
        # What became larger than its cell is shown as its middle.
        if each.width > _BOX[0] or each.height > _BOX[1]:
            each = each.transform(transforms.resize(_BOX, "aspect_fill"))
        canvas.image(each, x, y + _BOX[1] - each.height)
        canvas.text(name[:18], x, y + _BOX[1] + 8, contact.BRIGHT, 1)
    return canvas.png()
