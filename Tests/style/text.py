#!/usr/bin/env python3
"""The lengths of files and functions, and the documents that comments refer to.

With `--longest`, prints the ten longest functions of each language instead; with `--files`, the number and the median length of files."""

from __future__ import annotations

import os
import pathlib
import re
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/support"))
import report  # noqa: E402
import sources  # noqa: E402

LONGEST_SWIFT_FILE = 400
#: Lines of a function, by language, from the declaration to the closing brace.
LONGEST_FUNCTION = {".swift": 45, ".c": 70, ".h": 70}
#: Rules by number belong to documents that are not in the repository.
ELSEWHERE = re.compile(r"\b(?:ANI|CAC|CBQ|CMG|COD|DLR|DSK|ERR|FMT|GEN|IMG|LDR|MEM|MGR|OPT|PHO|PLG|PRE|TGT|TRF)-\d"
                       r"|\bdecisions [DR]\d|\breliability §|(?:\"\"\"|/\*|//|#)\s*[A-Z]\d+: ")
DECISION = re.compile(r'docs/decisions\.md,\s+(?:///?|\*|#)?\s*"([^"]+)"')
FOLDERS = ["Sources", "include", "Tests", "bindings", "examples", "integrations", "scripts", "tools", "packaging", "docs", "cmake"]
LEFT_OUT = {"fixtures", "build", "target", "node_modules", "__pycache__"}
COMMENTED = {".swift", ".c", ".h", ".hpp", ".py", ".rs", ".go", ".java", ".lua", ".js", ".sh", ".md"}


def files() -> list[pathlib.Path]:
    """The sources: those of the top folder and of the folders named, without what builds leave there."""
    found = [path for path in ROOT.iterdir() if path.is_file()]
    for folder in FOLDERS:
        for path, folders, names in os.walk(ROOT / folder):
            folders[:] = [name for name in folders if name not in LEFT_OUT]
            found += [pathlib.Path(path) / name for name in names]
    return sorted(found)


def joined(text: str) -> str:
    """Comments that go on over several lines as one."""
    return re.sub(r"\n\s*(?:///?|\*|#)\s?", " ", text)


def code_files(*suffixes: str) -> list[pathlib.Path]:
    """The files of the library itself."""
    return [path for path in files() if path.suffix in suffixes and path.relative_to(ROOT).parts[0] in ("Sources", "include")]


def functions(suffix: str) -> list[tuple[int, str]]:
    """The functions of a language, the longest first: lengths, and locations with names."""
    return sorted(((function.lines, f"{path.relative_to(ROOT)}:{function.line}: {function.name}")
                   for path in code_files(suffix) for function in sources.functions(suffix, path.read_text())), reverse=True)


def print_longest() -> None:
    for suffix in LONGEST_FUNCTION:
        for lines, name in functions(suffix)[:10]:
            print(f"{lines:4} {name}")


def print_files() -> None:
    for suffix in (".swift", ".c", ".h"):
        lengths = [path.read_text().count("\n") for path in code_files(suffix)]
        print(f"{suffix:6} {len(lengths):4} files, {sum(lengths)} lines, median {statistics.median(lengths):g}, longest {max(lengths)}")
        if suffix in LONGEST_FUNCTION:
            lengths = [lines for lines, _ in functions(suffix)]
            print(f"{suffix:6} {len(lengths):4} functions, median {statistics.median(lengths):g} lines, longest {max(lengths)}")


def check_functions() -> None:
    for suffix, limit in LONGEST_FUNCTION.items():
        found = functions(suffix)
        long = [f"{name}: {lines} lines" for lines, name in found if lines > limit]
        report.check(f"style: no function in a {suffix} file is longer than {limit} lines", found and not long, "; ".join(long))


def main() -> None:
    if "--longest" in sys.argv:
        return print_longest()
    if "--files" in sys.argv:
        return print_files()
    headings = set(re.findall(r"^### (.+)$", (ROOT / "docs/decisions.md").read_text(), re.MULTILINE))
    elsewhere, unknown, long, used = [], [], [], set()
    for path in files():
        if path.suffix not in COMMENTED or path == pathlib.Path(__file__).resolve():
            continue
        text, name = path.read_text(), path.relative_to(ROOT)
        if ELSEWHERE.search(text):
            elsewhere.append(str(name))
        cited = set(DECISION.findall(joined(text)))
        used |= cited
        unknown += [f"{name}: {heading}" for heading in cited - headings]
        if path.suffix == ".swift" and text.count("\n") > LONGEST_SWIFT_FILE:
            long.append(f"{name}: {text.count(chr(10))} lines")
    report.check("style: no rule of a document outside the repository is cited", not elsewhere, " ".join(elsewhere))
    report.check("style: every decision that is cited exists", bool(used) and not unknown, "; ".join(unknown))
    report.check(f"style: no Swift file is longer than {LONGEST_SWIFT_FILE} lines", not long, "; ".join(long))
    check_functions()
    report.finish()


if __name__ == "__main__":
    main()
