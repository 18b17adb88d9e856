#!/usr/bin/env python3
"""Shows an image while its data arrives: progressive.py URL [MILLISECONDS-BETWEEN-PARTS]"""

import asyncio
import sys

import sdimage


async def main(url: str, interval: str = "100") -> int:
    async with sdimage.Manager(cache=None) as manager:
        try:
            async for result in manager.results(url, progressive_interval_ms=int(interval)):
                part = "part" if result.kind == "partial" else "whole"
                print(f"{part}: {result.image.width}x{result.image.height}", flush=True)
        except sdimage.Error as error:
            print(f"progressive: {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    sys.exit(asyncio.run(main(*sys.argv[1:])))
