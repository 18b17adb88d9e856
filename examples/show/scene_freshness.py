"""Scene 7: HTTP freshness of an image (RFC 9111, RFC 5861)."""

from __future__ import annotations

import threading
import time
from typing import Any

import sdimage
from stage import Cell, Stage


def freshness(stage: Stage) -> dict[str, Any]:
    """Loads that are fresh, expired, stale while revalidated, and signed again, each with the origin's counters."""
    terminal, rows = stage.terminal, []
    with stage.cache() as cache, sdimage.Manager(cache, freshness="respect", ignore_signatures=True) as manager:
        rows += [_fresh(stage, manager), _expired(stage, manager)]
        renewed = _renewed(stage, manager, cache)
        rows += [*renewed.pop("rows"), _signed(stage, manager)]
    terminal.table(
        ("cached copy", "rule", "source", "ms", "requests", "body bytes"),
        [(row["copy"], row["rule"], row["source"], f"{row['ms']:.2f}", row["requests"], row["bytes"]) for row in rows],
    )
    terminal.line("   requests and bytes are counted by the server")
    by = {row["name"]: row for row in rows}
    terminal.claim("fresh: no request", _is(by["fresh"], "max_age", requests=0))
    terminal.claim(
        "expired: one request, response 304 without a body",
        _is(by["expired"], "expired", requests=1) and by["expired"]["status"] == [304],
    )
    terminal.claim(
        f"stale-while-revalidate: shown in {by['stale']['ms']:.1f} ms while the server takes {renewed['delay_ms']} ms, "
        "then replaced",
        _is(by["stale"], "stale_while_revalidate", requests=1)
        and renewed["is_before"]
        and renewed["is_old_first"]
        and renewed["is_new_then"],
    )
    terminal.claim(
        "a URL with a new signature finds its image: no request",
        by["signed"]["requests"] == 0 and by["signed"]["source"] == "memory",
    )
    return {"rows": rows, "swap": renewed}


def _is(row: dict[str, Any], rule: str, requests: int) -> bool:
    return row["rule"] == rule and row["requests"] == requests and row["has_picture"]


def _load(
    stage: Stage, manager: sdimage.Manager, url: str, name: str, copy: str
) -> tuple[dict[str, Any], sdimage.Result]:
    """One load, with the origin's counters."""
    stage.origin.reset()
    started = time.perf_counter()
    result = manager.load(url)
    ms = (time.perf_counter() - started) * 1000
    counters = stage.origin.counters()
    row = {
        "name": name,
        "copy": copy,
        "rule": result.freshness,
        "source": result.source,
        "ms": ms,
        "requests": counters["requests"],
        "bytes": counters["bytes"],
        "status": [asked.status for asked in stage.origin.log()],
        "has_picture": result.image is not None,
    }
    return row, result


def _fresh(stage: Stage, manager: sdimage.Manager) -> dict[str, Any]:
    url = stage.pictures[1].url + "?max_age=3600"
    manager.load(url, wait_for_store=True)
    return _load(stage, manager, url, "fresh", "fresh for an hour")[0]


def _expired(stage: Stage, manager: sdimage.Manager) -> dict[str, Any]:
    url = stage.pictures[2].url + "?max_age=60&age=120"
    manager.load(url, wait_for_store=True)
    return _load(stage, manager, url, "expired", "expired a minute ago")[0]


def _renewed(stage: Stage, manager: sdimage.Manager, cache: sdimage.ImageCache) -> dict[str, Any]:
    """Loads a stale image while the origin, which responds slowly, has a new one."""
    origin, old, new, delay = stage.origin, stage.pictures[0], stage.pictures[1], 200
    origin.add("swap.jpg", old.path.read_bytes())
    url = origin.url(f"swap.jpg?cache=max-age%3D0,stale-while-revalidate%3D600&delay_ms={delay}&gate=1")
    origin.open_gate()
    manager.load(url, wait_for_store=True)
    origin.add("swap.jpg", new.path.read_bytes())
    # The new image is incomplete until the old one has been shown, or until this takes far too long.
    origin.close_gate()
    late = threading.Timer(60, origin.open_gate)
    late.start()
    row, first = _load(stage, manager, url, "stale", "stale-while-revalidate")
    is_before = not origin.gate.is_set()
    late.cancel()
    origin.open_gate()
    # The revalidation runs in the background, without a waiter or a callback.
    began = time.monotonic()
    while cache.data(url) != new.path.read_bytes() and time.monotonic() < began + 60:
        time.sleep(0.01)
    swapped = (time.monotonic() - began) * 1000
    then = manager.load(url, source_policy="cache_only")
    row.update(requests=origin.hits("swap.jpg"), bytes=origin.counters()["bytes"])
    images = first.image, then.image
    assert images[0] and images[1]
    stage.strip(
        "freshness",
        [
            [
                Cell(images[0], "at once", f"{row['ms']:.1f} ms: stale copy"),
                Cell(images[1], "then", f"{swapped:.0f} ms later: new copy"),
            ]
        ],
    )
    same = [_same(image, path) for image, path in zip(images, (old.path, new.path))]
    found = {"delay_ms": delay, "swapped_ms": swapped, "is_before": is_before}
    return {"rows": [row], **found, "is_old_first": same[0], "is_new_then": same[1]}


def _same(image: sdimage.Image, path: Any) -> bool:
    return image.tobytes() == sdimage.decode(path).tobytes()


def _signed(stage: Stage, manager: sdimage.Manager) -> dict[str, Any]:
    name = stage.pictures[3].name
    first, second = stage.origin.signed(name), stage.origin.signed(name)
    assert first != second
    manager.load(first, wait_for_store=True)
    return _load(stage, manager, second, "signed", "new signature")[0]
