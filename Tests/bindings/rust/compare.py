#!/usr/bin/env python3
"""Compares the generated prototypes of the Rust crate with the C headers: the types of functions converted back to C, and, by
a compiler of C, the values of constants and the layout of structs.

    compare.py FOLDER        FOLDER for a C program that compares the constants"""

import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import declarations  # noqa: E402
import report  # noqa: E402

SOURCES = declarations.ROOT / "bindings/rust/src"
NAMES = {"c_void": "void", "c_char": "char", "c_int": "int", "u32": "uint32_t", "i32": "int32_t", "u64": "uint64_t",
         "i64": "int64_t", "usize": "size_t", "f64": "double", "bool": "bool"}


def code(*names: str) -> str:
    return "\n".join(re.sub(r"//[^\n]*", "", (SOURCES / name).read_text()) for name in names)


def in_c(rust: str) -> str:
    """Converts `*const *mut sdimage_x` to a C type as declarations.py writes it: `sdimage_x *const *`."""
    rust = rust.strip()
    match = re.fullmatch(r"\*(const|mut)\s+(.*)", rust)
    if not match:
        return NAMES.get(rust, rust)
    inner = in_c(match[2])
    if inner.endswith("*"):
        return inner + ("const *" if match[1] == "const" else "*")
    return ("const " if match[1] == "const" else "") + inner + " *"


def normal(c: str) -> str:
    return re.sub(r"\s+", "", c)


def functions() -> dict[str, tuple[str, list[str]]]:
    found = {}
    for name, parameters, result in re.findall(r"pub fn (sdimage_\w+)\(([^)]*)\)\s*(?:->\s*([^;]+))?;", code("sys_functions.rs")):
        types = [part.split(":", 1)[1] for part in parameters.split(",") if part.strip()]
        found[name] = in_c(result or "c_void"), [in_c(part) for part in types]
    return found


def compare_functions() -> None:
    headers = {function.name: function for function in declarations.functions()}
    mine, wrong = functions(), []
    for name, (result, types) in mine.items():
        if name not in headers:
            wrong.append(f"{name} is no function of the library")
            continue
        expected = [headers[name].result, *(parameter.type for parameter in headers[name].parameters)]
        for given, wanted in zip([result, *types], expected, strict=False):
            if normal(given) != normal(wanted):
                wrong.append(f"{name}: {given} is {wanted} in C")
        if len(types) + 1 != len(expected):
            wrong.append(f"{name}: {len(types)} parameters")
    report.check("the crate declares functions", len(mine) > 150, f"{len(mine)} found")
    report.check("every prototype of the crate is that of the headers", not wrong, "; ".join(wrong))
    missing = set(mine) - set(declarations.symbols())
    report.check("every function of the crate is exported", not missing, f"{sorted(missing)}")


def tables() -> dict[str, dict[str, int]]:
    """The fields of each struct and their sizes; pointers have 8 bytes."""
    sizes = {"u32": 4, "i32": 4, "bool": 1}
    found = re.findall(r"pub struct (sdimage_\w+) \{\n(.*?)\n\}", code("sys.rs"), flags=re.S)
    return {name: {field: sizes.get(kind, 8) for field, kind in re.findall(r"^    pub (?:r#)?(\w+):\s*(\w+)", body, flags=re.M)}
            for name, body in found}


def compare_values(folder: pathlib.Path) -> None:
    """Compiles a C program with static assertions of the constants and the sizes of structs."""
    constants = re.findall(r"pub const (SDIMAGE_\w+): sdimage_\w+ = (-?\d+);", code("constants.rs"))
    lines = ["#include <stddef.h>", "#include <sdimage.h>", "#include <sdimage/sys.h>"]
    lines += [f'_Static_assert({name} == {value}, "{name}");' for name, value in constants]
    lines += ["_Static_assert(sizeof(sdimage_status) == sizeof(int), \"an enum is an int\");"]
    for name, fields in tables().items():
        offset, widest = 0, max(fields.values())
        for field, size in fields.items():
            offset = -(-offset // size) * size
            lines.append(f'_Static_assert(offsetof({name}, {field}) == {offset}, "{name}.{field}");')
            offset += size
        lines.append(f'_Static_assert(sizeof({name}) == {-(-offset // widest) * widest}, "{name}");')
    report.check("the crate has constants and tables", len(constants) > 100 and len(tables()) > 10, f"{len(constants)}, {sorted(tables())}")
    source = folder / "values.c"
    source.write_text("\n".join(lines) + "\n")
    report.command("every constant and table of the crate is that of the headers", "gcc", "-std=c11", "-fsyntax-only",
                   f"-I{declarations.INCLUDE}", source)


def main() -> None:
    compare_functions()
    compare_values(pathlib.Path(sys.argv[1]))
    texts = {path.name: path.read_text() for path in SOURCES.parent.rglob("*.rs") if "target" not in path.parts}
    long = {name: count for name, text in texts.items() if "// Generated" not in text and (count := text.count("\n")) > 400}
    report.check("no Rust file is longer than 400 lines", not long, f"{long}")
    report.finish()


main()
