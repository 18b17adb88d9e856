#!/usr/bin/env python3
"""Messages of errors in C and in the bindings: `component: problem`, in one line without a full stop. Those in Swift are
checked by words.py."""

from __future__ import annotations

import pathlib
import re
import sys
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/support"))
import report  # noqa: E402
import sources  # noqa: E402
import text  # noqa: E402
import words  # noqa: E402

C = r"\bsdimage_error_new\([\w.:]+,\s+|\bsdcs_fail\([^,()\"]+, [^,()\"]+,\s+"
#: Calls that make an error, up to its message. Messages that begin with a value of the program are not checked.
REPORTING = {
    ".c": C,
    ".hpp": rf"{C}|\b(?:error|failure)\(status::\w+, |\bstd::\w+_(?:argument|error)\(",
    ".go": r"\bMessage:\s+(?:fmt\.Sprintf\()?",
    ".java": r'\bnew \w+Exception\(\s*(?:"[A-Z_]+", )?',
    ".js": r"\bnew (?:SdimageError\('[A-Z_]+', |(?:Type|Range)Error\()",
    ".lua": r'\berror\((?:"[A-Z_]+", |\()?',
    ".py": r'\bError\(\s*"[A-Z_]+",\s*',
    ".rs": r"\bError::new\(Status::\w+, ",
}
LITERAL = r"""[bf]?(?:"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)"""
#: Values in a message: of f-strings, templates, and format strings.
VALUE = re.compile(r"\$?\{[^{}]*\}|%[-.\d]*[a-z]")
FOLDERS = ("Sources", "bindings")
#: Tests raise whatever they need.
TESTS = re.compile(r"/tests?/|_test\.go$")
WORD = re.compile(r'"[A-Z_]+"')


def messages(suffix: str, body: str) -> Iterator[tuple[int, str]]:
    """The offsets and texts of the messages of a file."""
    comments = [match.span() for match in sources.grammar(suffix).finditer(body) if match["comment"] is not None]
    for match in re.finditer(f"(?:{REPORTING[suffix]})({LITERAL})", body):
        literal = match[1]
        if len(literal) > 2 and not WORD.fullmatch(literal) and not any(start <= match.start() < end for start, end in comments):
            yield match.start(1), literal


def wrong(literal: str) -> str:
    """The rule that a message breaks."""
    message = VALUE.sub("x", literal.lstrip("bf")[1:-1])
    if not words.MESSAGE.match(message):
        return "has no component"
    if message.endswith("."):
        return "ends with a full stop"
    return f"is longer than {words.LONGEST_MESSAGE} characters" if len(message) > words.LONGEST_MESSAGE else ""


def main() -> None:
    found = 0
    for path in text.files():
        name = str(path.relative_to(ROOT))
        if path.suffix not in REPORTING or not name.startswith(FOLDERS) or TESTS.search(name):
            continue
        body = path.read_text()
        for offset, literal in messages(path.suffix, body):
            found += 1
            if reason := wrong(literal):
                report.check("messages", False, f"{name}:{sources.line_of(body, offset)}: message {reason}: {literal}")
    report.check("messages: errors name their component", found > 0)
    mistakes = {
        ".py": ['raise Error("NOT_FOUND", f"no {it}")'],
        ".lua": ['error("the cache was closed", 3)'],
        ".java": ['new IllegalStateException("it was closed")'],
        ".c": ['sdimage_error_new(status, "io: it.")', 'sdcs_fail(&self->error, status,\n    "no memory")'],
    }
    for suffix, codes in mistakes.items():
        literals = [literal for code in codes for _, literal in messages(suffix, code)]
        report.check(f"messages: the rule finds mistakes in {suffix}", len(literals) == len(codes) and all(map(wrong, literals)),
                     f"{literals}")
    report.finish()


if __name__ == "__main__":
    main()
