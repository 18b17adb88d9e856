#!/usr/bin/env python3
"""A list of cells without a toolkit: target.py URL…

Two rows scroll over more URLs than they can show. Each is reused for the next URL while the previous one may still be
loading, and never shows an image of another URL."""

import queue
import sys
from collections.abc import Callable

import sdimage

CELLS = 2


class Cell:
    """A widget. Prints a line where a toolkit would draw."""

    def __init__(self, manager: sdimage.Manager, post: Callable[[Callable[[], None]], object]) -> None:
        self.row = 0
        self.target = sdimage.Target(
            manager,
            self.set_image,
            animate_transition=lambda key, transition, ms, image: print(f"row {self.row}: {transition}s for {ms} ms"),
            post=post,
        )

    def set_image(self, key: str, image: sdimage.Image | None, result: sdimage.Result | None) -> None:
        size = f"{image.width}x{image.height}" if image else "nothing"
        print(f"row {self.row}: {size} from {result.source}" if result else f"row {self.row}: placeholder {size}")


def main(urls: list[str]) -> int:
    # The loop of a toolkit: runs posted functions on its thread.
    posted: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
    results: list[sdimage.Result] = []
    with sdimage.Manager() as manager:
        cells = [Cell(manager, posted.put) for _ in range(CELLS)]
        for row, url in enumerate(urls):
            cell = cells[row % CELLS]  # cancels the previous load of the cell
            cell.row = row
            cell.target.load(
                url, blurhash="LEHV6nWB2yk8pyo0adR*.7kCMdnj", transition="fade", transition_ms=50, on_result=results.append
            )
        while len(results) < len(urls):
            posted.get(timeout=120)()
        for cell in cells:
            cell.target.close()  # as when a widget is destroyed: nothing more is shown
    for result in results:
        if result.error:
            print(f"{result.error.code}: {result.url}")
    return 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
