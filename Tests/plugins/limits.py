#!/usr/bin/env python3
"""Measures how soon the decode of an expensive file of each format ends: at a time limit, by cancellation, and by
closing.

    Tests/plugins/measure-limits [--repeats N] [FORMAT…]

Prints median and maximum of N measurements (default 5) in milliseconds: the duration of a decode with a time
limit; the time from the cancellation of one load for each worker to the last of their results, and to the result
of a following load of a small image; and the time to close a manager during decodes. Each format is measured in a
process of its own."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))

from tests import expensive
from tests.support import sdimage

#: Documented maxima on an idle machine, in milliseconds; a time limit may be exceeded by a tenth.
CANCELLED, FREE, CLOSED = 100, 500, 1000
#: Milliseconds until the decodes of the loads have begun.
START = 150
MEASURES = ("time used", "cancelled", "worker free", "closed")
#: Longer than the decode of any of the files.
ENDLESS = 120_000


def milliseconds(since: float) -> float:
    return (time.monotonic() - since) * 1000


def time_used(data: bytes, options: dict[str, Any], limit: int) -> tuple[float, str]:
    """The duration of a decode, and its result."""
    began = time.monotonic()
    try:
        sdimage.decode(data, max_work_ms=limit, **options)
        code = "OK"
    except sdimage.Error as error:
        code = error.code
    return milliseconds(began), code


def manager_of(data: bytes) -> sdimage.Manager:
    small = sdimage.Image.from_pixels(bytes(48), 4, 4, "rgb8").encode("png")
    return sdimage.Manager(cache=None, loader=lambda request: small if "small" in str(request.url) else data)


def start_loads(manager: sdimage.Manager, options: dict[str, Any]) -> list[sdimage.Task]:
    """Starts one load for each worker."""
    count = len(os.sched_getaffinity(0))
    tasks = [manager.start(f"x://{number}", max_work_ms=ENDLESS, **options) for number in range(count)]
    time.sleep(START / 1000)
    return tasks


def cancel(data: bytes, options: dict[str, Any]) -> tuple[float, float]:
    manager = manager_of(data)
    tasks = start_loads(manager, options)
    began = time.monotonic()
    for task in tasks:
        task.cancel()
    for task in tasks:
        try:
            task.wait()
        except sdimage.Error:
            pass
    cancelled = milliseconds(began)
    manager.load("x://small", max_work_ms=ENDLESS)
    free = milliseconds(began)
    manager.close(ENDLESS / 1000)
    return cancelled, free


def close(data: bytes, options: dict[str, Any]) -> float:
    manager = manager_of(data)
    tasks = start_loads(manager, options)
    began = time.monotonic()
    manager.close(ENDLESS / 1000)
    closed = milliseconds(began)
    del tasks
    return closed


def measure(name: str, path: str, repeats: int) -> dict[str, Any]:
    """Measures in this process."""
    case, data = expensive.FORMATS[name], Path(path).read_bytes()
    figures: dict[str, list[float]] = {measure: [] for measure in MEASURES}
    codes = set()
    for _ in range(repeats):
        used, code = time_used(data, case.options, case.limit_ms)
        codes.add(code)
        cancelled, free = cancel(data, case.options)
        for measure, value in zip(MEASURES, (used, cancelled, free, close(data, case.options))):
            figures[measure].append(value)
    return {"codes": sorted(codes), **figures}


def measure_apart(name: str, data: bytes, repeats: int) -> dict[str, Any]:
    """Measures in a process of its own, which has ended when this returns."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        done = subprocess.run(
            [sys.executable, __file__, "--measure", name, file.name, str(repeats)], stdout=subprocess.PIPE, text=True,
            timeout=900, check=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--measure"]:
        result = measure(arguments[1], arguments[2], int(arguments[3]))
        print(json.dumps(result), flush=True)
        # A normal exit would wait for running calls.
        os._exit(0)
    repeats = 5
    if arguments[:1] == ["--repeats"]:
        repeats, arguments = int(arguments[1]), arguments[2:]
    print(f"{'format':8}{'limit':>7}" + "".join(f"{measure:>18}" for measure in MEASURES) + "  ended by")
    for name in arguments or expensive.FORMATS:
        try:
            result = measure_apart(name, expensive.FORMATS[name].make(), repeats)
        except (sdimage.Error, subprocess.SubprocessError) as error:
            print(f"{name:8}not measured: {error}")
            continue
        cells = [f"{statistics.median(result[measure]):8.0f} /{max(result[measure]):7.0f}" for measure in MEASURES]
        limit = expensive.FORMATS[name].limit_ms
        print(f"{name:8}{limit:7}" + "".join(f"{cell:>18}" for cell in cells) + f"  {' '.join(result['codes'])}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
