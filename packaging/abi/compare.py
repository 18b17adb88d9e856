#!/usr/bin/env python3
"""Compares the interface of headers with the stored description of the last release.

    compare.py STORED INCLUDE

Prints abidiff's report. The exit status is 0 if programs that were compiled for the stored interface still work:
there is no difference, or there are only new functions, new values of enumerations, and tables that grew at their
end."""

from __future__ import annotations

import lzma
import pathlib
import subprocess
import sys
import tempfile

import describe

HERE = pathlib.Path(__file__).resolve().parent


def compare(stored: pathlib.Path, include: pathlib.Path) -> tuple[bool, str]:
    """True if the headers are compatible, and the report."""
    with tempfile.TemporaryDirectory() as name:
        before, now = pathlib.Path(name) / "stored.abi", pathlib.Path(name) / "now.abi"
        before.write_bytes(lzma.decompress(stored.read_bytes()))
        describe.describe(include, now)
        done = subprocess.run(["abidiff", "--no-added-syms", "--suppressions", HERE / "tables.suppr", before, now],
                              capture_output=True, text=True)
    return done.returncode == 0, done.stdout + done.stderr


def main() -> None:
    kept, said = compare(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve())
    print(said, end="")
    sys.exit(0 if kept else 1)


if __name__ == "__main__":
    main()
