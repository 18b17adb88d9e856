#!/usr/bin/env python3
"""Describes the binary interface that headers promise, in the XML of libabigail.

    describe.py INCLUDE FILE.xz

The library is compiled from Swift, whose debugging information has no C types. But the Swift compiler compares
each function with its declaration, and a test compares the exported symbols with the headers: so the headers are
the interface.

This program gives every declared function a body in C, every enumeration and frozen structure a variable, and
every constant a symbol with its value; abidw describes the compiled result. Of tables, which may grow, abidiff
reports too little. So each of their functions becomes a function here, and their offsets become values of an
enumeration."""

from __future__ import annotations

import lzma
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/support"))
import declarations  # noqa: E402

#: Not part of the interface: they change with each version, or are not values.
NO_CONSTANTS = re.compile(r"SDIMAGE_(VERSION_\w+|API|ENUM)")


def constants(text: str) -> list[str]:
    """The name of a symbol for each `#define NAME VALUE`."""
    found = re.findall(r"^#define (SDIMAGE_\w+) +(\S.*?)\s*$", text, flags=re.M)
    return [f"{name}__{re.sub(r'[^0-9A-Za-z]+', '_', value)}" for name, value in found if not NO_CONSTANTS.fullmatch(name)]


def table(name: str, body: str) -> list[str]:
    """The parts of a table that a client relies on: the offset of each member, its parameters and its result."""
    members = re.findall(r"([^;]*?)\(\*(\w+)\)\s*\(([^;]*)\)\s*;", body)
    names = re.findall(r"(\w+)\s*;", re.sub(r"\(\*(\w+)\)\s*\([^;]*\)\s*;", r"\1;", body))
    places = ", ".join(f"{name}__{member} = __builtin_offsetof({name}, {member})" for member in names)
    functions = [f"{result} member_{name}__{member}({parameters}) {{ __builtin_trap(); }}" for result, member, parameters in members]
    return [f"enum places_{name} {{ {places} }} variable_places_{name};", *functions]


def source(include: pathlib.Path) -> str:
    headers = sorted(include.glob("sdimage.h")) + sorted(include.glob("sdimage/**/*.h"))
    text = "\n".join(declarations.without_comments(header.read_text()) for header in headers)
    lines = [f'#include "{header.relative_to(include)}"' for header in headers]
    for function in declarations.functions(include, plugins=True):
        parameters = ", ".join(f"{parameter.type} {parameter.name}" for parameter in function.parameters) or "void"
        lines.append(f"{function.result} {function.name}({parameters}) {{ __builtin_trap(); }}")
    lines += [f"{name} variable_{name};" for name in re.findall(r"typedef enum SDIMAGE_ENUM (\w+)", text)]
    for name, body in re.findall(r"typedef struct (\w+) \{(.*?)\n\} \w+;", text, flags=re.S):
        lines += table(name, body) if re.match(r"\s*size_t size;", body) else [f"{name} variable_{name};"]
    for name in re.findall(r"typedef [^;{}]*?\(\*(\w+)\)\(", text):
        lines.append(f"{name} variable_{name};")
    lines += [f"char constant_{name};" for name in sorted(set(constants(text)))]
    return "\n".join(lines) + "\n"


def describe(include: pathlib.Path, target: pathlib.Path) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "interface.c").write_text(source(include))
        subprocess.run(["gcc", "-std=c11", "-g", "-O0", "-w", "-shared", "-fPIC", f"-I{include}", "-Wl,-soname,libsdimage.so.1",
                        f"-fdebug-prefix-map={include}=include", f"-fdebug-prefix-map={folder}=.", "-o", "interface.so", "interface.c"],
                       check=True, cwd=folder)
        subprocess.run(["abidw", "--no-show-locs", "--no-corpus-path", "--no-comp-dir-path", "--type-id-style", "hash",
                        "--out-file", target.resolve(), "interface.so"], check=True, cwd=folder)


def main() -> None:
    target = pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as name:
        plain = pathlib.Path(name) / "interface.abi"
        describe(pathlib.Path(sys.argv[1]).resolve(), plain)
        target.write_bytes(lzma.compress(plain.read_bytes(), preset=9))


if __name__ == "__main__":
    main()
