#!/usr/bin/env python3
"""The examples of README.md work: each fenced block after `<!-- test: c -->` or `<!-- test: python -->` is built with
pkg-config, or run, in a folder where `cat.jpg` lies; https://example.org/ stands for that folder.

    readme.py PREFIX LIBRARY PICTURE"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "HeaderTests"))
import declarations  # noqa: E402
import report  # noqa: E402

LANGUAGES = ("c", "python")


def examples(language: str) -> list[str]:
    readme = declarations.ROOT / "README.md"
    text = readme.read_text() if readme.exists() else ""
    return re.findall(rf"<!--\s*test:\s*{language}\s*-->\s*```\w*\n(.*?)```", text, flags=re.S)


def run(arguments: list[str], folder: str, environment: dict[str, str]) -> tuple[bool, str]:
    done = subprocess.run(arguments, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True,
                          timeout=60)
    return done.returncode == 0, f"status {done.returncode}: {done.stderr or done.stdout}"


def run_c(path: str, folder: str, prefix: str) -> tuple[bool, str]:
    environment = {"PKG_CONFIG_PATH": f"{prefix}/lib/pkgconfig", "LD_LIBRARY_PATH": f"{prefix}/lib"}
    built, why = run(["sh", "-c", f"cc -Wall -Wextra -Werror -o example {path} $(pkg-config --cflags --libs sdimage)"],
                     folder, environment)
    return run(["./example", f"file://{folder}/cat.jpg"], folder, environment) if built else (built, why)


def run_python(path: str, folder: str, library: str) -> tuple[bool, str]:
    environment = {"PYTHONPATH": str(declarations.ROOT / "bindings/python"), "SDIMAGE_LIBRARY": library}
    return run([sys.executable, path, f"file://{folder}/cat.jpg"], folder, environment)


def main() -> None:
    prefix, library, picture = sys.argv[1:4]
    os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp()
    for language in LANGUAGES:
        found = examples(language)
        if not found:
            report.check(f"README.md has an example in {language}", False, "no block marked for the test")
        for number, text in enumerate(found, 1):
            with tempfile.TemporaryDirectory() as folder:
                shutil.copy(picture, f"{folder}/cat.jpg")
                path = pathlib.Path(folder) / f"example.{'c' if language == 'c' else 'py'}"
                path.write_text(re.sub(r"https://example\.org/", f"file://{folder}/", text))
                if language == "c":
                    fine, why = run_c(path.name, folder, prefix)
                else:
                    fine, why = run_python(path.name, folder, library)
                report.check(f"README.md, {language} example {number}", fine, why)
    shutil.rmtree(os.environ["XDG_CACHE_HOME"], ignore_errors=True)
    report.finish()


main()
