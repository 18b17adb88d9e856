#!/usr/bin/env python3
"""Decodes untrusted images in sandboxed processes: untrusted.py FILE..."""

import sys

import sdimage


def main(paths: list[str]) -> int:
    # Before plug-ins are loaded, so that this process does not open their libraries. "all" isolates JPEG and PNG, too.
    sdimage.set_isolation("risky")
    sdimage.load_plugins()
    status = 0
    for path in paths:
        try:
            image = sdimage.decode(path, thumbnail_size=(1024, 1024), max_pixels=50_000_000, max_work_ms=2000)
            print(f"{path}: {image.width}x{image.height}")
        except sdimage.Error as error:
            print(f"{path}: {error}")
            # A crash may be an attack. TIMEOUT and TOO_LARGE may be large images.
            status = 1 if error.code == "DECODER_CRASHED" else status
    counts = sdimage.isolation_statistics()
    print(f"{counts['started']} workers, {counts['crashes']} crashes, {counts['timeouts']} timeouts")
    return status


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
