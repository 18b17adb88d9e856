#!/usr/bin/env python3
"""Composes the frames of an animation one by one: animated.py FILE [BOX]"""

import sys

import sdimage


def main(path: str, box: str = "0") -> int:
    size = (int(box), int(box)) if int(box) else None
    try:
        animation = sdimage.Animation(path, thumbnail_size=size)
        time = 0
        for number, (frame, duration) in enumerate(zip(animation, animation.durations_ms, strict=True)):
            print(f"{number:3}  at {time:6} ms for {duration:5} ms  {frame.width}x{frame.height}")
            time += duration
    except sdimage.Error as error:
        print(f"animated: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
