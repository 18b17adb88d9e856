#!/usr/bin/env python3
"""Compares ARCHITECTURE.md and CONTRIBUTING.md with the sources: paths, names, order of calls, layers, targets, threads, limits,
suites.

Names are those between backquotes. A fenced block is not checked."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/support"))
import layers  # noqa: E402
import report  # noqa: E402

DOCUMENTS = ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/subsystems.md"]
#: Folders that the build makes.
BUILT = ("build/",)
#: Rows of the two call paths, at most.
LONGEST = {"A load that misses every cache": 7, "A memory hit": 5}

FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
QUOTED = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)#]+)\)")
FILE = re.compile(r"[\w+.-]+\.(?:swift|c|h|hpp|py|rs|sh|md|txt|toml|json|js)")
TYPE = re.compile(r"[A-Z]\w*(?:\.\w+)*")
DECLARED_TYPE = re.compile(r"\b(?:class|struct|enum|protocol|actor|typealias) ([A-Z]\w*)")
EXTENDED = re.compile(r"\b(?:class|struct|enum|protocol|actor|extension) ([A-Z]\w*)")
IMPORT = re.compile(r"^(?:@\w+(?:\([^)]*\))? )?import (\w+)", re.MULTILINE)
#: Targets in C that are not libraries of third parties.
OWN = {"CSDImage", "CSystem"}
THREAD = re.compile(r'(?:(?:WorkerThread|WorkPool)\(name: |LibraryThread\.start\(|pthread_setname_np\([^,\n]+, )"(sdimage-\w+)"')
SIZES = {"KiB": 10, "MiB": 20, "GiB": 30}


class Sources:
    """Swift code by path, without comments and texts, and where it declares types."""

    def __init__(self) -> None:
        self.code = {str(path.relative_to(ROOT)): text for path, text in layers.read(ROOT / "Sources").items()}
        self.types: dict[str, list[str]] = {}
        self.extended: dict[str, list[str]] = {}
        for path, text in self.code.items():
            for name in DECLARED_TYPE.findall(text):
                self.types.setdefault(name, []).append(path)
            for name in EXTENDED.findall(text):
                self.extended.setdefault(name, []).append(path)

    def declares(self, path: str, member: str) -> bool:
        """True if a file declares a function, property, case or type of that name."""
        return re.search(rf"\b(?:func|var|let|case|class|struct|enum|protocol|typealias) `?{member}\b", self.code[path]) is not None

    def knows(self, name: str) -> bool:
        """True for a type, or a member that a file with the type's declaration or an extension of it declares."""
        first, *members = name.split(".")
        return first in self.types and all(
            any(self.declares(path, member) for path in self.extended.get(first, [])) for member in members)

    def names(self, path: str, type_name: str) -> bool:
        """True if a file names the type, or a protocol to which the type conforms."""
        known = [type_name]
        for file in self.types.get(type_name, []):
            if found := re.search(rf"\b(?:class|struct|enum|actor) {type_name}\b(?:<[^>]*>)?:([^{{]*)\{{", self.code[file]):
                known += [name for name in re.findall(r"[A-Z]\w*", found[1]) if name != "Sendable"]
        return any(re.search(rf"\b{name}\b", self.code[path]) for name in known)

    def calls(self, path: str, name: str) -> bool:
        """True if a file calls `Type.function`, or a C function, of another file."""
        owner, _, function = name.rpartition(".")
        before = r"\." if owner else r"\b"
        return re.search(rf"{before}{function}\s*[({{]", self.code[path]) is not None and (not owner or self.names(path, owner))


def section(text: str, title: str) -> str:
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    return found[1] if found else ""


def tables(text: str) -> list[list[list[str]]]:
    """The rows of each table, as cells, without its heading."""
    found = re.findall(r"^\|.*\n\|[ :|-]+\n((?:\|.*\n)+)", text, re.MULTILINE)
    return [[[cell.strip() for cell in row.strip().strip("|").split("|")] for row in table.splitlines()] for table in found]


def table(text: str, title: str) -> list[list[str]]:
    return next(iter(tables(section(text, title))), [])


def quoted(text: str) -> list[str]:
    return QUOTED.findall(FENCE.sub("", text))


def difference(document: set[str], sources: set[str]) -> str:
    parts = [("missing", sources - document), ("unknown", document - sources)]
    return "; ".join(f"{word}: {' '.join(sorted(names))}" for word, names in parts if names)


# --- Paths and names.


def paths(text: str, tracked: set[str]) -> list[str]:
    """The paths of a document that do not exist."""
    folders = {str(parent) for path in tracked for parent in pathlib.PurePath(path).parents}
    named = {pathlib.PurePath(path).name for path in tracked}
    wrong = []
    for name in quoted(text) + LINK.findall(text):
        word = name.split()[0]
        if "://" in word or word.startswith(BUILT) or not (re.search(r"\w/|/\w", word) or FILE.fullmatch(word)):
            continue
        if word.rstrip("/") not in tracked | folders and not ("/" not in word and word in named):
            wrong.append(word)
    return wrong


