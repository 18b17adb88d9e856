"""Stored values are returned; hostile values and servers are misses."""

from __future__ import annotations

import collections
import contextlib
import os
import socket
import threading
import time
from collections.abc import Iterator

from common import BUDGET, KINDS, NOISE, PATIENT, Lateness, becomes, code, managed, server_name  # first: sets the path of others
import machine
import report
import sdimage
import servers
from images import png
from origin import Origin


def keeps_bytes(kind: str) -> None:
    with servers.Server(kind) as server:
        cache = KINDS[kind](server.address, max_entry=300_000, **PATIENT)
        samples = {
            "plain": b"abc", "all bytes": bytes(range(256)) * 40, "ends of lines": b"END\r\nVALUE x 0 3\r\n\0\r\n",
            "nothing": b"", "large": os.urandom(200_000),
        }
        keys = ["https://example.org/a.jpg", "with space\nand line", "ünï-\u4f60\u597d", "k" * 251, "k" * 5000, "a\0b", "#"]
        wrong = []
        for name, data in samples.items():
            for key in keys:
                cache.store(key + name, data=data)
                if cache.data(key + name) != data:
                    wrong.append(f"{key[:20]!r} {name}")
        report.check(f"{kind} gives back any bytes under any key", not wrong, f"{wrong}")
        report.check(f"{kind} tells keys with the same beginning apart", cache.data("k" * 4999) is None)
        cache.remove("https://example.org/a.jpgplain")
        report.check(f"{kind} forgets what is removed", cache.data("https://example.org/a.jpgplain") is None)
        refused = code(lambda: cache.store("huge", data=bytes(300_001)))
        numbers = cache.statistics()
        report.check(f"{kind} refuses what is over the limit, and counts it",
                     refused == "TOO_LARGE" and numbers["too_large"] == 1 and cache.data("huge") is None, refused)
        report.check(f"{kind} counts hits, misses and stores",
                     (numbers["hits"], numbers["stored"]) == (len(samples) * len(keys),) * 2 and numbers["misses"] == 2
                     and numbers["failures"] == 0, f"{numbers}")
        cleared = code(cache.clear)
        report.check(f"{kind} is not emptied by one of many", cleared == "UNSUPPORTED", cleared)
        other = KINDS[kind](server.address, namespace="other", **PATIENT)
        report.check(f"{kind} keeps namespaces apart", other.data("https://example.org/a.jpgall bytes") is None)
        # A busy machine needs seconds between store and look-up.
        for seconds in (1, 4, 16, 64):
            with_limit = KINDS[kind](server.address, ttl_s=seconds, namespace="short", **PATIENT)
            with_limit.store("soon gone", data=b"x")
            kept = with_limit.data("soon gone") == b"x"
            if kept:
                break
        report.check(f"{kind} forgets entries after their time",
                     kept and becomes(lambda: with_limit.data("soon gone") is None))
        several = KINDS[kind](server.address, connections=1, **PATIENT)
        several.store("one connection", data=b"1")
        report.check(f"{kind} works with a single connection", several.data("one connection") == b"1")


@contextlib.contextmanager
def slow_to_store() -> Iterator[tuple[str, threading.Event, threading.Event]]:
    """A server of the protocol of memcached without entries: its address, an event when the first entry to store has arrived,
    and one that lets it reply to that."""
    arrived, goes_on = threading.Event(), threading.Event()

    def serve(connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as lines:
            for line in lines:
                words = line.split()
                if words[0] == b"set":
                    lines.read(int(words[4]) + 2)
                    arrived.set()
                    goes_on.wait(50)
                connection.sendall({b"set": b"STORED\r\n", b"get": b"END\r\n"}.get(words[0], b"NOT_FOUND\r\n"))

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=accept, daemon=True).start()
        try:
            yield f"127.0.0.1:{listener.getsockname()[1]}", arrived, goes_on
        finally:
            goes_on.set()
            listener.shutdown(socket.SHUT_RDWR)


def forgets_under_way() -> None:
    """An entry that is removed during its store is no longer returned, though the server has confirmed neither."""
    with slow_to_store() as (address, arrived, goes_on):
        cache = KINDS["memcached"](address, **PATIENT)
        changes = [threading.Thread(target=lambda: code(lambda: cache.store("key", data=b"1"))),
                   threading.Thread(target=lambda: code(lambda: cache.remove("key")))]
        changes[0].start()
        arrived.wait(50)
        before = cache.data("key")
        changes[1].start()
        gone = becomes(lambda: cache.data("key") is None)
        goes_on.set()
        for each in changes:
            each.join()
    report.check("what is removed while it is being stored is forgotten", before == b"1" and gone, f"{before!r}, {gone}")


