#!/usr/bin/env python3
"""Draws the JPEG and WebP fixtures beside this file. Needs Pillow with WebP, numpy, and jpegtran.

The picture is a ramp that the tests know by formula: red 4x, green 5y, blue 128, on 64 x 48 pixels.
"""
import io
import pathlib
import struct
import subprocess

import numpy as np
from PIL import Image, ImageCms

HERE = pathlib.Path(__file__).parent
ORIENTATION = 0x0112


def ramp(width=64, height=48):
    y, x = np.mgrid[0:height, 0:width]
    return np.dstack([x * 256 // width, y * 240 // height, np.full_like(x, 128)]).astype(np.uint8)


def translucent():
    alpha = np.clip(255 - 4 * np.mgrid[0:48, 0:64][1], 0, 255).astype(np.uint8)
    return Image.fromarray(np.dstack([ramp(), alpha]), "RGBA")


def turned(value):
    exif = Image.Exif()
    exif[ORIENTATION] = value
    return exif.tobytes()


def jpeg(name, image, **options):
    image.save(HERE / "jpeg" / name, "JPEG", **{"quality": 92, "subsampling": 0, **options})


def webp(name, image, **options):
    image.save(HERE / "webp" / name, "WEBP", **options)


def chunk(name, body):
    return name + struct.pack("<I", len(body)) + body + b"\0" * (len(body) & 1)


def three(value):
    return struct.pack("<I", value)[:3]


def placed():
    """An animation whose first frame covers only a part of its canvas: 64 x 48, the frame 32 x 16 at 8, 12."""
    def frame(image, x, y, duration):
        file = io.BytesIO()
        image.save(file, "WEBP", lossless=True)
        bitstream = file.getvalue()[12:]
        width, height = image.size
        place = three(x // 2) + three(y // 2) + three(width - 1) + three(height - 1) + three(duration) + b"\0"
        return chunk(b"ANMF", place + bitstream)

    red = Image.new("RGB", (32, 16), (200, 10, 20))
    body = chunk(b"VP8X", bytes([0x02, 0, 0, 0]) + three(63) + three(47))
    body += chunk(b"ANIM", b"\0\0\0\0" + struct.pack("<H", 5))
    body += frame(red, 8, 12, 40) + frame(Image.new("RGB", (64, 48), (1, 2, 3)), 0, 0, 5)
    (HERE / "webp" / "placed.webp").write_bytes(chunk(b"RIFF", b"WEBP" + body))


def main():
    picture = Image.fromarray(ramp(), "RGB")
    jpeg("ramp.jpg", picture)
    jpeg("ramp_420.jpg", picture, subsampling=2)
    # Pillow writes no arithmetic coding.
    subprocess.run(["jpegtran", "-arithmetic", "-outfile", HERE / "jpeg" / "ramp_arithmetic.jpg", HERE / "jpeg" / "ramp_420.jpg"],
                   check=True)
    jpeg("ramp_progressive.jpg", picture, progressive=True)
    jpeg("ramp_gray.jpg", picture.convert("L"))
    jpeg("ramp_cmyk.jpg", Image.fromarray(np.dstack([255 - ramp(), np.zeros((48, 64), np.uint8)]), "CMYK"))
    jpeg("ramp_restart.jpg", picture, restart_marker_rows=1)
    jpeg("ramp_profile.jpg", picture, icc_profile=ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    for value in range(1, 9):
        jpeg(f"turned_{value}.jpg", picture, exif=turned(value))
    jpeg("large.jpg", Image.fromarray(ramp(1024, 768), "RGB"), quality=60, subsampling=2)
    jpeg("large_progressive.jpg", Image.fromarray(ramp(1024, 768), "RGB"), quality=60, subsampling=2, progressive=True)
    webp("lossy.webp", picture, quality=90)
    webp("lossless.webp", picture, lossless=True)
    webp("lossy_alpha.webp", translucent(), quality=90)
    webp("lossless_alpha.webp", translucent(), lossless=True, exact=True)
    webp("turned_6.webp", picture, lossless=True, exif=turned(6))
    webp("profile.webp", picture, lossless=True,
         icc_profile=ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    webp("large.webp", Image.fromarray(ramp(1024, 768), "RGB"), quality=60)
    frames = [Image.new("RGB", (64, 48), color) for color in [(255, 0, 0), (0, 255, 0), (0, 0, 255)]]
    webp("animated.webp", frames[0], save_all=True, append_images=frames[1:], duration=[100, 5, 200], loop=3, lossless=True)
    placed()


main()
