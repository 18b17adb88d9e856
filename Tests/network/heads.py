"""Redirects, forbidden addresses, damaged response headers, and texts that could inject lines."""

from __future__ import annotations

import random
import urllib.parse
from collections.abc import Callable

import limited
import report
import sdimage
from origin.scripted import Connection, Server, head
from bodies import chunked
from world import DAMAGED, UNREADABLE, World, refused, world


def to(location: str, status: int = 302, body: bytes = b"moved") -> Callable[[Connection], None]:
    return lambda c: c.answer(body, status, Location=location)


def followed(server: Server, other: Server, canary: Server) -> dict[str, Callable[[Connection], None]]:
    """Redirects that lead to an image."""
    return {f"{status}": to("/good", status) for status in (301, 302, 303, 307, 308)} | {
        "an absolute URL": to(server.url("/good")),
        "a relative path": to("../good"),
        "dot segments": to("/a/./b/../../good"),
        "another host's path": to(f"//127.0.0.1:{other.port}/good"),
        "a fragment": to("/good#part"),
        "a query": to("/good?a=b"),
        "another origin": to(other.url("/good")),
        "a long body of its own": to("/good", body=bytes(1 << 20)),
        "a body that breaks off": lambda c: (c.send(head(302, length=9999, Location="/good"), b"x"), c.close()),
        "two Locations, the first counts": lambda c: c.send(
            "HTTP/1.1 302 F\r\nLocation: /good\r\nLocation: " + canary.url("/") + "\r\nContent-Length: 0\r\n\r\n"),
    }


def not_followed(canary: Server) -> dict[str, tuple[Callable[[Connection], None], set[str]]]:
    """Redirects that are refused, with their errors."""
    schemes = {"file": "///etc/passwd", "ftp": "//127.0.0.1/a", "data": "image/png;base64,AAAA", "gopher": "//127.0.0.1/",
               "dict": "//127.0.0.1/", "javascript": "alert(1)", "ldap": "//127.0.0.1/"}
    forbidden, senseless = {"REDIRECT_FORBIDDEN"}, {"INVALID_RESPONSE", "HTTP_STATUS"}
    return {f"to {scheme}": (to(f"{scheme}:{rest}"), forbidden) for scheme, rest in schemes.items()} | {
        "no host": (to("http://"), forbidden),
        "a port beyond all": (to("http://127.0.0.1:99999/"), forbidden),
        "a control byte": (to("/a\x01b"), forbidden | senseless),
        "no Location": (lambda c: c.answer(b"", 302), senseless),
        "an empty Location": (to(""), senseless),
        "to itself": (to("/wrong-to%20itself"), {"TOO_MANY_REDIRECTS"}),
        "a closed port": (to("http://127.0.0.1:1/"), {"CONNECT_FAILED"}),
        "304 with a Location": (lambda c: c.send(head(304, Location=canary.url("/"))), {"HTTP_STATUS"}),
        "305 to a proxy": (to(canary.url("/"), 305), {"HTTP_STATUS"}),
        "a Location of 400 KiB": (to("/" + "a" * (400 << 10)), {"TOO_LARGE"}),
    }


def redirects(good: bytes, secure: str, authority: str) -> None:
    """More than thirty kinds of redirects; no request reaches the canary, no secret is sent to another origin."""
    with Server() as canary, Server() as other, Server() as server, world(ca_file=authority) as here:
        for place, path in ((other, "/good"), (server, "/good")):
            place.on(path, lambda c: c.answer(good))
        for name, answer in followed(server, other, canary).items():
            url = server.on("/dir/" + urllib.parse.quote(name), answer)
            report.check(f"redirect, {name}", here.is_picture(url, good, source_policy="loader_only"))
        for name, (answer, codes) in not_followed(canary).items():
            refused(here, f"redirect refused, {name}", server.on("/wrong-" + urllib.parse.quote(name), answer), codes)
        for count, expected in ((10, "OK"), (11, "TOO_MANY_REDIRECTS")):
            for step in range(count):
                server.on(f"/{count}/{step}", to(f"/{count}/{step + 1}" if step < count - 1 else "/good"))
            report.check(f"redirect, {count} hops", here.code(server.url(f"/{count}/0")) == expected)
        refused(here, "redirect refused, from https to http", secure + "?to=" + canary.url("/"), {"REDIRECT_FORBIDDEN"})
        secrets(here, server, other)
        report.check("redirect: nothing reached the canary", canary.connections == 0, f"{canary.connections} connections")


