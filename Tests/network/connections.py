"""Slow servers, persistent connections, TLS, and nginx."""

from __future__ import annotations

import contextlib
import pathlib
import resource
import socket
import ssl
import subprocess
import sys
import threading
import time

import report
import sdimage
from certificates import Authority, context
from nginx import Nginx, find
from origin.scripted import Connection, Server, head
from world import World, becomes, refused, world


def slowness(good: bytes) -> None:
    """Slow transfers end with their limits. Without them they would succeed, or never end."""
    def trickle(connection: Connection) -> None:
        connection.send(head(length=len(good)))
        for byte in good:
            connection.send(bytes([byte]))
            time.sleep(0.05)

    def slow_head(connection: Connection) -> None:
        for byte in head(length=len(good)).encode():
            connection.send(bytes([byte]))
            time.sleep(0.05)

    kinds = {
        "no answer": lambda c: c.wait(),
        "a slow head": slow_head,
        "a stall in the head": lambda c: (c.send("HTTP/1.1 200 OK\r\n"), c.wait()),
        "a slow body": trickle,
        "a stall in the body": lambda c: (c.send(head(length=len(good)), good[:50]), c.wait()),
    }
    with Server() as server, world(inactivity_timeout_ms=300, total_timeout_ms=600, connect_timeout_ms=300) as here:
        for name, answer in kinds.items():
            refused(here, f"slowness, {name}", server.on("/" + name.replace(" ", "-"), answer), {"TIMEOUT"})
        silent = socket.create_server(("127.0.0.1", 0))
        refused(here, "slowness, TLS that does not begin", f"https://127.0.0.1:{silent.getsockname()[1]}/", {"TIMEOUT"})
        silent.close()
        # On a busy machine the server may be too slow for these limits again and again.
        good_url = server.on("/ok", lambda c: c.answer(good))
        report.check("slowness: good answers are taken after that", becomes(lambda: here.is_picture(good_url, good)))


def interrupted_handshakes() -> None:
    """A TLS handshake ends with the connect time-out also if the last byte of the server arrives just before it: libcurl before
    8.4 then drops its timer."""
    def drip(listener: socket.socket, seconds: float) -> None:
        connection, _ = listener.accept()
        end = time.monotonic() + seconds
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # A record that never ends (RFC 8446, section 5.1).
        with connection, contextlib.suppress(OSError):
            connection.sendall(b"\x16\x03\x03\x3f\x00")
            time.sleep(seconds / 2)
            while time.monotonic() < end:
                connection.sendall(b"\0")
                time.sleep(0.00005)
            # Until the client closes.
            while connection.recv(4096):
                pass

    # The library starts its clock up to a millisecond before the server. After 200 ms libcurl has no other timer (RFC 8305).
    pauses = [0.2985 + index * 0.00015 for index in range(12)]
    late = []
    with world(connect_timeout_ms=300, inactivity_timeout_ms=600_000, total_timeout_ms=20_000) as here:
        for seconds in pauses:
            with socket.create_server(("127.0.0.1", 0)) as listener:
                server = threading.Thread(target=drip, args=(listener, seconds), daemon=True)
                server.start()
                try:
                    here.load(f"https://127.0.0.1:{listener.getsockname()[1]}/")
                except sdimage.Error as error:
                    if error.code != "TIMEOUT" or "total" in str(error):
                        late.append(str(error))
                server.join(60)
    report.check("slowness: handshakes that stop end with the connect time-out", not late, "; ".join(late[:3]))


def threads() -> int:
    return len(list(pathlib.Path("/proc/self/task").iterdir()))


