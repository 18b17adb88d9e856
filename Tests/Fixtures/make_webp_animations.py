#!/usr/bin/env python3
"""Draws the animated WebP fixtures, and what libwebp's own decoder of animations makes of them. Needs Pillow with WebP,
numpy, and libwebpdemux.

`moving.webp` has every mixture of blending, disposal, alpha and place that matters; `moving_straight.png` and
`moving_premultiplied.png` are its frames, one below the other. `keys.webp` has 12 frames of which the eleventh covers all.
"""
import ctypes
import io
import pathlib
import struct

import numpy as np
from PIL import Image

HERE = pathlib.Path(__file__).parent / "webp"
SIZE = (24, 20)
MODE_RGBA, MODE_rgbA = 1, 7
DEMUX_ABI = 0x0107


def chunk(name, body):
    return name + struct.pack("<I", len(body)) + body + b"\0" * (len(body) & 1)


def three(value):
    return struct.pack("<I", value)[:3]


def frame(pixels, x, y, duration, over, cleared, **options):
    file = io.BytesIO()
    Image.fromarray(pixels, "RGBA" if pixels.shape[2] == 4 else "RGB").save(file, "WEBP", exact=True, **options)
    bitstream = file.getvalue()[12:]
    if bitstream[:4] == b"VP8X":
        bitstream = bitstream[18:]
    height, width = pixels.shape[:2]
    flags = (0 if over else 2) | (1 if cleared else 0)
    place = three(x // 2) + three(y // 2) + three(width - 1) + three(height - 1) + three(duration) + bytes([flags])
    return chunk(b"ANMF", place + bitstream)


def container(frames, size=SIZE, loops=2):
    body = chunk(b"VP8X", bytes([0x12, 0, 0, 0]) + three(size[0] - 1) + three(size[1] - 1))
    return chunk(b"RIFF", b"WEBP" + body + chunk(b"ANIM", b"\xff\x80\x40\x20" + struct.pack("<H", loops)) + b"".join(frames))


def moving():
    random = np.random.default_rng(7)
    frames = []
    for index in range(16):
        is_full = index in (5, 11)
        x, y = (0, 0) if is_full else (2 * int(random.integers(0, 6)), 2 * int(random.integers(0, 5)))
        width = SIZE[0] if is_full else int(random.integers(1, SIZE[0] - x + 1))
        height = SIZE[1] if is_full else int(random.integers(1, SIZE[1] - y + 1))
        is_opaque = index in (5, 9)
        pixels = random.integers(0, 256, (height, width, 3 if is_opaque else 4), dtype=np.uint8)
        if not is_opaque:
            pixels[..., 3] = random.choice([0, 255, 1, 2, 128, 254, 77], (height, width))
        lossy = index in (3, 12)
        frames.append(frame(pixels, x, y, 10 * index, over=index % 4 != 2, cleared=index in (1, 3, 4, 7, 11, 13),
                            lossless=not lossy, quality=90))
    return container(frames)


def keys():
    frames = []
    for index in range(12):
        is_key = index in (0, 10)
        width, height = SIZE if is_key else (4, 4)
        pixels = np.full((height, width, 3 if is_key else 4), 20 * index, np.uint8)
        frames.append(frame(pixels, 0, 0, 40, over=not is_key, cleared=False, lossless=True))
    return container(frames)


class Options(ctypes.Structure):
    _fields_ = [("mode", ctypes.c_int), ("threads", ctypes.c_int), ("padding", ctypes.c_uint32 * 7)]


class Data(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_char_p), ("size", ctypes.c_size_t)]


def reference(file, mode, size=SIZE):
    """All frames below each other as libwebp composes them."""
    lib = ctypes.CDLL("libwebpdemux.so.2")
    lib.WebPAnimDecoderNewInternal.restype = ctypes.c_void_p
    decoder = ctypes.c_void_p(lib.WebPAnimDecoderNewInternal(
        ctypes.byref(Data(file, len(file))), ctypes.byref(Options(mode, 0)), DEMUX_ABI))
    frames = []
    while lib.WebPAnimDecoderHasMoreFrames(decoder):
        pixels, time = ctypes.c_void_p(), ctypes.c_int()
        if not lib.WebPAnimDecoderGetNext(decoder, ctypes.byref(pixels), ctypes.byref(time)):
            raise RuntimeError("frame not decoded")
        frames.append(np.frombuffer(ctypes.string_at(pixels.value, size[0] * size[1] * 4), np.uint8))
    lib.WebPAnimDecoderDelete(decoder)
    return np.concatenate(frames).reshape(-1, size[0], 4)


def main():
    file = moving()
    (HERE / "moving.webp").write_bytes(file)
    Image.fromarray(reference(file, MODE_RGBA), "RGBA").save(HERE / "moving_straight.png")
    Image.fromarray(reference(file, MODE_rgbA), "RGBA").save(HERE / "moving_premultiplied.png")
    (HERE / "keys.webp").write_bytes(keys())


if __name__ == "__main__":
    main()
