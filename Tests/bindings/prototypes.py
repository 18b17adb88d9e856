#!/usr/bin/env python3
"""Checks that the prototypes in a binding equal those of the headers.

    prototypes.py FILE INCLUDE-FOLDER

Every function declaration in FILE, one per line, must be in the headers word by word."""

import pathlib
import re
import sys


def words(text: str) -> str:
    return " ".join(re.sub(r"([(),;*])", r" \1 ", text).split())


def main() -> None:
    headers = "".join(path.read_text() for path in sorted(pathlib.Path(sys.argv[2]).rglob("*.h")))
    headers = re.sub(r"/\*.*?\*/", " ", headers, flags=re.S)
    declared = {words(found) for found in re.findall(r"SDIMAGE_API\s+([^;]+;)", headers)}
    constants = {words(found) for found in re.findall(r"typedef [^;{]+;", headers)}
    lines = pathlib.Path(sys.argv[1]).read_text().splitlines()
    prototypes = [words(line) for line in lines if re.match(r"[a-z].*\bsdimage_\w+\(.*\);$", line) and "__asm__" not in line]
    unknown = [line for line in prototypes if line not in declared]
    callbacks = [words(line) for line in lines if line.startswith("typedef void (*")]
    unknown += [line for line in callbacks if line not in constants]
    if len(prototypes) < 50 or unknown:
        print(f"not ok prototypes are those of the headers: {len(prototypes)} found, unknown: {unknown[:3]}")
    else:
        print(f"ok {len(prototypes)} prototypes are those of the headers")


main()
