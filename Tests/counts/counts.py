#!/usr/bin/env python3
"""Counts the instructions, allocations and bytes that an operation takes, and compares them with budget.json.

    counts.py PROGRAM [--update] [--only PATTERN]

PROGRAM is counts.c, compiled. Callgrind counts its instructions at the level AVX2, the highest that valgrind has, so that the counts
do not depend on the CPU. Beside other work they vary by less than 1 %. The budgets are
those of the project's compilers and the libraries of Debian 12; elsewhere the suite is skipped. A count that differs from its budget by
more than TOLERANCE fails in either direction, so that the budgets remain true. After an intended change, this command writes the counts of the library into budget.json, for the commit of the change:

    Tests/counts/run --update"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "support")]
import report  # noqa: E402
from origin.scripted import Server  # noqa: E402

BUDGET = HERE / "budget.json"
TOLERANCE = 0.05
#: Workloads whose cost on the calling thread alone is counted, because other threads continue after the call.
CALLER_ONLY = {"submit_miss"}
#: Workloads of which the bytes are counted, and no instructions; they run without valgrind.
BYTES = {"waiting_load"}
IMAGES = HERE / "images"


def workloads(origin: str) -> dict[str, list[str]]:
    """Names, with the arguments of the program."""
    small = str(IMAGES / "1.gif")
    decodes = {
        f"decode_{kind}_{side}x{side}": ["decode", str(IMAGES / f"{side}.{ending}")]
        for kind, ending in (("png", "png"), ("gif", "gif"), ("jpeg", "jpg"), ("webp", "webp"))
        for side in (1, 16)
    }
    return {
        "http_fetch": ["http_fetch", origin],
        "disk_hit": ["disk_hit", small],
        "disk_read": ["disk_read"],
        "disk_store": ["disk_store"],
        "submit_miss": ["submit_miss", origin],
        "waiting_load": ["waiting_load", origin],
        "memory_hit": ["memory_hit"],
        "cache_hit": ["cache_hit"],
        **decodes,
        # 16 bits and a gamma of the file: the table of tones is not made again for each image.
        "decode_png_gamma": ["decode", str(IMAGES / "gamma.png")],
    }


def counted_instructions(profile: pathlib.Path) -> int:
    """The sum that Callgrind writes at the end of the part that the program requested."""
    for path in profile.parent.glob(profile.name + "*"):
        text = path.read_text()
        if "Client Request: counted" in text:
            return int(re.findall(r"^totals: (\d+)", text, re.M)[-1])
    raise RuntimeError(f"Callgrind wrote no counts: {profile}")


def measure(program: str, name: str, arguments: list[str]) -> dict[str, float]:
    """The counts of one operation."""
    with tempfile.TemporaryDirectory() as folder:
        profile = pathlib.Path(folder) / "profile"
        command = [program, *arguments]
        if name not in BYTES:
            separate = "yes" if name in CALLER_ONLY else "no"
            valgrind = ["valgrind", "-q", "--tool=callgrind", "--fair-sched=yes", f"--separate-threads={separate}"]
            command = [*valgrind, f"--callgrind-out-file={profile}", *command]
        environment = {**os.environ, "SDIMAGE_CPU": "avx2", "TMPDIR": folder}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=1200)
        if done.returncode != 0:
            raise RuntimeError(f"status {done.returncode}: {done.stderr[-400:]}")
        told = {key: int(value) for key, value in re.findall(r"(\w+)=(-?\d+)", done.stdout)}
        operations = told["operations"]
        allocations = told["own_allocations" if name in CALLER_ONLY else "allocations"]
        each = {"allocations": round(allocations / operations, 2)}
        if name in BYTES:
            return {"bytes": round(told["bytes"] / operations), **each}
        return {"instructions": round(counted_instructions(profile) / operations), **each}


def measure_all(program: str, only: str) -> dict[str, dict[str, float]]:
    body = (IMAGES / "1.gif").read_bytes()
    with Server(lambda connection: connection.answer(body, Cache_Control="max-age=3600")) as server:
        wanted = {name: each for name, each in workloads(server.url("")).items() if re.search(only, name)}
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            counts = pool.map(lambda name: measure(program, name, wanted[name]), wanted)
            return dict(zip(wanted, counts))


def problem(count: float, budget: float | None) -> str:
    """The reason of a failure; empty if the count is in its budget."""
    if budget is None:
        return "no budget: Tests/counts/run --update"
    change = f"{count:.10g}, budget {budget:.10g}"
    if count > budget * (1 + TOLERANCE):
        return f"{change}: above the budget"
    if count < budget * (1 - TOLERANCE):
        return f"{change}: improved: lower the budget (Tests/counts/run --update)"
    return ""


def compare(counts: dict[str, dict[str, float]], only: str) -> None:
    budgets = json.loads(BUDGET.read_text())
    for name, found in counts.items():
        for unit, count in found.items():
            why = problem(count, budgets.get(name, {}).get(unit))
            report.check(f"{name}: {unit}" + ("" if why else f" {count:.10g}"), not why, why)
    old = [name for name in budgets if name not in counts and re.search(only, name)]
    report.check("each budget is that of a workload", not old, f"not: {old}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare the cost of operations with budget.json.")
    parser.add_argument("program")
    parser.add_argument("--only", default="", help="Count the workloads whose names match PATTERN", metavar="PATTERN")
    parser.add_argument("--update", action="store_true", help="Write the counts into budget.json")
    options = parser.parse_args()
    system = platform.freedesktop_os_release()
    is_known = (system.get("ID"), system.get("VERSION_ID")) == ("debian", "12") and platform.machine() == "x86_64"
    if not is_known or " avx2 " not in pathlib.Path("/proc/cpuinfo").read_text():
        report.skip("counts", "the budgets are those of Debian 12 on x86-64 with AVX2")
        return
    counts = measure_all(options.program, options.only)
    if options.update:
        kept = json.loads(BUDGET.read_text()) if options.only and BUDGET.exists() else {}
        BUDGET.write_text(json.dumps({**kept, **counts}, indent=2) + "\n")
        return
    compare(counts, options.only)
    report.finish()


main()
