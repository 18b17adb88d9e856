#!/usr/bin/env python3
"""Tests a disk cache whose processes are killed, whose calls fail, whose disk rots, and that several processes
share.

    faults.py PREFIX [kill=ROUNDS] [calls=all] [share=SECONDS] [killing] [FAULT…]

PREFIX is the installation of the library. FAULT: kill, crash, power, failing, share, keys; default: all. The
figures of a release: kill=5000 calls=all share=3600 killing. The same seed each time: SDIMAGE_FAULT_SEED, default
1."""

from __future__ import annotations

import collections
import concurrent.futures
import json
import os
import pathlib
import random
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "Tests/support"))
import report  # noqa: E402
from images import png  # noqa: E402

BUILD = ROOT / "build/faults"
WORKER = BUILD / "worker"
SHIM = BUILD / "failing.so"
INLINE_LIMIT = 4096
#: Seconds after which a process hangs. A busy machine prolongs the seconds of the longest ones to minutes.
LIMIT = 300


def compile_programs(prefix: pathlib.Path) -> bool:
    BUILD.mkdir(parents=True, exist_ok=True)
    strict = ["-O2", "-g", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror"]
    worker = ["gcc", "-std=c11", "-Wpedantic", *strict, f"-I{prefix}/include", "-o", WORKER, HERE / "worker.c"]
    worker += [f"-L{prefix}/lib", "-lsdimage", f"-Wl,-rpath,{prefix}/lib"]
    shim = ["gcc", "-std=gnu11", "-shared", "-fPIC", "-fvisibility=hidden", *strict, "-o", SHIM, HERE / "failing.c", HERE / "power.c"]
    return all(report.command(name, *c) is not None for name, c in (("the worker compiles", worker), ("the shim compiles", shim)))


def numbers(line: str) -> dict[str, float]:
    """Parses `a 1 b 2.5` as a dictionary."""
    words = line.split()
    return {words[i]: float(words[i + 1]) for i in range(0, len(words) - 1, 2)}


class Expectations:
    """The permitted contents of a cache, from the output of workers: for each key, the last version known to be
    stored, and the last one attempted."""

    def __init__(self) -> None:
        self.least: dict[int, int] = collections.defaultdict(int)
        self.most: dict[int, int] = collections.defaultdict(int)

    def hear(self, line: str) -> None:
        match = re.fullmatch(r"(try|done) (\d+) (\d+)", line)
        if not match:
            return
        key, version = int(match[2]), int(match[3])
        if version == 0:
            # A removal may have happened once it was attempted, and has happened once it is done.
            self.least[key] = 0
            self.most[key] = 0 if match[1] == "done" else self.most[key]
        elif match[1] == "try":
            self.most[key] = max(self.most[key], version)
        else:
            self.least[key] = max(self.least[key], version)

    def lines(self) -> str:
        return "".join(f"{key} {self.least[key]} {self.most[key]}\n" for key in sorted(self.most))


def check(folder: str, expected: Expectations) -> dict[str, float]:
    done = subprocess.run([WORKER, "check", folder], input=expected.lines(), capture_output=True, text=True, timeout=LIMIT)
    if done.returncode != 0:
        return {"crashed": 1, "wrong": 0, "lost": 0, "opened": 0}
    found = numbers(done.stdout)
    if found["wrong"]:
        print(folder, done.stderr[-600:], file=sys.stderr)
    return found


def newest_index(folder: str) -> pathlib.Path:
    return max(pathlib.Path(folder, "default/v1").glob("index-*.db"), key=lambda path: int(path.stem[6:]))


def stray_files(folder: str) -> int:
    """Files of entries without a row, found by SQLite itself."""
    newest = newest_index(folder)
    rows = {row[0].decode() for row in sqlite3.connect(newest).execute("SELECT file FROM entry WHERE length(file) > 0")}
    return len({f"{path.parent.name}/{path.name}" for path in newest.parent.glob("[0-9a-f][0-9a-f]/*")} - rows)


def kill_rounds(rounds: int, chance: random.Random) -> None:
    """Kills a writing process repeatedly; the next one checks all acknowledged entries before it continues."""
    total = collections.Counter()
    slowest, expected = 0.0, Expectations()
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(rounds):
            told = expected.lines()
            process = subprocess.Popen([WORKER, "write", folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            assert process.stdin and process.stdout
            timer = threading.Timer(LIMIT, process.kill)
            timer.start()
            process.stdin.write(told)
            process.stdin.close()
            found = numbers(process.stdout.readline() or "wrong 0 lost 0 opened 0 unread 1")
            total.update({name: int(found[name]) for name in ("wrong", "lost")}, unread="unread" in found)
            slowest = max(slowest, found["opened"])
            # A time in the first fiftieth of a second; most calls of a store take a thousandth of that.
            killer = threading.Timer(chance.random() * 0.02, process.kill)
            killer.start()
            for line in process.stdout:
                expected.hear(line.rstrip("\n"))
            process.wait()
            timer.cancel()
            killer.cancel()
        found = check(folder, expected)
        total.update({name: int(found.get(name, 0)) for name in ("wrong", "lost", "crashed")})
        stored = sum(1 for version in expected.least.values() if version)
        strays = stray_files(folder)
        print(f"kill: {rounds} rounds, {max(expected.most.values())} stores, slowest opening {slowest:.0f} ms of CPU time, {strays} strays", file=sys.stderr)
        report.check(f"{rounds} processes killed while writing: no wrong byte", total["wrong"] == 0, str(total))
        report.check(f"{rounds} processes killed while writing: no acknowledged entry lost", total["lost"] == 0 and stored > 0, str(total))
        report.check("every process opens what the killed one left", total["unread"] + total["crashed"] == 0, str(total))
        # CPU time, because other processes delay the rest.
        report.check("a folder left by a killed process opens within a second of CPU time", slowest < 1000, f"{slowest} ms")
        report.check("at most 64 files stay without an entry", strays <= 64, str(strays))


class Script:
    """Runs the worker's script with one failing call."""

    def __init__(self, picture: str) -> None:
        self.picture = picture

    def run(self, call: int, how: str, variant: int = 0, durable: bool = False) -> dict[str, object]:
        with tempfile.TemporaryDirectory() as folder:
            environment = os.environ | {
                "LD_PRELOAD": str(SHIM),
                "FAILING_FOLDER": folder,
                "FAILING_CALL": str(call),
                "FAILING_HOW": how,
                "FAILING_VARIANT": str(variant),
                "WORKER_DURABLE": "1" if durable else "",
            }
            arguments = [WORKER, "script", folder, self.picture]
            try:
                done = subprocess.run(arguments, env=environment, capture_output=True, text=True, timeout=LIMIT)
            except subprocess.TimeoutExpired:
                return {"hung": 1, "text": f"{how} {call} {variant}: it hangs"}
            expected = Expectations()
            for line in done.stdout.splitlines():
                expected.hear(line)
            found = check(folder, expected)
            return {
                "hung": 0,
                "crashed": int(done.returncode != (-9 if how in ("kill", "torn", "after", "power") else 0)) + int(found.get("crashed", 0)),
                "wrong": int(found["wrong"]) + int(re.search(r"script wrong [1-9]", done.stdout) is not None),
                "lost": int(found["lost"]),
                "kept": int(found.get("checked", 0)),
                "slow": int(found["opened"] > 1000),
                "loads": len(re.findall(r"load OK [1-9]", done.stdout)),
                "resumed": int("resumed yes" in done.stdout),
                "refused": int(len(re.findall(r"^done", done.stdout, re.M)) < 14),
                "calls": int(next(iter(re.findall(r"calls (\d+)", done.stdout)), 0)),
                "text": f"{how} {call} {variant}: {done.returncode} {done.stdout[-1200:]} {done.stderr[-300:]}",
            }

    def count(self, durable: bool = False) -> int:
        """The number of file calls of the script."""
        count = int(self.run(0, "once", durable=durable)["calls"])  # type: ignore[call-overload]
        # Without calls nothing would be tested.
        report.check("the file calls of a cache are found", count > 100, str(count))
        return count


def sample(count: int, step: int, chance: random.Random) -> list[int]:
    """Every `step`-th call from a random start, and all of the first forty."""
    return sorted({*range(1, min(40, count) + 1), *range(1 + chance.randrange(step), count + 1, step)})


def run_all(script: Script, runs: list[tuple[int, str, int]]) -> list[dict[str, object]]:
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        return list(pool.map(lambda run: script.run(*run), runs))


def tell(name: str, results: list[dict[str, object]], is_bad: object) -> None:
    bad = [result for result in results if is_bad(result)]  # type: ignore[operator]
    report.check(name, not bad, f"{len(bad)} of {len(results)}, e.g. {bad[0].get('text', 'a hang') if bad else ''}")
    for result in bad[:5]:
        print(result.get("text"), file=sys.stderr)


def crash_points(script: Script, step: int, chance: random.Random) -> None:
    """The process ends before, in the middle of and after file calls."""
    count = script.count()
    runs = [(call, how, 0) for how in ("kill", "torn", "after") for call in sample(count, step, chance)]
    results = run_all(script, runs)
    print(f"crash: {len(runs)} ends at {count} calls", file=sys.stderr)
    tell(f"a process ends at {len(runs)} points of {count} file calls: no wrong byte", results, lambda r: r["hung"] or r["wrong"])
    tell(f"a process ends at {len(runs)} points of {count} file calls: nothing acknowledged is lost", results, lambda r: r["lost"])
    tell("what it leaves opens within a second of CPU time", results, lambda r: r["slow"] or (r["crashed"] and r["calls"] == 0))


def power_cuts(script: Script, step: int, chance: random.Random) -> None:
    """The power fails at a file call: some or all unsynced pages are lost."""
    counts = {durable: script.count(durable) for durable in (False, True)}
    runs = [(call, "power", call % 7, durable) for durable, count in counts.items() for call in sample(count, step, chance)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda run: script.run(*run), runs))
    durable = [result for run, result in zip(runs, results) if run[3]]
    kept = sum(int(result.get("kept", 0)) for result in results[: len(results) - len(durable)])  # type: ignore[call-overload]
    print(f"power: {len(runs)} cuts at {counts[False]} and, durable, {counts[True]} calls; {kept} entries survived undurably", file=sys.stderr)
    tell(f"the power goes at {len(runs)} file calls: no wrong byte", results, lambda r: r["hung"] or r["wrong"])
    tell(f"the power goes at {len(durable)} file calls of a durable cache: nothing acknowledged is lost", durable, lambda r: r["lost"])
    tell("what a power cut leaves opens within a second of CPU time", results, lambda r: r["slow"] or (r["crashed"] and r["calls"] == 0))


def failing_calls(script: Script, step: int, chance: random.Random) -> None:
    """One file call fails, or it and all later ones; then the fault ends."""
    count = script.count()
    if step == 1:
        runs = [(call, how, variant) for how in ("once", "ever") for call in range(1, count + 1) for variant in range(6)]
    else:
        runs = [(call, "once", (call + call // step) % 6) for call in sample(count, step, chance)]
        runs += [(call, "ever", call // step % 6) for call in sample(count, step * 3, chance)]
    results = run_all(script, runs)
    print(f"failing: {len(runs)} runs, {count} calls, {sum(1 for r in results if r.get('refused'))} with refused stores", file=sys.stderr)
    tell(f"one of {count} file calls fails, {len(runs)} runs: every load succeeds", results, lambda r: r["hung"] or r["crashed"] or r["loads"] != 2)
    tell("no wrong byte is read after a failed call", results, lambda r: r.get("wrong"))
    tell("what was told to be stored is stored, whatever failed", results, lambda r: r.get("lost"))
    tell("stores go on as soon as the fault ends", results, lambda r: not r.get("resumed"))


def run_bursts(size: int) -> dict[str, object]:
    """Large transactions, whose journal cannot become longer than `size` bytes; then SQLite itself checks the index."""
    with tempfile.TemporaryDirectory() as folder:
        shim = {"LD_PRELOAD": str(SHIM), "FAILING_FOLDER": folder, "FAILING_CALL": str(size), "FAILING_HOW": "journal"}
        done = subprocess.run([WORKER, "bursts", folder], env=os.environ | shim, capture_output=True, text=True, timeout=LIMIT)
        newest = newest_index(folder)
        connection = sqlite3.connect(newest)
        found = [row[0] for row in connection.execute("PRAGMA integrity_check")]
        stored = connection.execute("SELECT count(*) FROM entry").fetchone()[0]
        dropped = int(next(iter(re.findall(r"dropped (\d+)", done.stdout)), -1))
        return {
            "damaged": done.returncode != 0 or found != ["ok"],
            "name": newest.name,
            "stored": stored,
            "dropped": dropped,
            "text": f"{size}: {done.returncode} {newest.name}: {stored} entries, {dropped} dropped, {found[:3]} {done.stderr[-300:]}",
        }


def full_disks() -> None:
    """Without a part of its journal, SQLite cannot roll back."""
    whole = run_bursts(1 << 30)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        results = list(pool.map(run_bursts, range(20_000, 300_000, 9_000)))
    refused = sum(1 for r in results if r["dropped"])
    report.check("a full disk refuses large transactions", whole["dropped"] == 0 and refused > 5, f"{refused} {whole['text']}")
    tell(
        "the index stays intact when there is no space for a part of its journal",
        results,
        lambda r: r["damaged"] or r["name"] != whole["name"],
    )
    tell("entries are stored as soon as there is space", results, lambda r: r["stored"] < 250)


def disk_use(folder: str, running: list[subprocess.Popen[str]]) -> collections.Counter[str]:
    """Bytes on disk by kind of file; `all` is the total. The processes pause meanwhile: files that they removed and stored during
    the count would be counted twice."""
    use: collections.Counter[str] = collections.Counter()
    for process in running:
        if process.poll() is None:
            process.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    for root, _, files in os.walk(folder):
        for name in files:
            try:
                size = os.lstat(os.path.join(root, name)).st_blocks * 512
                use.update({"all": size, name.rpartition(".")[2] if name.startswith("index") else "files": size})
            except OSError:
                pass  # removed meanwhile
    for process in running:
        process.send_signal(signal.SIGCONT)
    return use


def share(seconds: float, chance: random.Random, is_killing: bool) -> None:
    """Four processes on one folder, far more entries than fit."""
    limit, processes = 128 << 20, 4
    with tempfile.TemporaryDirectory() as folder:
        end = time.monotonic() + seconds

        def start() -> subprocess.Popen[str]:
            left = max(1.0, end - time.monotonic())
            arguments = [str(WORKER), "share", folder, str(left), str(chance.randrange(1 << 40) | 1), str(limit)]
            return subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

        running, most, killed = [start() for _ in range(processes)], disk_use(folder, []), 0
        while any(process.poll() is None for process in running) and time.monotonic() < end + LIMIT:
            most = max(most, disk_use(folder, running), key=lambda use: use["all"])
            time.sleep(0.1)
            if is_killing and time.monotonic() < end - 2 and chance.random() < 0.05:
                victim = chance.randrange(processes)
                running[victim].kill()
                running[victim].communicate()
                running[victim] = start()
                killed += 1
        total, hung = collections.Counter(), sum(process.poll() is None for process in running)
        for process in running:
            process.kill() if process.poll() is None else None
            output, errors = process.communicate()
            found = numbers(output) if output else {"wrong": 0, "failed": 0, "shared": 0, "crashed": 1}
            total.update({name: int(value) for name, value in found.items()})
            print(output, errors, file=sys.stderr)
        over = most["all"] / limit - 1
        print(f"share: {total['shared']} operations, {killed} killed, at most {dict(most)} of {limit}", file=sys.stderr)
        name = f"{processes} processes share a folder for {seconds:.0f} s"
        report.check(f"{name}: no wrong byte", total["wrong"] == 0 and total["shared"] > 0, str(total))
        report.check(f"{name}: none hangs or dies", not hung and not total["crashed"], str(total))
        report.check(f"{name}: no store is dropped without a wait of two seconds", total["failed"] == 0, str(total))
        report.check(f"{name}: at most a tenth over the limit", over <= 0.1, f"{dict(most)}, {100 * over:.1f} % over {limit}")


def keys() -> None:
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([WORKER, "keys", folder], capture_output=True, text=True, timeout=LIMIT)
        found = numbers(done.stdout) if done.returncode == 0 else {}
        report.check("10,000 hostile keys come back as themselves", found.get("wrong") == 0, f"{done.returncode} {done.stdout}")
        report.check("keys that are not UTF-8 are refused", found.get("accepted") == 0, done.stdout)
        own = re.compile(r"CACHEDIR\.TAG|v1|v1/[0-9a-f]{2}|v1/[0-9a-f]{2}/[0-9a-f]{32}-[0-9a-f]+-[0-9a-f]+(\.[a-z]+)?|v1/index-1\.db(-journal)?|v1/instances(/[0-9a-f]+)?")
        home = pathlib.Path(folder, "default")
        strangers = [str(path.relative_to(home)) for path in home.rglob("*") if not own.fullmatch(str(path.relative_to(home)))]
        report.check("no key gets into the name of a file", not strangers and os.listdir(folder) == ["default"], json.dumps(strangers[:3]))


def main() -> None:
    settings = dict(argument.split("=", 1) for argument in sys.argv[2:] if "=" in argument)
    named = {argument for argument in sys.argv[2:] if "=" not in argument}
    faults = {"kill", "crash", "power", "failing", "share", "keys"}
    wanted = set(filter(report.selected, named & faults or faults))
    if not compile_programs(pathlib.Path(sys.argv[1]).resolve()):
        report.finish()
    chance = random.Random(int(os.environ.get("SDIMAGE_FAULT_SEED", "1")))
    step = 1 if settings.get("calls") == "all" else 12
    picture = BUILD / "picture.png"
    picture.write_bytes(png(8, 8))
    script = Script(str(picture))
    if "kill" in wanted:
        kill_rounds(int(settings.get("kill") or 200), chance)
    if "crash" in wanted:
        crash_points(script, step, chance)
    if "power" in wanted:
        power_cuts(script, step * 2 if step > 1 else 1, chance)
    if "failing" in wanted:
        failing_calls(script, step, chance)
        full_disks()
    if "share" in wanted:
        share(float(settings.get("share") or 20), chance, "killing" in named)
    if "keys" in wanted:
        keys()
    report.finish()


if __name__ == "__main__":
    main()