def type_names(text: str, sources: Sources, others: set[str]) -> list[str]:
    """The type names of a document that the sources do not declare."""
    # Names in capitals are placeholders and status codes.
    named = [name for name in quoted(text) if TYPE.fullmatch(name) and not FILE.fullmatch(name) and not name.isupper()]
    return [name for name in named if name not in others and not sources.knows(name)]


def check_names(name: str, text: str, sources: Sources) -> None:
    tracked = set(subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines())
    wrong = paths(text, tracked)
    report.check(f"architecture: paths in {name} exist", not wrong and quoted(text), " ".join(wrong))
    unknown = type_names(text, sources, set(layers.BELOW) | set(targets()))
    report.check(f"architecture: types in {name} are declared", not unknown, " ".join(unknown))
    symbols = (ROOT / "include/symbols.txt").read_text().split()
    strange = [word for word in quoted(text) if word.startswith("sdimage_") and word not in symbols]
    report.check(f"architecture: C functions in {name} are exported", not strange, " ".join(strange))


# --- The path of a load.


def call_path(rows: list[list[str]], sources: Sources) -> list[str]:
    """Rows whose file does not declare their function, or whose function the file of the row before does not call."""
    wrong, before = [], None
    for row in rows:
        path, name = (QUOTED.findall(cell)[0] for cell in row[1:3])
        owner, _, function = name.rpartition(".")
        if path not in sources.code:
            wrong.append(f"no {path}")
            before = None
            continue
        if not sources.declares(path, function) or owner and path not in sources.extended.get(owner, []):
            wrong.append(f"{path} does not declare {name}")
        if before and not sources.calls(before, name):
            wrong.append(f"{before} does not call {name}")
        before = path
    return wrong


def stages(rows: list[list[str]], load: str, sources: Sources) -> list[str]:
    """Rows that `Load` does not call, or whose file does not call what they name."""
    wrong = []
    for called, file, next_call, _ in rows:
        name, path, calls = (QUOTED.findall(cell)[0] for cell in (called, file, next_call))
        wrong += call_path([["", f"`{load}`", "`Load.start`"], ["", file, called]], sources)
        if path in sources.code and not (sources.knows(calls) and sources.calls(path, calls)):
            wrong.append(f"{path} does not call {calls}")
        if name.split(".")[0] not in path:
            wrong.append(f"{name} is not the stage of {path}")
    return wrong


def check_paths(text: str, sources: Sources) -> None:
    for title, longest in LONGEST.items():
        rows, what = table(text, title), title[0].lower() + title[1:]
        wrong = call_path(rows, sources) if rows else ["no table"]
        report.check(f"architecture: {what}, each file calls the next", not wrong, "; ".join(wrong))
        report.check(f"architecture: {what}, at most {longest} files", len(rows) <= longest, f"{len(rows)}")
    found = tables(section(text, next(iter(LONGEST))))
    load = next((QUOTED.findall(row[1])[0] for row in found[0] if "`Load." in row[2]), "") if found else ""
    wrong = stages(found[1], load, sources) if len(found) > 1 and load else ["no table"]
    report.check("architecture: Load calls the stages", not wrong, "; ".join(wrong))


# --- Layers, targets, threads, limits, suites.


def check_layers(text: str) -> None:
    rows = table(text, "Layers")
    order = [QUOTED.findall(row[0])[0] for row in rows]
    lost = difference(set(order), set(layers.BELOW))
    report.check("architecture: the folders are those of layers.py", not lost, lost)
    wrong = []
    for folder, row in zip(order, rows):
        ends = QUOTED.findall(row[2])
        uses = set(order[order.index(ends[0]):order.index(ends[-1]) + 1]) if ends and set(ends) <= set(order) else set(ends)
        lost = difference(uses, set(layers.BELOW.get(folder, [])))
        wrong += [f"{folder}: {lost}"] if lost else []
    report.check("architecture: the layers are those of layers.py", not wrong, "; ".join(wrong))


def targets() -> dict[str, set[str]]:
    """The dependencies of each target of Package.swift."""
    package = re.sub(r"^\s*//[^\n]*", "", (ROOT / "Package.swift").read_text(), flags=re.MULTILINE)
    found = {}
    for part in re.split(r"\.(?=(?:target|systemLibrary|testTarget|executableTarget)\(\s*name:)", package)[1:]:
        name = re.search(r'name: "(\w+)"', part)
        uses = re.search(r"dependencies: \[(.*?)\]", part, re.DOTALL)
        found[name[1]] = set(re.findall(r'"(\w+)"', uses[1])) if uses else set()
    return found