def stores_behind_late_lookups() -> None:
    """The only connection stores an entry although look-ups wait before it whose budget has ended meanwhile."""
    outcomes = {}

    def store(key: str) -> threading.Thread:
        thread = threading.Thread(target=lambda: outcomes.update({key: code(lambda: cache.store(key, data=b"1"))}))
        thread.start()
        return thread

    with slow_to_store() as (address, arrived, goes_on):
        cache = KINDS["memcached"](address, connections=1, budget_ms=BUDGET, store_timeout_ms=60_000)
        first = store("first")
        arrived.wait(50)
        late = code(lambda: cache.data("key"))
        second = store("second")
        # A look-up finds an entry that is queued.
        queued = becomes(lambda: code(lambda: cache.data("second")) == "OK")
        goes_on.set()
        first.join()
        second.join(30)
        stored = dict(outcomes)
        # Wakes the connection if it sleeps.
        becomes(lambda: (code(lambda: cache.data("key")), not second.is_alive())[1])
    report.check("a single connection stores behind look-ups that are late",
                 late == "TIMEOUT" and queued and stored == {"first": "OK", "second": "OK"}, f"{late}, {queued}, {stored}")


def exchanges_of_many(server: servers.Server, cache: sdimage.RemoteCache, seconds: float) -> tuple[int, bool]:
    """Pauses the server for a time, in which 40 threads start look-ups. Returns the number of exchanges, and true if all
    results are right."""
    before = cache.statistics()["exchanges"]
    answers: dict[int, bytes | None] = {}
    begun = threading.Semaphore(0)

    def ask(number: int) -> None:
        begun.release()
        answers[number] = cache.data(f"key {number}")

    server.pause()
    threads = [threading.Thread(target=ask, args=(number,)) for number in range(40)]
    for thread in threads:
        thread.start()
    for _ in threads:
        begun.acquire()
    time.sleep(seconds)
    server.resume()
    for thread in threads:
        thread.join()
    return cache.statistics()["exchanges"] - before, answers == {number: b"%d" % number for number in range(40)}


def asks_together(kind: str) -> None:
    """Waiting look-ups are combined into one exchange."""
    with servers.Server(kind) as server:
        cache = KINDS[kind](server.address, **PATIENT)
        for number in range(40):
            cache.store(f"key {number}", data=b"%d" % number)
        # A look-up that waits for another one is not visible from outside: a busy machine gets more time.
        for seconds in (0.05, 0.2, 1, 5, 20):
            used, right = exchanges_of_many(server, cache, seconds)
            if used <= 20 or not right:
                break
        report.check(f"{kind} is asked by many in few exchanges", right and used <= 20, f"{used} exchanges, right: {right}")


def keeps_validators(kind: str, origin: Origin) -> None:
    """Another process gets the validators of an entry that the first one stored."""
    url = origin.url(f"validated-{kind}.png?max_age=0")
    origin.add(f"validated-{kind}.png", png(20, 20))
    with servers.Server(kind) as server:
        first, second = KINDS[kind](server.address, **PATIENT), KINDS[kind](server.address, **PATIENT)
        with managed(first, freshness="respect") as manager:
            manager.load(url, wait_for_store=True)
        before = origin.counters()["not_modified"]
        with managed(second, freshness="respect") as manager:
            result = manager.load(url, wait_for_store=True)
        asked = origin.counters()["not_modified"] - before
        replaced = becomes(lambda: second.statistics()["stored"] + second.statistics()["failures"] > 0)
        numbers = second.statistics()
        report.check(f"{kind} counts an entry that is replaced after its revalidation as stored",
                     replaced and (numbers["stored"], numbers["failures"]) == (1, 0), f"{numbers}")
        report.check(f"{kind} keeps validators: another process asks under conditions", asked == 1 and result.image is not None,
                     f"{asked} answers 304, {result!r}")


def bytes_part(kind: str, origin: Origin) -> None:
    keeps_bytes(kind)
    if kind == "memcached":
        forgets_under_way()
        stores_behind_late_lookups()
    asks_together(kind)
    keeps_validators(kind, origin)


