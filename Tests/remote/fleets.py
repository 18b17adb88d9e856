"""Processes that share a remote cache: the origin gets one request, and no process waits for a dead one."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time

from common import HERE, KINDS, LEASES, PATIENT, becomes, code, managed, server_name  # first: sets the path
import report
import servers
from images import png
from origin import Origin


class Fleet:
    """Processes that share only a remote cache."""

    def __init__(self, kind: str, server: servers.Server, count: int, urls: list[str], freshness: str = "ignore",
                 **options: object) -> None:
        command = [sys.executable, str(HERE / "member.py"), kind, server.address, freshness, json.dumps({**PATIENT, **options}),
                   *urls]
        # Files of a killed member are removed with the fleet.
        self.holder = tempfile.TemporaryDirectory(prefix="sdimage-remote-")
        environment = {**os.environ, "TMPDIR": self.holder.name}
        self.members = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
                        for _ in range(count)]
        for each in self.members:
            assert each.stdout is not None
            each.stdout.readline()

    def start(self) -> None:
        for each in self.members:
            assert each.stdin is not None
            each.stdin.write("go\n")
            each.stdin.flush()

    def answers(self) -> list[dict[str, list]]:
        return [json.loads(each.stdout.readline() or "{}") for each in self.members if each.stdout]

    def run(self) -> list[dict[str, list]]:
        self.start()
        return self.answers()

    def __enter__(self) -> Fleet:
        return self

    def __exit__(self, *_: object) -> None:
        for each in self.members:
            if each.poll() is None and each.stdin is not None:
                with contextlib.suppress(OSError):
                    each.stdin.write("\n")
                    each.stdin.flush()
        for each in self.members:
            try:
                each.wait(60)
            except subprocess.TimeoutExpired:
                each.kill()
                each.wait()
        self.holder.cleanup()


def fleet_part(kind: str, origin: Origin) -> None:
    """Origin requests for a number of processes: one for each URL."""
    curve = {}
    for count in (1, 2, 4, 8):
        with servers.Server(kind) as server:
            paths = [f"fleet-{kind}-{count}-{number}.png" for number in range(12)]
            for path in paths:
                origin.add(path, png(16, 16))
            with Fleet(kind, server, count, [origin.url(f"{path}?delay_ms=40") for path in paths], **LEASES) as fleet:
                answers = fleet.run()
            good = all(load[2] == 768 for answer in answers for load in answer.get("loads", [[0, 0, 0]]))
            hits = [origin.hits(path) for path in paths]
            curve[count] = sum(hits) / len(hits)
            report.check(f"{kind}: {count} processes ask the origin once for each of {len(paths)} URLs",
                         good and hits == [1] * len(paths), f"{hits}, all right: {good}")
    print(f"{kind}: origin requests for each URL by processes: {curve}", file=sys.stderr)


def lifetimes(kind: str, origin: Origin) -> None:
    """When an entry becomes stale, one process of the fleet revalidates it."""
    # Seconds. A fleet that takes longer than a lifetime, on a busy machine, starts again with a longer one.
    for lifetime in (4, 16, 60):
        path = f"lifetime-{kind}-{lifetime}.png"
        origin.add(path, png(16, 16))
        runs = []
        with servers.Server(kind) as server, \
                Fleet(kind, server, 4, [origin.url(f"{path}?max_age={lifetime}&delay_ms=20")], "respect", **LEASES) as fleet:
            for _ in range(2):
                started = time.monotonic()
                answers = fleet.run()
                took = time.monotonic() - started
                runs.append((took, origin.hits(path), all(load[2] == 768 for answer in answers for load in answer["loads"])))
                # The dates of responses have whole seconds.
                if took > lifetime - 1:
                    break
                if len(runs) == 1:
                    time.sleep(lifetime + 1.1)
            else:
                break
    hits = [each[1] for each in runs]
    report.check(f"{kind}: four processes ask the origin once for each lifetime", hits == [1, 2] and all(each[2] for each in runs),
                 f"{runs}")


def dead_holder(kind: str, origin: Origin) -> None:
    """The holder of the lease is killed while the origin hangs; the others continue when the lease expires."""
    with servers.Server(kind) as server:
        path = f"holder-{kind}.png"
        origin.add(path, png(16, 16))
        url = origin.url(f"{path}?fault=hang&first=1")
        # The next lease must not expire before its load has ended.
        with Fleet(kind, server, 1, [url], lease_ms=2000) as holder, Fleet(kind, server, 3, [url], **LEASES) as others:
            holder.start()
            becomes(lambda: origin.hits(path) == 1)
            others.start()
            holder.members[0].kill()
            answers = others.answers()
        given_up = [answer["numbers"]["given_up"] for answer in answers]
        good = all(load[2] == 768 for answer in answers for load in answer["loads"])
        report.check(f"{kind}: no process waits for a dead holder longer than its lease", good and not any(given_up), f"{given_up}")
        report.check(f"{kind}: one of those who waited asks the origin", origin.hits(path) == 2, f"{origin.hits(path)}")


def failing_origin(kind: str, origin: Origin) -> None:
    """A lease is released at once when the origin fails: the next process sends its request long before the lease
    would expire."""
    with servers.Server(kind) as server:
        path = f"failing-{kind}.png"
        origin.add(path, png(16, 16))
        first, second = (KINDS[kind](server.address, **LEASES, **PATIENT) for _ in range(2))
        with managed(first) as one, managed(second) as two:
            failed = code(lambda: one.load(origin.url(f"{path}?status=500&first=1")))
            result = two.load(origin.url(f"{path}?status=500&first=1"))
        given_up = second.statistics()["given_up"]
        report.check(f"{kind}: a failed load gives its lease back", failed == "HTTP_STATUS" and result.image is not None
                     and given_up == 0, f"{failed}, {given_up} given up")
        third = KINDS[kind](server.address, lease_wait_ms=200, **PATIENT)
        slow = origin.url(f"{path}?held")
        server.put(server_name(slow, "l"), b"1")
        with managed(third) as manager:
            started = time.monotonic()
            result = manager.load(slow)
            took = time.monotonic() - started
        numbers = third.statistics()
        report.check(f"{kind}: a load waits for a lease no longer than it is told to", result.image is not None
                     and numbers["given_up"] == 1 and took > 0.1, f"{took:.2f} s, {numbers}")


def two_managers(kind: str, origin: Origin) -> None:
    """Managers of one process that share no transfers. Each load takes a lease after one that was released."""
    paths = [f"two-{kind}-{number}.png" for number in range(12)]
    # One connection, whose thread makes the record of a lease in the memory of the last one.
    with servers.Server(kind) as server, managed(KINDS[kind](server.address, connections=1, **LEASES, **PATIENT)) as one, \
            managed(one.cache) as two:
        for path in paths:
            origin.add(path, png(16, 16))
            for task in [manager.start(origin.url(f"{path}?delay_ms=40")) for manager in (one, two)]:
                task.wait()
    hits = [origin.hits(path) for path in paths]
    report.check(f"{kind}: two managers of a process ask the origin once for each URL", hits == [1] * len(paths), f"{hits}")


def lease_part(kind: str, origin: Origin) -> None:
    dead_holder(kind, origin)
    two_managers(kind, origin)
    failing_origin(kind, origin)
    lifetimes(kind, origin)
