"""GTK: integrations/gtk4/sdimage-gtk4-options.h, the requests and options of the C library as types of introspection.

For C each type is another name of that of the library, and its functions are those of the library. For the scanner the header
declares them again with types of GLib, as far as introspection can describe them."""

from __future__ import annotations

import pathlib
import re

from . import names
from .headers import Enum, Function, Interface, Parameter
from .text import wrapped

PATH = "integrations/gtk4/sdimage-gtk4-options.h"
WIDTH = 120
NUMBERS = {"uint32_t": "guint32", "uint64_t": "guint64", "size_t": "gsize", "double": "double", "void": "void", "bool": "gboolean"}
TEXT, BYTES = "const char *", "const void *"


def files(interface: Interface, root: pathlib.Path) -> dict[str, str]:
    del root
    return {PATH: Header(interface.library()).text()}


def camel(name: str) -> str:
    return names.GTK_ENUMS.get(name) or "".join(word.capitalize() for word in name.split("_"))


def comment(title: str, annotated: list[str], text: str, result: str = "") -> list[str]:
    """A comment as the scanner reads it: the parameters or values, the description, and the result."""
    parts = [*annotated, "", *wrapped(text, WIDTH - 3), *(["", result] if result else [])]
    return ["/**", f" * {title}:", *(f" * {part}".rstrip() for part in parts), " */"]


class Header:
    def __init__(self, interface: Interface) -> None:
        self.interface = interface
        self.enums = {each.name: each for each in interface.enums}
        self.used = set(names.GTK_ENUMS)
        self.functions = {name: self.functions_of(name) for name in names.GTK_TYPES}

    # --- Functions.

    def functions_of(self, name: str) -> list[list[str]]:
        """The declarations of the functions of a type, without those of reference counting, which introspection calls itself."""
        found = {each.name: self.declaration(each) for each in self.interface.functions if re.match(rf"{name}_(?!(un)?ref$|new_bytes$)", each.name)}
        # A setter that introspection cannot describe needs no function that restores the default.
        return [lines for each, lines in found.items() if lines and found.get(each.replace("_reset_", "_set_"))]

    def translated(self, kind: str) -> str:
        """A type in terms of GLib; "" if introspection has none."""
        plain = kind.removeprefix("const ")
        if plain in self.enums:
            self.used.add(plain)
            return camel(plain)
        if plain.rstrip(" *") in names.GTK_TYPES and "*" in plain:
            return kind.replace(plain.rstrip(" *"), camel(plain.rstrip(" *")))
        return kind if kind == TEXT else NUMBERS.get(kind, "")

    def declaration(self, function: Function) -> list[str]:
        """Empty for functions that introspection cannot describe, and for getters of a bool: GLib would read an int."""
        result, parameters, annotated = self.translated(function.result), [], []
        is_maker = function.result.rstrip(" *") in names.GTK_TYPES
        pairs = zip(function.parameters, [*function.parameters[1:], None])
        for index, (each, following) in enumerate(pairs):
            kind, annotation = self.parameter(each, following, index == 0, function)
            if not kind:
                return []
            parameters.append(f"{kind}{'' if kind.endswith('*') else ' '}{each.name}")
            annotated += [f"@{each.name}: {annotation}"] if annotation else []
        if not result or result == "gboolean":
            return []
        returned = f"Returns: (transfer {'full' if is_maker else 'none'}) (nullable):" if result.endswith("*") else ""
        head = f"SDIMAGE_API {result}{'' if result.endswith('*') else ' '}{function.name}("
        lines = wrapped(", ".join(each.replace(" ", "~") for each in parameters) or "void", WIDTH - len(head) - 2)
        code = f"{head}{(chr(10) + ' ' * len(head)).join(lines)});".replace("~", " ")
        return [*comment(function.name, annotated, function.doc, returned), *code.split("\n")]

    def parameter(self, each: Parameter, following: Parameter | None, is_self: bool, function: Function) -> tuple[str, str]:
        """The type and the annotation of a parameter; an empty type if there is none."""
        has_length = following is not None and following.name == "length"
        if each.name == "length" and each.type == "size_t":
            is_text = any(other.type == TEXT for other in function.parameters)
            return ("gssize", "number of bytes; -1: up to the NUL") if is_text else ("gsize", "number of bytes")
        if each.type == BYTES and has_length:
            return "const guint8 *", "(array length=length) (nullable):"
        if each.type.endswith("**") and each.type.rstrip(" *") in names.GTK_TYPES:
            return self.translated(each.type), "(out) (transfer full):"
        # The value of a setter is its last pointer.
        pointers = [other for other in function.parameters if other.type.endswith("*")]
        may_be_null = "_set_" in function.name and each is pointers[-1] and not is_self and re.search(r"\bNULL\b", function.doc)
        return self.translated(each.type), "(nullable):" if may_be_null else ""

    # --- Enums.

    def enum(self, enum: Enum) -> list[str]:
        """The scanner takes an enum for a set of bits if a value is shifted."""
        lines, shifts = [], {1 << bit: f"1 << {bit}" for bit in range(32)} if enum.is_bits else {}
        title = camel(enum.name)
        # Without a number of another system in brackets.
        docs = [re.sub(r"^\[\d+\]\s*", "", value.doc) for value in enum.values]
        annotated = [f"@{value.name}: {doc}" for value, doc in zip(enum.values, docs)]
        lines += comment(title, [part for each in annotated for part in wrapped(each, WIDTH - 3)], enum.doc)
        values = [f"    {value.name} = {shifts.get(value.number, value.number)}" for value in enum.values]
        return [*lines, "typedef enum {", *",\n".join(values).split("\n"), f"}} {title};"]

    # --- The file.

    def text(self) -> str:
        enums = [each for each in self.interface.enums if each.name in self.used]
        aliases = [f"typedef {name} {camel(name)};" for name in [*names.GTK_TYPES, *(each.name for each in enums)]]
        scanned = [["", *self.enum(each)] for each in enums]
        for name, text in names.GTK_TYPES.items():
            scanned += [["", *comment(camel(name), [], text), f"typedef struct _{camel(name)} {camel(name)};"]]
        for name in names.GTK_TYPES:
            scanned += [["", *lines] for lines in self.functions[name]]
        types = [[f"#define {name.replace('sdimage', 'SDIMAGE_TYPE', 1).upper()} ({name}_get_type())", f"SDIMAGE_API GType {name}_get_type(void);"]
                 for name in names.GTK_TYPES]
        return HEADER.format(
            heading=names.HEADING, aliases="\n".join(aliases), types="\n".join(line for lines in types for line in lines),
            scanned="\n".join(line for lines in scanned for line in lines))


HEADER = """/* {heading}
 *
 * sdimage-gtk4-options.h: requests and options of the C library (sdimage/request.h, decode.h, target.h) as boxed types.
 * In C they are the types of the library; introspection has those of its functions that it can describe. g_boxed_copy()
 * makes an independent copy of a request, and a reference of options. */
#ifndef SDIMAGE_GTK4_OPTIONS_H
#define SDIMAGE_GTK4_OPTIONS_H

#include <glib-object.h>

/* clang-format off */
{types}

#ifndef __GI_SCANNER__
{aliases}
#else /* seen by g-ir-scanner only */
{scanned}

#endif

#endif
"""
