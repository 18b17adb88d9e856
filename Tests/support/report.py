"""Results as lines: `ok NAME`, `not ok NAME: WHY`, `skip NAME: WHY`."""

import os
import re
import subprocess
import sys

failures = 0


def selected(name: str) -> bool:
    """False if the part of the suite that `Tests/run` was given excludes the test."""
    return re.search(os.environ.get("SDIMAGE_ONLY", ""), name) is not None


def line(text: str) -> str:
    return " ".join(text.split())[:300]


def check(name: str, fine: object, why: str = "") -> bool:
    global failures
    if fine:
        print(f"ok {name}", flush=True)
    else:
        failures += 1
        print(f"not ok {name}: {line(why) or 'false'}", flush=True)
    return bool(fine)


def skip(name: str, why: str) -> None:
    print(f"skip {name}: {line(why)}", flush=True)


def command(name: str, *arguments: object, **options: object) -> str | None:
    """Runs a command as one test; returns its standard output, or None on failure."""
    done = subprocess.run([str(a) for a in arguments], capture_output=True, text=True, errors="replace", **options)
    check(name, done.returncode == 0, f"status {done.returncode}: {done.stderr[-600:] or done.stdout[-600:]}")
    return done.stdout if done.returncode == 0 else None


def output(*arguments: str) -> str:
    """The standard output of a command that has to succeed."""
    return subprocess.run(arguments, capture_output=True, text=True, check=True).stdout


def finish() -> None:
    sys.exit(1 if failures else 0)
