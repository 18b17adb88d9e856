#!/usr/bin/env python3
"""A dictionary as the lower of two caches; the upper one is in memory: custom_cache.py URL"""

import sys

import sdimage


class Dictionary(sdimage.Cache):
    """Encoded images by key. A Python dictionary needs no lock for these operations."""

    def __init__(self) -> None:
        self.entries: dict[bytes, bytes] = {}

    def query(self, key: bytes) -> bytes | None:
        return self.entries.get(key)

    def store(self, key: bytes, data: bytes) -> None:
        self.entries[key] = data

    def remove(self, key: bytes, memory: bool, disk: bool) -> None:
        self.entries.pop(key, None)


def main(url: str) -> int:
    dictionary = Dictionary()
    chain = sdimage.CacheChain([dictionary, sdimage.ImageCache(memory_only=True)])
    chain.set_policy("store", "serial")
    try:
        with sdimage.Manager(cache=chain) as manager:
            sources = [manager.load(url, wait_for_store=True).source]
            # Loads as another process would, without the memory cache.
            sources.append(manager.load(url, cache_policy="skip_memory_read").source)
            sources.append(manager.load(url).source)
    except sdimage.Error as error:
        print(f"custom_cache: {error}", file=sys.stderr)
        return 1
    print(*sources, f"{sum(map(len, dictionary.entries.values()))} bytes kept")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