def secrets(here: World, server: Server, other: Server) -> None:
    url = server.on("/secret", to(other.url("/good")))
    fields = {"Authorization": "Basic c2VjcmV0", "Cookie": "secret", "X-Token": "secret"}
    here.load(url, headers=fields, source_policy="loader_only")
    received = " ".join(f"{name}: {value}" for name, value in other.requests[-1][1].items())
    report.check("redirect: no secret leaves its origin", "ecret" not in received and "c2VjcmV0" not in received, received)


def addresses(good: bytes) -> None:
    """Every spelling of the loopback address, private ranges, and a redirect to them."""
    spellings = ["127.0.0.1", "127.1", "0x7f.1", "2130706433", "0177.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]",
                 "localhost", "0.0.0.0", "[::]"]
    ranges = ["10.0.0.1", "172.16.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1", "224.0.0.1", "[fe80::1]", "[fc00::1]",
              "[64:ff9b::7f00:1]", "[2002:7f00:1::]"]
    with Server(lambda c: c.answer(good)) as server, world(address_policy="public_only") as here, world() as lax:
        for host in spellings:
            refused(here, f"address refused, {host}", server.url("/a", host), {"ADDRESS_FORBIDDEN"})
        for host in ranges:
            refused(here, f"address refused, {host}", f"http://{host}:{server.port}/a", {"ADDRESS_FORBIDDEN"})
        report.check("addresses: nothing was connected to", server.connections == 0, f"{server.connections} connections")
        report.check("addresses: the policy is what refuses", lax.is_picture(server.url("/a"), good))


def allowed_addresses(good: bytes) -> None:
    """Exceptions from the policy, for the connected address and port of every hop."""
    def world_of(*ranges: str):
        return world(address_policy="public_only", address_allow=list(ranges))

    with Server(lambda c: c.answer(good)) as server, Server(lambda c: c.answer(good)) as other:
        port = server.port
        permitted = [["127.0.0.1"], ["127.0.0.0/8"], [f"127.0.0.1:{port}"], [f"127.0.0.0/8:{port}"], ["::ffff:127.0.0.1"],
                     ["::ffff:127.0.0.0/104"], ["10.0.0.0/8", "127.0.0.1/32"], ["0.0.0.0/0"]]
        for ranges in permitted:
            with world_of(*ranges) as here:
                report.check(f"address allowed by {', '.join(ranges).replace(str(port), 'PORT')}",
                             here.is_picture(server.url("/a"), good))
        connections = server.connections + other.connections
        forbidden = [["127.0.0.2"], ["128.0.0.0/1"], [f"127.0.0.1:{other.port}"], ["::1"], ["::/0"], ["10.0.0.0/8"],
                     ["[::ffff:127.0.0.1]:1"], []]
        for ranges in forbidden:
            with world_of(*ranges) as here:
                refused(here, f"address not allowed by {', '.join(ranges).replace(str(other.port), 'PORT') or 'an empty list'}",
                        server.url("/a"), {"ADDRESS_FORBIDDEN"})
        report.check("addresses not allowed: nothing was connected to", server.connections + other.connections == connections)
        with world_of(f"127.0.0.1:{port}") as here, world() as lax:
            report.check("an allowed address, mapped", here.is_picture(server.url("/m", "[::ffff:127.0.0.1]"), good))
            refused(here, "a redirect from an allowed address to another port",
                    server.on("/r", to(other.url("/a"))), {"ADDRESS_FORBIDDEN"})
            refused(here, "a redirect from an allowed address to another address",
                    server.on("/s", to(server.url("/a", "127.0.0.2"))), {"ADDRESS_FORBIDDEN"})
            report.check("a redirect within the allowed addresses", here.is_picture(server.on("/t", to("/a")), good))
            report.check("a connection of another downloader, kept", lax.is_picture(other.url("/a"), good))
            refused(here, "a kept connection that is not allowed here", other.url("/a"), {"ADDRESS_FORBIDDEN"})
    for text in ("", "localhost", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0.1/8", "10.0.0", "10.0.0.0/8:", "10.0.0.0/8:0",
                 "10.0.0.0/8:65536", "10.0.0.0/8:9000x", "fd00::/129", "fd00::/8:9000", "[fd00::/8]", "[fd00::", "[10.0.0.1]",
                 "fe80::1%lo", "10.0.0.0/08", " 10.0.0.0/8", "*", "1" * 1000, "10.0.0.0/99999999999999999999", "::ffff:10.0.0.1/104"):
        try:
            world_of(text).__enter__().close()
            code = "accepted"
        except sdimage.Error as error:
            code = error.code
        report.check(f"no address range: {text[:20]!r}", code == "INVALID_ARGUMENT", code)


