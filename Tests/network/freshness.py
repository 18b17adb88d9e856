"""Cached images that may not be used, kept or confirmed as they are."""

from __future__ import annotations

import urllib.parse
from collections.abc import Callable
from email.utils import parsedate_to_datetime

import report
from origin.scripted import Connection, Server, head
from world import world


def memory_only(good: bytes) -> None:
    """A thumbnail of an image that must not be stored stays in memory, too."""
    kinds = {"response": ({"Cache_Control": "no-store"}, {}), "request": ({}, {"Cache-Control": "no-store"})}
    for name, (fields, headers) in kinds.items():
        with Server(lambda c: c.answer(good, **fields)) as server, world() as here:
            url = server.url("/a.png")
            here.load(url, headers=headers)
            # The second request may omit what the first one has sent.
            small = here.load(url, thumbnail_size=(8, 8), cache_policy=["read_original_from_memory"], wait_for_store=True)
            kept = [entry.key for entry in here.cache.entries()]
            report.check(f"freshness: a thumbnail from memory after no-store of the {name} is not on disk",
                         small.source == "memory" and small.image.width == 8 and not kept, f"{small.source}, {kept}")


def must_understand(good: bytes) -> None:
    """no-store has no effect beside must-understand (RFC 9111, section 5.2.2.3)."""
    field = "no-store, must-understand, max-age=1000"
    with Server(lambda c: c.answer(good, Cache_Control=field)) as server, world() as here:
        results = [here.load(server.url("/a.png"), freshness="respect") for _ in range(2)]
        report.check("freshness: a response with must-understand is fresh",
                     results[1].freshness == "max_age" and server.hits["/a.png"] == 1, f"{results[1].freshness}, {server.hits}")


def cookies(good: bytes) -> None:
    """A response with Vary: Cookie is not used for other cookies of the jar."""
    def log_in(connection: Connection) -> None:
        connection.answer(good, Set_Cookie=connection.target.partition("?")[2])

    with Server(lambda c: c.answer(good, Cache_Control="max-age=1000", Vary="Cookie")) as server, world() as here:
        def load(path: str, **options: object) -> str:
            return here.load(server.url(path), handle_cookies=True, **options).freshness

        server.on("/log-in", log_in)
        load("/a.png", freshness="respect")
        report.check("freshness: Vary: Cookie, without cookies", load("/a.png", freshness="respect") == "max_age")
        for user in ("alice", "bob"):
            load(f"/log-in?user={user}")
            rule = load("/a.png", freshness="respect")
            received = server.requests[-1]
            report.check(f"freshness: Vary: Cookie, the jar has one of {user}",
                         rule == "vary" and received == ("/a.png", received[1] | {"cookie": f"user={user}"}), f"{rule}, {received}")


def redirected(good: bytes) -> None:
    """An image that redirects have led to is fresh while they are. The other fields of the image permit any use."""
    fields = {"Cache_Control": "max-age=31536000, stale-while-revalidate=31536000, immutable", "ETag": '"a"'}
    kinds = {
        "302": (302, {}, "expired"),
        "307, no-store": (307, {"Cache_Control": "no-store"}, "no_cache"),
        "303, no-cache": (303, {"Cache_Control": "no-cache, max-age=1000"}, "no_cache"),
        "302, max-age": (302, {"Cache_Control": "max-age=1000"}, "max_age"),
        "302, an elapsed max-age": (302, {"Cache_Control": "max-age=1000", "Age": "1000"}, "expired"),
        "302, Expires": (302, {"Expires": "Fri, 31 Dec 2094 23:59:59 GMT"}, "max_age"),
        "301": (301, {}, "max_age"),
        "308": (308, {}, "max_age"),
        "301, max-age=0": (301, {"Cache_Control": "max-age=0"}, "expired"),
        "301, Vary": (301, {"Vary": "Accept"}, "vary"),
    }
    with Server() as server, world() as here:
        server.on("/good", lambda c: c.answer(good, **fields) if c.headers.get("if-none-match") != '"a"'
                  else c.send(head(304, ETag='"a"')))
        for name, (status, others, expected) in kinds.items():
            path = "/" + urllib.parse.quote(name)
            url = server.on(path, lambda c: c.answer(b"", status, Location="/good", **others))
            here.load(url, freshness="respect")
            # The second load asks the origin, which confirms the image; this lifts no restriction.
            rules = [here.load(url, freshness="respect", headers={"Accept": "image/png"} if turn == 0 else None).freshness
                     for turn in range(2)]
            asked = expected != "max_age"
            report.check(f"freshness: redirect, {name}",
                         rules == [expected] * 2 and server.hits[path] == 1 + 2 * asked,
                         f"{rules}, {server.hits[path]} requests")


def static(data: bytes, modified: str, **fields: str) -> Callable[[Connection], None]:
    """The response of a server of files, whose only validator is the date."""
    def answer(connection: Connection) -> None:
        known = connection.headers.get("if-modified-since")
        if known and parsedate_to_datetime(known) >= parsedate_to_datetime(modified):
            connection.send(head(304, Last_Modified=modified, **fields))
        else:
            connection.answer(data, Last_Modified=modified, **fields)
    return answer


def conditions(good: bytes, other: bytes) -> None:
    """Validators are sent to the URL that they belong to, and to no other one."""
    new, old = "Sun, 01 Mar 2026 08:00:00 GMT", "Sun, 06 Nov 1994 08:49:37 GMT"
    with Server() as server, Server() as second, Server() as third, world() as here:
        for policy in ("respect", "refresh"):
            server.on("/default", static(good, new, Cache_Control="no-cache"))
            url = server.on(f"/{policy}", lambda c: c.answer(b"", 302, Location="/default"))
            here.load(url)
            confirmed = here.load(url, freshness=policy)
            report.check(f"conditions: a redirected image is confirmed, {policy}",
                         confirmed.source == "memory" and server.requests[-1][1].get("if-modified-since") == new)
            server.on(f"/{policy}", static(other, old, Cache_Control="no-cache"))
            report.check(f"conditions: an older image replaces a redirect, {policy}",
                         here.is_picture(url, other, freshness=policy))
        second.on("/good", lambda c: c.send(head(304)) if "if-none-match" in c.headers
                  else c.answer(good, ETag='"a"', Cache_Control="no-cache"))
        target = {"url": second.url("/good?Signature=1")}
        url = server.on("/to-another", lambda c: c.answer(b"", 302, Location=target["url"]))
        here.load(url)
        target["url"] = second.url("/good?Signature=2")
        result = here.load(url, freshness="respect")
        asked = [each[1].get("if-none-match") for each in (server.requests[-1], second.requests[-1])]
        report.check("conditions: another origin gets its own validators alone",
                     result.source == "memory" and asked == [None, '"a"'], f"{result.source}, {asked}")
        target["url"] = third.on("/good", lambda c: c.send(head(304)))
        code = here.code(url, freshness="respect")
        report.check("conditions: a 304 without a condition confirms nothing",
                     code == "HTTP_STATUS" and "if-none-match" not in third.requests[-1][1], code)
