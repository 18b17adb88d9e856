"""Rust: bindings/rust/src/{constants,sys,sys_functions,choices}.rs."""

from __future__ import annotations

import pathlib
import re
from collections.abc import Iterable

from . import names
from .headers import Enum, Field, Function, Interface, Parameter, Struct, prose
from .text import wrapped

FOLDER = "bindings/rust/src"
WIDTH = 130
SCALARS = {
    "void": "c_void", "char": "c_char", "int": "c_int", "bool": "bool", "double": "f64", "float": "f32", "size_t": "usize",
    **{f"{sign}int{bits}_t": f"{letter}{bits}" for sign, letter in (("", "i"), ("u", "u")) for bits in (8, 16, 32, 64)},
}
KEYWORDS = set("""
    abstract as async await become box break const continue crate do dyn else enum extern false final fn for if impl in let loop
    macro match mod move mut override priv pub ref return self static struct super trait true try type typeof unsafe unsized use
    virtual where while yield
""".split())


def files(interface: Interface, root: pathlib.Path) -> dict[str, str]:
    own = interface.library()
    return {
        f"{FOLDER}/constants.rs": constants(own),
        f"{FOLDER}/sys.rs": declarations(own),
        f"{FOLDER}/sys_functions.rs": functions(own),
        f"{FOLDER}/choices.rs": choices(own),
    }


def comment(doc: str, indent: str = "", fallback: str = "") -> str:
    text = re.sub(r"([\[\]<>*])", r"\\\1", prose(doc)) or fallback
    return "".join(f"{indent}/// {line}\n" for line in wrapped(text, WIDTH - len(indent) - 4)) if text else ""


# --- Enums and constants.


def constants(interface: Interface) -> str:
    parts = []
    for enum in interface.enums:
        values = "".join(f"{comment(value.doc)}pub const {value.name}: {enum.name} = {value.number};\n" for value in enum.values)
        parts.append(f"{comment(enum.doc)}pub type {enum.name} = c_int;\n{values}")
    for constant in interface.constants:
        kind, value = ("&str", f'"{constant.value}"') if isinstance(constant.value, str) else (
            ("u64", "u64::MAX") if constant.value == 2**64 - 1 else ("i64", str(constant.value)))
        parts.append(f"{comment(constant.doc)}pub const {constant.name}: {kind} = {value};\n")
    return "\n".join([CONSTANTS, *parts])


def camel(word: str) -> str:
    return "".join(part.capitalize() for part in word.split("_"))


def choices(interface: Interface) -> str:
    return "\n".join([CHOICES, *(choice(interface.enum(name)) for name in names.RUST_ENUMS)])


def choice(enum: Enum) -> str:
    """An enum, or a set of bits, whose values are constants."""
    indent, macro, named = " " * 8, "bits" if enum.is_bits else "choices", str if enum.is_bits else camel
    values = "".join(f"{comment(value.doc, indent, f'`{enum.word(value)}`.')}{indent}{named(enum.word(value))} = {value.name},\n"
                     for value in enum.values)
    return f"{macro}! {{\n{comment(enum.doc, '    ')}    {camel(enum.name.removeprefix('sdimage_'))} {{\n{values}    }}\n}}\n"


# --- Types and functions.


def kind(text: str) -> str:
    """A type of C in Rust: `sdimage_x *const *` is `*const *mut sdimage_x`."""
    if "(" in text:
        return "*const c_void"
    tokens = re.findall(r"\*|\w+", text)
    start = next((index for index, token in enumerate(tokens) if token == "*"), len(tokens))
    is_const, base = "const" in tokens[:start], [token for token in tokens[:start] if token not in ("const", "struct", "enum")]
    result: str = SCALARS.get(" ".join(base), base[-1])
    for token in tokens[start:]:
        if token == "*":
            result, is_const = f"*{'const' if is_const else 'mut'} {result}", False
        else:
            is_const = True
    return result


def arguments(parameters: Iterable[Parameter]) -> list[str]:
    return [f"{identifier(each.name)}: {kind(each.type)}" for each in parameters]


def identifier(name: str) -> str:
    return f"r#{name}" if name in KEYWORDS else name


def arrow(result: str) -> str:
    return "" if result == "void" else f" -> {kind(result)}"


