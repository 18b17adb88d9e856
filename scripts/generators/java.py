"""Java: the enums of the package, and Constants.java with the numbers of the enums inside of its classes."""

from __future__ import annotations

import pathlib

from . import names
from .headers import Enum, Interface, Value, prose
from .text import wrapped

FOLDER = "bindings/java/src/org/sdimage"
WIDTH = 120


def files(interface: Interface, root: pathlib.Path) -> dict[str, str]:
    found = {f"{FOLDER}/{java}.java": enum(interface.enum(name), java) for name, java in names.JAVA_ENUMS.items()}
    return {**found, f"{FOLDER}/Constants.java": constants([interface.enum(name) for name in names.JAVA_NUMBERS])}


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


def constants(enums: list[Enum]) -> str:
    lines = []
    for found in enums:
        prefix = found.name.removeprefix("sdimage_").upper()
        lines.append("".join(f"{comment(value.doc, '    ')}    static final int {prefix}_{found.word(value)} = {value.number};\n"
                             for value in values(found)))
    return CONSTANTS.format(heading=names.HEADING, lines="\n".join(lines))


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
CONSTANTS = """// {heading}
package org.sdimage;

/** Numbers of the enums that are inside of classes. */
final class Constants {{
    private Constants() {{}}

{lines}}}
"""
