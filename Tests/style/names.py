"""Identifiers for which there is a technical term, and where they are declared; functions whose names contain words for persons."""

from __future__ import annotations

import pathlib
import re
from collections.abc import Iterator

import sources
import text

ROOT = pathlib.Path(__file__).resolve().parents[2]

#: Names that a technical term replaces. Names that are right in other meanings are left to reviewers: turn (of an image), light
#: (linear), mean and steps (numbers), follow (redirects), made and taken (results), aspect, shown, cells, lowest, leave, over, halves.
REPLACED = set("""
    anew answer answers ask asks audience board boarded choices confirmed courtesy facts flight giveUp give_up ground grows
    kept land letGo let_go news overtake patience place places progression quiet renew renewal saw seat shelf sorrow standIn
    stand_in ticket want wants wish wishes withdraw
""".split())
#: Functions that servers and hosts in tests may have.
SERVERS = {"answer"}
#: Forms of type names: Swift, then C.
FORMS = re.compile(r"\w*(?:Run|Seat|Ticket|Courtesy|Following|Wish|Want|Aspect|Shelf|Ground|Places|Draft|Halves)"
                   r"|(?:Kept|Light|Turn)(?![a-z])\w*"
                   r"|(?:\w+_)?(?:run|seat|ticket|courtesy|following|wish|want|aspect|shelf|ground|places|draft|halves)(?:_t)?"
                   r"|(?:\w+_)?(?:kept|light|turn)_\w+")
ALLOWED_TYPES = {"LightTransform": "linear light", "heif_content_light_level": "of libheif"}

#: Functions of all languages, in C and Java those that begin a line.
FUNCTION = re.compile(r"\b(?:def|fn|func|function|void)\s+(?:\([^)\n]*\)\s*)?(?:\w+::)?(\w+)(?=\s*[(<])"
                      r"|^(?!return\b|else\b|typedef\b)\w[\w ]*[ *](\w+)(?=\([^;]*\{$)", re.MULTILINE)
#: The words of a name.
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
#: Words that names of functions, most of them of tests, do not contain: objects are not persons, and three that have a plain synonym.
SPOKEN = re.compile(r"\b(?:he|him|his|who|whom|whoever|somebody|nobody|anybody|everybody|anew|belied|let go|letting go)\b")

TYPE = re.compile(r"\b(?:class|struct|enum|union|protocol|actor|typealias|associatedtype)\s+(\w+)|^\} (\w+);"
                  r"|^typedef [^;{}]*?(\w+)(?:\)\([^;]*\))?;", re.MULTILINE)
BOUND = re.compile(r"\bcase (\w+(?:, \w+)+)|\b(?:func|let|var|case|for(?: try)?(?: await)?)\s+(\w+)|\b(?:let|var|for)\s*\(([\w,\s]+)\)")
PARAMETERS = re.compile(r"(?:\bfunc [^\s(<]+(?:<[^>]*>)?|(?<!\.)\b(?:init[?!]?|subscript)(?:<[^>]*>)?|\bcase \w+)(?=\()")
PARAMETER = re.compile(r"(?:\(|,)\s*(?:@\w+\s+)*(\w+)(?:\s+(\w+))?\s*:")
CLOSURE = re.compile(r"\{\s*(?:\[[^\]]*\]\s*)?\(?(?!for\b)(\w[\w, ]*)\)?\s*(?:async\s*)?(?:throws\s*)?(?:->[^\n{}]*)?\bin\b")
#: The first name that a C declaration declares: a type, a space, stars and a name. Operators have spaces on both sides.
C_DECLARATOR = re.compile(r"\b(?!(?:return|else|goto|case|sizeof)\b)\w+ \**(\w+)\s*(?=[;=,)\[({:])|#define (\w+)")
#: Statements that may declare more names, and the parentheses in their initial values.
PARENTHESES = re.compile(r"\((?:[^;(){}]|\([^;(){}]*\))*\)")
C_DECLARATION = re.compile(r"(?:^[ \t]*|[{;] |\bfor \()(?!return\b|goto\b|else\b|case\b)"
                           rf"((?:\w+ )+\**\w+(?:[^;(){{}}]|{PARENTHESES.pattern})*;)", re.MULTILINE)


def functions(code: str) -> Iterator[tuple[int, str]]:
    """Offsets and names of functions."""
    yield from ((match.start(), match[1] or match[2]) for match in FUNCTION.finditer(code))


def declared(language: str, code: str) -> Iterator[tuple[int, str]]:
    """Offsets and names of declarations, types excepted."""
    found: list[tuple[int, str | None]] = []
    if language == ".swift":
        for match in [*BOUND.finditer(code), *CLOSURE.finditer(code)]:
            found += [(match.start(), name) for names in match.groups("") for name in re.findall(r"\w+", names)]
        for match in PARAMETERS.finditer(code):
            for parameter in PARAMETER.finditer(code, match.end(), sources.closing(code, match.end(), "()")):
                found += [(parameter.start(), name) for name in parameter.groups()]
    else:
        found += [(match.start(), match[1] or match[2]) for match in C_DECLARATOR.finditer(code)]
        for match in C_DECLARATION.finditer(code):
            found += [(match.start(), name) for name in re.findall(r",\s*\**(\w+)", PARENTHESES.sub("", match[1]))]
    yield from ((offset, name) for offset, name in found if name)


def replaced() -> Iterator[tuple[str, int, str]]:
    """Declarations of replaced names: outside the library those of types and functions alone."""
    library = set(text.code_files(".swift", ".c", ".h"))
    for path in text.files():
        if path.suffix not in (".swift", ".c", ".h"):
            continue
        code = sources.code(path.suffix, path.read_text())
        types = {(match.start(), next(filter(None, match.groups()))) for match in TYPE.finditer(code)}
        others = declared(path.suffix, code) if path in library else functions(code)
        wrong = {(offset, name) for offset, name in types if FORMS.fullmatch(name) and name not in ALLOWED_TYPES}
        wrong |= {(offset, name) for offset, name in [*types, *others] if name in REPLACED and (path in library or name not in SERVERS)}
        for offset, name in sorted(wrong):
            yield str(path.relative_to(ROOT)), sources.line_of(code, offset), f"{name!r} is declared"


def spoken() -> Iterator[tuple[str, int, str]]:
    """Functions whose names contain words for persons."""
    for path in text.files():
        body = path.read_bytes().decode(errors="replace")
        language = sources.language(path, body)
        code = sources.code(language, body) if language else ""
        for offset, name in functions(code):
            if found := SPOKEN.search(" ".join(WORD.findall(name)).lower()):
                yield str(path.relative_to(ROOT)), sources.line_of(code, offset), f"{name!r} contains {found[0]!r}"
