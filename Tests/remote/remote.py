#!/usr/bin/env python3
"""Tests remote caches on real servers: look-ups are right under all server faults, no call waits longer than its
budget, and a fleet sends one request to the origin.

    remote.py PREFIX [PART…]

PART: bytes, hostile, privacy, faults, shards, lifecycle, lease, fleet, figures; default: all. PREFIX is the
installation of the library and the plug-ins. Figures go to the standard error."""

from __future__ import annotations

import collections
import sys
import time

from common import BUDGET, HERE, KINDS, NOISE, PREFIX, ROOT, Lateness, has  # first: sets the path of others
import faults
import fleets
import machine
import privacy
import report
import servers
import values
from origin import Origin
from ports import Port


def figures_part(kind: str, origin: Origin) -> None:
    if not all(has(each) for each in KINDS):
        report.skip(f"figures of {kind}", "the program that measures links both plug-ins")
        return
    build = ROOT / "build/remote"
    build.mkdir(parents=True, exist_ok=True)
    program = build / "lookups"
    if not program.exists() or program.stat().st_mtime < (HERE / "lookups.c").stat().st_mtime:
        flags = ["-std=c11", "-O1", "-g", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{PREFIX}/include"]
        link = [f"-L{PREFIX}/lib", "-lsdimage", "-lsdimage-redis", "-lsdimage-memcached", f"-Wl,-rpath,{PREFIX}/lib"]
        if report.command("the look-ups compile", "gcc", *flags, "-o", program, HERE / "lookups.c", *link) is None:
            return

    def measure(what: str, address: str, count: int, *options: str) -> dict[str, float]:
        told = report.command(f"{kind}: {count} look-ups, {what}", program, kind, address, count, *options) or ""
        words = told.split()
        print(f"{kind}, {what}: {told.strip()}", file=sys.stderr)
        return collections.defaultdict(float, {words[at]: float(words[at + 1]) for at in range(0, len(words) - 1, 2)})

    lateness = Lateness()
    with servers.Server(kind) as server:
        # The default budget is shorter than the time that a busy machine gives to other processes.
        before = machine.contention()
        found = measure("an entry of 20 KB", server.address, 3000, "remote.budget_ms=30000")
        report.check(f"{kind}: every look-up finds the entry", found["hits"] == 3000, f"{found}")
        # The look-up passes through three threads, each of which may have to wait for a processor; so may the server.
        in_time = found["hits"] > 0 and found["median_us"] <= 150 * 4 * max(before, machine.contention())
        report.check(f"{kind}: an entry of 20 KB in 150 us, with room for a busy machine", in_time, f"{found}")
        server.pause()
        stalled = measure("a server that stalls", server.address, 60, "remote.store_timeout_ms=50")
        server.resume()
    # With the default budget, one failure that is delayed would refuse all later look-ups, and the breaker would not open.
    with Port() as port:
        dead = measure("a server that is not there", f"127.0.0.1:{port.number}", 500, "remote.budget_ms=30000")
    noise = lateness.stop()
    report.check(f"{kind}: a server that stalls costs no more than the budget",
                 stalled["hits"] == 0 and stalled["worst_us"] <= (BUDGET + 5 + NOISE + 2 * noise) * 1000, f"{stalled}")
    report.check(f"{kind}: a server that is not there costs next to nothing",
                 dead["worst_us"] <= (5 + NOISE + 2 * noise) * 1000 and dead["opened"] == 1, f"{dead}")


PARTS = {
    "bytes": values.bytes_part,
    "hostile": values.hostile_part,
    "privacy": privacy.privacy_part,
    "faults": faults.faults_part,
    "shards": faults.shards_part,
    "lifecycle": faults.lifecycle_part,
    "lease": fleets.lease_part,
    "fleet": fleets.fleet_part,
    "figures": figures_part,
}


def main() -> None:
    wanted = sys.argv[2:]
    with Origin() as origin:
        for kind in KINDS:
            if not has(kind):
                report.skip(f"remote caches on {kind}", "the plug-in or its server is not installed")
                continue
            for name, part in PARTS.items():
                if (not wanted or name in wanted) and report.selected(name):
                    started = time.monotonic()
                    part(kind, origin)
                    print(f"{kind} {name}: {time.monotonic() - started:.1f} s", file=sys.stderr)
    report.finish()


if __name__ == "__main__":
    main()
