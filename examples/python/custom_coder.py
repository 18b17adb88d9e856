#!/usr/bin/env python3
"""Decodes farbfeld (https://tools.suckless.org/farbfeld), a format without a built-in coder: custom_coder.py FILE [SIDE]"""

import struct
import sys

import sdimage

HEADER = 16


class Farbfeld(sdimage.Coder):
    """A coder for "farbfeld", width, height, then rows of RGBA with 16 bits a sample, all big-endian."""

    name = "farbfeld"

    def can_decode(self, head: bytes) -> bool:
        return len(head) >= HEADER and head.startswith(b"farbfeld")

    def info(self, data: bytes) -> dict[str, object]:
        width, height = struct.unpack_from(">II", data, 8)
        return {"width": width, "height": height, "has_alpha": True, "bits_per_channel": 16}

    def decode(self, data: bytes, options: sdimage.DecodeOptions) -> sdimage.Image:
        width, height = struct.unpack_from(">II", data, 8)
        if width * height > (options["max_pixels"] or 0):
            raise sdimage.Error("TOO_LARGE", "farbfeld: more pixels than allowed")
        if len(data) - HEADER < width * height * 8:
            raise sdimage.Error("TRUNCATED", "farbfeld: pixels are missing")
        samples = bytearray(data[HEADER : HEADER + width * height * 8])
        if sys.byteorder == "little":
            samples[::2], samples[1::2] = samples[1::2], samples[::2]
        return sdimage.Image.from_pixels(samples, width, height, "rgba16")


def main(path: str, side: str = "0") -> int:
    sdimage.register_coder(Farbfeld())  # from now on every decode and load of this process supports the format
    try:
        image = sdimage.decode(path, thumbnail_size=(int(side), int(side)))
    except sdimage.Error as error:
        print(f"custom_coder: {error}", file=sys.stderr)
        return 1
    print(f"{image.width}x{image.height} {image.pixel_format}")
    return 0


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
