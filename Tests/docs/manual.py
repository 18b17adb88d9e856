#!/usr/bin/env python3
"""Checks the manual page of section 3: its version, prototypes, headers and names are correct, and its example runs.

manual.py PREFIX PICTURE"""

import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import declarations  # noqa: E402
import report  # noqa: E402

PAGE = declarations.ROOT / "docs/sdimage.3"


def plain(text: str) -> str:
    """A line of troff as the reader sees it, apart from its macros."""
    return text.replace("\\e", "\\").replace("\\-", "-").replace("\\&", "")


def prototypes(page: str) -> list[str]:
    synopsis = page.split(".SH SYNOPSIS")[1].split(".SH")[0]
    pieces = [
        "".join(
            re.findall(r'"([^"]*)"|(\S+)', line[4:])
            and [quoted or word for quoted, word in re.findall(r'"([^"]*)"|(\S+)', line[4:])]
        )
        for line in synopsis.splitlines()
        if line.startswith(".BI")
    ]
    return [" ".join(text.split()) + ";" for text in " ".join(pieces).split(";") if text.strip()]


def declared() -> set[str]:
    found = set()
    for function in declarations.functions():
        parameters = (
            ", ".join(f"{p.type}{'' if p.type.endswith('*') else ' '}{p.name}" for p in function.parameters) or "void"
        )
        result = function.result if function.result.endswith("*") else function.result + " "
        found.add(f"{result}{function.name}({parameters});")
    return found


def main() -> None:
    prefix, picture = sys.argv[1:3]
    page = PAGE.read_text()
    base = (declarations.INCLUDE / "sdimage/base.h").read_text()
    version = ".".join(re.search(rf"SDIMAGE_VERSION_{part} (\d+)", base)[1] for part in ("MAJOR", "MINOR", "PATCH"))
    report.check("sdimage(3) is of this version", f'"sdimage {version}"' in page.splitlines()[0], page.splitlines()[0])
    shown = prototypes(page)
    wrong = [text for text in shown if text not in declared()]
    report.check(
        f"the {len(shown)} prototypes of sdimage(3) are those of the headers", shown and not wrong, "; ".join(wrong)
    )
    named = set(re.findall(r"[\w/]+\.h\b", page))
    listed = {
        str(path.relative_to(declarations.INCLUDE)).removeprefix("sdimage/")
        for path in declarations.HEADERS
        if path.parent.name != "plugins"
    }
    missing = sorted(name for name in listed if name not in {found.removeprefix("sdimage/") for found in named})
    report.check("sdimage(3) names every header", not missing, f"not: {missing}")
    known = set(declarations.symbols()) | set(
        re.findall(r"\bsdimage_\w+|\bSDIMAGE_\w+", "".join(p.read_text() for p in declarations.HEADERS))
    )
    strange = sorted(set(re.findall(r"\b(?:sdimage|SDIMAGE)_\w+", page)) - known - {"SDIMAGE_PLUGIN_PATH"})
    report.check("sdimage(3) speaks of nothing that is not there", not strange, f"{strange}")
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "example.c").write_text(plain(page.split(".SH EXAMPLES\n.nf\n")[1].split(".fi")[0]))
        library = f"{prefix}/lib"
        report.command(
            "the example of sdimage(3) compiles",
            "cc",
            "-std=c11",
            "-Wall",
            "-Wextra",
            "-Werror",
            f"-I{prefix}/include",
            "-o",
            f"{folder}/example",
            f"{folder}/example.c",
            f"-L{library}",
            "-lsdimage",
            f"-Wl,-rpath,{library}",
        )
        done = subprocess.run(
            [f"{folder}/example", f"file://{picture}"], capture_output=True, text=True, env={"XDG_CACHE_HOME": folder}
        )
        report.check(
            "the example of sdimage(3) runs", done.returncode == 0 and " x " in done.stdout, done.stdout + done.stderr
        )
    report.finish()


main()
