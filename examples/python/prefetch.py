#!/usr/bin/env python3
"""Loads a list of URLs into the cache before they are needed: prefetch.py FOLDER URL…"""

import sys

import sdimage


def main(folder: str, urls: list[str]) -> int:
    def fetched(url: str, finished: int, total: int) -> None:
        print(f"\r{finished}/{total}", end="", file=sys.stderr)

    with sdimage.ImageCache(folder) as cache, sdimage.Manager(cache=cache) as manager:
        with sdimage.Prefetcher(manager, on_fetched=fetched, thumbnail_size=(320, 320)) as prefetcher:
            group = prefetcher.start(urls).wait()
        print(file=sys.stderr)
        manager.flush()  # thumbnails that are still being encoded
        print(f"{group.finished - group.skipped} of {group.total} are in {cache.path()}, {cache.disk_size():,} bytes")
    for url, error in group.failed:
        print(f"{error.code}: {url}")
    return 1 if group.failed else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:]))
