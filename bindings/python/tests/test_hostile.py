"""Malicious files for decoders: a clean error or image for each, within time and memory limits."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import textwrap
import unittest
from pathlib import Path

from .support import environment

SECONDS = 2.0
MEMORY = 640 << 20
WORKER = """
    import sys, memory, sdimage
    memory.allow(int(sys.argv[1]))
    print("ready", flush=True)
    for line in sys.stdin:
        try:
            sdimage.decode(line.rstrip("\\n"))
            answer = "decoded"
        except sdimage.Error as error:
            answer = error.code
        print(answer, flush=True)
"""


class Worker:
    """A process that decodes one path per line."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(WORKER), str(MEMORY)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            env=environment(),
        )
        self.answer(30)

    def answer(self, seconds: float) -> str:
        assert self.process.stdout
        if not select.select([self.process.stdout], [], [], seconds)[0]:
            return "HANG"
        line = self.process.stdout.readline().decode().strip()
        return line or f"CRASH {self.process.wait()}"

    def ask(self, path: Path) -> str:
        assert self.process.stdin
        self.process.stdin.write(os.fsencode(path) + b"\n")
        return self.answer(SECONDS)

    def stop(self) -> None:
        self.process.kill()
        self.process.communicate()


CORPUS = os.environ.get("SDIMAGE_CORPUS")


@unittest.skipUnless(CORPUS, "SDIMAGE_CORPUS is not set")
class Hostile(unittest.TestCase):
    def test_every_hostile_file_gets_a_clean_answer(self) -> None:
        files = sorted(path for path in (Path(CORPUS or "") / "hostile").rglob("*") if path.is_file())
        self.assertTrue(files)
        worker, bad = Worker(), []
        for path in files:
            answer = worker.ask(path)
            if answer in ("HANG", "NO_MEMORY") or answer.startswith("CRASH"):
                bad.append((path.name, answer))
                worker.stop()
                worker = Worker()
        worker.stop()
        self.assertEqual(bad, [])
