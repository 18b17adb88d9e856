"""Scene 6: networks and servers that fail."""

from __future__ import annotations

import time
from typing import Any

import sdimage
from origin import Asked, Origin
from stage import Cell, Stage

#: Server faults: the description, the origin's option, and the expected error code.
FAULTS = (
    ("web page with status 200", "fault=html", "NOT_AN_IMAGE"),
    ("half an image with status 200", "fault=truncated", "TRUNCATED"),
    ("status 404", "status=404", "HTTP_STATUS"),
    ("status 500", "status=500", "HTTP_STATUS"),
    ("empty body", "fault=empty", "EMPTY_DATA"),
    ("random bytes", "fault=garbage", "NOT_AN_IMAGE"),
    ("incomplete body", "fault=short", "CONNECTION_LOST"),
    ("connection reset", "fault=reset", "CONNECTION_LOST"),
    ("missing password", "auth=basic", "HTTP_STATUS"),
    ("unsigned URL of a private image", "private", "HTTP_STATUS"),
)


def network(stage: Stage) -> dict[str, Any]:
    """A connection reset, a failing server, an unreachable server, and responses that are not images."""
    return {
        "resume": _resume(stage),
        "back_off": _back_off(stage),
        "down": _down(stage),
        "bad_answers": _bad_answers(stage),
    }


def _timeline(log: list[Asked]) -> list[dict[str, Any]]:
    return [
        {"at_ms": (asked.at - log[0].at) * 1000, "status": asked.status, "sent": asked.sent, "range": asked.range}
        for asked in log
    ]


def _resume(stage: Stage) -> dict[str, Any]:
    """The connection is reset after 60 %: only the rest is requested."""
    terminal, origin = stage.terminal, stage.origin
    picture = stage.picture("ink-garden.jpg")
    origin.reset()
    with sdimage.Manager(cache=None, loader=sdimage.Loader.http(retry_delay_ms=(100, 400))) as manager:
        result = manager.load(f"{picture.url}?fault=reset&at=60&first=1")
    log = origin.log(picture.name)
    counters = origin.counters()
    first, saved = log[0].sent, picture.size - log[-1].sent
    terminal.line(
        f'   {picture.name}: {first:,} bytes before the reset; "{log[-1].range}" transferred the other {log[-1].sent:,}: '
        f"{saved:,} of {picture.size:,} bytes were not sent again"
    )
    whole = result.data == picture.path.read_bytes()
    terminal.claim(
        f"after the reset at 60 % the load resumed with a range request, {saved * 100 / picture.size:.0f} % of the bytes saved, "
        "and is complete",
        whole
        and [asked.status for asked in log] == [200, 206]
        and counters["bytes"] == picture.size
        and saved >= picture.size * 0.55,
    )
    return {"name": picture.name, "size": picture.size, "saved": saved, "log": _timeline(log), "origin": counters}


def _back_off(stage: Stage) -> dict[str, Any]:
    """500, 500, 200: two waits, each of a random length below a bound that doubles."""
    terminal, origin, picture = stage.terminal, stage.origin, stage.pictures[0]
    # Delays of a busy machine do not count against the rule, and long ones end another time.
    bounds, slack = (300, 600), 1500
    with sdimage.Manager(cache=None, loader=sdimage.Loader.http(retry_delay_ms=(bounds[0], 2400))) as manager:
        for _ in range(3):
            origin.reset()
            result = manager.load(f"{picture.url}?status=500&first=2")
            origin_log = _timeline(origin.log(picture.name))
            waits = [later["at_ms"] - earlier["at_ms"] for earlier, later in zip(origin_log, origin_log[1:])]
            are_short = all(wait < bound + slack for wait, bound in zip(waits, bounds))
            if are_short:
                break
        patient = manager.load(f"{stage.pictures[1].url}?status=429&retry_after=1&first=1")
    late = _timeline(origin.log(stage.pictures[1].name))
    asked = "  ".join(f"{row['at_ms']:.0f} ms: {row['status']}" for row in origin_log)
    terminal.line(f"   {asked}   (waits below {bounds[0]} and {bounds[1]} ms)")
    asked = "  ".join(f"{row['at_ms']:.0f} ms: {row['status']}" for row in late)
    terminal.line(f"   {asked}   (Retry-After: 1)")
    terminal.claim(
        "500, 500, 200: three requests with delays, then the image",
        [row["status"] for row in origin_log] == [500, 500, 200]
        and result.image is not None
        and [each.http_status for each in result.transactions] == [500, 500, 200]
        and are_short,
    )
    terminal.claim(
        f"429 with Retry-After: 1 was retried after {late[-1]['at_ms'] / 1000:.1f} s",
        [row["status"] for row in late] == [429, 200] and late[-1]["at_ms"] >= 990 and patient.image is not None,
    )
    return {"log": origin_log, "waits_ms": waits, "bounds_ms": bounds, "retry_after": late}


