#!/usr/bin/env python3
"""Loads images on an asyncio loop without further Python threads, each within ten seconds: event_loop.py URL…"""

import asyncio
import sys

import sdimage


async def load(manager: sdimage.Manager, url: str) -> bool:
    try:
        # The timeout cancels the load, not only the wait.
        result = await asyncio.wait_for(manager.load_async(url), 10)
    except TimeoutError:
        print(f"{url}: too slow")
        return False
    except sdimage.Error as error:
        print(f"{url}: {error.code}")
        return False
    print(f"{url}: {result.image} from {result.source}")
    return True


async def main(urls: list[str]) -> int:
    async with sdimage.Manager() as manager:
        loaded = await asyncio.gather(*(load(manager, url) for url in urls))
    return 0 if all(loaded) else 1


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(asyncio.run(main(sys.argv[1:])))
