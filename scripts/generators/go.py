"""Go: bindings/go/constants.go."""

from __future__ import annotations

import pathlib

from . import names
from .headers import Enum, Interface, Value, prose
from .text import wrapped

FILE = "bindings/go/constants.go"
WIDTH = 120


def files(interface: Interface, root: pathlib.Path) -> dict[str, str]:
    parts = [f"// {names.HEADING}\n\npackage sdimage\n", *(block(interface.enum(name)) for name in names.GO_ENUMS)]
    return {FILE: "\n".join(parts)}


def comment(doc: str, indent: str) -> str:
    return "".join(f"{indent}// {line}\n" for line in wrapped(prose(doc), WIDTH - len(indent) - 3)) if prose(doc) else ""


def name(enum: Enum, value: Value) -> str:
    """HTTPStatus for SDIMAGE_STATUS_HTTP_STATUS."""
    parts = [part if part in names.GO_INITIALISMS else part.capitalize() for part in enum.word(value).split("_")]
    return names.GO_VALUES.get(value.name, names.GO_ENUMS[enum.name].prefix + "".join(parts))


def literal(enum: Enum, value: Value) -> str:
    return {"number": str(value.number), "word": f'"{enum.word(value).lower()}"', "name": f'"{enum.word(value)}"'}[
        names.GO_ENUMS[enum.name].value]


def block(enum: Enum) -> str:
    """The constants of a type, in columns as gofmt writes them: a comment ends a column."""
    kind = names.GO_ENUMS[enum.name]
    rows = [(comment(value.doc, "\t"), name(enum, value), literal(enum, value)) for value in enum.values
            if value.name not in names.GO_LEFT_OUT | names.NO_CHOICE and (kind.value != "name" or value.number < 0)]
    lines = "".join(f"{above}\t{word} {kind.type} = {given}\n" for above, word, given in aligned(rows))
    return f"{comment(enum.doc, '')}const (\n{lines})\n"


def aligned(rows: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """Names with the spaces that align the types of neighbors without a comment between them."""
    groups: list[list[tuple[str, str, str]]] = []
    for row in rows:
        if row[0] or not groups:
            groups.append([])
        groups[-1].append(row)
    return [(above, word.ljust(max(len(each[1]) for each in group)), given) for group in groups for above, word, given in group]
