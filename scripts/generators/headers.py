"""The public headers, parsed from their text: enums, constants, callbacks, structs and functions, with their documentation."""

from __future__ import annotations

import pathlib
import re
from dataclasses import dataclass, field, replace

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include"
#: Constants of the standard headers that the public headers refer to.
KNOWN = {"UINT64_MAX": 2**64 - 1, "INT64_MAX": 2**63 - 1, "UINT32_MAX": 2**32 - 1, "INT32_MAX": 2**31 - 1, "SIZE_MAX": 2**64 - 1}


@dataclass(frozen=True)
class Parameter:
    type: str
    name: str


@dataclass(frozen=True)
class Function:
    result: str
    name: str
    parameters: tuple[Parameter, ...]
    header: str
    doc: str = ""


@dataclass(frozen=True)
class Value:
    name: str
    number: int
    doc: str


@dataclass(frozen=True)
class Enum:
    name: str
    values: tuple[Value, ...]
    header: str
    doc: str

    @property
    def is_bits(self) -> bool:
        """True if values can be combined: the documentation says so."""
        return re.search(r"\bbits\b|\bbit set\b", self.doc) is not None

    def word(self, value: Value) -> str:
        """The name of a value without the prefix of the enum: "TOO_LARGE"."""
        return value.name.removeprefix(self.name.upper() + "_")


@dataclass(frozen=True)
class Constant:
    name: str
    value: int | str
    header: str
    doc: str


@dataclass(frozen=True)
class Field:
    """A member of a struct; of a pointer to a function, `type` is its result."""

    type: str
    name: str
    parameters: tuple[Parameter, ...] | None


@dataclass(frozen=True)
class Struct:
    name: str
    fields: tuple[Field, ...]
    header: str

    @property
    def is_table(self) -> bool:
        """True for a table of functions, whose first field is its size."""
        return any(each.parameters is not None for each in self.fields)


@dataclass
class Interface:
    """All declarations, in the order of the headers."""

    enums: list[Enum] = field(default_factory=list)
    constants: list[Constant] = field(default_factory=list)
    callbacks: list[Function] = field(default_factory=list)
    structs: list[Struct] = field(default_factory=list)
    objects: list[Struct] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)

    def enum(self, name: str) -> Enum:
        return next(each for each in self.enums if each.name == name)

    def library(self) -> Interface:
        """The declarations of the library alone, without those of modules and plug-ins."""
        return Interface(**{name: [each for each in found if not is_plugin(each.header)] for name, found in vars(self).items()})


def is_plugin(header: str) -> bool:
    return "plugins" in pathlib.PurePath(header).parts


def signature(function: Function) -> str:
    """A function as C, on one line, without the semicolon."""
    parameters = ", ".join(joined(each.type, each.name) for each in function.parameters) or "void"
    return f"{joined(function.result, function.name)}({parameters})"


def joined(kind: str, name: str) -> str:
    return kind + name if kind.endswith("*") else f"{kind} {name}"


# --- Text.


def blank(text: str, pattern: str) -> str:
    """Replaces matches with spaces, so that positions and lines stay."""
    return re.sub(pattern, lambda match: re.sub(r"[^\n]", " ", match[0]), text, flags=re.S | re.M)


def without_comments(text: str) -> str:
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)


