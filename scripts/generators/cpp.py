"""C++: the enums and the words of their values, in bindings/cpp/include/sdimage/enums.hpp and, of plug-ins,
plugins/NAME_enums.hpp; and the getters of cpp_getters.py."""

from __future__ import annotations

import pathlib
import re

from . import cpp_getters, names
from .headers import Constant, Enum, Interface, is_plugin, prose
from .text import wrapped

FOLDER = "bindings/cpp/include/sdimage"
WIDTH = 120
KEYWORDS = set("""
    and auto bool break case catch char class compl const continue default delete do double else enum explicit export extern false
    float for friend goto if inline int long mutable namespace new not operator or private protected public register return short
    signed sizeof static struct switch template this throw true try typedef union unsigned using virtual void volatile while xor
""".split())


def files(interface: Interface, root: pathlib.Path) -> dict[str, str]:
    groups: dict[str, list[Enum]] = {}
    for enum in interface.enums:
        groups.setdefault(plugin(enum), []).append(enum)
    made = {f"{FOLDER}/plugins/{name}_enums.hpp" if name else f"{FOLDER}/enums.hpp": Header(interface, name, enums).text()
            for name, enums in groups.items()}
    return made | cpp_getters.files(interface, root)


def plugin(enum: Enum) -> str:
    """"photos" for the enums of plugins/photos_loader.h; "" for those of the library."""
    return pathlib.PurePath(enum.header).stem.split("_")[0] if is_plugin(enum.header) else ""


class Header:
    """A header with enums of C++."""

    def __init__(self, interface: Interface, group: str, enums: list[Enum]) -> None:
        self.interface, self.group, self.enums = interface, group, enums
        self.namespace = names.CPP_NAMESPACES.get(group, "plugins") if group else ""

    def type(self, enum: Enum) -> str:
        noun = enum.name.removeprefix("sdimage_")
        return noun.removeprefix(f"{self.group}_") if self.namespace == self.group else noun

    def qualified(self, enum: Enum) -> str:
        return f"{self.namespace}::{self.type(enum)}" if self.namespace else self.type(enum)

    def extras(self, enum: Enum) -> list[Constant]:
        """Constants that belong to an enum but have no value of its type in C: SDIMAGE_CORNERS_ALL."""
        return [each for each in self.interface.constants
                if each.name.startswith(enum.name.upper() + "_") and isinstance(each.value, int)]

    def enum(self, enum: Enum) -> str:
        lines = comment(enum.doc, "") + [f"enum class {self.type(enum)} : int {{ // {pathlib.PurePath(enum.header).name}"]
        for value in enum.values:
            lines += comment(value.doc, "    ") + [f"    {value_name(enum, value.name)} = {value.name},"]
        for extra in self.extras(enum):
            number = int(extra.value) - 2**64 if int(extra.value) >= 2**63 else extra.value
            lines += comment(extra.doc, "    ") + [f"    {value_name(enum, extra.name)} = {number}, // {extra.name}"]
        return "\n".join([*lines, "};\n"])

    def text(self) -> str:
        guard = f"SDIMAGE_PLUGINS_{self.group.upper()}_ENUMS_HPP" if self.group else "SDIMAGE_ENUMS_HPP"
        headers = sorted({each.header for each in self.enums})
        includes = "".join(f"#include <{header}>\n" for header in headers)
        opening = f"namespace {self.namespace} {{\n\n" if self.group else ""
        # Operators are looked up in the namespace of their operand, not in the one around it.
        operators = "".join(f"using sdimage::operator{each};\n" for each in ("|", "&", "<<"))
        closing = f"{operators}\n}} // namespace {self.namespace}\n\n" if self.group else ""
        maps = "".join(f"template <> struct c_enum<{self.qualified(each)}> {{ using type = {each.name}; }};\n"
                       for each in self.enums)
        bits = "".join(f"template <> inline constexpr bool is_set_of_bits<{self.qualified(each)}> = true;\n"
                       for each in self.enums if each.is_bits)
        return FORM.format(
            heading=names.HEADING, guard=guard, includes=includes, up="../" if self.group else "",
            opening=opening, enums="\n".join(map(self.enum, self.enums)), closing=closing, maps=maps,
            bits=f"{bits}\n" if bits else "", words="".join(map(self.words, self.enums)))

    def words(self, enum: Enum) -> str:
        """The table of the words of an enum."""
        kind = self.qualified(enum)
        rows = [(value_name(enum, value.name), names.WORDS.get(value.name, enum.word(value).lower())) for value in enum.values]
        rows += [(value_name(enum, extra.name), extra.name.removeprefix(enum.name.upper() + "_").lower())
                 for extra in self.extras(enum)]
        lines = "".join(f'    {{{kind}::{name}, "{word}"}},\n' for name, word in rows)
        return f"template <> inline constexpr word_of<{kind}> words<{kind}>[] = {{\n{lines}}};\n"


def comment(doc: str, indent: str) -> list[str]:
    return [f"{indent}// {line}" for line in wrapped(prose(doc), WIDTH - len(indent) - 3)] if prose(doc) else []


def value_name(enum: Enum, name: str) -> str:
    word = names.CPP_VALUES.get(name, name.removeprefix(enum.name.upper() + "_").lower())
    return f"{word}_" if word in KEYWORDS else re.sub(r"^(?=\d)", "value_", word)


FORM = """// {heading}
#ifndef {guard}
#define {guard}

{includes}
#include "{up}enum_traits.hpp"

namespace sdimage {{

{opening}{enums}
{closing}namespace detail {{

{maps}
{bits}// clang-format off
{words}// clang-format on

}} // namespace detail

}} // namespace sdimage

#endif
"""
