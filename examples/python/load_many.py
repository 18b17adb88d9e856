#!/usr/bin/env python3
"""Loads many images at once, with callbacks on a thread of the library: load_many.py URL…"""

import queue
import sys

import sdimage


def main(urls: list[str]) -> int:
    # Callbacks run on a thread of the library and only queue the result.
    results: queue.SimpleQueue[tuple[str, sdimage.Result]] = queue.SimpleQueue()
    failed = 0
    with sdimage.Manager() as manager:
        for url in urls:
            manager.start(url, on_result=lambda result, url=url: results.put((url, result)))
        for done in range(1, len(urls) + 1):
            url, result = results.get()
            failed += result.image is None
            said = result.error or f"{result.image.width}x{result.image.height} from {result.source}"
            print(f"{done}/{len(urls)} {url}: {said}")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
