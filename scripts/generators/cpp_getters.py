"""C++: methods for the getters without one written by hand, in bindings/cpp/include/sdimage/getters.hpp and, of plug-ins,
plugins/NAME_getters.hpp.

A class template for each class of C; the class written by hand derives from it. Functions that a header written by hand calls
are left out, and those whose parameters have no counterpart here."""

from __future__ import annotations

import pathlib
import re
from dataclasses import dataclass

from . import names
from .headers import Function, Interface, is_plugin, prose, sentence
from .text import wrapped

FOLDER = "bindings/cpp/include/sdimage"
WIDTH = 120
#: Keywords of C++ that are names of getters.
KEYWORDS = {"namespace"}
NUMBERS = {"bool": "bool", "double": "double", "size_t": "std::size_t",
           **{f"{sign}int{bits}_t": f"std::{sign}int{bits}_t" for sign in ("", "u") for bits in (32, 64)}}
STRUCTS = {f"sdimage_{name}": f"sdimage::{name}" for name in ("size", "rect", "color")}
#: Clauses of the documentation that are about pointers, and what C++ has in their place.
CLAUSES = ((r" through (pointers|a pointer) that may be NULL", ""), (r", which the caller must unref", ""),
           (r"[;,] (the caller owns|for the caller to)[^;.]*", ""), (r"\bNULL\b", "empty"),
           (r" and (its|their) length\b", ""))


@dataclass(frozen=True)
class Class:
    """A class written by hand: its name, with a namespace, the class of C, and what the names of its functions begin with."""

    name: str
    c_type: str
    prefix: str

    @property
    def template(self) -> str:
        return self.prefix.removeprefix("sdimage_").removesuffix("_") + "_getters"


def handwritten(root: pathlib.Path) -> dict[pathlib.Path, str]:
    """The code of the headers written by hand."""
    texts = {path: path.read_text() for path in sorted((root / FOLDER).rglob("*.hpp"))}
    return {path: re.sub(r"//[^\n]*", "", text) for path, text in texts.items() if names.HEADING not in text[:100]}


def classes(code: dict[pathlib.Path, str]) -> list[Class]:
    found = []
    for path, text in code.items():
        space = "sdimage::photos" if path.stem.startswith("photos") else "sdimage"
        for match in re.finditer(r"\bclass (\w+)\s+: public (?:detail::)?(?:owned|shared)<\s*(sdimage_\w+)", text):
            found.append(Class(f"{space}::{match[1]}", match[2], f"{match[2]}_"))
    # A loader with functions of its own.
    return [*found, Class("sdimage::downloader", "sdimage_loader", "sdimage_downloader_")]


def files(interface: Interface, root: pathlib.Path) -> dict[str, str]:
    code = handwritten(root)
    called = set(re.findall(r"\bsdimage_\w+", "\n".join(code.values())))
    known = classes(code)
    groups: dict[str, dict[Class, list[str]]] = {"": {}, "photos": {}}
    for function in interface.functions:
        owners = [each for each in known if function.name.startswith(each.prefix)]
        owner = max(owners, default=None, key=lambda each: len(each.prefix))
        if owner is None or function.name in called or not is_getter(function, owner):
            continue
        if lines := Method(interface, known, function, owner).lines():
            group = "photos" if is_plugin(function.header) else ""
            groups[group].setdefault(owner, []).extend(lines)
    return {f"{FOLDER}/plugins/{group}_getters.hpp" if group else f"{FOLDER}/getters.hpp": header(group, found)
            for group, found in groups.items()}


def is_getter(function: Function, owner: Class) -> bool:
    return bool(function.parameters) and function.parameters[0].type == f"const {owner.c_type} *"


