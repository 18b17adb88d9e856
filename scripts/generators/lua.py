"""Lua: bindings/lua/sdimage/constants.lua, and prototypes.lua with the declarations that the package uses."""

from __future__ import annotations

import pathlib
import re

from . import names
from .headers import Enum, Interface, Struct, prose, sentence, signature
from .text import wrapped

FOLDER = "bindings/lua/sdimage"
WIDTH = 120
KEYWORDS = set("""and break do else elseif end false for function goto if in local nil not or repeat return then true until
    while""".split())


def files(interface: Interface, root: pathlib.Path) -> dict[str, str]:
    paths = [path for path in (root / FOLDER).glob("*.lua") if path.name not in ("constants.lua", "prototypes.lua")]
    sources = [path.read_text() for path in sorted(paths)]
    used = set(re.findall(r"\bsdimage_\w+", "\n".join(sources)))
    return {
        f"{FOLDER}/constants.lua": constants([interface.enum(name) for name in names.LUA_ENUMS]),
        f"{FOLDER}/prototypes.lua": prototypes(interface.library(), used),
    }


# --- Enums.


def key(word: str) -> str:
    return word if word.isidentifier() and word not in KEYWORDS else f'["{word}"]'


def constants(enums: list[Enum]) -> str:
    parts = [f"-- {names.HEADING}\n--- Enums of the library as words, and their numbers.\n\nlocal constants = {{}}\n"]
    for enum in enums:
        lines = "".join(f"--- {line}\n" for line in wrapped(prose(enum.doc), WIDTH - 4)) if enum.doc else ""
        lines += f"constants.{names.LUA_ENUMS[enum.name]} = {{\n"
        for value in (each for each in enum.values if each.name not in names.NO_CHOICE):
            line, text = f"  {key(names.WORDS.get(value.name, enum.word(value).lower()))} = {value.number},", sentence(value.doc)
            is_short = len(line) + len(text) + 4 <= WIDTH
            above = "" if is_short else "".join(f"  -- {part}\n" for part in wrapped(text, WIDTH - 5))
            lines += f"{above}{line}{f' -- {text}' if text and is_short else ''}\n"
        parts.append(f"{lines}}}\n")
    return "\n".join([*parts, "return constants\n"])


# --- Declarations.


def fields(struct: Struct) -> str:
    return " ".join(f"{each.type}{'' if each.type.endswith('*') else ' '}{each.name};" for each in struct.fields)


def prototypes(interface: Interface, used: set[str]) -> str:
    """The functions whose names the package contains, and the types that they need."""
    functions = [each for each in interface.functions if each.name in used]
    named = set(re.findall(r"\bsdimage_\w+", "\n".join(map(signature, functions)))) | used
    for callback in reversed(interface.callbacks):
        named |= set(re.findall(r"\bsdimage_\w+", signature(callback))) if callback.name in named else set()
    callbacks = [each for each in interface.callbacks if each.name in named]
    lines = [f"typedef int {each.name};" for each in interface.enums if each.name in named]
    lines += [f"typedef struct {each.name} {each.name};" for each in interface.objects if each.name in named]
    for struct in interface.structs:
        # Tables of functions are passed as NULL only: a callback of LuaJIT must not run on another thread.
        body = "" if struct.is_table else f"{{ {fields(struct)} }} "
        lines += [f"typedef struct {struct.name} {body}{struct.name};"] if struct.name in named else []
    lines += [re.sub(rf"\b{each.name}\(", f"(*{each.name})(", f"typedef {signature(each)};") for each in callbacks]
    lines += ["", *(f"{signature(each)};" for each in functions)]
    return PROTOTYPES.format(heading=names.HEADING, lines="\n".join(lines))


PROTOTYPES = """-- {heading}
--- The functions that this package calls, as declared in the headers.

require("ffi").cdef([[
{lines}
]])
"""