def stalled_crowd(good: bytes, count: int = 1000) -> None:
    """Many stalled connections delay good loads little, and use no thread."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))
    if resource.getrlimit(resource.RLIMIT_NOFILE)[0] < 2 * count + 200:
        report.skip(f"{count} stalled connections", f"only {hard} descriptors allowed")
        return
    stalled = socket.create_server(("127.0.0.1", 0), backlog=2048)
    accepted: list[socket.socket] = []

    def accept() -> None:
        while True:
            try:
                accepted.append(stalled.accept()[0])
            except OSError:
                return

    threading.Thread(target=accept, daemon=True).start()
    with Server(lambda c: c.answer(good)) as server, world() as here:
        slow = sdimage.Loader.http(max_per_host=count, max_total=count, inactivity_timeout_ms=600_000, max_retries=0)

        def cost() -> float:
            """Milliseconds of processor time of a load, which other programs do not lengthen."""
            started = time.process_time()
            for _ in range(200):
                here.load(server.url("/good"), source_policy="loader_only")
            return (time.process_time() - started) * 1000 / 200

        usual = min(cost() for _ in range(3))
        before = threads()
        url = f"http://127.0.0.1:{stalled.getsockname()[1]}/"
        tasks = [here.manager.start(f"{url}{index}", loader=slow) for index in range(count)]
        becomes(lambda: len(accepted) == count)
        report.check(f"{count} connections stall at once", len(accepted) == count, str(len(accepted)))
        crowded = min(cost() for _ in range(3))
        told = f"{crowded:.2f} ms of processor time beside them, {usual:.2f} ms without"
        report.check(f"good loads beside {count} stalled ones cost at most three times as much", crowded < 3 * usual + 1, told)
        print(f"   {told}", flush=True)
        # Workers that were idle for a while end, and begin again.
        now = threads()
        report.check(f"{count} stalled connections take no thread", now < before + count // 100, f"{now} for {before}")
        for task in tasks:
            task.cancel()
        becomes(lambda: not slow.transfer_count)
        report.check(f"{count} stalled transfers are cancelled", slow.transfer_count == 0, str(slow.transfer_count))
    stalled.close()
    for each in accepted:
        each.close()


def reuse(pictures: list[bytes], rounds: int = 1000) -> None:
    """Persistent connections that close, send unrequested bytes, or carry a foreign response: always the right
    image."""
    loaded, spoken = threading.Event(), threading.Semaphore(0)
    #: For each separate packet, whether it followed the load of its connection.
    followed: list[bool] = []

    def after(extra: bytes, closes: bool):
        def answer(connection: Connection) -> None:
            data = pictures[int(connection.target[1:]) % len(pictures)]
            connection.answer(data)
            if extra:
                # In a separate packet, which arrives after the response was read and before the next request.
                followed.append(loaded.wait(60))
                connection.send(extra)
                spoken.release()
            if closes:
                connection.close()
        return answer

    foreign = pictures[-1]
    kinds = {
        "that are closed after each answer": (b"", True),
        "with a surplus answer": (head(length=len(foreign)).encode() + foreign, False),
        "with rubbish": (b"rubbish\r\n\r\n", False),
        "that stay open": (b"", False),
    }
    for name, (extra, closes) in kinds.items():
        wrong = 0
        followed.clear()
        with Server(after(extra, closes)) as server, world() as here:
            for index in range(rounds // len(kinds)):
                good = pictures[index % (len(pictures) - 1)]
                url = server.url(f"/{index - index % len(pictures) + pictures.index(good)}")
                loaded.clear()
                wrong += here.load(url, source_policy="loader_only").data != good
                loaded.set()
                if extra:
                    spoken.acquire(timeout=60)
            connections = server.connections
        report.check(f"kept connections {name}: {rounds // len(kinds)} right pictures", wrong == 0, f"{wrong} wrong")
        if extra:
            report.check(f"kept connections {name}: these bytes follow the responses", followed and all(followed),
                         f"{followed.count(False)} of {len(followed)} did not")
        if name == "that stay open":
            report.check("kept connections that stay open are one", connections == 1, str(connections))


def stale(good: bytes, count: int = 8) -> None:
    """Persistent connections that the server drops without a response at the next request: a new connection is
    opened, which does not count as a retry."""
    waiting = threading.Barrier(count)
    served: set[Connection] = set()
    seen: list[tuple[int, str]] = []

    def answer(connection: Connection) -> None:
        seen.append((id(connection), connection.lines[0].split(b" ")[0].decode()))
        if connection in served:
            return connection.close()
        if connection.target.startswith("/first"):
            served.add(connection)
            # All at once, so that each request has its own connection.
            waiting.wait(60)
        connection.answer(good)

    with Server(answer) as server, world(max_per_host=count, max_total=count, inactivity_timeout_ms=120_000) as here:
        for task in [here.manager.start(server.url(f"/first/{index}")) for index in range(count)]:
            task.wait()
        report.check(f"{count} connections are kept", server.connections == count, str(server.connections))
        code = here.code(server.url("/next"))
        report.check(f"{count} stale connections: a new one is made, and it is no retry", code == "OK", code)
        before = len(seen)
        code = here.code(server.url("/post"), method="POST", body=b"x")
        report.check("a POST goes over a new connection, once", code == "OK" and len(seen) == before + 1, f"{code} {seen[before:]}")
    for name, behave in {"without a byte": lambda c: c.close(), "with a reset": lambda c: c.reset()}.items():
        with Server(lambda c, behave=behave: behave(c)) as server, world() as here:
            code = here.code(server.url("/"))
            report.check(f"a new connection that ends {name} is tried once", code == "CONNECTION_LOST" and server.connections == 1,
                         f"{code}, {server.connections} connections")


def inherited(good: bytes) -> None:
    """A program that the host starts may write to and shut down inherited descriptors of libcurl: loads continue,
    and no thread spins."""
    script = pathlib.Path(__file__).with_name("inherited.py")
    with Server(lambda c: c.answer(good)) as server:
        child = subprocess.run([sys.executable, str(script), server.url("/")], capture_output=True, text=True, timeout=1500)
    print(child.stdout, end="", flush=True)
    report.check("inherited descriptors: the process ends", child.returncode == 0, child.stdout[-100:] + child.stderr[-300:])


def once(reply: bytes) -> int:
    """A port that sends `reply` to the first request and then closes."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        connection, _ = listener.accept()
        connection.recv(4096)
        connection.sendall(reply)
        connection.close()
        listener.close()

    threading.Thread(target=serve, daemon=True).start()
    return listener.getsockname()[1]


