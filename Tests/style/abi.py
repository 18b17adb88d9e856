#!/usr/bin/env python3
"""The files of Sources/SDImageABI: exported functions of at most ten lines, in one file for each header, and no types.

The file of cache.h is Cache.swift, that of sys/cache.h SysCache.swift. Functions that do not fit into it are in files whose names begin
with the same words, such as CacheAsync.swift."""

from __future__ import annotations

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/support"))
import layers  # noqa: E402
import report  # noqa: E402

LONGEST_BODY = 10
#: Files that belong to no header: the composition root, and the calls that prepare a fork.
WITHOUT_HEADER = {"Defaults.swift", "ForkPreparation.swift"}

PROTOTYPE = re.compile(r"\b(sdimage_\w+)\s*\(")
TYPE = re.compile(r"^\s*(?:(?:@\w+|private|fileprivate|package|public|final|indirect) )*(?:class|struct|enum|protocol|actor) (\w+)",
                  re.MULTILINE)


def functions(path: pathlib.Path) -> list[tuple[str, int]]:
    """The exported functions of a file and the lines of their bodies."""
    found = []
    for match in re.finditer(r'^@_cdecl\("(\w+)"\).*?^(?:public func [^\n]*\}|\})$', path.read_text(), re.DOTALL | re.MULTILINE):
        lines = match[0].splitlines()
        first = next((i for i, line in enumerate(lines) if line.endswith("{") and not line.startswith("@")), len(lines) - 1)
        found.append((match[1], max(0, len(lines) - first - 2)))
    return found


def file_name(header: pathlib.Path) -> str:
    """The name of the Swift file of a header, whose path begins in include/sdimage."""
    words = [word for part in header.with_suffix("").parts for word in part.split("_")]
    return "".join(word.capitalize() for word in words) + ".swift"


def headers() -> dict[str, str]:
    """The Swift file of each function that a header declares."""
    found = {}
    folder = ROOT / "include/sdimage"
    for header in sorted([*folder.glob("*.h"), *folder.glob("sys/*.h")]):
        for name in PROTOTYPE.findall(layers.COMMENT.sub("", header.read_text())):
            found[name] = file_name(header.relative_to(folder))
    return found


def main_file(file: str, files: set[str]) -> str:
    """The longest name in `files` with which the name of a file begins; the file itself if there is none."""
    return max((name for name in files if file.startswith(name.removesuffix(".swift"))), key=len, default=file)


def refused() -> tuple[set[str], set[str]]:
    """The classes that a forked child refuses, and those whose metadata is made before a fork."""
    classes = set()
    for code in layers.read(ROOT / "Sources/SDImageHost").values():
        for found in re.finditer(r"ForkRule \{ \.refused \}", code):
            classes.add(re.findall(r"(?:class|extension) (\w+)", code[:found.start()])[-1])
    preparation = (ROOT / "Sources/SDImageABI/ForkPreparation.swift").read_text()
    made = preparation.partition("static var refused: [AnyObject.Type] {")[2].partition("}")[0]
    return classes, set(re.findall(r"(\w+)\.self", made))


def main() -> None:
    declared = headers()
    exported = {path.name: functions(path) for path in sorted((ROOT / "Sources/SDImageABI").glob("*.swift"))}
    long = [f"{file}: {name}: {lines} lines" for file, found in exported.items() for name, lines in found if lines > LONGEST_BODY]
    report.check(f"abi: exported bodies have at most {LONGEST_BODY} lines", not long, "; ".join(long))
    counted = sum(path.read_text().count("@_cdecl(") for path in (ROOT / "Sources/SDImageABI").glob("*.swift"))
    total = sum(len(found) for found in exported.values())
    report.check("abi: every exported function is found", counted == total > 700, f"{total} of {counted}")
    files = set(declared.values())
    other = [f"{name} in {file}, not {declared.get(name)}" for file, found in exported.items() for name, _ in found
             if file not in WITHOUT_HEADER and declared.get(name) != main_file(file, files)]
    report.check("abi: each file has the functions of the header of its name", not other, "; ".join(other))
    named = {main_file(file, files) for file in exported}
    lost = sorted(named - files - WITHOUT_HEADER) + sorted((files | WITHOUT_HEADER) - named)
    report.check("abi: each file is named for a header, or in the list of others", not lost, " ".join(lost))
    types = [f"{path.name}: {name}" for path, code in layers.read(ROOT / "Sources/SDImageABI").items() if path.name not in WITHOUT_HEADER
             for name in TYPE.findall(code)]
    report.check("abi: no file but those declares types", not types, "; ".join(types))
    classes, made = refused()
    report.check("abi: the classes that a child refuses are made before a fork", len(classes) > 9 and classes == made,
                 " ".join(sorted(classes ^ made)))
    report.finish()


if __name__ == "__main__":
    main()