class Comments:
    """The comments of a header by position."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.found = [(match.start(), match.end()) for match in re.finditer(r"/\*.*?\*/", text, re.S)]

    def plain(self, span: tuple[int, int]) -> str:
        return " ".join(re.sub(r"\n\s*\*", "\n", self.text[span[0] + 2 : span[1] - 2]).split())

    def before(self, position: int) -> str:
        """The comment that ends on the line before a position and belongs to no code before it; "" for none."""
        for span in self.found:
            gap, line = self.text[span[1] : position], self.text[: span[0]].rpartition("\n")[2]
            if span[1] <= position and not gap.strip() and gap.count("\n") <= 1 and not line.strip():
                return self.plain(span)
        return ""

    def after(self, position: int) -> str:
        """The comment on the line of a position, behind it; "" for none."""
        for span in self.found:
            gap = self.text[position : span[0]]
            if span[0] >= position and "\n" not in gap and not gap.strip(" ,\t"):
                return self.plain(span)
        return ""


def sentence(doc: str) -> str:
    """The first sentence without its full stop, and without a number of another system in brackets."""
    return re.split(r"(?<=\.)\s+(?=[A-Z\"])", re.sub(r"^\[\d+\]\s*", "", doc))[0].removesuffix(".")


def prose(doc: str) -> str:
    """The first sentence as a sentence: a capital letter, unless it starts with a name, and a full stop; "" for none."""
    text = sentence(doc)
    first = text.split(" ")[0] if text else ""
    if first.strip(",:;").isalpha() and first.islower() and not first.startswith("lib"):
        text = text[0].upper() + text[1:]
    return f"{text}." if text else ""


# --- Declarations.


def number(text: str, known: dict[str, int]) -> int | None:
    """The value of a constant expression of integers; None if it is none."""
    plain = re.sub(r"\(\s*(?:size_t|u?int\d+_t)\s*\)", "", text)
    plain = re.sub(r"\b0[xX][\da-fA-F]+", lambda match: str(int(match[0], 16)), plain)
    plain = re.sub(r"\b(\d+)[uUlL]+\b", r"\1", plain)
    plain = re.sub(r"\b[A-Za-z_]\w*", lambda match: str(known.get(match[0], "?")), plain)
    if not re.fullmatch(r"[\d\s()|&<>~+*-]*\d[\s)]*", plain):
        return None
    value = int(eval(plain, {"__builtins__": {}}))
    return value % 2**64 if "size_t" in text else value


def kind(text: str) -> str:
    return re.sub(r"\s*\*\s*", " *", " ".join(text.split())).replace("* *", "**").strip()


def parameter(text: str) -> Parameter:
    text = " ".join(text.split())
    called = re.fullmatch(r"(.*?)\(\s*\*\s*(\w+)\s*\)\s*(\(.*\))", text)
    if called:
        return Parameter(f"{kind(called[1])} (*){called[3]}", called[2])
    match = re.fullmatch(r"(.*?)(\w+)(\s*\[\s*\w*\s*\])?", text)
    assert match, f"not a parameter: {text!r}"
    return Parameter(kind(match[1] + ("*" if match[3] else "")), match[2])


def parameters(text: str) -> tuple[Parameter, ...]:
    """The parameters between the parentheses of a declaration."""
    if text.strip() in ("", "void"):
        return ()
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return tuple(parameter(part) for part in parts)


def enums(text: str, header: str) -> list[Enum]:
    code, comments = blank(text, r"/\*.*?\*/|//[^\n]*"), Comments(text)
    found = []
    for match in re.finditer(r"typedef\s+enum\s+(?:SDIMAGE_ENUM\s+)?(\w+)?\s*\{([^}]*)\}\s*(\w+)\s*;", code):
        values: list[Value] = []
        for each in re.finditer(r"\b(SDIMAGE_\w+)\b(?:\s*=\s*([^,]+))?", match[2]):
            known = {value.name: value.number for value in values}
            given = number(each[2], known) if each[2] else None
            start, end = match.start(2) + each.start(), match.start(2) + len(match[2][: each.end()].rstrip())
            doc = comments.after(end) or comments.before(start)
            values.append(Value(each[1], given if given is not None else values[-1].number + 1 if values else 0, doc))
        found.append(Enum(match[3], tuple(values), header, comments.before(match.start())))
    return found


def constants(text: str, header: str) -> list[Constant]:
    code, comments = blank(text, r"/\*.*?\*/|//[^\n]*"), Comments(text)
    found = []
    for match in re.finditer(r"^#define (SDIMAGE_\w+)[ \t]+(\S.*?)[ \t]*$", code, re.M):
        value = match[2][1:-1] if match[2].startswith('"') else number(match[2], KNOWN)
        if value is not None:
            found.append(Constant(match[1], value, header, comments.before(match.start()) or comments.after(match.end(2))))
    return found


def declared(text: str) -> str:
    """A header without comments and directives."""
    return re.sub(r"^\s*#.*$", "", without_comments(text), flags=re.M)


def structs(code: str, header: str) -> list[Struct]:
    found = []
    for match in re.finditer(r"typedef\s+struct\s+\w+\s*\{([^}]*)\}\s*(\w+)\s*;", code):
        fields = []
        for line in filter(str.strip, match[1].split(";")):
            called = re.fullmatch(r"\s*(.*?)\(\s*\*\s*(\w+)\s*\)\s*\((.*)\)\s*", line, re.S)
            if called:
                fields.append(Field(kind(called[1]), called[2], parameters(called[3])))
            else:
                plain = parameter(line)
                fields.append(Field(plain.type, plain.name, None))
        found.append(Struct(match[2], tuple(fields), header))
    return found


def exported(code: str, header: str) -> list[Function]:
    pattern = r"SDIMAGE_API\s+([\w\s*]*?[\s*])(sdimage_\w+)\s*\(([^;]*)\)\s*;"
    return [Function(kind(match[1]), match[2], parameters(match[3]), header) for match in re.finditer(pattern, code)]


def documented(text: str) -> dict[str, str]:
    """The documentation of functions by their names."""
    comments = Comments(text)
    return {match[1]: comments.before(match.start()) for match in re.finditer(r"^SDIMAGE_API [^;(]*?(sdimage_\w+)\(", text, re.M)}


def read(include: pathlib.Path = INCLUDE) -> Interface:
    """The declarations of every header below a folder."""
    all_of_it = Interface()
    for path in headers(include):
        text, header = path.read_text(), str(path.relative_to(include))
        code, docs = declared(text), documented(text)
        all_of_it.enums += enums(text, header)
        all_of_it.constants += constants(text, header)
        all_of_it.structs += structs(code, header)
        all_of_it.functions += [replace(each, doc=docs.get(each.name, "")) for each in exported(code, header)]
        all_of_it.objects += [Struct(name, (), header) for name in re.findall(r"typedef\s+struct\s+(\w+)\s+\1\s*;", code)]
        all_of_it.callbacks += [Function(kind(match[1]), match[2], parameters(match[3]), header)
                                for match in re.finditer(r"typedef\s+([\w\s*]+?)\(\s*\*\s*(\w+)\s*\)\s*\(([^;]*)\)\s*;", code)]
    return all_of_it


def headers(include: pathlib.Path = INCLUDE) -> list[pathlib.Path]:
    return sorted(include.glob("sdimage.h")) + sorted(include.glob("sdimage/**/*.h"))


def functions(include: pathlib.Path = INCLUDE, plugins: bool = False) -> list[Function]:
    """Every function of the library that is marked SDIMAGE_API, in the order of the headers; with `plugins`, also
    the functions that are in the files of modules and plug-ins."""
    found = []
    for path in headers(include):
        if plugins or not is_plugin(str(path.relative_to(include))):
            found += exported(declared(path.read_text()), str(path.relative_to(include)))
    return found
