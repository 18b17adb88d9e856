"""Node: bindings/node/lib/enums.js, its types in enums.d.ts, and src/enums.h for the addon."""

from __future__ import annotations

import pathlib

from . import names
from .headers import Enum, Interface, Value, prose, sentence
from .text import wrapped

FOLDER = "bindings/node"
WIDTH = 120


def files(interface: Interface, root: pathlib.Path) -> dict[str, str]:
    found = [interface.enum(name) for name in names.NODE_ENUMS]
    return {
        f"{FOLDER}/lib/enums.js": script(found),
        f"{FOLDER}/lib/enums.d.ts": types(found),
        f"{FOLDER}/src/enums.h": header(interface),
    }


def values(enum: Enum) -> list[Value]:
    return [value for value in enum.values if value.name not in names.NO_CHOICE]


def word(enum: Enum, value: Value) -> str:
    plain = names.WORDS.get(value.name, enum.word(value).lower())
    return plain.replace("_", "-") if enum.name in names.NODE_HYPHENS else plain


def key(text: str) -> str:
    return text if text.isidentifier() else f"'{text}'"


def documented(doc: str) -> str:
    lines = wrapped(prose(doc), WIDTH - 7) if prose(doc) else []
    if len(lines) > 1:
        return "/**\n" + "".join(f" * {line}\n" for line in lines) + " */\n"
    return f"/** {lines[0]} */\n" if lines else ""


def script(enums: list[Enum]) -> str:
    parts = [f"// {names.HEADING}\n'use strict';\n"]
    for enum in enums:
        lines = ""
        for value in values(enum):
            line = f"  {key(word(enum, value))}: {value.number},"
            text = sentence(value.doc)
            is_short = len(line) + len(text) + 4 <= WIDTH
            above = "" if is_short else "".join(f"  // {part}\n" for part in wrapped(text, WIDTH - 5))
            lines += f"{above}{line}{f' // {text}' if text and is_short else ''}\n"
        parts.append(f"{documented(enum.doc)}const {names.NODE_ENUMS[enum.name][0]} = {{\n{lines}}};\n")
    exported = "".join(f"  {table},\n" for table in sorted(table for table, _ in names.NODE_ENUMS.values()))
    return "\n".join([*parts, f"module.exports = {{\n{exported}}};\n"])


def types(enums: list[Enum]) -> str:
    parts = [f"// {names.HEADING}\n"]
    for enum in enums:
        words = [f"'{word(enum, value)}'" for value in values(enum) if value.name not in names.NODE_UNTYPED]
        line = f"export type {names.NODE_ENUMS[enum.name][1]} = {' | '.join(words)};\n"
        if len(line) > WIDTH + 1:
            line = f"export type {names.NODE_ENUMS[enum.name][1]} =\n" + "\n".join(f"  | {each}" for each in words) + ";\n"
        parts.append(f"{documented(enum.doc)}{line}")
    return "\n".join(parts)


def header(interface: Interface) -> str:
    lines = [f"/* {names.HEADING} */", "#ifndef SDIMAGE_NODE_ENUMS_H", "#define SDIMAGE_NODE_ENUMS_H", "", "#include <sdimage.h>"]
    for name, table in names.NODE_C_ENUMS.items():
        enum = interface.enum(name)
        lines += ["", f"/* Words by number. {prose(enum.doc)} */", f"static const char *const {table}[] = {{"]
        for value in values(enum):
            lines += [f"    /* {line} */" for line in wrapped(prose(value.doc) or "Undocumented.", WIDTH - 10)]
            lines += [f'    [{value.name}] = "{word(enum, value)}",']
        lines += ["};"]
    return "\n".join([*lines, "", "#endif\n"])
