"""The declarations of the public headers, parsed from their text: the basis of the other tests in this folder."""

import pathlib
import re
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include"
HEADERS = sorted(INCLUDE.glob("sdimage.h")) + sorted(INCLUDE.glob("sdimage/**/*.h"))


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


def without_comments(text: str) -> str:
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)


def parameter(text: str) -> Parameter:
    match = re.fullmatch(r"(.*?)(\w+)", " ".join(text.split()))
    assert match, f"not a parameter: {text!r}"
    return Parameter(re.sub(r"\s*\*\s*", " *", match[1]).replace("* *", "**").strip(), match[2])


def functions(include: pathlib.Path = INCLUDE, plugins: bool = False) -> list[Function]:
    """Every function of the library that is marked SDIMAGE_API, in the order of the headers; with `plugins`, also
    the functions that are in the files of modules and plug-ins."""
    found = []
    for header in sorted(include.glob("sdimage.h")) + sorted(include.glob("sdimage/**/*.h")):
        if header.parent.name == "plugins" and not plugins:
            continue
        text = re.sub(r"^\s*#.*$", "", without_comments(header.read_text()), flags=re.M)
        for match in re.finditer(r"SDIMAGE_API\s+([\w\s*]*?[\s*])(sdimage_\w+)\s*\(([^;]*)\)\s*;", text):
            arguments = match[3].strip()
            parameters = () if arguments == "void" else tuple(parameter(part) for part in arguments.split(","))
            result = re.sub(r"\s*\*", " *", " ".join(match[1].split()))
            found.append(Function(result, match[2], parameters, str(header.relative_to(include))))
    return found


def symbols() -> dict[str, str]:
    """symbols.txt: each exported function and the version that introduced it."""
    lines = (INCLUDE / "symbols.txt").read_text().splitlines()
    return dict(line.split() for line in lines if line.strip() and not line.startswith("#"))
