"""Scene 12: the renditions of a photograph with a gain map."""

from __future__ import annotations

from array import array
from typing import Any

import sdimage
from specimens import PICTURES
from stage import Cell, Stage

_FILE = PICTURES.parent / "hdr" / "sunset.jpg"
#: Headroom of a display, in stops.
_DISPLAY = 1.0


def hdr(stage: Stage) -> dict[str, Any]:
    """The base image, and the HDR rendition: darkened, for a display, and tone-mapped."""
    terminal = stage.terminal
    base = sdimage.decode(_FILE, pixel_format="rgb8")
    bright = sdimage.decode(_FILE, dynamic_range="hdr")
    shown = sdimage.decode(_FILE, dynamic_range="automatic", display_headroom=_DISPLAY)
    mapped = bright.convert("rgb8")
    peaks = {"hdr": max(_light(bright)), "display": max(_light(shown))}
    cells = [
        Cell(base, "SDR", "the base image"),
        Cell(_darker(bright, 3), "HDR, -3 stops", f"light up to {peaks['hdr']:.1f} times white"),
        Cell(_darker(shown, 1), f"display, -{_DISPLAY:.0f} stop", f"headroom {_DISPLAY:.0f}: up to {peaks['display']:.1f}"),
        Cell(mapped, "tone-mapped", "hdr as 8 bits, itu-r bt.2446"),
    ]
    stage.strip("hdr", [cells])
    white = sum(min(pixel) == 255 for pixel in zip(*[iter(mapped.tobytes())] * 3))
    found = {"headroom": bright.headroom, "peaks": peaks, "display": _DISPLAY, "white_pixels": white}
    terminal.line(f"   content headroom {bright.headroom:.2f} stops; brightest sample {peaks['hdr']:.2f} times white")
    terminal.claim("the HDR rendition is brighter than white, the base image is not", peaks["hdr"] > 4 and not base.is_hdr)
    terminal.claim(
        f"for a display with a headroom of {_DISPLAY:.0f} stop, no sample exceeds {2**_DISPLAY:.0f} times white",
        shown.headroom == _DISPLAY and 1 < peaks["display"] <= 2**_DISPLAY * 1.001,
    )
    terminal.claim("tone-mapped to 8 bits, no pixel is clipped to white", white == 0 and not mapped.is_hdr)
    return found


def _light(image: sdimage.Image) -> array[float]:
    """Red, green and blue of all pixels; 1 is the white of SDR."""
    samples = array("f", image.tobytes())
    del samples[3::4]
    return samples


def _darker(image: sdimage.Image, stops: int) -> sdimage.Image:
    """The image with a lower exposure, in 8 bits."""
    samples = array("f", image.tobytes())
    for channel in range(3):
        samples[channel::4] = array("f", [value / 2**stops for value in samples[channel::4]])
    light = sdimage.Image.from_pixels(samples.tobytes(), image.width, image.height, "rgba_float")
    return light.convert("rgb8")
