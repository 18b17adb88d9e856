"""Java: the enums of the package."""

from __future__ import annotations

import pathlib

from . import names
from .headers import Enum, Interface, Value, prose
from .text import wrapped

FOLDER = "bindings/java/src/org/sdimage"
WIDTH = 120


def files(interface: Interface, root: pathlib.Path) -> dict[str, str]:
    return {f"{FOLDER}/{java}.java": enum(interface.enum(name), java) for name, java in names.JAVA_ENUMS.items()}


def comment(doc: str, indent: str = "") -> str:
    text = prose(doc).replace("&", "&amp;").replace("<", "&lt;").replace("*/", "*&#47;")
    single = f"{indent}/** {text} */\n"
    if not text or len(single) <= WIDTH + 1:
        return single if text else ""
    lines = wrapped(text, WIDTH - len(indent) - 3)
    return f"{indent}/**\n" + "".join(f"{indent} * {line}\n" for line in lines) + f"{indent} */\n"


def values(found: Enum) -> list[Value]:
    return [value for value in found.values if value.name not in names.NO_CHOICE]


def enum(found: Enum, java: str) -> str:
    rows = ",\n".join(f"{comment(value.doc, '    ')}    {found.word(value)}({value.number})" for value in values(found))
    methods = names.JAVA_METHODS.get(java, "")
    return ENUM.format(heading=names.HEADING, doc=comment(found.doc), java=java, rows=rows, methods=methods)


ENUM = """// {heading}
package org.sdimage;

{doc}public enum {java} {{
{rows};

    final int number;

    {java}(int number) {{
        this.number = number;
    }}

    /** Null for numbers without a value, and for those of another version. */
    static {java} of(long number) {{
        for ({java} each : values()) {{
            if (each.number == number) {{
                return each;
            }}
        }}
        return null;
    }}
{methods}}}
"""
