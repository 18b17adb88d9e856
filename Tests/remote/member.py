#!/usr/bin/env python3
"""A member of a fleet: loads URLs through memory, its own disk cache and a shared remote cache.

    member.py redis|memcached ADDRESS FRESHNESS OPTIONS URL…

OPTIONS is JSON for the remote cache. Prints `ready`, waits for a line, and then prints the result of each load as
JSON. An empty line ends it; each other line repeats all loads."""

from __future__ import annotations

import json
import pathlib
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bindings/python"))
import sdimage  # noqa: E402


def main() -> None:
    kind, address, freshness, options, *urls = sys.argv[1:]
    make = sdimage.RedisCache if kind == "redis" else sdimage.MemcachedCache
    shared = make(address, **json.loads(options))
    with tempfile.TemporaryDirectory(prefix="sdimage-remote-") as folder:
        local = sdimage.ImageCache(folder)
        manager = sdimage.Manager(cache=sdimage.TieredCache(local, shared), freshness=freshness)
        print("ready", flush=True)
        for line in sys.stdin:
            if not line.strip():
                break
            tasks = [(manager.start(url), time.monotonic()) for url in urls]
            loads = []
            for task, started in tasks:
                try:
                    result = task.wait()
                    loads.append([result.source, time.monotonic() - started, len(result.image.tobytes())])
                except sdimage.Error as error:
                    loads.append([error.code, time.monotonic() - started, 0])
            print(json.dumps({"loads": loads, "numbers": shared.statistics()}), flush=True)
        manager.close(60)
        local.close()


if __name__ == "__main__":
    main()