def tls(good: bytes, folder: pathlib.Path, authority: Authority) -> None:
    """Only a server with a valid certificate is trusted."""
    stranger = Authority(folder, "stranger")
    old = context(authority.sign("old"))
    old.maximum_version = ssl.TLSVersion.TLSv1_1
    old.minimum_version = ssl.TLSVersion.TLSv1
    old.set_ciphers("ALL:@SECLEVEL=0")
    servers = {
        "a certificate that expired": context(authority.sign("expired", days=-1)),
        "a certificate for another host": context(authority.sign("elsewhere", "DNS:example.org")),
        "a certificate of an unknown authority": context(stranger.sign("unknown")),
        "a certificate that signed itself": context((stranger.file, folder / "stranger.key")),
        "TLS 1.1 at most": old,
    }
    answer = lambda c: c.answer(good)  # noqa: E731
    with world(ca_file=str(authority.file)) as here:
        for name, made in servers.items():
            with Server(answer, made) as server:
                refused(here, f"TLS refused, {name}", server.url("/a"), {"TLS_FAILED"})
                report.check(f"TLS refused, {name}: no request was sent", not server.requests)
                if "certificate" in name:
                    report.check(f"TLS, {name}: accepted where the request says so, and not kept",
                                 here.is_picture(server.url("/a"), good, accept_invalid_certificates=True)
                                 and not here.keeps(server.url("/a")))
                    refused(here, f"TLS refused, {name}: again after that", server.url("/a"), {"TLS_FAILED"})
        for name, reply in (("a server without it", b"HTTP/1.1 400 Bad\r\n\r\n"), ("the end within the handshake", b"")):
            port = once(reply)
            refused(here, f"TLS refused, {name}", f"https://127.0.0.1:{port}/", {"TLS_FAILED", "CONNECTION_LOST"})
        with Server(lambda c: c.reset(), context(authority.sign("resetting"))) as server:
            refused(here, "TLS, a reset before the answer", server.url("/a"), {"CONNECTION_LOST", "TLS_FAILED"})
        cut = lambda c: (c.send(head(length=len(good)), good[:90]), c.reset())  # noqa: E731
        with Server(cut, context(authority.sign("cutting"))) as server:
            refused(here, "TLS, a reset within the body", server.url("/a"), {"CONNECTION_LOST", "TLS_FAILED"})
        with Server(answer, context(authority.sign("good"))) as server:
            report.check("TLS, a certificate in order", here.is_picture(server.url("/a"), good))
        sessions(good, here, context(authority.sign("sessions")))


def sessions(good: bytes, here: World, tls: ssl.SSLContext) -> None:
    """A new connection resumes the TLS session of an earlier one (RFC 8446, section 2.2) only if that was verified
    in the same way."""
    resumed: list[bool] = []

    def answer(connection: Connection) -> None:
        resumed.append(connection.socket.session_reused)
        connection.answer(good)
        connection.close()

    with Server(answer, tls) as server:
        verified, trusting = {"source_policy": "loader_only"}, {"source_policy": "loader_only", "accept_invalid_certificates": True}
        for options in (verified, verified, trusting, trusting, verified, {**verified, "handle_cookies": True}):
            here.load(server.url("/a"), **options)
        report.check("TLS, sessions are resumed by connections verified alike", resumed == [False, True, False, True, True, False],
                     f"{resumed}")


def load_all(here: World, urls: list[str]) -> list[sdimage.Result]:
    tasks = [here.manager.start(url, source_policy="loader_only") for url in urls]
    return [task.wait() for task in tasks]