def raw(*parts: bytes | str) -> Callable[[Connection], None]:
    def answer(connection: Connection) -> None:
        connection.send(*parts)
        connection.close()
    return answer


def strange_heads(good: bytes) -> dict[str, tuple[Callable[[Connection], None], set[str]]]:
    """Unusual response headers, and their permitted results."""
    size = str(len(good))

    ok = "HTTP/1.1 200 OK\r\n"
    length = f"Content-Length: {size}\r\n"
    hint = "HTTP/1.1 103 Hints\r\nLink: </a>\r\n\r\n"
    return {
        "a line of 500 KiB": (raw(ok, "X: " + "x" * (500 << 10) + "\r\n", length, "\r\n", good), {"TOO_LARGE"}),
        "10,000 fields": (raw(ok, ("Y: " + "y" * 80 + "\r\n") * 10000, length, "\r\n", good), {"TOO_LARGE"}),
        "a field without a colon": (raw(ok, "nonsense\r\n", length, "\r\n", good), UNREADABLE | {"OK"}),
        "a field without a name": (raw(ok, ": x\r\n", length, "\r\n", good), UNREADABLE | {"OK"}),
        "a NUL": (raw(ok, "X: a\0b\r\n", length, "\r\n", good), UNREADABLE | {"OK"}),
        "a folded field": (raw(ok, "X: a\r\n b\r\n", length, "\r\n", good), UNREADABLE | {"OK"}),
        "bare line feeds": (raw((ok + length + "\r\n").replace("\r\n", "\n"), good), UNREADABLE | {"OK"}),
        "HTTP/9.9": (raw("HTTP/9.9 200 OK\r\n", length, "\r\n", good), UNREADABLE),
        "no HTTP at all": (raw(good), UNREADABLE),
        "status 000": (raw("HTTP/1.1 000 X\r\n", length, "\r\n", good), UNREADABLE | {"HTTP_STATUS"}),
        "status 999": (raw("HTTP/1.1 999 X\r\n", length, "\r\n", good), {"HTTP_STATUS"}),
        "a negative length": (raw(ok, "Content-Length: -5\r\n\r\n", good), UNREADABLE | {"OK"}),
        "a length that is no number": (raw(ok, "Content-Length: many\r\n\r\n", good), UNREADABLE | {"OK"}),
        "a length beyond 64 bits": (raw(ok, "Content-Length: 99999999999999999999999\r\n\r\n", good),
                                    UNREADABLE | {"TOO_LARGE", "OK"}),
        "two lengths": (raw(ok, length, "Content-Length: 5\r\n\r\n", good), UNREADABLE | DAMAGED | {"OK"}),
        "a length and chunks": (raw(ok, length, "Transfer-Encoding: chunked\r\n\r\n", chunked(good)), UNREADABLE | {"OK"}),
        "an unknown transfer encoding": (raw(ok, "Transfer-Encoding: rot13\r\n", length, "\r\n", good), UNREADABLE | {"OK"}),
        "an unknown content encoding": (raw(ok, "Content-Encoding: rot13\r\n", length, "\r\n", good), UNREADABLE | DAMAGED),
        "a thousand interim answers": (raw(hint * 1000, ok, length, "\r\n", good), {"OK"}),
        "interim answers without end": (raw(hint * 20000), {"TOO_LARGE"}),
    }


def damaged_heads(good: bytes) -> None:
    """An accepted response has the right body, whatever its header contains; they take little memory."""
    limited.check("damaged head", limited.BESIDES - limited.WINDOW, good, strange_heads(good))


def injections(good: bytes, rounds: int = 10000) -> None:
    """No URL and no field of the caller can inject a line."""
    chance = random.Random(1)
    alphabet = "\r\n\t :/?#[]@%0dA\\\"<>{}|^`é\u0085\u2028"
    known = {"host", "user-agent", "accept", "accept-encoding", "x-value"}
    accepted, wrong = 0, []
    with Server(lambda c: c.answer(good)) as server, world() as here:
        for _ in range(rounds):
            path = "".join(chance.choices(alphabet, k=chance.randrange(12)))
            value = "".join(chance.choices(alphabet, k=chance.randrange(8)))
            code = here.code(server.url("/" + path), headers={"X-Value": value}, source_policy="loader_only")
            accepted += code == "OK"
            if code not in ("OK", "INVALID_URL", "INVALID_REQUEST"):
                wrong.append(code)
        strange = [headers for _, headers in server.requests if not set(headers) <= known]
    report.check(f"no text of {rounds} becomes a line", not strange and not wrong and accepted > rounds / 100,
                 f"{strange[:2]} {wrong[:3]} {accepted} accepted")
