"""Images and movies from the encoders of the codec libraries: two programs in C, compiled on first use."""

from __future__ import annotations

import functools
import subprocess
import tempfile
import unittest
from collections.abc import Iterable, Sequence
from pathlib import Path

from .support import ROOT

BUILT = tempfile.TemporaryDirectory(prefix="sdimage-writers-")
Color = Sequence[int]


@functools.cache
def program(name: str, packages: str) -> Path:
    """Skips the test if the headers of the packages are not installed."""
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", *packages.split()], capture_output=True, text=True)
    if flags.returncode:
        raise unittest.SkipTest(f"the headers of {packages} are not installed")
    source, path = ROOT / f"Tests/plugins/{name}.c", Path(BUILT.name, name)
    subprocess.run(["gcc", "-std=c11", "-O1", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", source, "-o", path,
                    *flags.stdout.split()], check=True)
    return path


def ycbcr(color: Color, is_full: bool, is_709: bool = False) -> str:
    """RGB as ITU-R BT.601 or BT.709 defines it, from 16 to 235, or in the range of JPEG, from 0 to 255."""
    red, green, blue = (part / 255 for part in color)
    from_red, from_blue = (0.2126, 0.0722) if is_709 else (0.299, 0.114)
    light = from_red * red + (1 - from_red - from_blue) * green + from_blue * blue
    black, white, chroma = (0, 255, 255) if is_full else (16, 219, 224)
    sides = (black + white * light, 128 + chroma * (blue - light) / (2 - 2 * from_blue),
             128 + chroma * (red - light) / (2 - 2 * from_red))
    return " ".join(str(min(255, max(0, round(side)))) for side in sides)


def movie(container: str, encoder: str, halves: Iterable[tuple[Color, Color]], *options: str, width: int = 64,
          height: int = 48, pixel_format: str = "yuv420p") -> bytes:
    """A movie of 25 frames per second, each given by the colors of its halves. Skips the test if the encoder is not
    available."""
    writer = program("movie_writer", "libavformat libavcodec libavutil")
    if encoder == "mjpeg":
        pixel_format = "yuvj420p"
    is_full, is_709 = "j" in pixel_format or "color_range=pc" in options, "colorspace=bt709" in options
    lines = "".join(f"{ycbcr(left, is_full, is_709)} {ycbcr(right, is_full, is_709)}\n" for left, right in halves)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "movie")
        done = subprocess.run([writer, container, encoder, pixel_format, str(width), str(height), path, *options], input=lines, text=True,
                              capture_output=True)
        if done.returncode == 3:
            raise unittest.SkipTest(f"libavcodec was built without {encoder}")
        assert done.returncode == 0, done.stderr
        return path.read_bytes()


def jxl(samples: bytes, width: int, height: int, primaries: int, transfer: int, distance: float = 0, kind: str = "plain"
        ) -> bytes:
    """An image of 16-bit RGB in the machine's byte order with code points of ITU-T H.273. `kind`: "alpha" for RGBA, or
    "layers" for RGBA and a second layer (jxl_writer.c)."""
    writer = program("jxl_writer", "libjxl")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "picture.jxl")
        numbers = [str(number) for number in (width, height, primaries, transfer, distance)]
        subprocess.run([writer, *numbers, kind, path], input=samples, check=True)
        return path.read_bytes()


def premultiplied(data: bytes) -> bytes:
    """Marks the alpha of an image of :func:`jxl` as multiplied into its colors, which libjxl 0.7 cannot write: sets
    alpha_associated in ImageMetadata (ISO/IEC 18181-1)."""
    start = data.index(b"\xff\x0a")
    bits = int.from_bytes(data[start : start + 64], "little")
    at = 16

    def u(count: int) -> int:
        nonlocal at
        at += count
        return bits >> (at - count) & ((1 << count) - 1)

    def u32(*sizes: int) -> int:
        return u(sizes[u(2)])

    def side(is_small: int) -> None:
        u(5) if is_small else u32(9, 13, 18, 30)

    def depth() -> None:
        assert not u(1), "float samples"
        u32(0, 0, 0, 6)

    is_small = u(1)
    side(is_small)
    if u(3) == 0:
        side(is_small)
    assert not u(1) and not u(1), "default metadata, or extra fields"
    depth()
    u(1)
    assert u(2) == 1 and not u(1), "one extra channel with fields of its own"
    assert u(2) == 0, "alpha"
    depth()
    assert u(2) == 0 and u(2) == 0, "no shift and no name"
    bits |= 1 << at
    return data[:start] + bits.to_bytes(64, "little") + data[start + 64 :]
