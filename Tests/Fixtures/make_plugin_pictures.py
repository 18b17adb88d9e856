#!/usr/bin/env python3
"""Draws the fixtures of the coder plug-ins beside this file: TIFF by the writer of the plug-ins' tests, JPEG XL by the
plug-in's own encoder, SVG as text. The package `sdimage` is needed, with the plug-in jxl.

The picture is a ramp: red from left to right, green from top to bottom.
"""
import gzip
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "PluginTests"), str(HERE.parents[1] / "bindings/python")]

import sdimage  # noqa: E402
from tests import tiffs  # noqa: E402

NAMESPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'


def tiff() -> dict[str, bytes]:
    alpha = tiffs.picture(lambda x, y: (*tiffs.ramp(x, y), x / 63)).set(338, tiffs.SHORT, 2)
    return {
        "tiled.tif": tiffs.file(tiffs.picture(tile=16, compression=8, predictor=True)),
        "planar_16.tif": tiffs.file(tiffs.picture(bits=16, planar=True, order=">", compression=8)),
        "packed.tif": tiffs.file(tiffs.picture(compression=32773)),
        "alpha.tif": tiffs.file(alpha),
        "bilevel.tif": tiffs.file(tiffs.picture(tiffs.grey, bits=1, photometric=0)),
        "big.tif": tiffs.file(tiffs.picture(big=True, tile=32)),
        "inks.tif": tiffs.file(tiffs.picture(lambda x, y: (x / 63, 0, y / 31, 0.1), photometric=5, compression=8)),
        "float.tif": tiffs.file(tiffs.picture(tiffs.grey, bits=32, photometric=1, is_float=True, compression=8)),
        "pages.tif": tiffs.file(*[tiffs.picture(tiffs.grey, photometric=1, compression=8)] * 3),
    }


def jxl() -> dict[str, bytes]:
    sdimage.load_plugins()
    pixels = bytes(value for y in range(48) for x in range(64) for value in (x * 4, y * 5, 128, 255 - x))
    ramp = sdimage.Image.from_pixels(pixels, 64, 48, "rgba8")
    frames = [ramp, ramp.transform(sdimage.transforms.flip(horizontal=True))]
    return {
        "lossless_alpha.jxl": ramp.encode("jxl", lossless=True, effort=3),
        "lossy.jxl": ramp.convert("rgb8").encode("jxl", quality=0.7),
        "deep_gray.jxl": ramp.convert("gray16").encode("jxl", lossless=True, effort=1),
        "animated.jxl": sdimage.Image.animation(frames, [100, 200], 2).encode("jxl", quality=0.5),
        "described.jxl": ramp.encode("jxl", quality=0.5, xmp=b"<x:xmpmeta/>"),
    }


def svg() -> dict[str, bytes]:
    ramp = (f'<svg {NAMESPACES} width="64" height="32"><defs><linearGradient id="g"><stop stop-color="#00c"/>'
            '<stop offset="1" stop-color="#f0c"/></linearGradient><filter id="f"><feGaussianBlur stdDeviation="1"/></filter>'
            '</defs><rect width="64" height="32" fill="url(#g)"/><g id="a" filter="url(#f)"><circle cx="20" cy="16" r="9"/></g>'
            '<use xlink:href="#a" x="22" opacity=".5"/><text x="4" y="30" font-size="9">ramp</text></svg>').encode()
    pixel = ("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
    inside = (f'<!DOCTYPE svg [<!ENTITY e "<rect width=\'9\' height=\'9\'/>">]><svg {NAMESPACES} viewBox="0 0 40 20">&e;'
              f'<style>rect {{ fill: #0a0 }}</style><image width="9" height="9" xlink:href="data:image/png;base64,{pixel}"/>'
              '<path d="M1 1h9v9q2 3 4 5t5-1A3 4 5 0 1 30 12z" stroke="red" stroke-dasharray="2 1"/></svg>').encode()
    return {"ramp.svg": ramp, "ramp.svgz": gzip.compress(ramp, mtime=0), "inside.svg": inside}


def main() -> None:
    for folder, files in (("tiff", tiff()), ("jxl", jxl()), ("svg", svg())):
        (HERE / folder).mkdir(exist_ok=True)
        for name, data in files.items():
            (HERE / folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
