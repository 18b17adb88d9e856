#!/usr/bin/env python3
"""Tests the pages: each block of code in the README files and the guides is built and run against the installed
library, and must print the output on the page. For the marks of blocks, see blocks.py.

    snippets.py PREFIX [PAGE…]

Each page has a folder of its own with a few images. https://example.org/ is replaced by a server of that folder,
which makes everything fresh for ten minutes. A program's first argument is the URL of cat.jpg."""

import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

HERE = pathlib.Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[1] / "support"), str(HERE.parent), str(HERE.parents[1])]
import blocks  # noqa: E402
import declarations  # noqa: E402
import images  # noqa: E402
import report  # noqa: E402
from origin import Origin  # noqa: E402

ROOT = declarations.ROOT
PAGES = [
    "README.md",
    "bindings/cpp/README.md",
    "bindings/python/README.md",
    "SECURITY.md",
    "docs/abi.md",
    *sorted(str(p.relative_to(ROOT)) for p in (ROOT / "docs/guides").glob("*.md")),
]
# Pages that must show these languages.
REQUIRED = {"README.md": {"c", "python"}, "docs/guides/c.md": {"c", "sh"}, "docs/guides/cpp.md": {"cpp"},
            "docs/guides/python.md": {"python"}, "bindings/cpp/README.md": {"cpp"}}
CPP = ROOT / "bindings/cpp/include"
WARNINGS = ["-Wall", "-Wextra", "-Werror"]
SEPARATOR = "\x1e"


