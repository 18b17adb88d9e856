#!/usr/bin/env python3
"""Loads an image and prints its properties: load_one.py URL"""

import sys

import sdimage


def main(url: str) -> int:
    with sdimage.Manager() as manager:
        try:
            result = manager.load(url, thumbnail_size=(320, 320))
        except sdimage.Error as error:
            print(f"load_one: {error}", file=sys.stderr)
            return 1
    image = result.image
    assert image
    print(f"{image.width}x{image.height} {image.pixel_format} {image.format} from {result.source}")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
