#!/usr/bin/env python3
"""Says what could be shown while a file arrives: progressive.py FILE [BYTES-OF-A-PIECE]"""

import sys

import sdimage


def main(path: str, size: str = "16384") -> int:
    picture, total = sdimage.Animation(b""), 0
    try:
        with open(path, "rb") as file:
            while True:
                piece = file.read(int(size))
                total += len(piece)
                picture.update(piece, finished=not piece)
                shown = picture.image
                if shown is None:
                    print(f"{total:8} bytes: nothing yet")
                else:
                    part = "a part" if shown.is_incremental else "all of it"
                    print(f"{total:8} bytes: {shown.width}x{shown.height}, {part}, {len(picture)} whole frames")
                if not piece:
                    return 0
    except (OSError, sdimage.Error) as error:
        print(f"progressive: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