def _down(stage: Stage) -> dict[str, Any]:
    """The origin is down: the cached copy is shown, with its age."""
    terminal, picture = stage.terminal, stage.picture("lighthouse.jpg")
    loader = sdimage.Loader.http(max_retries=0)
    with stage.cache() as cache, sdimage.Manager(cache, loader) as manager:
        with Origin(stage.origin.folder) as other:
            # The response came from a shared cache that had stored it for two hours.
            url = other.url(f"{picture.name}?max_age=3600&age=7200")
            manager.load(url, freshness="respect", wait_for_store=True)
            asked = other.hits()
        started = time.perf_counter()
        result = manager.load(url, freshness="respect")
        seconds = time.perf_counter() - started
        stored = next(cache.entries(url)).stored
    age = 7200 + time.time() - stored
    code = result.error.code if result.error else "none"
    terminal.line(
        f"   origin down: {result.source}, {result.freshness}, stale: {result.stale}, error {code}; "
        f"age {age:.1f} s; {seconds * 1000:.0f} ms"
    )
    terminal.claim(
        f"with the server down, the stale copy was delivered within {seconds * 1000:.0f} ms, "
        f"{age / 3600:.1f} hours old and marked stale",
        result.image is not None and result.stale and code == "CONNECT_FAILED" and asked == 1 and age >= 7200,
    )
    assert result.image
    stage.strip("network", [[Cell(result.image, "origin down", f"stale copy, {age / 3600:.1f} h old")]])
    return {"source": result.source, "rule": result.freshness, "code": code, "age_s": age, "ms": seconds * 1000}


def _bad_answers(stage: Stage) -> list[dict[str, Any]]:
    """Each is refused with its own error code, nothing is stored, and the next good load succeeds."""
    terminal, picture = stage.terminal, stage.pictures[0]
    found = []
    loader = sdimage.Loader.http(max_retries=0)
    with stage.cache() as cache, sdimage.Manager(cache, loader) as manager:
        for said, query, want in FAULTS:
            url = f"{picture.url}?{query}&{len(found)}"
            if query == "private":
                url = stage.origin.url(f"signed/{picture.name}")
            try:
                code, message = "none", str(manager.load(url, wait_for_store=True).image)
            except sdimage.Error as error:
                code, message = error.code, error.message
            cache.flush()
            kept = cache.contains(url)
            good = manager.load(picture.url + f"?good&{len(found)}").image is not None
            found.append({"answer": said, "code": code, "message": message, "kept": kept, "good": good, "want": want})
    terminal.table(
        ("response", "error", "cached", "next load"),
        [(row["answer"], row["code"], row["kept"], "works" if row["good"] else "fails") for row in found],
    )
    terminal.claim("every invalid response failed with the expected error", all(row["code"] == row["want"] for row in found))
    terminal.claim(
        "none was cached, and later loads succeeded", all(row["kept"] == "none" and row["good"] for row in found)
    )
    return found
