"""Servers that die, stall and are flooded during loads; threads, forks and the end of caches."""

from __future__ import annotations

import contextlib
import os
import pathlib
import re
import statistics
import sys
import threading

from common import BUDGET, KINDS, NOISE, PATIENT, Lateness, becomes, code, managed, over  # first: sets the path
import machine
import report
import sdimage
import servers
from images import png
from origin import Origin
from ports import Port


class Course:
    """A sequence of loads, and their results."""

    def __init__(self, manager: sdimage.Manager, origin: Origin, pictures: int, name: str) -> None:
        self.manager, self.origin = manager, origin
        self.urls = []
        self.sizes = []
        for number in range(pictures):
            path = f"{name}-{number}.png"
            origin.add(path, png(8 + number % 40, 8))
            self.urls.append(origin.url(path))
            self.sizes.append((8 + number % 40) * 8 * 3)
        self.wrong: list[str] = []
        self.times: list[float] = []
        self.lateness = Lateness()

    def run(self, first: int, last: int) -> None:
        for number in range(first, last):
            place = number % len(self.urls)
            waited = machine.waited()
            try:
                result = self.manager.load(self.urls[place])
            except sdimage.Error as error:
                self.wrong.append(f"{number}: {error}")
                continue
            self.times.append(over(result) - max(0, machine.waited() - waited))
            if result.image is None or len(result.image.tobytes()) != self.sizes[place]:
                self.wrong.append(f"{number}: another picture")

    def judge(self, name: str) -> None:
        worst, middle, noise = max(self.times), statistics.median(self.times), self.lateness.stop()
        late = sum(each > BUDGET + 5 for each in self.times)
        report.check(f"{name}: all {len(self.times)} loads right", not self.wrong, f"{self.wrong[:3]}")
        report.check(f"{name}: no load later than the origin by more than the budget", worst <= BUDGET + 5 + NOISE + 2 * noise,
                     f"worst {worst:.1f} ms, the machine {noise:.1f} ms")
        print(f"{name}: median {middle:.2f} ms, worst {worst:.1f} ms beyond the origin, {late} of {len(self.times)}"
              f" over {BUDGET + 5} ms; the machine up to {noise:.1f} ms late", file=sys.stderr)


def single_server_faults(kind: str, origin: Origin) -> None:
    with servers.Server(kind) as server:
        cache = KINDS[kind](server.address, budget_ms=BUDGET, breaker_pause_ms=100)
        with managed(cache) as manager:
            course = Course(manager, origin, 60, f"faults-{kind}")
            course.run(0, 60)
            # A busy machine exceeds the budget of some look-ups.
            warm = becomes(lambda: (course.run(60, 120), cache.statistics()["hits"] >= 50)[1])
            report.check(f"{kind}: loads are answered by the server", warm, f"{cache.statistics()}")
            server.kill()
            # Slow loads of a busy machine last longer than the pauses of the breaker.
            is_open = becomes(lambda: (course.run(120, 200), cache.statistics()["refused"] > 20)[1])
            dead = cache.statistics()
            report.check(f"{kind}: the breaker opens when the server dies", is_open and dead["breaker_opened"] >= 1, f"{dead}")
            server.start()
            again = becomes(lambda: (course.run(200, 290), cache.statistics()["hits"] > dead["hits"])[1])
            back = cache.statistics()
            report.check(f"{kind}: loads ask again when it is back", again and back["stored"] > dead["stored"], f"{back}")
            server.pause()

            def is_stalled() -> bool:
                course.run(290, 300)
                found = cache.statistics()
                return found["timeouts"] >= 1 and found["breaker_opened"] > back["breaker_opened"]

            is_open = becomes(is_stalled)
            course.run(300, 350)
            stalled = cache.statistics()
            report.check(f"{kind}: the breaker opens when the server stalls", is_open, f"{stalled}")
            server.resume()
            again = becomes(lambda: (course.run(350, 380), cache.statistics()["hits"] > stalled["hits"])[1])
            report.check(f"{kind}: loads ask again when it goes on", again, f"{cache.statistics()}")
            with servers.flood(server):
                course.run(380, 460)
            course.judge(f"{kind} killed, paused and flooded")


def breaker_counts(kind: str) -> None:
    """An unreachable server: three attempts."""
    port = Port()
    # With the default budget, a failure that a busy machine delays is a timeout, and refuses the next look-up.
    cache = KINDS[kind](f"127.0.0.1:{port.number}", breaker_pause_ms=200, **PATIENT)
    outcomes = [code(lambda: cache.data("key")) for _ in range(6)]
    numbers = cache.statistics()
    report.check(f"{kind}: the breaker is open after three failures",
                 outcomes == ["CONNECT_FAILED"] * 3 + ["BUSY"] * 3
                 and (numbers["breaker_opened"], numbers["refused"]) == (1, 3),
                 f"{outcomes} {numbers}")
    exchanges = numbers["exchanges"]
    becomes(lambda: (code(lambda: cache.data("key")), cache.statistics()["exchanges"] > exchanges)[1])
    report.check(f"{kind}: after its pause one probe asks, and no look-up waits for it",
                 cache.statistics()["failures"] == 3 and code(lambda: cache.data("key")) == "BUSY", f"{cache.statistics()}")
    port.close()


