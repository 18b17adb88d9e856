#!/usr/bin/env python3
"""Checks that each header compiles alone, and twice, as C11 and C++17, without a warning, in gcc and clang; and that
symbols.txt lists exactly their declarations. Checks what the two headers that include others include.

    headers.py"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import declarations  # noqa: E402
import report  # noqa: E402

LANGUAGES = [("c11", "c", {"gcc": "gcc", "clang": "clang"}), ("c++17", "c++", {"gcc": "g++", "clang": "clang++"})]
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wstrict-prototypes", "-Werror"]


def compile_one(header: str, standard: str, language: str, compiler: str, folder: str) -> tuple[str, bool, str]:
    name = f"{header} alone and twice, {standard}, {compiler}"
    warnings = [w for w in WARNINGS if language == "c" or w != "-Wstrict-prototypes"]
    source = os.path.join(folder, f"{header.replace('/', '_')}.{standard}.{compiler}.{language}")
    with open(source, "w") as file:
        file.write(f'#include "{header}"\n#include "{header}"\n')
    done = subprocess.run(
        [compiler, f"-std={standard}", *warnings, "-fsyntax-only", "-x", language,
         f"-I{declarations.INCLUDE}", source],
        capture_output=True, text=True)
    return name, done.returncode == 0, done.stderr


def included(header: str) -> set[str]:
    """The headers that a header includes, as paths from the folder of all."""
    folder = (declarations.INCLUDE / header).parent
    names = re.findall(r'^#include "([^"]+)"', (declarations.INCLUDE / header).read_text(), re.M)
    return {os.path.relpath(folder / name, declarations.INCLUDE) for name in names}


def check_umbrellas(headers: list[str]) -> None:
    """sdimage.h is for users of the library, sys.h for programs that implement parts of it."""
    own = {header for header in headers if "plugins/" not in header}
    parts = {header for header in own if header.startswith("sdimage/sys/")}
    users = own - parts - {"sdimage.h", "sdimage/sys.h"}
    for umbrella, wanted in (("sdimage.h", users), ("sdimage/sys.h", parts)):
        wrong = sorted(included(umbrella) ^ wanted)
        report.check(f"{umbrella} includes its {len(wanted)} headers and no others", wanted and not wrong, f"not: {wrong}")
    leaks = [header for header in sorted(users) if included(header) & (parts | {"sdimage/sys.h"})]
    report.check("no header for users includes one for implementers", not leaks, f"but: {leaks}")


def main() -> None:
    headers = [str(path.relative_to(declarations.INCLUDE)) for path in declarations.HEADERS]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = []
        for standard, language, compilers in LANGUAGES:
            for label, compiler in compilers.items():
                if not shutil.which(compiler):
                    report.skip(f"headers, {standard}, {label}", f"{compiler} is not installed")
                    continue
                jobs += [pool.submit(compile_one, h, standard, language, compiler, folder) for h in headers]
        for job in jobs:
            report.check(*job.result())

    declared = {function.name for function in declarations.functions()}
    listed = set(declarations.symbols())
    undeclared, unlisted = sorted(listed - declared), sorted(declared - listed)
    report.check("headers declare what symbols.txt lists", not undeclared, f"undeclared: {undeclared}")
    report.check("symbols.txt lists what headers declare", not unlisted, f"unlisted: {unlisted}")
    check_umbrellas(headers)
    report.finish()


main()
