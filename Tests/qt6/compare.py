#!/usr/bin/env python3
"""Compares a wall of 500 remote images with Qt's own items and QNetworkDiskCache, and prints the table of docs/guides/qt.md.

    cmake -S Tests/qt6 -B build/qt6-tests -DCMAKE_PREFIX_PATH=PREFIX && cmake --build build/qt6-tests
    compare.py build/qt6-tests/compare PREFIX/lib/qt6/qml

Runs alternate; the medians of five are printed. The origin is on this machine and answers after 30 ms."""

import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Tests"), str(ROOT / "bindings/python")]
from origin import Origin  # noqa: E402

COUNT, ROUNDS, DELAY = 500, 5, 30
FILES = {"sdimage": ["sdimage.qml"], "qt": ["qt.qml", "disk_cache.h"]}
NAMES = {"sdimage": "`RemoteImage`", "qt": "`Image`, `AnimatedImage`, `QNetworkDiskCache`"}


def lines(kind: str) -> int:
    files = [ROOT / "Tests/qt6/comparison" / name for name in FILES[kind]]
    return sum(bool(line.strip()) for file in files for line in file.read_text().splitlines())


def main() -> None:
    program, imports = sys.argv[1:3]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "QT_QUICK_BACKEND": "software"}
    pictures = ROOT / "Tests/fixtures/pictures"
    # The formats that Qt reads without further packages.
    names = sorted(path.name for path in pictures.iterdir() if path.suffix in (".jpg", ".png", ".gif"))
    found: dict[tuple[str, str], list[tuple[int, int]]] = {}
    with Origin(pictures) as origin, tempfile.TemporaryDirectory() as folder:
        urls = [f"{origin.url(urllib.parse.quote(names[n % len(names)]))}?n={n}&delay_ms={DELAY}&max_age=3600" for n in range(COUNT)]
        wall = pathlib.Path(folder) / "list"
        wall.write_text("\n".join(urls) + "\n")
        for round_ in range(ROUNDS):
            for when in ("network", "disk"):
                for kind in FILES:
                    command = [program, kind, str(wall), f"{folder}/{kind}-{round_}", imports]
                    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
                    milliseconds, kib = map(int, done.stdout.split()[-2:])
                    found.setdefault((kind, when), []).append((milliseconds, kib))
    print("| items | all visible, network (s) | all visible, disk (s) | peak memory (MiB) | lines |\n| --- | --- | --- | --- | --- |")
    for kind, name in NAMES.items():
        times = [statistics.median(time for time, _ in found[kind, when]) / 1000 for when in ("network", "disk")]
        peak = max(statistics.median(kib for _, kib in found[kind, when]) for when in ("network", "disk")) / 1024
        print(f"| {name} | {times[0]:.2f} | {times[1]:.2f} | {peak:.0f} | {lines(kind)} |")


if __name__ == "__main__":
    main()
