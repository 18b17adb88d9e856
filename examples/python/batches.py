#!/usr/bin/env python3
"""Fills arrays with images of one size, as training loops need them: batches.py LIST [SIDE [COUNT]]

LIST is a file with one URL per line. Two arrays are used in turn: while one is in use, the next one is filled. Images
that cannot be loaded are left out.
"""

import itertools
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy
import sdimage


def batches(manager: sdimage.Manager, urls: list[str], side: int, count: int) -> Iterator[tuple[numpy.ndarray, list[str]]]:
    """Yields arrays of up to `count` images, ``(n, side, side, 3)``, and their URLs. An array is valid until the
    next request."""
    arrays = itertools.cycle(numpy.zeros((2, count, side, side, 3), numpy.uint8))

    def fill(some: list[str]) -> tuple[numpy.ndarray, list[str]]:
        array = next(arrays)[: len(some)]
        errors = manager.load_many(some, (side, side), out=array).errors
        for index, error in errors.items():
            print(f"{some[index]}: {error}", file=sys.stderr)
        good = [index for index in range(len(some)) if index not in errors]
        return (array[good] if errors else array), [some[index] for index in good]

    with ThreadPoolExecutor(1) as ahead:
        lists = [urls[at : at + count] for at in range(0, len(urls), count)]
        waiting = ahead.submit(fill, lists[0]) if lists else None
        for following in [*lists[1:], None]:
            if waiting is None:
                return
            ready = waiting.result()
            waiting = ahead.submit(fill, following) if following else None
            yield ready


def main(path: str, side: int = 224, count: int = 64) -> None:
    with open(path, encoding="utf-8") as file:
        urls = [line.strip() for line in file if line.strip()]
    with sdimage.Manager() as manager:
        for pictures, names in batches(manager, urls, side, count):
            print(f"{len(names)} pictures, mean {pictures.mean():.1f}" if names else "no pictures")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], *(int(each) for each in sys.argv[2:4]))
