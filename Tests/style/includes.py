#!/usr/bin/env python3
"""The includes of the C in modules, plug-ins and what they share: by include path, one header for each source.

Included files that are not in these folders are left to the compiler."""

from __future__ import annotations

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/support"))
import report  # noqa: E402

FOLDERS = ["Sources/CoderSupport", "Sources/Modules", "Sources/Plugins"]
#: Folders whose sources each have a header of the same name.
PAIRED = ["Sources/CoderSupport"]
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def includes(folders: list[str]) -> dict[pathlib.Path, list[str]]:
    return {path: INCLUDE.findall(path.read_text()) for folder in folders for path in sorted((ROOT / folder).rglob("*.[ch]"))}


def main() -> None:
    found = includes(FOLDERS)
    upward = [f"{path.relative_to(ROOT)}: {name}" for path, names in found.items() for name in names if "../" in name]
    report.check("includes: none goes up a folder", len(found) > 100 and not upward, "; ".join(upward))
    for folder in PAIRED:
        alone = [path.name for path in includes([folder]) if path.suffix == ".c" and not path.with_suffix(".h").exists()]
        report.check(f"includes: every source in {folder} has a header", not alone, " ".join(alone))
    report.finish()


if __name__ == "__main__":
    main()
