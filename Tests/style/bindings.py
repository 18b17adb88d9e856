#!/usr/bin/env python3
"""The generated files of the bindings: up to date with the headers, and the check notices a header that has changed."""

from __future__ import annotations

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/support"))
import declarations  # noqa: E402
import report  # noqa: E402

#: A value for an enum that every language has, one for a set of bits, a function, and a getter.
VALUE = ("image.h", r"(SDIMAGE_FORMAT_UNKNOWN = 0,[^\n]*\n)", r"\1    SDIMAGE_FORMAT_XYZ = 99, /* a new format */\n")
BIT = ("request.h", r"(SDIMAGE_CACHE_LAYERS_NONE = 0,[^\n]*\n)", r"\1    SDIMAGE_CACHE_LAYERS_WVU = 4, /* a new layer */\n")
FUNCTION = ("data.h", r"(SDIMAGE_API void sdimage_data_unref)", r"SDIMAGE_API double sdimage_data_xyz(int32_t *xyz);\n\1")
GETTER = ("metadata.h", r"(SDIMAGE_API double sdimage_metadata_scale\()",
          r"SDIMAGE_API double sdimage_metadata_zyx(const sdimage_metadata *metadata);\n\1")
LANGUAGES = {"cpp", "go", "gtk4", "java", "lua", "node", "python", "rust"}


def check(root: pathlib.Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(root / "scripts/bindings"), "--check"], capture_output=True, text=True)


def copy(folder: pathlib.Path) -> pathlib.Path:
    """The generator with its input and output."""
    for name in ("include", "scripts", "bindings", "integrations/gtk4"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("target", "build", "__pycache__"))
    return folder


def change(root: pathlib.Path, header: str, pattern: str, replacement: str) -> None:
    path = next((root / "include").rglob(header))
    text, count = re.subn(pattern, replacement, path.read_text())
    report.check(f"bindings: {header} is changed for the test", count == 1, f"{count} places")
    path.write_text(text)


def check_calls() -> None:
    """Functions that Python and Lua call by name: compilers of the other languages look for theirs."""
    declared = {each.name for each in declarations.functions(plugins=True)}
    for language, folder in (("Python", "python/sdimage"), ("Lua", "lua/sdimage")):
        texts = [path.read_text() for path in sorted((ROOT / "bindings" / folder).iterdir()) if path.is_file()]
        # sdimage_lua_poll is the poll of the C library.
        called = set(re.findall(r"\blib\.(sdimage_(?!lua_)\w+)", "\n".join(texts)))
        unknown = " ".join(sorted(called - declared))
        report.check(f"bindings: the functions that {language} calls are declared", called and not unknown, unknown)


def languages(done: subprocess.CompletedProcess[str], what: str) -> set[str]:
    """The languages of the files whose difference adds a word."""
    parts = re.split(r"^--- (?:bindings|integrations)/", done.stdout, flags=re.MULTILINE)[1:]
    return {part.split("/")[0] for part in parts if re.search(rf"^\+.*{what}", part, re.MULTILINE | re.IGNORECASE)}


def main() -> None:
    done = check(ROOT)
    fine = done.returncode == 0
    report.check("bindings: generated files are up to date, else run scripts/bindings", fine, done.stdout + done.stderr)
    check_calls()
    with tempfile.TemporaryDirectory() as name:
        root = copy(pathlib.Path(name))
        change(root, *VALUE)
        change(root, *BIT)
        change(root, *FUNCTION)
        change(root, *GETTER)
        done = check(root)
        missing = LANGUAGES - languages(done, "xyz")
        report.check("bindings: a new value of an enum is noticed in every language", done.returncode == 1 and not missing,
                     f"status {done.returncode}, not in {' '.join(sorted(missing))}: {done.stderr}")
        report.check("bindings: a new bit is a constant of a set in Rust", "rust" in languages(done, " WVU = SDIMAGE_CACHE_LAYERS_WVU,"),
                     done.stderr)
        report.check("bindings: a new function is noticed", {"python", "rust"} <= languages(done, "data_xyz"), done.stderr)
        report.check("bindings: a new getter is a method in C++", "cpp" in languages(done, "double zyx"), done.stderr)
        written = subprocess.run([sys.executable, str(root / "scripts/bindings")], capture_output=True, text=True)
        report.check("bindings: the generator adds what is new", check(root).returncode == 0, written.stderr)
    report.finish()


main()
