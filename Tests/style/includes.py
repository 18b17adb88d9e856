#!/usr/bin/env python3
"""The includes of the C in modules, plug-ins and what they share: by include path, one header for each source, no cycles.

A source and its header are one unit. Functions that other sources call are declared in the header of their source, so that the
includes show the calls as well. Included files outside these folders are left to the compiler."""

from __future__ import annotations

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/support"))
import report  # noqa: E402
import sources  # noqa: E402

FOLDERS = ["Sources/CoderSupport", "Sources/Modules", "Sources/Plugins"]
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
#: Functions of the plug-in's own that are not static; those of public headers begin with sdimage_.
SHARED = re.compile(r"sd(?!image_)[a-z]+_\w+")


def units() -> list[str]:
    """The folders with sources."""
    return sorted({str(path.parent.relative_to(ROOT)) for folder in FOLDERS for path in files(folder, "*.c")})


def files(folder: str, pattern: str) -> list[pathlib.Path]:
    return sorted((ROOT / folder).rglob(pattern))


def undeclared(folder: str) -> list[str]:
    """The shared functions that the header of their source does not declare."""
    wrong = []
    for path in files(folder, "*.c"):
        header = path.with_suffix(".h")
        declared = header.read_text() if header.exists() else ""
        wrong += [f"{path.name}: {function.name}" for function in sources.functions(".c", path.read_text())
                  if SHARED.fullmatch(function.name) and f"{function.name}(" not in declared]
    return wrong


def cycle(folder: str) -> list[str]:
    """The names of the units of one cycle; empty if there is none."""
    units: dict[str, set[str]] = {}
    for path in files(folder, "*.[ch]"):
        units.setdefault(path.stem, set()).update(pathlib.PurePath(name).stem for name in INCLUDE.findall(path.read_text()))
    done: set[str] = set()

    def visit(name: str, above: list[str]) -> list[str]:
        if name in above:
            return [*above[above.index(name):], name]
        if name in done:
            return []
        found = next(filter(None, (visit(other, [*above, name]) for other in sorted(units[name] & set(units) - {name}))), [])
        done.add(name)
        return found

    return next(filter(None, (visit(name, []) for name in sorted(units))), [])


def main() -> None:
    found = {path: INCLUDE.findall(path.read_text()) for folder in FOLDERS for path in files(folder, "*.[ch]")}
    upward = [f"{path.relative_to(ROOT)}: {name}" for path, names in found.items() for name in names if "../" in name]
    report.check("includes: none goes up a folder", len(found) > 100 and not upward, "; ".join(upward))
    for folder in units():
        wrong = undeclared(folder)
        report.check(f"includes: sources of {folder} declare shared functions in their header", not wrong, "; ".join(wrong))
        names = cycle(folder)
        report.check(f"includes: no cycle in {folder}", not names, " -> ".join(names))
    report.finish()


if __name__ == "__main__":
    main()