class Method:
    """A getter of C as a method."""

    def __init__(self, interface: Interface, known: list[Class], function: Function, owner: Class) -> None:
        self.function, self.owner = function, owner
        self.enums = {enum.name: enum_name(enum.name, enum.header) for enum in interface.enums}
        self.classes = {each.c_type: each.name for each in known if each.prefix == f"{each.c_type}_"}
        parameters = [each for each in function.parameters[1:] if each.type != "sdimage_error **" or each.name != "error"]
        self.outs = [each for each in parameters if each.type.endswith("*") and not each.type.startswith("const ")]
        self.given = [each for each in parameters if each not in self.outs]
        word = re.sub(r"(^|_)(get|copy)_", r"\1", function.name.removeprefix(owner.prefix))
        self.name = f"{word}_" if word in KEYWORDS else word

    # --- Types.

    def value(self, kind: str) -> str | None:
        """The type in C++ of a value, and of an object."""
        if kind.endswith("*"):
            return self.classes.get(kind.removesuffix("*").strip())
        return NUMBERS.get(kind) or STRUCTS.get(kind) or self.enums.get(kind)

    def read(self, kind: str, expression: str, name: str | None = None) -> str:
        """A value of C as one of C++."""
        if kind.endswith("*"):
            return f"T({expression})"
        return f"static_cast<{name or self.enums[kind]}>({expression})" if name or kind in self.enums else expression

    def taken(self) -> str | None:
        """The parameters of the method; None if one has no counterpart."""
        found = []
        for each in self.given:
            if each.type == "const char *":
                found.append(f"std::optional<std::string_view> {each.name} = {{}}")
            elif kind := self.value(each.type):
                found.append(f"{kind} {each.name}")
            else:
                return None
        return ", ".join(found)

    def call(self, *further: str) -> str:
        """The arguments for the function."""
        passed = ["self()"]
        for each in self.given:
            if each.type == "const char *":
                passed.append(f"detail::optional_text({each.name})")
            else:
                passed.append(f"detail::c({each.name})" if each.type in self.enums else each.name)
        return ", ".join([*passed, *further])

    @property
    def quiet(self) -> str:
        """Keeping a text allocates memory."""
        return "" if any(each.type == "const char *" for each in self.given) else " noexcept"

    # --- Text.

    def lines(self) -> list[str]:
        if self.taken() is None:
            return []
        made = self.returned() if not self.outs else self.lent() or self.stored()
        return comment(self.documentation(), "    ") + made if made else []

    def documentation(self) -> str:
        text = sentence(self.function.doc)
        for pattern, replacement in CLAUSES:
            text = re.sub(pattern, replacement, text)
        if self.is_optional:
            text = re.sub(r"^Returns true if", "Has a value if", re.split("[,;]", text)[0])
        return prose(text)

    @property
    def is_optional(self) -> bool:
        return self.function.result == "bool" and bool(self.outs)

    def returned(self) -> list[str]:
        """The method for the result of a function without out parameters."""
        called, result = f"{self.function.name}({self.call()})", self.function.result
        if result == "const char *":
            return self.texts(f"detail::view({called})")
        if result == "const sdimage_data *":
            return self.views(f"detail::bytes_in({called})")
        name = names.CPP_RESULTS.get(self.function.name)
        kind = name or self.value(result)
        if not kind or result.endswith("*"):
            return []
        return function(f"{kind} {self.name}({self.taken()}) const{self.quiet}", [f"return {self.read(result, called, name)};"])

    def texts(self, view: str) -> list[str]:
        """A temporary object returns a text of its own."""
        return (function(f"std::string_view {self.name}({self.taken()}) const &{self.quiet.strip()}", [f"return {view};"])
                + function(f"std::string {self.name}({self.taken()}) &&", [f"return std::string({view});"]))

    def views(self, view: str) -> list[str]:
        """Views of the bytes of a temporary object are refused."""
        return (function(f"bytes_view {self.name}({self.taken()}) const &{self.quiet.strip()}", [f"return {view};"])
                + [f"    bytes_view {self.name}({self.taken()}) && = delete;"])

    def lent(self) -> list[str]:
        """The method for text and bytes with a length."""
        if [each.type for each in self.outs] != ["size_t *"] or self.outs[0].name != "length":
            return []
        view = f"detail::sized_by({self.function.name}, {self.call()})"
        if self.function.result == "const void *":
            return self.views(view)
        return self.texts(f"{view}.text()") if self.function.result == "const char *" else []

    def stored(self) -> list[str]:
        """The method for out parameters."""
        result, pointed = self.function.result, [each.type.removesuffix("*").strip() for each in self.outs]
        kinds = [self.value(each) for each in pointed]
        objects = [name for name, each in zip(kinds, pointed) if each.endswith("*")]
        if result not in ("void", "bool", "sdimage_status") or None in kinds or len(objects) > 1:
            return []
        head = f"template <class T = {objects[0]}> " if objects else ""
        if len(kinds) == 1 and objects:
            return self.adopted(head)
        shown = ["T" if each.endswith("*") else str(name) for name, each in zip(kinds, pointed)]
        kind = shown[0] if len(shown) == 1 else f"std::tuple<{', '.join(shown)}>"
        body = [f"{each}{out.name} = nullptr;" if each.endswith("*") else f"{NUMBERS.get(each, each)} {out.name}{{}};"
                for each, out in zip(pointed, self.outs)]
        arguments = self.call(*(f"&{each.name}" for each in self.outs))
        called = f"{self.function.name}({arguments})"
        values = ", ".join(self.read(each, out.name) for each, out in zip(pointed, self.outs))
        made = f"std::tuple({values})" if len(shown) > 1 else values
        if result == "sdimage_status":
            body.append(f"detail::run({self.function.name}, {arguments});")
        elif result == "bool":
            body.append(f"if (!{called}) return std::nullopt;")
        else:
            body.append(f"{called};")
        kind = f"std::optional<{kind}>" if result == "bool" else kind
        quiet = "" if result == "sdimage_status" else self.quiet
        return function(f"{head}{kind} {self.name}({self.taken()}) const{quiet}", [*body, f"return {made};"])

    def adopted(self, head: str) -> list[str]:
        """The method for one object."""
        by, kind, quiet = {"void": ("copied", "T", self.quiet), "bool": ("copied_if", "std::optional<T>", self.quiet),
                           "sdimage_status": ("make", "T", "")}[self.function.result]
        return function(f"{head}{kind} {self.name}({self.taken()}) const{quiet}",
                        [f"return detail::{by}<T>({self.function.name}, {self.call()});"])


