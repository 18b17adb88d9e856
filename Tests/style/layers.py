#!/usr/bin/env python3
"""The layers of Sources/SDImage: each folder may name the types of the folders below it and of no other.

Prints the matrix of references between folders to standard error: rows name types that columns declare. Types are found by name, so
that one name in two folders counts for neither; the compiler checks the rest, because all folders are one module."""

from __future__ import annotations

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/support"))
import report  # noqa: E402

BASE = ["Base"]
SHARED = ["Base", "Concurrency", "Imaging", "HTTP", "Request"]
PARTS = ["Loader", "Cache", "Coder", "Transform", "Animation", "Placeholders"]
#: By folder, the folders whose types it may name.
BELOW = {
    "Base": [],
    "Concurrency": BASE,
    "Imaging": ["Base", "Concurrency"],
    "HTTP": BASE,
    "Request": ["Base", "Concurrency", "Imaging", "HTTP"],
    **{part: SHARED for part in PARTS},
    "Pipeline": SHARED + PARTS,
    "Target": SHARED + PARTS + ["Pipeline"],
}

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
TEXT = re.compile(r'"(?:\\.|[^"\\\n])*"')
#: Declarations at the start of a line: types inside others have the name of these before them.
DECLARATION = re.compile(r"^((?:@\w+(?:\([^)]*\))? )*(?:\w+ )*?)(?:class|struct|enum|protocol|actor|typealias) (\w+)", re.MULTILINE)
NAME = re.compile(r"\b[A-Z]\w+")


def read(root: pathlib.Path) -> dict[pathlib.Path, str]:
    """Code without comments and texts, by file."""
    return {path: TEXT.sub('""', COMMENT.sub("", path.read_text())) for path in sorted(root.rglob("*.swift"))}


def declarations(code: dict[pathlib.Path, str]) -> dict[str, pathlib.Path]:
    """The file of each type that other files can name, where only one declares it."""
    found: dict[str, set[pathlib.Path]] = {}
    for path, text in code.items():
        for modifiers, name in DECLARATION.findall(text):
            if "private" not in modifiers:
                found.setdefault(name, set()).add(path)
    return {name: paths.pop() for name, paths in found.items() if len(paths) == 1}


def references(code: dict[pathlib.Path, str]) -> list[tuple[pathlib.Path, str, pathlib.Path]]:
    """The naming file, the type and the declaring file of each reference between files."""
    declared = declarations(code)
    return [(path, name, declared[name]) for path, text in code.items() for name in NAME.findall(text)
            if name in declared and declared[name] != path]


def print_matrix(counts: dict[tuple[str, str], int]) -> None:
    print("".ljust(14) + "".join(name[:8].rjust(10) for name in BELOW), file=sys.stderr)
    for row in BELOW:
        print(row.ljust(14) + "".join(str(counts.get((row, column), ".")).rjust(10) for column in BELOW), file=sys.stderr)


def main() -> None:
    code = read(ROOT / "Sources/SDImage")
    folder = {path: path.relative_to(ROOT / "Sources/SDImage").parts[0] for path in code}
    report.check("layers: every folder is one of the list", set(folder.values()) == set(BELOW), f"{set(folder.values()) ^ set(BELOW)}")
    counts: dict[tuple[str, str], int] = {}
    wrong: dict[str, set[str]] = {name: set() for name in BELOW}
    for path, name, declaring in references(code):
        here, there = folder[path], folder[declaring]
        counts[here, there] = counts.get((here, there), 0) + 1
        if here != there and there not in BELOW.get(here, []):
            wrong.setdefault(here, set()).add(f"{path.name} names {name} of {there}")
    print_matrix(counts)
    for name, found in wrong.items():
        report.check(f"layers: {name} names types of lower folders only", not found, "; ".join(sorted(found)))
    report.check("layers: types are found", sum(counts.values()) > 3000, f"{sum(counts.values())} references")
    report.finish()


if __name__ == "__main__":
    main()
