"""Comments, literals and code of source files, found with one regular expression per language instead of a compiler."""

from __future__ import annotations

import functools
import pathlib
import re
from collections.abc import Iterator
from typing import NamedTuple

#: The depth to which interpolations of Swift literals may contain literals and parentheses.
NESTING = 4


def swift_literal() -> str:
    """The pattern of a literal on one line; re has no recursion, so that each round adds one level of nesting."""
    literal, inside = r'"(?:\\.|[^"\\\n])*"', r"[^()\"\n]"
    for _ in range(NESTING):
        inside = rf'(?:[^()"\n]|{literal}|\({inside}*\))'
        literal = rf'"(?:\\\({inside}*\)|\\[^(\n]|[^"\\\n])*"'
    return literal


SLASHES = r"(?P<comment>//[^\n]*|/\*.*?\*/)"
QUOTED = r'"(?:\\.|[^"\\\n])*"'
SINGLE = r"'(?:\\.|[^'\\\n])*'"
#: A character, not the lifetime of a Rust reference, which has no second quotation mark.
CHARACTER = r"'(?:\\.[^'\n]*|[^\\'\n])'"
C = rf'{SLASHES}|(?P<literal>R"(\w*)\(.*?\)\3"|{QUOTED}|{CHARACTER})'
SCRIPT = rf"{SLASHES}|(?P<literal>{QUOTED}|{SINGLE}|`(?:\\.|[^`\\])*`)"
#: Docstrings are literals on lines of their own.
PYTHON = (r'(?P<comment>#[^\n]*|(?m:^)[ \t]*[rf]?"""(?:\\.|[^\\"]|"(?!""))*"""[ \t]*(?=\n|\Z))'
          rf'|(?P<literal>"""(?:\\.|[^\\])*?"""|{QUOTED}|{SINGLE})')
SHELL = (r"(?P<comment>(?:(?<=\s)|\A)#[^\n]*)"
         r"|(?P<literal><<-?\s*['\"]?(\w+)['\"]?.*?\n\t*\3(?=\n|\Z)|\\.|'[^']*'|" r'"(?:\\.|[^"\\])*")')
GRAMMARS = {
    ".swift": rf'{SLASHES}|(?P<literal>#".*?"#|"""(?:\\.|[^\\])*?"""|{swift_literal()})',
    **dict.fromkeys([".c", ".h", ".cpp", ".hpp", ".java"], C),
    ".rs": rf'{SLASHES}|(?P<literal>r(#*)".*?"\3|{QUOTED}|{CHARACTER})',
    **dict.fromkeys([".go", ".js", ".mjs", ".ts"], SCRIPT),
    **dict.fromkeys([".py", ".pyi"], PYTHON),
    ".lua": rf"(?P<comment>--\[\[.*?\]\]|--[^\n]*)|(?P<literal>\[\[.*?\]\]|{QUOTED}|{SINGLE})",
    ".sh": SHELL,
}
#: The suffixes that files without one would have, by interpreter.
INTERPRETERS = {"bash": ".sh", "sh": ".sh", "python3": ".py", "lua": ".lua", "node": ".js"}
BEGINNING = re.compile(r'\A(?:[rf]?"""|/\*[*!]*<?|//[/!]*<?|#+[:!]?|--+(?:\[\[)?)\s*')
ENDING = re.compile(r'\s*(?:"""|\*+/|\]\])\Z')
CONTINUATION = re.compile(r"\n[ \t]*(?:\*(?!/)[ \t]*)?")


class Comment(NamedTuple):
    line: int
    text: str


def line_of(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def language(path: pathlib.Path, text: str) -> str | None:
    """The suffix of the file, or that of its interpreter; None where comments are not understood."""
    if path.suffix in GRAMMARS:
        return path.suffix
    first = re.match(r"#!.*?(\w+)\s*\n", text)
    return INTERPRETERS.get(first[1]) if first and not path.suffix else None


@functools.cache
def grammar(language: str) -> re.Pattern[str]:
    return re.compile(GRAMMARS[language], re.DOTALL)


def comments(language: str, text: str) -> list[Comment]:
    """The comments without their delimiters. Line comments below each other in one column are one comment."""
    found: list[Comment] = []
    end, column, marker = 0, -1, ""
    for match in grammar(language).finditer(text):
        if match["comment"] is None:
            continue
        comment = match[0].strip()
        start = match.start() + match[0].index(comment)
        here, opening = start - text.rfind("\n", 0, start), BEGINNING.match(comment)[0].strip().replace("---", "--")
        words = CONTINUATION.sub("\n", ENDING.sub("", BEGINNING.sub("", comment)))
        between = text[end:start]
        if (here, opening) == (column, marker) and opening[:2] in ("//", "#", "--") and between.count("\n") == 1 and between.isspace():
            found[-1] = Comment(found[-1].line, found[-1].text + "\n" + words)
        else:
            found.append(Comment(line_of(text, start), words))
        end, column, marker = match.end(), here, opening
    return found


def code(language: str, text: str) -> str:
    """The text without comments and with empty literals, on the same lines."""
    def blank(match: re.Match[str]) -> str:
        return ('""' if match["comment"] is None else "") + "\n" * match[0].count("\n")
    return grammar(language).sub(blank, text)


def literals(language: str, text: str) -> list[tuple[int, str]]:
    """The literals and their offsets."""
    return [(match.start(), match[0]) for match in grammar(language).finditer(text) if match["comment"] is None]


def closing(text: str, start: int, brackets: str) -> int:
    """The offset of the bracket that closes the first one from `start` on; the length of the text if there is none."""
    depth = 0
    for match in re.compile("[" + re.escape(brackets) + "]").finditer(text, start):
        depth += 1 if match[0] == brackets[0] else -1
        if depth == 0:
            return match.start()
    return len(text)


SWIFT_FUNCTION = re.compile(r"^[ \t]*(?:@\w+(?:\([^)\n]*\))? )*(?:[a-z]+(?:\([a-z]+\))? )*"
                            r"(?:func ([^\s(<]+|[<>=]+)|(init)[?!]?(?=[<(])|(deinit)(?= \{)|(subscript)(?=[<(]))", re.MULTILINE)
SWIFT_BODY = re.compile(r"[^\n{}]*(?:\n\s*(?:where|->|async|throws)[^\n{}]*)*\s*\{")
C_FUNCTION = re.compile(r"^(?!typedef\b|(?:struct|enum|union) \w+ \{)\w[^\n;{}()]*?(\w+)(?=\()", re.MULTILINE)
C_BODY = re.compile(r"\)(?:\s*\b\w+\b(?:\((?:[^(){};]|\([^(){};]*\))*\))?)*\s*\{")


class Function(NamedTuple):
    lines: int
    line: int
    name: str


def functions(language: str, text: str) -> Iterator[Function]:
    """The functions with bodies, and their lengths from the first line of the declaration to the closing brace."""
    plain = code(language, text)
    head, body = (SWIFT_FUNCTION, SWIFT_BODY) if language == ".swift" else (C_FUNCTION, C_BODY)
    for match in head.finditer(plain):
        name = next(filter(None, match.groups()))
        brace = body.match(plain, match.end() if name == "deinit" else closing(plain, match.end(), "()"))
        if brace:
            start, end = match.start(), closing(plain, brace.end() - 1, "{}")
            yield Function(plain.count("\n", start, end) + 1, line_of(plain, start), name)