def damaged_values(kind: str) -> None:
    with servers.Server(kind) as server:
        cache = KINDS[kind](server.address, **PATIENT)
        good = os.urandom(3000)
        cache.store("victim", data=good)
        cache.store("other", data=good)
        whole = server.get(server_name("victim")) or b""
        others = server.get(server_name("other")) or b""
        values = {"nothing": b"", "a byte": b"S", "text": b"hello" * 20, "another key": others, "longer": whole + b"x"}
        values |= {f"cut at {at}": whole[:at] for at in (3, 23, 24, 40, len(whole) - 1)}
        values |= {f"bit {bit}": bytes((*whole[:bit // 8], whole[bit // 8] ^ 1 << bit % 8, *whole[bit // 8 + 1:]))
                   for bit in range(0, len(whole) * 8, 401)}
        wrong = []
        for name, value in values.items():
            server.put(server_name("victim"), value)
            if cache.data("victim") is not None:
                wrong.append(name)
        numbers = cache.statistics()
        report.check(f"{kind}: {len(values)} damaged values are misses", not wrong and len(whole) > 3000, f"{wrong}")
        report.check(f"{kind}: damaged values are counted", numbers["damaged"] == len(values), f"{numbers}")
        server.put(server_name("victim"), whole)
        report.check(f"{kind}: the whole value is found again", cache.data("victim") == good)


def lying_servers(kind: str) -> None:
    name = server_name("key").encode()
    answers = {
        "redis": [b"", b"garbage\r\n", b"$99999999999\r\nabc", b"$5\r\nab", b"$-5\r\n", b"*1000000\r\n", b"*1\r\n" * 2000,
                  b":12\r\n", b"+OK\r\n", b"-ERR no\r\n", b"-LOADING\r\n", b"\0" * 100, b"$3\r\nabcdef\r\n",
                  b"$2000000\r\n" + bytes(2_000_000) + b"\r\n"],
        "memcached": [b"", b"garbage\r\n", b"END", b"ERROR\r\n", b"SERVER_ERROR out of memory\r\n", b"VALUE\r\n",
                      b"VALUE " + name + b" 0 99999999999\r\nabc", b"VALUE " + name + b" 0 5\r\nab",
                      b"VALUE other 0 3\r\nabc\r\nEND\r\n", b"VALUE " + name + b" 0 -1\r\n", b"VALUE " + b"k" * 5000,
                      b"VALUE " + name + b" 0 3000000\r\n" + bytes(3_000_000) + b"\r\nEND\r\n", b"\0" * 100,
                      b"VALUE " + name + b" 0 3\r\nabcdef\r\nEND\r\n"],
    }[kind]
    found, times = [], []
    lateness = Lateness()
    for answer in answers:
        with servers.liar(answer) as address:
            cache = KINDS[kind](address, store_timeout_ms=BUDGET)
            started, waited = time.monotonic(), machine.waited()
            outcome = [code(lambda: cache.data("key")) for _ in range(3)]
            took = (time.monotonic() - started) * 1000
            times.append((answer[:20], took - max(0, machine.waited() - waited)))
            if cache.statistics()["hits"]:
                found.append(answer[:20])
            code(lambda: cache.store("key", data=b"x"))
            cache.close()
            del outcome
    noise = lateness.stop()
    slow = [each for each in times if each[1] > 3 * (BUDGET + NOISE + noise)]
    report.check(f"{kind}: {len(answers)} servers that lie are misses", not found, f"{found}")
    report.check(f"{kind}: servers that lie cost no more than the budget", not slow, f"{slow}")


def arrays(kind: str) -> None:
    """No command of the cache gets an array as reply: the first byte of one closes the connection, whatever would
    follow."""
    outcomes = {}
    for answer in (b"*1000000000\r\n", b"*3\r\n:1\r\n", b"*1\r\n*1\r\n*1\r\n"):
        with servers.liar(answer, stays=True) as address:
            outcomes[answer] = code(lambda: KINDS[kind](address, **PATIENT).data("key"))
    report.check(f"{kind}: an array is no response, and its end is not awaited", set(outcomes.values()) == {"CONNECT_FAILED"},
                 f"{outcomes}")


def numbers_for_values(kind: str) -> None:
    """A number as the reply to GET is no response: the look-ups are repeated on a new connection, and nothing of the reply
    is left."""
    numbered = threading.Event()
    outcomes: list[str] = []

    def reply(received: bytes) -> tuple[bytes, bool]:
        """Misses; but a number and the end of the connection for the first look-ups that are sent together."""
        count = received.count(b"GET")
        if count > 1 and not numbered.is_set():
            numbered.set()
            return b":1\r\n", False
        return b"$-1\r\n" * count, True

    def ask(number: int) -> None:
        end = time.monotonic() + 60
        while not numbered.is_set() and time.monotonic() < end:
            outcomes.append(code(lambda: cache.data(f"{number}")))

    with servers.scripted(reply) as address:
        cache = KINDS[kind](address, **PATIENT)
        # Only a connection that was used before is replaced.
        outcomes.append(code(lambda: cache.data("first")))
        # Look-ups of other threads wait for the one under way, and are then sent together.
        threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        numbers = cache.statistics()
        cache.close()
    report.check(f"{kind}: a number is no value, and a repeated look-up is a miss",
                 numbered.is_set() and set(outcomes) == {"OK"} and numbers["damaged"] == 0 and numbers["misses"] == len(outcomes),
                 f"{collections.Counter(outcomes)}, {numbers}")


def surplus_replies(kind: str) -> None:
    """A reply that is sent twice is not taken for that of the next look-up."""
    asked = 0

    def reply(_: bytes) -> tuple[bytes, bool]:
        nonlocal asked
        asked += 1
        return b"$-1\r\n$-1\r\n" if asked == 1 else b"$3\r\nabc\r\n", True

    with servers.scripted(reply) as address:
        cache = KINDS[kind](address, **PATIENT)
        outcomes = [code(lambda: cache.data("key")) for _ in range(2)]
        damaged = cache.statistics()["damaged"]
        cache.close()
    report.check(f"{kind}: a reply too many is dropped with its connection", outcomes == ["OK"] * 2 and damaged == 1,
                 f"{outcomes}, {damaged} damaged")


def late_surplus() -> None:
    """A line that arrives after the response to a look-up is not taken for that of the next one."""
    sends, sent = threading.Event(), threading.Event()
    value = b"VALUE " + server_name("key").encode() + b" 0 3\r\nabc\r\nEND\r\n"

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                connection = listener.accept()[0]
                with connection, contextlib.suppress(OSError):
                    while connection.recv(65536):
                        connection.sendall(value if sent.is_set() else b"END\r\n")
                        if not sent.is_set():
                            sends.wait(50)
                            connection.sendall(b"END\r\n")
                            sent.set()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, daemon=True).start()
        cache = KINDS["memcached"](f"127.0.0.1:{listener.getsockname()[1]}", **PATIENT)
        outcomes = [code(lambda: cache.data("key"))]
        sends.set()
        sent.wait(50)
        outcomes.append(code(lambda: cache.data("key")))
        damaged = cache.statistics()["damaged"]
        cache.close()
        listener.shutdown(socket.SHUT_RDWR)
    report.check("memcached: a line too many is dropped with its connection", outcomes == ["OK"] * 2 and damaged == 1,
                 f"{outcomes}, {damaged} damaged")


def addresses(kind: str) -> None:
    bad = {"redis": ["", "host:", "host:0", "host:99999", "host:12x", "redis://u@host", "redis://:%zz@host", "redis://h/x",
                     "a:b:c", "[::1", "redis://:p%00@h", "/" + "x" * 107],
           "memcached": ["", ",", "host:", "host:0", "host:99999", "a,,b", "[::1", "a:b:c", "host:1x"]}[kind]
    good = {"redis": ["host", "host:1", "[::1]:6379", "redis://:p%40ss@host:6379/3", "redis://user:pass@host", "/run/x.sock"],
            "memcached": ["host", "a:1,b:2,[::1]:3", "/run/m.sock,b"]}[kind]
    wrong = [text for text in bad if code(lambda: KINDS[kind](text)) != "INVALID_ARGUMENT"]
    wrong += [text for text in good if code(lambda: KINDS[kind](text)) != "OK"]
    wrong += [text for text in ("", "a b", "x" * 65) if code(lambda: KINDS[kind]("h", namespace=text)) != "INVALID_ARGUMENT"]
    report.check(f"{kind} knows addresses from nonsense", not wrong, f"{wrong}")


def hostile_part(kind: str, origin: Origin) -> None:
    damaged_values(kind)
    lying_servers(kind)
    if kind == "redis":
        arrays(kind)
        numbers_for_values(kind)
        surplus_replies(kind)
    else:
        late_surplus()
    addresses(kind)
