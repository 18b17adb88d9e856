#!/usr/bin/env python3
"""Makes an avatar, a square part of an image with round corners: transform.py IN OUT [SIDE]"""

import sys

import sdimage
from sdimage import transforms


def main(source: str, target: str, side: str = "128") -> int:
    try:
        size = float(side)
        square = transforms.resize((size, size), mode="aspect_fill")
        circle = transforms.round_corner(size / 2, border_width=2, border_color="#808080")
        avatar = transforms.pipeline([square, circle])
        image = sdimage.decode(source).transform(avatar)
        image.save(target)
        print(f"{image.width}x{image.height} by {avatar.key}")
    except sdimage.Error as error:
        print(f"transform: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
