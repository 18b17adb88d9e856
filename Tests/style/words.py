#!/usr/bin/env python3
"""The words of comments, identifiers and messages, and their spelling."""

from __future__ import annotations

import pathlib
import re
import sys
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/support"))
import names  # noqa: E402
import report  # noqa: E402
import sources  # noqa: E402
import text  # noqa: E402

#: Comments begin with a noun phrase or a third-person verb.
BEGINNING = re.compile(r"(?:What|Who|Whom|Whoever|Whose|Whether|Of|Where|That|Nobody|So that)\b", re.IGNORECASE)
#: Objects are not persons.
PERSON = re.compile(r"\b(?:he|him|his|who|whom|whoever|somebody|nobody)\b", re.IGNORECASE)
#: Parts of comments that are not prose.
QUOTATION = re.compile(r"`[^`]*`|\"[^\"\n]*\"|\b\w+://\S+")

#: One spelling, that of the C functions. Names of other libraries and of fixtures are left as they are.
OTHER_SPELLING = re.compile(r"\w*(?<!liquid-)colo[u]r(?!-wheel)\w*", re.IGNORECASE)
SPELLED_BY_OTHERS = {"de265_get_image_colour_primaries"}
#: Entries about past versions stay as they were written.
HISTORY = "CHANGELOG.md"

#: Messages are `component: problem`; interpolations count as `\()`.
MESSAGE = re.compile(r"[a-z0-9 .<>\\()-]+: ")
LONGEST_MESSAGE = 100
#: Calls that take a message. The argument of tooLarge is the beginning of one.
REPORTING = re.compile(r"\b(?:ImageError|Log\.write|tooLarge|inHook)\(")
INTERPOLATION = re.compile(r'\\\((?:[^()"]|"(?:\\.|[^"\\])*"|\((?:[^()]|\([^()]*\))*\))*\)')
EXCEPTIONS = {r"\(what) exceeds the limit of \(limit)": "callers of tooLarge pass the component, and are checked"}


def prose() -> Iterator[tuple[str, int, str]]:
    """Comments outside the rules, and the reasons."""
    for path in text.files():
        body = path.read_bytes().decode(errors="replace")
        language = sources.language(path, body)
        for comment in sources.comments(language, body) if language else []:
            words = QUOTATION.sub("", comment.text)
            where = str(path.relative_to(ROOT)), comment.line
            for paragraph in re.split(r"\n\s*\n", comment.text):
                if found := BEGINNING.match(paragraph.strip()):
                    yield *where, f"comment begins with {found[0]!r}"
            if found := PERSON.search(words):
                yield *where, f"comment contains {found[0]!r}"


def spellings() -> Iterator[tuple[str, int, str]]:
    """Words with another spelling."""
    for path in text.files():
        name, body = path.relative_to(ROOT), path.read_bytes()
        if str(name) == HISTORY or b"\0" in body:
            continue
        words = body.decode(errors="replace")
        for found in OTHER_SPELLING.finditer(words):
            if found[0] not in SPELLED_BY_OTHERS:
                yield str(name), sources.line_of(words, found.start()), f"{found[0]!r} has another spelling than the C functions"


def messages() -> Iterator[tuple[str, int, str]]:
    """Messages outside the rules. Continuations after `+` and literals inside other calls are only parts of messages."""
    unused = set(EXCEPTIONS)
    for path in text.code_files(".swift"):
        body = path.read_text()
        spaced = sources.grammar(".swift").sub(lambda match: re.sub(r"[^\n]", " ", match[0]), body)
        literals = sources.literals(".swift", body)
        for call in REPORTING.finditer(spaced):
            end = sources.closing(spaced, call.end() - 1, "()")
            for offset, literal in literals:
                before = spaced[call.end():offset]
                if not call.end() <= offset < end or before.count("(") > before.count(")"):
                    continue
                message = INTERPOLATION.sub(r"\\()", literal.strip('"'))
                wrong = [reason for reason, fails in {
                    "has no component": not MESSAGE.match(message) and not before.rstrip().endswith("+"),
                    "ends with a full stop": message.endswith("."),
                    f"is longer than {LONGEST_MESSAGE} characters": len(message.replace(r"\()", "")) > LONGEST_MESSAGE,
                }.items() if fails]
                if literal.strip('"') in EXCEPTIONS:
                    unused.discard(literal.strip('"'))
                elif wrong:
                    yield str(path.relative_to(ROOT)), sources.line_of(body, offset), f"message {' and '.join(wrong)}: {literal}"
    for message in unused:
        yield "Tests/style/words.py", 0, f"no message is {message!r}: remove it from EXCEPTIONS"


def main() -> None:
    checks = {"comments": prose(), "identifiers": names.replaced(), "functions": names.spoken(), "messages": messages(),
              "spellings": spellings()}
    for name, wrong in checks.items():
        violations = list(wrong)
        for file, line, reason in violations:
            report.check("words", False, f"{file}:{line}: {reason}")
        if not violations:
            report.check(f"words: {name}", True)
    report.finish()


if __name__ == "__main__":
    main()