def faults_part(kind: str, origin: Origin) -> None:
    breaker_counts(kind)
    single_server_faults(kind, origin)


def two_go_on(course: Course, all_servers: list[servers.Server]) -> tuple[bool, str]:
    """True if look-ups find 90 of the 100 pictures of the course, one of whose servers is dead. Without the budget, which a busy
    machine exceeds again and again."""
    cache = sdimage.MemcachedCache(",".join(each.address for each in all_servers), **PATIENT)

    def hits() -> int:
        before = cache.statistics()["hits"]
        for url in course.urls:
            manager.load(url)
        return cache.statistics()["hits"] - before

    with managed(cache) as manager:
        return becomes(lambda: hits() >= 90), f"{cache.statistics()}"


def shards_part(kind: str, origin: Origin) -> None:
    """Three memcached servers, one killed and one paused, during 500 loads."""
    if kind != "memcached":
        return
    with contextlib.ExitStack() as stack:
        all_servers = [stack.enter_context(servers.Server(kind)) for _ in range(3)]
        cache = KINDS[kind](",".join(each.address for each in all_servers), budget_ms=BUDGET)
        with managed(cache) as manager:
            course = Course(manager, origin, 100, "shards")
            course.run(0, 200)
            def items(server: servers.Server) -> int:
                return int(re.search(rb"STAT total_items (\d+)", server.ask(b"stats\r\n", b"END\r\n"))[1])

            # A busy machine exceeds the budget of some look-ups and stores.
            report.check("memcached: keys are shared out among three servers",
                         becomes(lambda: all(items(each) > 10 for each in all_servers) or course.run(0, 100)))
            all_servers[1].kill()
            course.run(200, 350)
            report.check("memcached: two of three servers go on", *two_go_on(course, all_servers))
            all_servers[2].pause()
            course.run(450, 500)
            all_servers[2].resume()
            course.judge("three memcached, one killed, one paused")


# --- Threads, forks, ends.

def threads_now() -> int:
    """The threads of remote caches."""
    count = 0
    for task in os.listdir("/proc/self/task"):
        with contextlib.suppress(OSError):
            count += pathlib.Path(f"/proc/self/task/{task}/comm").read_text().strip() == "sdimage-remote"
    return count


def descriptors_now() -> int:
    return len(os.listdir("/proc/self/fd"))


def lifecycle_part(kind: str, origin: Origin) -> None:
    with servers.Server(kind) as server:
        warm = KINDS[kind](server.address, **PATIENT)
        warm.store("key", data=b"1")
        warm.data("key")
        before_threads, before_descriptors = threads_now(), descriptors_now()
        cache = KINDS[kind](server.address, connections=3, **PATIENT)
        asking = [threading.Thread(target=lambda: [cache.data("key") for _ in range(50)]) for _ in range(8)]
        for each in asking:
            each.start()
        for each in asking:
            each.join()
        cache.store("key", data=b"2")
        most = threads_now() - before_threads
        report.check(f"{kind}: a thread for each connection, and one that watches the time", most <= 4, f"{most}")
        cache.close()
        for _ in range(30):
            short = KINDS[kind](server.address, **PATIENT)
            short.data("key")
            short.close()
        report.check(f"{kind}: threads and connections end with their cache",
                     becomes(lambda: threads_now() <= before_threads and descriptors_now() <= before_descriptors),
                     f"{threads_now() - before_threads} threads, {descriptors_now() - before_descriptors} descriptors")
        child = os.fork()
        if child == 0:
            fine = code(lambda: warm.data("key")) == "FORKED" and code(lambda: KINDS[kind](server.address)) == "FORKED"
            os._exit(0 if fine else 1)
        _, status = os.waitpid(child, 0)
        report.check(f"{kind}: a forked child is told so, and its parent goes on", status == 0 and warm.data("key") == b"2",
                     f"{status}")
        waiting = KINDS[kind](server.address, budget_ms=300)
        server.pause()
        thread = threading.Thread(target=lambda: code(lambda: waiting.data("key")))
        thread.start()
        thread.join()
        waiting.close()
        server.resume()
        report.check(f"{kind}: a cache ends while its server stalls", becomes(lambda: threads_now() <= before_threads))