class Page:
    """One page, its folder and its server."""

    def __init__(self, name: str, prefix: str, folder: str) -> None:
        self.name, self.prefix, self.folder = name, prefix, pathlib.Path(folder)
        # Results of blocks that ran as one program, by their lines.
        self.continued: dict[int, subprocess.CompletedProcess[str]] = {}
        self.server = Origin(folder).start()
        self.origin = self.server.url("")
        self.environment = {
            **os.environ,
            "PATH": f"{prefix}/bin:{os.environ['PATH']}",
            "HOME": folder,
            "XDG_CACHE_HOME": f"{folder}/.cache",
            "PKG_CONFIG_PATH": f"{prefix}/lib/pkgconfig",
            "LD_LIBRARY_PATH": f"{prefix}/lib",
            "PYTHONPATH": str(ROOT / "bindings/python"),
            "SDIMAGE_LIBRARY": f"{prefix}/lib/libsdimage.so.1",
            "SDL_VIDEODRIVER": "dummy",
            "QT_QPA_PLATFORM": "offscreen",
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def run(self, arguments: list[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            arguments,
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=600,
            stdin=subprocess.DEVNULL,
        )

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text.replace("https://example.org/", self.origin))

    def packages(self, block: blocks.Block, text: str) -> tuple[list[str], str]:
        """The flags of a program, and the missing package if there is one."""
        wanted = ["sdimage", *filter(None, block.settings.get("pkg", "").split(","))]
        if "<sdimage.hpp>" in text and not any(
            (folder / "sdimage.hpp").exists() for folder in (CPP, pathlib.Path(self.prefix, "include"))
        ):
            return [], "the header for C++"
        for package in wanted:
            if self.run(["pkg-config", "--exists", package]).returncode:
                return [], package
        # Ignores the warnings of other libraries' headers.
        flags = [
            flag.replace("-I", "-isystem", 1)
            for flag in self.run(["pkg-config", "--cflags", "--libs", *wanted]).stdout.split()
        ]
        return flags, ""

    def build(self, block: blocks.Block, text: str, flags: list[str]) -> subprocess.CompletedProcess[str]:
        is_c = block.language == "c"
        source = block.settings.get("file", "example.c" if is_c else "example.cpp")
        self.write(source, text)
        include = [f"-isystem{CPP}"]
        # Tables are initialized by field names, without optional fields.
        compiler = (
            ["cc", "-std=gnu11"]
            if is_c
            else ["c++", "-std=c++17", "-fPIC", "-Wno-missing-field-initializers", *include]
        )
        if source.endswith(".h"):
            return self.run([*compiler, *WARNINGS, "-Wno-unused-function", "-fsyntax-only", source, *flags])
        return self.run([*compiler, *WARNINGS, "-o", "example", source, *flags, "-pthread"])

    def missing(self, block: blocks.Block) -> str:
        """The reason to skip a script, or an empty text."""
        program, module = block.settings.get("program"), block.settings.get("needs")
        if program and not shutil.which(program):
            return f"{program} is not installed"
        if module and self.run([sys.executable, "-c", f"import {module}"]).returncode:
            return f"the Python module {module} is not installed"
        return ""

    def run_script(self, block: blocks.Block, text: str, arguments: list[str]) -> subprocess.CompletedProcess[str]:
        shell = block.language == "sh"
        script = block.settings.get("file", "example.sh" if shell else "example.py")
        self.write(script, text)
        return self.run([*(["bash", "-euo", "pipefail"] if shell else [sys.executable]), script, *arguments])

    def run_chain(self, chain: list[blocks.Block], frames: dict[str, str], arguments: list[str]) -> None:
        """Runs Python blocks that continue each other as one program. Its status is that of the block in which it ends;
        the later ones fail."""
        chain = [chain[0], *(block for block in chain[1:] if not self.missing(block))]
        # Each is compiled by itself, so that an error of syntax is in its block; errors have the line of the page.
        source = f"print({SEPARATOR!r}, flush=True)\n".join(
            f"_block = {chr(10) * block.line + blocks.framed(block, frames)!r}\n"
            f"exec(compile(_block, {str(ROOT / self.name)!r}, 'exec'))\n"
            for block in chain
        )
        done = self.run_script(chain[0], source, arguments)
        outputs = done.stdout.split(SEPARATOR + "\n")
        last = len(outputs) - 1
        for index, block in enumerate(chain):
            if index > last:
                result = (-1, "", f"the program ended in the block of line {chain[last].line}")
            else:
                result = (done.returncode if index == last else 0, outputs[index], done.stderr)
            self.continued[block.line] = subprocess.CompletedProcess(done.args, *result)

    def check(self, number: int, found: list[blocks.Block], frames: dict[str, str]) -> None:
        block = found[number - 1]
        name = f"{self.name}:{block.line}, {block.language} block {number}"
        if block.why_not is not None:
            report.skip(name, block.why_not or "no reason given")
            return
        text = blocks.framed(block, frames)
        arguments = blocks.arguments(block, frames) or [f"{self.origin}cat.jpg"]
        arguments = [argument.replace("https://example.org/", self.origin) for argument in arguments]
        # QML is a string in a frame in C++.
        if block.language in ("c", "cpp", "qml"):
            flags, missing = self.packages(block, text)
            if missing:
                report.skip(name, f"{missing} is not installed")
                return
            built = self.build(block, text, flags)
            if (
                built.returncode
                or block.settings.get("only") == "build"
                or block.settings.get("file", "").endswith(".h")
            ):
                report.check(name, built.returncode == 0, built.stderr)
                return
            done = self.run(["./example", *arguments])
        elif block.line in self.continued:
            done = self.continued[block.line]
        else:
            missing = self.missing(block)
            if missing:
                report.skip(name, missing)
                return
            chain = blocks.chain(block, found)
            if len(chain) > 1:
                self.run_chain(chain, frames, arguments)
                done = self.continued[block.line]
            else:
                done = self.run_script(block, text, arguments)
        self.judge(name, block, done)

    def judge(self, name: str, block: blocks.Block, done: subprocess.CompletedProcess[str]) -> None:
        printed = done.stdout.replace(self.origin, "https://example.org/")
        printed = printed.replace(str(self.folder) + "/", "").replace(str(self.folder), ".")
        if done.returncode != int(block.settings.get("status", "0")):
            report.check(name, False, f"status {done.returncode}: {done.stderr or done.stdout}")
        else:
            fine = block.output is None or blocks.matches(block.output, printed)
            report.check(name, fine, f"printed: {printed} {done.stderr}")


def fill(folder: str) -> None:
    """Creates the images that pages refer to."""
    for name, picture in {
        "cat.jpg": "lighthouse.jpg",
        "cat.avif": "../avif/still.avif",
        "orbits.gif": "orbits.gif",
        "chart.png": "bar-chart.png",
        "sunset.jpg": "../hdr/sunset.jpg",
    }.items():
        shutil.copy(ROOT / "Tests/fixtures/pictures" / picture, f"{folder}/{name}")
    # A few bytes whose header announces 1.6 gigapixels; and an image in a format that the library does not support.
    header = images.png(1, 1)
    header = header[:16] + struct.pack(">II", 40000, 40000) + header[24:29]
    pathlib.Path(folder, "bomb.png").write_bytes(
        header + struct.pack(">I", zlib.crc32(header[12:])) + images.png(1, 1)[33:]
    )
    samples = struct.pack(">8H", 65535, 0, 0, 65535, 0, 0, 65535, 65535)
    pathlib.Path(folder, "two.ff").write_bytes(b"farbfeld" + struct.pack(">II", 2, 1) + samples)


def check_page(name: str, prefix: str) -> None:
    path = ROOT / name
    if not path.exists():
        report.check(f"{name} is there", False, "no such page")
        return
    found, frames = blocks.read(path.read_text())
    lost = REQUIRED.get(name, set()) - {block.language for block in found}
    report.check(
        f"{name} shows {', '.join(sorted(REQUIRED.get(name, {'what it says'})))}", not lost, f"no block in {lost}"
    )
    unmarked = [str(block.line) for block in found if block.unmarked]
    report.check(f"{name}: each block is marked", not unmarked, f"lines {', '.join(unmarked)}")
    if name.startswith("docs/guides/"):
        hidden = blocks.indented(path.read_text())
        report.check(f"{name}: each block is fenced", not hidden, f"lines {hidden}")
    with tempfile.TemporaryDirectory() as folder:
        fill(folder)
        page = Page(name, prefix, folder)
        marked = [block for block in found if not block.unmarked]
        for number in range(1, len(marked) + 1):
            page.check(number, marked, frames)
        page.server.stop()


def main() -> None:
    prefix, *pages = sys.argv[1:]
    for name in pages or PAGES:
        check_page(name, prefix)
    report.finish()


main()