def test_targets() -> set[str]:
    """The targets of tests, and those that only Tests/fuzz/run builds."""
    library, _, fuzz = (ROOT / "Package.swift").read_text().partition("if let fuzzer {")
    found = re.findall(r'\.testTarget\(\s*name: "(\w+)"', library)
    found += re.findall(r'\.target\(\s*name: "(\w+)",[^()]*path: "Tests/', library)
    return {*found, *re.findall(r'(?:[tT]arget|systemLibrary)\(\s*name: "(\w+)"', fuzz)}


def check_targets(text: str) -> None:
    tests = test_targets()
    declared, rows = {name: uses for name, uses in targets().items() if name not in tests}, table(text, "Targets")
    listed = {name for row in rows for name in QUOTED.findall(row[0])}
    report.check("architecture: the targets are those of Package.swift", listed == set(declared), difference(listed, set(declared)))
    wrong = []
    for row in rows:
        names = QUOTED.findall(row[0])
        uses = set().union(*(declared.get(name, set()) for name in names))
        lost = difference(set(QUOTED.findall(row[2])), uses)
        wrong += [f"{names[0]}: {lost}"] if lost else []
    report.check("architecture: targets depend on those that Package.swift names", not wrong, "; ".join(wrong))


def check_imports(sources: Sources) -> None:
    """The imports of the sources against the dependencies, because the package manager does not compare them."""
    declared, imports = targets(), {}
    for path, code in sources.code.items():
        imports.setdefault(path.split("/")[1], set()).update(set(IMPORT.findall(code)) & set(declared))
    wrong = [f"{name}: {lost}" for name, found in imports.items() if (lost := difference(found, declared.get(name, set())))]
    report.check("architecture: targets import what Package.swift names", imports and not wrong, "; ".join(wrong))
    libraries = [name for found in imports.values() for name in found if name.startswith("C") and name not in OWN]
    shared = sorted({name for name in libraries if libraries.count(name) > 1})
    report.check("architecture: each third-party library is imported by one target", not shared, " ".join(shared))


def check_threads(text: str) -> None:
    listed = {QUOTED.findall(row[0])[0] for row in table(text, "Threads and locks")}
    files = [path for suffix in ("swift", "c") for path in (ROOT / "Sources").rglob(f"*.{suffix}")]
    started = {name for path in files for name in THREAD.findall(path.read_text())}
    report.check("architecture: the threads are those of the sources", listed == started, difference(listed, started))


def limit(name: str, sources: Sources) -> int | None:
    """The value of a constant of a type."""
    owner, _, constant = name.rpartition(".")
    for path in sources.types.get(owner, []):
        if found := re.search(rf"\b(?:let|var) {constant}(?:: \w+)? = ([\d_]+)(?: << (\d+))?\n", sources.code[path]):
            return int(found[1]) << int(found[2] or 0)
    return None


def check_limits(text: str, sources: Sources) -> None:
    wrong, rows = [], table(text, "Memory")
    for _, stated, constant in rows:
        number, unit = stated.split()
        name = QUOTED.findall(constant)[0]
        value = limit(name, sources)
        if value != int(number) << SIZES[unit]:
            wrong.append(f"{name} is {value}")
    report.check("architecture: limits have their values", rows and not wrong, "; ".join(wrong))


def check_safety(text: str, sources: Sources) -> None:
    """Folders of the engine without unsafe code."""
    listed = re.search(r"no unsafe code: ([^.]*)\.", section(text, "Unsafe code"))
    engine = {path: code for path, code in sources.code.items() if path.startswith("Sources/SDImage/")}
    marked = {path.split("/")[2] for path, code in engine.items() if re.search(r"\bunsafe\b", code)}
    lost = difference(set(QUOTED.findall(listed[1] if listed else "")), set(layers.BELOW) - marked)
    report.check("architecture: folders without unsafe code", not lost, lost)


def check_suites(text: str) -> None:
    listed = re.search(r"^SUITES='(.*?)'", (ROOT / "Tests/run").read_text(), re.DOTALL | re.MULTILINE)
    suites = set(listed[1].split()) if listed else set()
    folders = {path.parent.name for path in (ROOT / "Tests").glob("*/suite.sh")}
    report.check("architecture: Tests/run lists the suites of Tests/", suites == folders, " ".join(sorted(suites ^ folders)))
    named = [word for command in re.findall(r"Tests/run ([^`\n]*)", text) for word in command.split() if re.fullmatch("[a-z]+", word)]
    unknown = sorted(set(named) - suites)
    report.check("architecture: suites in CONTRIBUTING.md exist", named and not unknown, " ".join(unknown))


def main() -> None:
    sources = Sources()
    text = {name: (ROOT / name).read_text() for name in DOCUMENTS}
    for name in DOCUMENTS:
        check_names(name, text[name], sources)
    page = text["ARCHITECTURE.md"]
    check_paths(page, sources)
    check_layers(page)
    check_targets(page)
    check_imports(sources)
    check_threads(page)
    check_limits(text["docs/subsystems.md"], sources)
    check_safety(text["docs/subsystems.md"], sources)
    check_suites(text["CONTRIBUTING.md"])
    report.finish()


if __name__ == "__main__":
    main()
