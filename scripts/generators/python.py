"""Python: bindings/python/sdimage/_enums.py and _prototypes.py."""

from __future__ import annotations

import pathlib
import re
from collections.abc import Iterable

from . import names
from .headers import Enum, Field, Function, Interface, Parameter, Struct, is_plugin, prose, sentence
from .text import wrapped

FOLDER = "bindings/python/sdimage"
WIDTH = 120
SCALARS = {
    "void": "None", "bool": "c_bool", "double": "c_double", "float": "c_float", "int": "c_int", "size_t": "c_size_t",
    **{f"{sign}int{bits}_t": f"c_{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)},
}


def files(interface: Interface, root: pathlib.Path) -> dict[str, str]:
    return {f"{FOLDER}/_enums.py": enums(interface), f"{FOLDER}/_prototypes.py": Prototypes(interface).text()}


# --- Enums.


def plural(enum: Enum) -> str:
    """PIXEL_FORMATS for sdimage_pixel_format."""
    noun = enum.name.removeprefix("sdimage_").upper()
    if noun.endswith("Y") and noun[-2] not in "AEIOU":
        ending = noun[:-1] + "IES"
    elif noun.endswith("US"):
        ending = noun + "ES"
    else:
        ending = noun if noun.endswith("S") else noun + "S"
    return names.PYTHON_PLURALS.get(enum.name, ending)


def word(enum: Enum, name: str) -> str:
    return names.PYTHON_WORDS.get(name) or names.WORDS.get(name, name.removeprefix(enum.name.upper() + "_").lower())


def comment(doc: str, before: str, indent: str = "    ") -> tuple[str, str]:
    """A line above and the end of a line: the documentation is in one of them."""
    text = sentence(doc)
    if not text:
        return "", ""
    if len(before) + len(text) + 4 <= WIDTH:
        return "", f"  # {text}"
    return "".join(f"{indent}# {line}\n" for line in wrapped(text, WIDTH - len(indent) - 2)), ""


def above_name(doc: str) -> str:
    """The documentation of a constant."""
    return "".join(f"#: {line}\n" for line in wrapped(prose(doc), WIDTH - 3)) if doc else ""


def enums(interface: Interface) -> str:
    parts = [f"# {names.HEADING}\n\"\"\"Enums of the library as words, and their numbers.\"\"\"\n\nfrom typing import Final\n"]
    for enum in interface.enums:
        lines = f"{above_name(enum.doc)}{plural(enum)}: Final = {{\n"
        for value in (each for each in enum.values if each.name not in names.PYTHON_LEFT_OUT):
            line = f'    "{word(enum, value.name)}": {value.number},'
            above, end = comment(value.doc, line)
            lines += f"{above}{line}{end}\n"
        parts.append(f"{lines}}}\n")
        for constant in interface.constants:
            if constant.name.startswith(enum.name.upper() + "_") and isinstance(constant.value, int):
                parts.append(f"{above_name(constant.doc)}{constant.name.removeprefix('SDIMAGE_')}: Final = {constant.value}\n")
    return "\n".join(parts)


# --- Prototypes.


def explode(before: str, items: Iterable[str], after: str, indent: str = "", closing: str = ")") -> str:
    """A bracket with its items: on one line, on one line of their own, or on a line each."""
    parts = list(items)
    single = f"{indent}{before}{', '.join(parts)}{closing}{after}"
    inner = f"{indent}    {', '.join(parts)}"
    if len(single) <= WIDTH:
        return single
    if before.endswith("CFUNCTYPE(") and len(inner) <= WIDTH:
        return f"{indent}{before}\n{inner}\n{indent}{closing}{after}"
    return f"{indent}{before}\n" + "".join(f"{indent}    {part},\n" for part in parts) + f"{indent}{closing}{after}"


def upper(name: str) -> str:
    """DESTROY for sdimage_destroy_fn, LOADER_TABLE for sdimage_loader_vtable."""
    return re.sub("_vtable$", "_table", name.removeprefix("sdimage_").removesuffix("_fn")).upper()


def title(name: str) -> str:
    """LoaderTable for sdimage_loader_vtable."""
    return "".join(part.capitalize() for part in re.sub("vtable$", "table", name.removeprefix("sdimage_")).split("_"))


class Prototypes:
    """The file _prototypes.py."""

    def __init__(self, interface: Interface) -> None:
        self.interface = interface
        self.enum_names = {each.name for each in interface.enums}
        self.structs = {each.name: each for each in interface.structs}
        self.callbacks = {each.name for each in interface.callbacks}

    def type(self, text: str) -> str:
        """The ctypes class of an argument or a result."""
        plain = re.sub(r"\bconst\b ?", "", text).replace(" *", "*").replace("* *", "**").strip()
        base, stars = plain.rstrip("*").strip(), plain.count("*")
        if "(" in text:
            return "c_void_p"
        if not stars:
            return SCALARS.get(base) or ("c_int" if base in self.enum_names else title(base) if base in self.structs else (
                upper(base) if base in self.callbacks else "c_int"))
        if stars == 1:
            if base == "char":
                return "c_char_p" if "const" in text else "c_void_p"
            if base in self.structs:
                return f"POINTER({title(base)})"
            if base in self.enum_names:
                return "POINTER(c_int)"
            return "c_void_p" if base == "void" or base not in SCALARS else f"POINTER({SCALARS[base]})"
        return "POINTER(c_char_p)" if base == "char" else "HANDLE_OUT"

    def given(self, parameters: tuple[Parameter, ...], index: int) -> str:
        """The ctypes class of an argument of a callback: text with a length is a pointer, as are structs and functions."""
        text = parameters[index].type
        has_length = index + 1 < len(parameters) and parameters[index + 1].type == "size_t"
        plain = self.type(text)
        is_pointer = plain == "c_char_p" and has_length or plain in map(upper, self.callbacks)
        is_table = plain.startswith("POINTER(") and text.rstrip(" *").removeprefix("const ") in self.structs
        return "c_void_p" if is_pointer or is_table else plain

    def callback(self, name: str, result: str, parameters: tuple[Parameter, ...]) -> str:
        kind = self.type(result)
        types = ["c_void_p" if kind == "c_char_p" or kind.startswith("POINTER") else kind]
        types += [self.given(parameters, index) for index in range(len(parameters))]
        return explode(f"{name} = CFUNCTYPE(", types, "")

    def field(self, struct: Struct, each: Field) -> str:
        kind = self.type(each.type) if each.parameters is None else f"{upper(struct.name)}_{each.name.upper()}"
        return f'("{each.name}", {kind})'

    def struct(self, struct: Struct) -> str:
        fields = explode("_fields_ = [", [self.field(struct, each) for each in struct.fields], "", "    ", "]")
        return f'class {title(struct.name)}(Structure):\n    """``{struct.name}``."""\n\n{fields}\n'

    def row(self, function: Function, indent: str) -> str:
        result = self.type(function.result)
        types = [self.type(each.type) for each in function.parameters]
        line = f'{indent}"{function.name}": ({result}, ({", ".join(types)}{"," if len(types) == 1 else ""})),'
        if len(line) <= WIDTH:
            return line
        inner = explode("(", types, ",", indent + "    ")
        return f'{indent}"{function.name}": (\n{indent}    {result},\n{inner}\n{indent}),'

    def text(self) -> str:
        tables = [each for each in self.interface.structs if each.is_table]
        functions = sorted(self.interface.functions, key=lambda each: each.name)
        lines = [self.callback(upper(each.name), each.result, each.parameters) for each in self.interface.callbacks]
        lines += [self.callback(f"{upper(table.name)}_{each.name.upper()}", each.type, each.parameters)
                  for table in tables for each in table.fields if each.parameters is not None]
        plain = [self.struct(each) for each in self.interface.structs if not each.is_table]
        body = "\n\n".join([*plain, "\n".join(lines) + "\n", *map(self.struct, tables)])
        rows = "\n".join(self.row(each, "    ") for each in functions if not is_plugin(each.header))
        body = f"{body}\n\n{TABLE}\n{rows}\n}}\n\n{PLUGINS}\n{self.plugins(functions)}\n}}\n"
        return START.format(heading=names.HEADING, imports=imports(body)) + body

    def plugins(self, functions: list[Function]) -> str:
        """The functions of modules and plug-ins, by the file that has them: photos_loader.h is of `photos`."""
        groups: dict[str, list[Function]] = {}
        for each in filter(lambda function: is_plugin(function.header), functions):
            groups.setdefault(pathlib.PurePath(each.header).stem.split("_")[0], []).append(each)
        return "\n".join('    "{}": {{\n{}\n    }},'.format(name, "\n".join(self.row(each, " " * 8) for each in rows))
                         for name, rows in sorted(groups.items()))


def imports(body: str) -> str:
    """The import of the names of ctypes that a text uses."""
    used = set(re.findall(r"\b(?:c_\w+|POINTER|CFUNCTYPE|Structure)\b", body)) | {"POINTER", "c_void_p"}
    ordered = sorted(used, key=lambda name: (not name.isupper(), name[0].islower(), name))
    return "from ctypes import (\n" + "".join(f"    {name},\n" for name in ordered) + ")"


START = '''# {heading}
"""The structs, callbacks and prototypes of the headers.

Objects are ``c_void_p``, enums ``c_int``; text that the caller frees is a pointer.
"""

from __future__ import annotations

{imports}
from typing import Any

#: ``object **`` and ``sdimage_error **``.
HANDLE_OUT = POINTER(c_void_p)


'''
TABLE = '''#: The functions of the library: results and arguments by name.
PROTOTYPES: dict[str, tuple[Any, tuple[Any, ...]]] = {'''
PLUGINS = '''#: The functions of modules and plug-ins, by the name of their file.
PLUGINS: dict[str, dict[str, tuple[Any, tuple[Any, ...]]]] = {'''