def enum_name(name: str, header: str) -> str:
    noun = name.removeprefix("sdimage_")
    if not is_plugin(header):
        return f"sdimage::{noun}"
    group = noun.split("_")[0]
    space = names.CPP_NAMESPACES.get(group, "plugins")
    return f"sdimage::{space}::{noun.removeprefix(f'{group}_') if space == group else noun}"


def function(head: str, body: list[str]) -> list[str]:
    """A function as clang-format writes it."""
    short = f"    {head} {{ {body[0]} }}"
    if len(body) == 1 and len(short) <= WIDTH:
        return [short]
    return [f"    {head} {{", *(f"        {line}" for line in body), "    }"]


def comment(doc: str, indent: str) -> list[str]:
    return [f"{indent}// {line}" for line in wrapped(doc, WIDTH - len(indent) - 3)] if doc else []


def template(owner: Class, lines: list[str]) -> str:
    return "\n".join([f"template <class Self> class {owner.template} {{",
                      f"    const {owner.c_type} *self() const noexcept {{ return static_cast<const Self *>(this)->get(); }}",
                      "", "public:", *lines, "};\n"])


def header(group: str, found: dict[Class, list[str]]) -> str:
    text = "\n".join(template(owner, lines) for owner, lines in found.items())
    declared: dict[str, set[str]] = {}
    for name in re.findall(r"\bclass T = sdimage::([\w:]+)", text):
        space, _, plain = name.rpartition("::")
        declared.setdefault(space, set()).add(plain)
    forward = "".join(f"class {each};\n" for each in sorted(declared.get("", ())))
    if inner := declared.get(group) if group else None:
        lines = "".join(f"class {each};\n" for each in sorted(inner))
        forward += f"namespace {group} {{\n{lines}}} // namespace {group}\n"
    includes = ['#include "../getters.hpp"', f'#include "{group}_enums.hpp"'] if group else [
        "#include <tuple>\n", '#include "enums.hpp"', '#include "error.hpp"', '#include "span.hpp"']
    if group:
        includes.insert(0, "".join(f"#include <{each}>\n" for each in names.CPP_GETTER_HEADERS[group]))
    guard = f"SDIMAGE_PLUGINS_{group.upper()}_GETTERS_HPP" if group else "SDIMAGE_GETTERS_HPP"
    return FORM.format(heading=names.HEADING, guard=guard, includes="\n".join(includes), forward=forward, text=text)


FORM = """// {heading}
//
// Getters of the classes that derive from these templates. Views are valid as long as the object, and until the
// property is set again. An optional without a value means that the property is not set; an optional with an empty
// handle means that it is set to none.
#ifndef {guard}
#define {guard}

{includes}

namespace sdimage {{

{forward}
namespace detail {{

{text}
}} // namespace detail

}} // namespace sdimage

#endif
"""