def nginx(pictures: dict[str, bytes], folder: pathlib.Path, authority: Authority) -> None:
    """A real server: HTTP/1.1, HTTP/2 over TLS, gzip, ranges, credentials, client certificates, few connections."""
    if find() is None:
        report.skip("nginx", "it is not installed")
        return
    root = folder / "site"
    root.mkdir(exist_ok=True)
    for index in range(500):
        (root / f"{index}.png").write_bytes(pictures["png"])
    (root / "a.bmp").write_bytes(pictures["bmp"])
    (root / "large.png").write_bytes(pictures["png"] + bytes(3 << 20))
    with Nginx(folder, authority.sign("nginx"), authority.file) as server:
        for version, protocol in (("automatic", "HTTP/2"), ("1.1", "HTTP/1.1")):
            few_connections(server, version, protocol, pictures["png"], str(authority.file))
        plainly(server, pictures)
        resumed(server, (root / "large.png").read_bytes())
        clients(server, pictures["png"], authority)


def few_connections(server: Nginx, version: str, protocol: str, png: bytes, authority: str) -> None:
    before = len(server.log(server.tls))
    with world(ca_file=authority, http_version=version, max_per_host=6) as here:
        results = load_all(here, [f"https://127.0.0.1:{server.tls}/{index}.png" for index in range(500)])
    right = sum(result.data == png for result in results)
    report.check(f"nginx, {protocol} over TLS: 500 right pictures", right == 500, f"{right}")
    spoken = {each.protocol for result in results for each in result.transactions}
    report.check(f"nginx, {protocol} is spoken", spoken == {protocol}, str(spoken))
    # The log is written after the responses.
    becomes(lambda: len(server.log(server.tls)) >= before + 500)
    used = len({line[0] for line in server.log(server.tls)[before:]})
    report.check(f"nginx, {protocol} over TLS: 500 pictures over at most 6 connections", 0 < used <= 6, str(used))
    print(f"   {used} connections", flush=True)


def plainly(server: Nginx, pictures: dict[str, bytes]) -> None:
    plain = f"http://127.0.0.1:{server.plain}"
    with world() as here:
        result = here.load(f"{plain}/a.bmp")
        sent = result.transactions[0]
        packed = result.data == pictures["bmp"] and sent.wire_bytes < sent.body_bytes
        report.check("nginx, gzip is asked for and undone", packed, str(sent))
        next_one = here.load(f"{plain}/0.png", source_policy="loader_only").transactions[0]
        report.check("nginx, HTTP/1.1 keeps its connection", next_one.is_connection_reused)
        refused(here, "nginx, a locked folder", f"{plain}/locked/0.png", {"HTTP_STATUS"})
    with world(credential=("user", "secret")) as here:
        report.check("nginx, a user who may", here.is_picture(f"{plain}/locked/0.png", pictures["png"]))
    with world(credential=("user", "wrong")) as here:
        refused(here, "nginx, a user who may not", f"{plain}/locked/1.png", {"AUTHENTICATION_FAILED"})


def resumed(server: Nginx, large: bytes) -> None:
    """Through a relay that disconnects after each megabyte."""
    relay = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        for _ in range(8):
            try:
                client, _ = relay.accept()
            except OSError:
                return
            with client, socket.create_connection(("127.0.0.1", server.plain)) as origin:
                origin.sendall(client.recv(65536))
                left = 1 << 20
                while left and (piece := origin.recv(min(left, 65536))):
                    client.sendall(piece)
                    left -= len(piece)

    threading.Thread(target=serve, daemon=True).start()
    with world(max_retries=6, retry_delay_ms=(1, 2)) as here:
        result = here.load(f"http://127.0.0.1:{relay.getsockname()[1]}/large.png")
        statuses = [each.http_status for each in result.transactions]
        report.check("nginx, a body that breaks off again and again is put together",
                     result.data == large and statuses == [200, 206, 206, 206], str(statuses))
        sent = sum(each.body_bytes for each in result.transactions)
        report.check("nginx, none of it is sent twice", sent == len(large), f"{sent} of {len(large)}")
    relay.close()


def clients(server: Nginx, png: bytes, authority: Authority) -> None:
    url = f"https://127.0.0.1:{server.client}/0.png"
    certificate, key = authority.sign("client", "email:client@example.org")
    with world(ca_file=str(authority.file), client_certificate=(str(certificate), str(key), None)) as here:
        report.check("nginx, a client that shows a certificate", here.is_picture(url, png))
    with world(ca_file=str(authority.file)) as here:
        refused(here, "nginx, a client without one", url, {"HTTP_STATUS"})


def downgrading(authority: Authority) -> tuple[Server, str]:
    """A server with TLS that redirects to the URL in the query's `to`."""
    def answer(connection: Connection) -> None:
        connection.answer(b"", 302, Location=connection.target.partition("to=")[2])
    server = Server(answer, context(authority.sign("downgrading")))
    return server, server.url("/")
