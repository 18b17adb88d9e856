"""Loads in a process whose memory has a limit: a load that needs more fails with another error.

    limited.py BYTES OPTIONS URL…

Loads the first URL before the limit applies, and then the others, one after another. OPTIONS is JSON for the downloader.
Prints the outcome of each load as JSON."""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import subprocess
import sys
from typing import NamedTuple

if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import world  # noqa: E402  (finds the package and the other tests)
import memory  # noqa: E402
import report  # noqa: E402
import sdimage  # noqa: E402
from origin.scripted import Answer, Server  # noqa: E402


#: Bytes that a decoder of a content coding allocates for its window.
WINDOW = 16 << 20
#: Bytes for a load besides its body: the window, 16 MiB for the stacks of two threads, and 12 MiB.
BESIDES = WINDOW + (28 << 20)


class Outcome(NamedTuple):
    code: str
    is_stored: bool
    #: The pixels of a second load, which bypasses the caches; None after an error.
    digest: str | None = None


def digest(pixels: bytes) -> str:
    return hashlib.sha256(pixels).hexdigest()


def loads(count: int, urls: list[str], downloader: dict[str, object]) -> list[Outcome]:
    """The outcomes of loads in a process that may allocate `count` bytes, except that of the first, before the limit."""
    command = [sys.executable, __file__, str(count), json.dumps(downloader), *urls]
    # glibc would keep large blocks of one load for the next one.
    environment = {**os.environ, "MALLOC_MMAP_THRESHOLD_": "131072", "MALLOC_TRIM_THRESHOLD_": "131072"}
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=1500, env=environment)
    outcomes = [Outcome(*json.loads(line)) for line in done.stdout.splitlines()]
    missing = Outcome(f"exit status {done.returncode}", False)
    return outcomes + [missing] * (len(urls) - 1 - len(outcomes))


def check(what: str, count: int, good: bytes, cases: dict[str, tuple[Answer, set[str]]], **downloader: object) -> None:
    """A test for each response, and one for a good response after them: a load ends with one of the codes. If it fails,
    nothing is stored, and otherwise it has the right image."""
    with Server() as server:
        first = server.on("/good", lambda connection: connection.answer(good))
        urls = [server.on(f"/{number}", answer) for number, (answer, _) in enumerate(cases.values())]
        *outcomes, after = loads(count, [first, *urls, first], downloader)
    right = digest(world.pixels(good))
    for (name, (_, codes)), found in zip(cases.items(), outcomes):
        fine = found.code in codes and (found.digest == right if found.code == "OK" else not found.is_stored)
        report.check(f"{what}, {name}", fine, f"{found}; expected {', '.join(sorted(codes))}")
    report.check(f"{what}: the next good answer is taken", after.digest == right, f"{after}")


def outcome(here: world.World, url: str) -> Outcome:
    code = here.code(url)
    is_stored = here.keeps(url)
    try:
        image = here.load(url, source_policy="loader_only").image if code == "OK" else None
    except sdimage.Error:
        image = None
    return Outcome(code, is_stored, digest(image.tobytes()) if image else None)


def main(count: int, downloader: dict[str, object], good: str, *urls: str) -> None:
    with world.world(**downloader) as here:
        assert outcome(here, good).digest
        # ThreadSanitizer allocates several times the memory of the program.
        if not world.IS_SANITIZED:
            memory.allow(count)
        for url in urls:
            print(json.dumps(outcome(here, url)), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), json.loads(sys.argv[2]), *sys.argv[3:])
