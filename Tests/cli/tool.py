"""Runs the sdimage command, which is the first argument of the test, and reads its JSON."""

import json
import os
import pathlib
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "support"), str(TESTS)]
import report  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
ROOT = pathlib.Path(__file__).resolve().parents[2]
#: Quotes, backslashes, line ends, terminal escapes, half a character, one beyond 16 bits, a lone continuation byte.
HOSTILE = os.fsdecode(b'a"\\\n\r\t\x1b[31m\x7f\xc3(\xf0\x9f\x90\x88\x80 %41.png')
#: Members of the objects of get and thumb, and of every failure.
GOT = {"url", "source", "width", "height", "format", "bytes", "ms"}
FAILED = {"error", "message"}
Object = dict[str, object]


def run(*arguments: object, **options: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, timeout=600, **options)


def objects(done: subprocess.CompletedProcess[bytes]) -> list[Object]:
    """JSON objects, one per line without other output, in strict UTF-8."""
    return [json.loads(line) for line in done.stdout.decode("utf-8", errors="strict").splitlines()]


def shape(
    name: str, done: subprocess.CompletedProcess[bytes], status: int, *wanted: set[str], **values: object
) -> list[Object]:
    """Checks the members of each object, in order, and the values of some of the first; returns the objects."""
    try:
        found = objects(done)
    except ValueError as error:
        report.check(name, False, f"{error}: {done.stdout!r}")
        return [{}]
    first = found[0] if found else {}
    fine = done.returncode == status and [set(one) for one in found] == list(wanted)
    fine = fine and all(first.get(key) == value for key, value in values.items())
    one_line = all(line.startswith("sdimage: ") for line in done.stderr.decode(errors="replace").splitlines())
    report.check(name, fine and (one_line or not status), f"status {done.returncode}: {found} {done.stderr!r}")
    return found or [{}]
