"""Processes that end while loads over TLS are in progress."""

from __future__ import annotations

import contextlib
import os
import pathlib
import subprocess
import time

import report
from certificates import Authority, context
from origin.scripted import Connection, Server, head
from world import ROOT

HERE = pathlib.Path(__file__).resolve().parent


def endless(connection: Connection) -> None:
    """A body that arrives for many seconds, or until the client leaves."""
    connection.send(head(length=20_000_000))
    with contextlib.suppress(OSError):
        for _ in range(20_000):
            connection.send(bytes(1000))
            time.sleep(0.001)


def exits(folder: pathlib.Path, authority: Authority) -> None:
    program, library = folder / "exits", pathlib.Path(os.environ["SDIMAGE_LIBRARY"])
    # The library may be instrumented by a sanitizer, whose runtime is preloaded.
    command = ["gcc", "-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-o", str(program), str(HERE / "exits.c"),
               f"-I{ROOT / 'include'}", str(library), f"-Wl,-rpath,{library.parent}",
               "-Wl,--allow-shlib-undefined", "-pthread"]
    if report.command("the program that exits compiles", *command) is None:
        return
    with Server(endless, context(authority.sign("exits"))) as server:
        for count in (1, 16):
            child = subprocess.run([program, server.url("/a"), str(count)], capture_output=True, text=True, timeout=600)
            report.check(f"a process ends while {count} loads over TLS are in progress", child.returncode == 0,
                         f"exit status {child.returncode} {child.stderr[-300:]}")
