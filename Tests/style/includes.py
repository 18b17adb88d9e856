#!/usr/bin/env python3
"""The includes and calls of C sources: by include path, without cycles; in most folders, one header for each source.

A source and its header are one unit, also if only the header has the prefix of its target. It depends on the units that it includes,
and on those whose functions and objects it uses. Included files outside these folders are left to the compiler."""

from __future__ import annotations

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/support"))
import report  # noqa: E402
import sources  # noqa: E402
import text  # noqa: E402

FOLDERS = ["Sources/CIsolation", "Sources/CLibs", "Sources/CoderSupport", "Sources/Modules", "Sources/Plugins", "Sources/SDImagePixels",
           "bindings", "integrations", "tools"]
#: Folders where the header of a source declares all functions that others call.
OWN_HEADERS = ("Sources/CIsolation", "Sources/CoderSupport", "Sources/Modules", "Sources/Plugins", "Sources/SDImagePixels",
               "integrations/gtk4")
#: Public headers and those of bindings include each other by relative path.
RELATIVE = ("include", "bindings")
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
#: Prefixes of the names of public headers.
PREFIX = re.compile(r"^(?:ciso|sdpx)_")
#: Functions of the folder's own; those of public headers begin with sdimage_, and macros with a capital.
SHARED = re.compile(r"(?!sdimage_)[a-z]\w*")
#: The beginnings of functions that only their source can call, possibly after a macro with attributes.
INTERNAL = re.compile(r"(?:[A-Z]\w+ )?(?:static|INLINE)\b")
#: Objects that other sources can use.
OBJECT = re.compile(r"^(?!static\b|extern\b|typedef\b)\w[^\n(){};=]*?(\w+)(?:\[[^\]\n]*\])*(?: = |;)", re.MULTILINE)


def units() -> list[str]:
    """The folders with sources."""
    return sorted({str(path.parent.relative_to(ROOT)) for folder in FOLDERS for path in files(folder, "*.c")})


def files(folder: str, pattern: str) -> list[pathlib.Path]:
    return sorted((ROOT / folder).rglob(pattern))


def unit(path: str | pathlib.Path) -> str:
    """The unit of a source or header."""
    return PREFIX.sub("", pathlib.PurePath(path).stem)


def undeclared(folder: str) -> list[str]:
    """The shared functions that the header of their source does not declare."""
    wrong = []
    for path in files(folder, "*.c"):
        declared = "".join(header.read_text() for header in files(folder, "*.h") if unit(header) == unit(path))
        wrong += [f"{path.name}: {name}" for name in sorted(shared(path.read_text()))
                  if SHARED.fullmatch(name) and f"{name}(" not in declared]
    return wrong


def shared(code: str) -> set[str]:
    """The functions that a source defines for others."""
    lines = code.split("\n")
    return {function.name for function in sources.functions(".c", code) if not INTERNAL.match(lines[function.line - 1])}


def defined(code: str) -> set[str]:
    """The functions and objects that a source defines for others."""
    return shared(code) | set(OBJECT.findall(code))


def dependencies(folder: str) -> dict[str, set[str]]:
    """The units that each unit includes or uses."""
    found: dict[str, set[str]] = {}
    for path in files(folder, "*.[ch]"):
        found.setdefault(unit(path), set()).update(unit(name) for name in INCLUDE.findall(path.read_text()))
    codes = {unit(path): sources.code(".c", path.read_text()) for path in files(folder, "*.c")}
    exported = {name: defined(code) for name, code in codes.items()}
    for name, code in codes.items():
        words = set(re.findall(r"\w+", code))
        found[name] |= {other for other, names in exported.items() if words & names}
    return {name: others & set(found) - {name} for name, others in found.items()}


def cycle(folder: str) -> list[str]:
    """The names of the units of one cycle; empty if there is none."""
    units = dependencies(folder)
    done: set[str] = set()

    def visit(name: str, above: list[str]) -> list[str]:
        if name in above:
            return [*above[above.index(name):], name]
        if name in done:
            return []
        found = next(filter(None, (visit(other, [*above, name]) for other in sorted(units[name]))), [])
        done.add(name)
        return found

    return next(filter(None, (visit(name, []) for name in sorted(units))), [])


def main() -> None:
    found = {path.relative_to(ROOT): INCLUDE.findall(path.read_text()) for path in text.files()
             if path.suffix in (".c", ".h", ".cpp", ".hpp") and not str(path.relative_to(ROOT)).startswith(RELATIVE)}
    upward = [f"{path}: {name}" for path, names in found.items() for name in names if "../" in name]
    report.check("includes: none goes up a folder", len(found) > 100 and not upward, "; ".join(upward))
    support = {path.name for path in files("Sources/CoderSupport", "*.h")}
    twice = [str(path.relative_to(ROOT)) for path in files("Sources", "*.h") if path.name in support and path.parent.name != "CoderSupport"]
    report.check("includes: headers of CoderSupport have names of their own", support and not twice, " ".join(twice))
    for folder in units():
        if folder.startswith(OWN_HEADERS):
            wrong = undeclared(folder)
            report.check(f"includes: sources of {folder} declare shared functions in their header", not wrong, "; ".join(wrong))
        names = cycle(folder)
        report.check(f"includes: no cycle in {folder}", not names, " -> ".join(names))
    report.finish()


if __name__ == "__main__":
    main()
