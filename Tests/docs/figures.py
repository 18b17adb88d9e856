#!/usr/bin/env python3
"""Checks the figures of SECURITY.md, and of the guide "Running a fleet", against the library: its doctor, its
functions, or its source. Checks the fields that docs/performance.md documents against those of `sdimage bench --json`.

    figures.py PREFIX"""

import ctypes
import json
import pathlib
import re
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "support"), str(TESTS)]
import declarations  # noqa: E402
import report  # noqa: E402
from origin import Origin  # noqa: E402

UNITS = {"": 1, "MiB": 1 << 20, "GiB": 1 << 30, "s": 1000}


def rows() -> list[list[str]]:
    text = (declarations.ROOT / "SECURITY.md").read_text()
    table = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("| ")
    ]
    return [row for row in table if len(row) == 4 and row[2].startswith("`")]


def stated(figure: str) -> int:
    number, _, unit = figure.partition(" ")
    return int(number) * UNITS[unit]


def from_source(name: str) -> int | None:
    found = {
        match[1]
        for path in (declarations.ROOT / "Sources").rglob("*.swift")
        for match in re.finditer(rf"\b(?:let|var) {name}(?:: \w+)? = ([\d_]+)", path.read_text())
    }
    return int(found.pop()) if len(found) == 1 else None


def from_function(library: ctypes.CDLL, name: str) -> int:
    function = getattr(library, name)
    if name == "sdimage_frame_budget_limit":
        function.restype = ctypes.c_size_t
        return function()
    prefetcher = ctypes.c_void_p()
    library.sdimage_prefetcher_new(None, None, ctypes.byref(prefetcher), None)
    function.restype = ctypes.c_uint32
    count = function(prefetcher)
    library.sdimage_prefetcher_unref(prefetcher)
    return count


def remote_options() -> dict[str, int]:
    """The defaults of the remote caches' options by name, read from their source."""
    header = (declarations.INCLUDE / "sdimage/plugins/remote.h").read_text()
    names = dict(re.findall(r'#define (SDIMAGE_REMOTE_\w+) "([\w.]+)"', header))
    source = (declarations.ROOT / "Sources/Plugins/remote/settings.c").read_text()
    return {
        names[macro]: int(default)
        for macro, default in re.findall(r"number\(bag, (SDIMAGE_REMOTE_\w+), (\d+),", source)
    }


def check_fleet() -> None:
    defaults = remote_options()
    table = re.findall(
        r"^\| (.+?) \| (\d+)[^|]* \| `(remote\.\w+)` \|$",
        (declarations.ROOT / "docs/guides/fleet.md").read_text(),
        flags=re.M,
    )
    report.check("the guide to fleets has a table of defaults", table, "no row that can be read")
    for what, figure, name in table:
        report.check(
            f"docs/guides/fleet.md: {what} {figure}",
            defaults.get(name) == int(figure),
            f"{name} is {defaults.get(name)}",
        )


def field_names(value: object) -> set[str]:
    """The names of the fields of an object, and of the objects in it."""
    if isinstance(value, list):
        return {name for each in value for name in field_names(each)}
    if not isinstance(value, dict):
        return set()
    return set(value) | {name for each in value.values() for name in field_names(each)}


def check_bench(prefix: str) -> None:
    """One image is an animation, and one is served, so that each measurement is made."""
    page = (declarations.ROOT / "docs/performance.md").read_text().partition("## Measuring your own images")[2]
    described = set(re.findall(r"`(?:measures\.)?([a-z_]+)`", page.partition("\n## ")[0]))
    pictures = declarations.ROOT / "Tests/fixtures/pictures"
    with Origin(pictures) as origin:
        images = [str(pictures / "orbits.gif"), origin.url("leaf.webp")]
        command = [f"{prefix}/bin/sdimage", "bench", "--json", "--seconds", "0.01", *images]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    printed = field_names([json.loads(line) for line in done.stdout.splitlines()])
    report.check(
        "docs/performance.md: the fields of sdimage bench --json",
        printed and printed == described,
        f"described or printed only: {sorted(printed ^ described)}",
    )


def main() -> None:
    prefix = sys.argv[1]
    library = ctypes.CDLL(f"{prefix}/lib/libsdimage.so.1")
    done = subprocess.run([f"{prefix}/bin/sdimage", "doctor", "--json"], capture_output=True, text=True, check=True)
    limits = json.loads(done.stdout)["limits"]
    found = rows()
    for what, figure, told, changed in found:
        name = told.strip("`")
        if name in limits:
            actual = limits.pop(name)
        else:
            actual = from_function(library, name) if name.startswith("sdimage_") else from_source(name)
        report.check(f"SECURITY.md: {what}, {figure}", actual == stated(figure), f"{name} is {actual}")
        setter = changed.strip("`")
        if setter.startswith("sdimage_"):
            report.check(f"SECURITY.md: {setter} is there", setter in declarations.symbols(), "no such function")
    report.check("SECURITY.md has every limit of the doctor", not limits and found, f"not: {sorted(limits)}")
    check_fleet()
    check_bench(prefix)
    report.finish()


main()
