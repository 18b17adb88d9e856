#!/usr/bin/env python3
"""Runs the samples of examples/gtk in Xvfb: in Python, JavaScript and Vala, and the gallery; and loads with requests in these
languages.

    samples.py FOLDER-OF-PROGRAMS PREFIX"""

import os
import pathlib
import selectors
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Tests/gallery"), str(ROOT / "Tests/support")]
import report  # noqa: E402
from gallery_checks import Display, Origin, Program, encoded, pictured, quarters  # noqa: E402
from origin import TOKEN  # noqa: E402

SAMPLES = ROOT / "examples/gtk"
LONGEST_SECONDS, LONGEST_LINES, LONGEST_GALLERY = 300, 20, 150


def until_ready(command: list[str], environment: dict[str, str]) -> tuple[bool, str]:
    """True when the program prints that its image is shown; its output."""
    program = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    output, end = b"", time.monotonic() + LONGEST_SECONDS
    with selectors.DefaultSelector() as selector:
        selector.register(program.stdout, selectors.EVENT_READ)
        while b"ready\n" not in output and time.monotonic() < end:
            part = os.read(program.stdout.fileno(), 4096) if selector.select(end - time.monotonic()) else b""
            output += part
            if not part:
                break
    program.terminate()
    program.wait()
    return b"ready\n" in output, output.decode(errors="replace")[-300:]


def main() -> None:
    programs, prefix, here = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(__file__).parent
    commands = {
        "Python": ["/usr/bin/python3", SAMPLES / "picture.py"],
        "JavaScript": ["gjs", SAMPLES / "picture.js"],
        "Vala": [programs / "picture-vala"],
    }
    requests = {
        "Python": ["/usr/bin/python3", here / "options.py"],
        "JavaScript": ["gjs", here / "options.js"],
        "Vala": [programs / "options-vala"],
    }
    with Display() as environment, tempfile.TemporaryDirectory() as name, Origin() as origin:
        environment |= {
            "GI_TYPELIB_PATH": f"{prefix}/lib/girepository-1.0", "LD_LIBRARY_PATH": f"{prefix}/lib",
            "SDIMAGE_LIBRARY": f"{prefix}/lib/libsdimage.so.1",
        }  # fmt: skip
        url = origin.add("sample.png", encoded(quarters(5), "PNG"))
        for language, command in commands.items():
            fine, why = until_ready([str(word) for word in [*command, url]], environment)
            report.check(f"the sample in {language} shows an image", fine, why)
        for language, command in requests.items():
            words = [*command, f"{url}?auth=bearer", f"Bearer {TOKEN}"]
            fine, why = until_ready([str(word) for word in words], environment)
            report.check(f"requests and options are used in {language}", fine, why)
        lengths = {path.name: len(path.read_text().splitlines()) for path in SAMPLES.glob("*.*")}
        gallery = lengths.pop("gallery.c")
        report.check("the samples have at most 20 lines", max(lengths.values()) <= LONGEST_LINES, str(lengths))
        report.check("the gallery has less than 150 lines", gallery < LONGEST_GALLERY, str(gallery))
        fine, why = pictured(Program(programs / "gallery-gtk", pathlib.Path(name), environment), environment, 300_000, "--gtk")
        report.check("show.py makes the picture of the README", fine, why)
    report.finish()


if __name__ == "__main__":
    main()