def called(before: str, parameters: Iterable[Parameter], after: str, indent: str) -> str:
    """Parameters on one line, or on a line each."""
    single = f"{indent}{before}({', '.join(arguments(parameters))}){after}"
    if len(single) <= WIDTH:
        return single
    return f"{indent}{before}(\n" + "".join(f"{indent}    {each},\n" for each in arguments(parameters)) + f"{indent}){after}"


def pointer(before: str, result: str, parameters: tuple[Parameter, ...], after: str, indent: str) -> str:
    """A pointer to a function, which may be NULL."""
    name = 'unsafe extern "C" fn'
    whole = f"Option<{name}({', '.join(arguments(parameters))}){arrow(result)}>{after}"
    if len(f"{indent}{before}{whole}") <= WIDTH:
        return f"{indent}{before}{whole}"
    if len(f"{indent}    {whole}") <= WIDTH:
        return f"{indent}{before.rstrip()}\n{indent}    {whole}"
    return f"{indent}{before}Option<\n{called(name, parameters, arrow(result) + ',', indent + '    ')}\n{indent}>{after}"


def field(each: Field) -> str:
    if each.parameters is None:
        return f"    pub {identifier(each.name)}: {kind(each.type)},"
    return pointer(f"pub {identifier(each.name)}: ", each.type, each.parameters, ",", "    ")


def struct(each: Struct) -> str:
    is_float = any(kind(part.type).startswith("f") for part in each.fields)
    derived = "" if each.is_table else f"#[derive(Clone, Copy, Debug, Default, PartialEq{'' if is_float else ', Eq'})]\n"
    body = "\n".join(map(field, each.fields))
    return f"#[repr(C)]\n{derived}pub struct {each.name} {{\n{body}\n}}\n"


def declarations(interface: Interface) -> str:
    objects = "".join(f"    {each.name},\n" for each in sorted(interface.objects, key=lambda each: each.name))
    callbacks = [pointer(f"pub type {each.name} = ", each.result, each.parameters, ";", "") + "\n"
                 for each in interface.callbacks]
    return imported("\n".join([SYS.replace("@objects@", objects), *callbacks, *map(struct, interface.structs)]))


def functions(interface: Interface) -> str:
    groups: dict[str, list[Function]] = {}
    for each in interface.functions:
        groups.setdefault(each.header.removeprefix("sdimage/"), []).append(each)
    parts = []
    for header, found in groups.items():
        lines = [called(f"pub fn {each.name}", each.parameters, f"{arrow(each.result)};", "    ") for each in found]
        parts.append("\n".join([f"    // {header}", *lines]) + "\n")
    return imported(FUNCTIONS + "\n".join(parts) + "}\n")


def imported(text: str) -> str:
    """Fills in the types of C that a text uses."""
    used = sorted(set(re.findall(r"\bc_(?:char|int|void)\b", text)))
    return text.replace("@types@", ", ".join(used))


CONSTANTS = f"""// {names.HEADING}
//! The values of the C enums. C enums are open: a library of a later version may return others.
#![allow(non_camel_case_types, missing_docs)]

use std::os::raw::c_int;
"""
CHOICES = f"""// {names.HEADING}
//! C enums as Rust enums, and sets of bits. `Other` is a value of a later version.

use crate::sys;
"""
SYS = f"""// {names.HEADING}
//! The declarations of the C headers, which document behavior and threads. Everything here is as unsafe as C: programs use
//! the modules above it.
#![allow(non_camel_case_types, missing_docs)]

use std::os::raw::{{@types@}};

pub use crate::constants::*;
pub use crate::sys_functions::*;

/// Objects of the library; used only behind pointers.
macro_rules! opaque {{
    ($($name:ident),* $(,)?) => {{$(
        #[repr(C)]
        pub struct $name {{
            _opaque: [u8; 0],
            // Neither Send nor Sync by itself, and never moved: the handles decide about both.
            _marker: std::marker::PhantomData<(*mut u8, std::marker::PhantomPinned)>,
        }}
    )*}};
}}

opaque! {{
@objects@}}
"""
FUNCTIONS = f"""// {names.HEADING}
//! The C functions; see [`crate::sys`], of which this is a part.
#![allow(missing_docs)]

use crate::sys::*;
use std::os::raw::{{@types@}};

extern "C" {{
"""
