#!/usr/bin/env python3
"""Tests the output of the C++ samples.

    samples.py FOLDER-OF-PROGRAMS ORIGIN"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "Tests/support"))
import report  # noqa: E402

PROGRAMS, ORIGIN = pathlib.Path(sys.argv[1]), sys.argv[2]


def run(name: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(PROGRAMS / name), *map(str, arguments)], capture_output=True, text=True, timeout=300)


def expect(name: str, done: subprocess.CompletedProcess[str], status: int, pattern: str) -> None:
    fine = done.returncode == status and re.search(pattern, done.stdout + done.stderr)
    report.check(name, fine, f"status {done.returncode}: {done.stdout} {done.stderr}")


def main() -> None:
    for source in sorted((ROOT / "examples/cpp").glob("*.cpp")):
        count = len(source.read_text().splitlines())
        report.check(f"{source.name} has less than 100 lines", count < 100, f"{count}")
    out, sheet = PROGRAMS / "one.ppm", PROGRAMS / "sheet.png"
    expect("load_one loads a URL", run("load_one", f"{ORIGIN}badge.png", out), 0, "^png 400x400\n$")
    report.check("load_one writes every pixel", out.stat().st_size == len("P6\n400 400\n255\n") + 400 * 400 * 3, "another size")
    expect("load_one decodes a file", run("load_one", ROOT / "Tests/fixtures/pictures/leaf.webp"), 0, "^webp ")
    expect("load_one tells why it failed", run("load_one", f"{ORIGIN}none.png"), 1, "HTTP_STATUS")
    expect("load_one tells its usage", run("load_one"), 2, "usage")
    names = ("badge.png", "aurora.jpg", "leaf.webp", "orbits.gif", "julia.webp")
    done = run("thumbnails", sheet, *(f"{ORIGIN}{name}" for name in names))
    expect("thumbnails shows all", done, 0, "^5 shown, 0 failed\n$")
    expect("thumbnails makes a sheet of them", run("load_one", sheet), 0, "^png 288x192\n$")
    expect("thumbnails counts failures", run("thumbnails", sheet, f"{ORIGIN}none.png"), 1, "0 shown, 1 failed")
    expect("custom_loader paints, then remembers", run("custom_loader", "demo:64x48"), 0, "^loader 64x48\nmemory 64x48\n$")
    expect("custom_loader refuses nonsense", run("custom_loader", "demo:x"), 1, "INVALID_URL: not demo")
    expect("custom_loader tells why it cannot paint", run("custom_loader", "demo:9999x9999"), 1, "custom_loader: TOO_LARGE")
    report.finish()


main()
