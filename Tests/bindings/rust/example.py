#!/usr/bin/env python3
"""Tests the output of the crate's example.

    example.py PROGRAM FOLDER ORIGIN"""

import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import report  # noqa: E402

PROGRAM, FOLDER, ORIGIN = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=300)


def main() -> None:
    done = run(FOLDER, *(f"{ORIGIN}{name}" for name in ("badge.png", "aurora.jpg", "orbits.gif")))
    expected = "0.webp 128x128\n1.webp 128x80\n2.webp 128x128\n"
    report.check("thumbnails writes one file for each URL", (done.returncode, done.stdout) == (0, expected), done.stdout + done.stderr)
    files = [(FOLDER / f"{number}.webp").read_bytes()[:12] for number in range(3)]
    report.check("they are WebP", all(head[:4] == b"RIFF" and head[8:] == b"WEBP" for head in files), f"{files}")
    done = run(FOLDER, f"{ORIGIN}none.png")
    report.check("thumbnails tells what failed", done.returncode == 1 and "HTTP_STATUS" in done.stderr, done.stderr)
    report.check("thumbnails tells its usage", run().returncode == 2, "another status")
    report.finish()


main()
