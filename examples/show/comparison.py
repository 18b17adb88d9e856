"""The comparison: one job by three programs, each in a process of its own, twice."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import specimens
from stage import Stage

COUNT, SIDE = 32, 256
#: The exit status of a program that cannot run and prints the reason.
_CANNOT = 3
_PEERS = Path(__file__).resolve().parent / "peers.py"
#: The label and the description of each program.
PEERS = {"pillow": "curl | Pillow", "pyvips": "curl | pyvips", "sdimage": "sdimage"}


def comparison(stage: Stage) -> dict[str, Any]:
    """Converts a number of URLs of the origin to thumbnails."""
    terminal, origin = stage.terminal, stage.origin
    sources = specimens.photographs(stage.made)
    names = [origin.add(f"job/{number}.jpg", sources[number % len(sources)].read_bytes()) for number in range(COUNT)]
    listed = stage.folder / "job.txt"
    listed.write_text("\n".join(names))
    found = {peer: _twice(stage, peer, listed) for peer in PEERS}
    for peer, row in found.items():
        if "not_run" in row:
            terminal.line(f"   {PEERS[peer]}: not run, {row['not_run']}")
    ran = {peer: row for peer, row in found.items() if "first" in row}
    _table(stage, ran)
    ours = ran["sdimage"]
    sizes = {row[run]["sizes"] for row in ran.values() for run in ("first", "second")}
    terminal.claim(
        f"all of them made the same {COUNT} sizes, within a pixel",
        len({_rough(each) for each in sizes}) == 1 and all(len(each.split()) == COUNT for each in sizes),
    )
    terminal.claim(
        f"the second run took {ours['second']['seconds']:.2f} s and sent {ours['second']['requests']} requests",
        ours["first"]["requests"] == COUNT and ours["second"]["requests"] == 0,
    )
    moved = sum(path.stat().st_size for path in sources) * COUNT // len(sources)
    return {"count": COUNT, "side": SIDE, "bytes": moved, "peers": found, "names": PEERS}


def _twice(stage: Stage, peer: str, listed: Path) -> dict[str, Any]:
    """Two runs of a program, or the reason why it cannot run."""
    work = stage.folder / f"job-{peer}"
    work.mkdir()
    first = _run(stage, peer, listed, work)
    return {"not_run": first} if isinstance(first, str) else {"first": first, "second": _run(stage, peer, listed, work)}


def _table(stage: Stage, ran: dict[str, dict[str, Any]]) -> None:
    rows = []
    for peer, row in ran.items():
        first, second = row["first"], row["second"]
        times = f"{first['seconds']:.2f}", f"{second['seconds']:.2f}", f"{first['peak_mb']:.0f}"
        rows.append((PEERS[peer], *times, first["requests"], second["requests"]))
    heads = ("program", "first run s", "second run s", "peak MB", "requests", "second run")
    stage.terminal.table(heads, rows)
    stage.terminal.line(
        f"   {COUNT} URLs of JPEGs of 6 megapixels to {SIDE} pixels, for the whole process; "
        "peak excludes curl"
    )


def _rough(sizes: str) -> str:
    """Sizes without the side that programs round in different ways; the longer side is the same."""
    pairs = [tuple(map(int, size.split("x"))) for size in sizes.split()]
    return " ".join(f"{max(pair)} {'wide' if pair[0] > pair[1] else 'high'} {round(min(pair) / 4)}" for pair in pairs)


def _run(stage: Stage, peer: str, listed: Path, work: Path) -> dict[str, Any] | str:
    """The wall time of a process and its peak memory; or the reason why it cannot run."""
    stage.origin.reset()
    started = time.perf_counter()
    command = [sys.executable, str(_PEERS), peer, str(listed), str(work), str(SIDE)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    seconds = time.perf_counter() - started
    if done.returncode == _CANNOT:
        return done.stdout.strip()
    if done.returncode != 0:
        raise RuntimeError(f"{peer} ended with {done.returncode}: {done.stderr[-600:]}")
    return {**json.loads(done.stdout), "seconds": seconds, "requests": stage.origin.hits()}
