"""Scenes 1 to 3: a gallery over slow connections, the times of each layer, and many loads of one URL."""

from __future__ import annotations

import statistics
import threading
import time
import urllib.parse
import urllib.request
from typing import Any

import sdimage
from pictures import Picture, still
from sdimage import placeholders
from stage import Cell, Stage
from wall import Wall, laid

ROUNDS = 5
WAITERS = 200
LAYERS = ("cold", "304", "disk", "memory")
_KBPS = 160
#: Pixels of the decoded BlurHash.
_HASH = (200, 150)


def gallery(stage: Stage) -> dict[str, Any]:
    """Loads all images at once over slow connections: first the BlurHash, then partial images, then the final image."""
    terminal, origin, pictures = stage.terminal, stage.origin, stage.pictures
    hashes = [picture.blurhash() for picture in pictures]
    origin.reset()
    wall = Wall(terminal, stage.screen, pictures, stage.missing)
    for index, text in enumerate(hashes):
        wall.show(index, placeholders.blurhash_decode(text, *_HASH))
    total, started = sum(picture.size for picture in pictures), time.perf_counter()
    with sdimage.Manager(cache=None) as manager:
        tasks = [
            manager.start(
                f"{picture.url}?kbps={_KBPS}&delay_ms=40",
                on_partial=lambda result, index=index: result.image and wall.show(index, result.image),
                thumbnail_size=(400, 300),
                # With alpha, so that the BlurHash shows below missing rows.
                pixel_format="rgba8",
            )
            for index, picture in enumerate(pictures)
        ]
        _watch(stage, wall, tasks, total, started)
        seconds = time.perf_counter() - started
        sources = {task.wait().source for task in tasks}
    counters = origin.counters()
    partial = sum(len(tile.seen) > 2 for tile in wall.tiles)
    terminal.line(
        f"   {total / 1000:,.0f} kB in {seconds:.1f} s over {counters['connections']} connections; "
        f"{partial} images were shown in part"
    )
    formats = _came(stage, sources, counters, total)
    _life(stage, wall)
    # The report shows a still of it where reduced motion is preferred.
    (stage.out / "gallery.webp").write_bytes(wall.film().encode("webp", quality=0.7, webp={"method": 2}))
    return {
        "seconds": round(seconds, 3),
        "bytes": total,
        "kbps": _KBPS,
        "formats": formats,
        "partial": partial,
        "blurhash": dict(zip((picture.name for picture in pictures), hashes)),
        "origin": counters,
    }


def _came(stage: Stage, sources: set[str], counters: dict[str, Any], total: int) -> list[str]:
    """The claims about the gallery, and its formats."""
    terminal, pictures = stage.terminal, stage.pictures
    formats = sorted({picture.format for picture in pictures})
    terminal.claim(
        f"{len(pictures)} images in {len(formats)} formats were loaded from the network: {', '.join(formats)}",
        # The user's own folder may have fewer images.
        sources == {"network"} and (len(pictures) >= 24 or not pictures[0].probes),
    )
    asked = {picture.name: 1 for picture in pictures}
    terminal.claim("the server received one request for each", counters["paths"] == asked)
    terminal.claim("and sent every byte once", counters["bytes"] == total)
    wrong = [text for picture in pictures for text in picture.wrong_probes()]
    points = sum(len(picture.probes) for picture in pictures)
    if points:
        said = f"{points} sampled pixels have the expected color"
        terminal.claim(said + "".join(f"; {text}" for text in wrong), not wrong)
    return formats


def _watch(stage: Stage, wall: Wall, tasks: list[sdimage.Task], total: int, started: float) -> None:
    """Waits until all loads have ended: draws on a terminal, and prints a line for each elsewhere."""
    terminal, pictures = stage.terminal, stage.pictures
    told: set[int] = set()
    while len(told) < len(tasks):
        received = 0
        for index, (picture, task) in enumerate(zip(pictures, tasks)):
            is_done = task.done
            have = picture.size if is_done else min(task.progress[0], picture.size)
            received += have
            wall.advance(index, have / picture.size)
            if is_done and index not in told:
                told.add(index)
                image = task.wait().image
                if image:
                    wall.show(index, still(image))
                if terminal.is_plain:
                    terminal.line(f"   {len(told):2d}/{len(tasks)}  {picture.name}")
        rate = received / 1000 / max(time.perf_counter() - started, 0.001)
        bar = terminal.bar(received / total, terminal.fitting(32, beside=36))
        wall.draw(f"   {bar} {len(told)}/{len(tasks)}  {received / 1000:,.0f} kB, {rate:,.0f} kB/s")
        time.sleep(0.03)
    terminal.drawn()


def _life(stage: Stage, wall: Wall) -> None:
    """The strip: three images from their hash to the final image."""
    rows = []
    tiles = sorted(wall.tiles, key=lambda tile: (tile.picture.format, -len(tile.seen)))
    most = {tile.picture.format: tile for tile in reversed(tiles)}
    for tile in [most[name] for name in ("jpeg", "png", "webp") if name in most]:
        steps = tile.seen[1:-1]
        steps = [steps[0], steps[len(steps) // 2]] if len(steps) > 1 else steps
        size = tile.seen[-1][1]
        ground = tile.seen[0][1]
        cells = [
            Cell(
                placeholders.blurhash_decode(tile.picture.blurhash(), size.width, size.height),
                tile.picture.path.stem,
                "BlurHash, before any data",
            )
        ]
        cells += [
            Cell(laid(ground, image, (size.width, size.height)), "", f"{moment * 1000:.0f} ms: partial")
            for moment, image in steps
        ]
        cells.append(Cell(size, "", f"{tile.seen[-1][0] * 1000:.0f} ms: final"))
        rows.append(cells)
    stage.strip("gallery", rows)


def timings(stage: Stage) -> dict[str, Any]:
    """Loads each image on its own: from the network with cold caches, from disk, from memory, and revalidated by the
    origin."""
    origin, pictures = stage.origin, stage.pictures
    origin.reset()
    strays: list[str] = []
    with stage.cache() as cache, sdimage.Manager(cache) as manager:

        def timed(picture: Picture, source: str, **options: Any) -> float:
            # Expires immediately: loads that respect freshness revalidate it.
            url = picture.url + "?max_age=0"
            started = time.perf_counter()
            result = manager.load(url, **options)
            milliseconds = (time.perf_counter() - started) * 1000
            picture.network_loads += result.source == "network"
            if result.source != source:
                strays.append(f"{picture.name} from {result.source}, not {source}")
            return milliseconds

        for picture in pictures:
            picture.network_loads = 0
            picture.times["cold"] = timed(picture, "network", wait_for_store=True)
            times: dict[str, list[float]] = {"disk": [], "memory": [], "304": []}
            for _ in range(ROUNDS):
                cache.remove(picture.url + "?max_age=0", disk=False)
                times["disk"].append(timed(picture, "disk"))
                times["memory"].append(timed(picture, "memory"))
                times["304"].append(timed(picture, "memory", freshness="respect"))
            picture.times.update({layer: statistics.median(each) for layer, each in times.items()})
            picture.requests = origin.hits(picture.name)
    _table(stage)
    found = {layer: _spread([picture.times[layer] for picture in pictures]) for layer in LAYERS}
    return _claims(stage, found, strays)


def _spread(times: list[float]) -> dict[str, float]:
    ordered = sorted(times)
    return {"p50": statistics.median(ordered), "p95": ordered[round(0.95 * (len(ordered) - 1))]}


def _table(stage: Stage) -> None:
    rows: list[tuple[object, ...]] = [
        (
            picture.name,
            picture.format,
            f"{picture.known['width']}×{picture.known['height']}",
            f"{picture.size / 1000:.0f}",
            *(f"{picture.times[layer]:.{digits}f}" for layer, digits in zip(LAYERS, (2, 2, 2, 4))),
            picture.network_loads,
            picture.requests,
        )
        for picture in stage.pictures
    ]
    for name in ("p50", "p95"):
        spread = (_spread([picture.times[layer] for picture in stage.pictures])[name] for layer in LAYERS)
        rows.append((name, "", "", "", *(f"{value:.{digits}f}" for value, digits in zip(spread, (2, 2, 2, 4))), "", ""))
    stage.terminal.table(
        ("image", "format", "pixels", "kB", *(f"{layer} ms" for layer in LAYERS), "transfers", "requests"), rows
    )
    stage.terminal.line(
        "   cold: including the store. transfers: loads with data; requests: counted by the server, including those with\n"
        "   the response 304"
    )


def _claims(stage: Stage, found: dict[str, dict[str, float]], strays: list[str]) -> dict[str, Any]:
    terminal, counters = stage.terminal, stage.origin.counters()
    half = {layer: found[layer]["p50"] for layer in LAYERS}
    told = ", ".join(f"{layer} {half[layer]:.3g} ms" for layer in LAYERS)
    quicker = (
        f"disk {half['cold'] / half['disk']:.1f} ×, memory {half['cold'] / half['memory']:,.0f} × as fast as cold"
    )
    terminal.claim("each load came from the expected source" + "".join(f"; {stray}" for stray in strays), not strays)
    terminal.claim(f"medians: {told}: memory < disk < cold ({quicker})", half["memory"] < half["disk"] < half["cold"])
    asked = {(picture.network_loads, picture.requests) for picture in stage.pictures}
    terminal.claim(f"{3 * ROUNDS + 1} loads of each image transferred it once", asked == {(1, 1 + ROUNDS)})
    confirmed = ROUNDS * len(stage.pictures)
    said = f"the server answered {counters['not_modified']} revalidations with 304, without a body"
    sent = sum(picture.size for picture in stage.pictures)
    terminal.claim(said, counters["not_modified"] == confirmed and counters["bytes"] == sent)
    return {"median_ms": half, "spread_ms": found, "rounds": ROUNDS, "origin": counters}


def coalescing(stage: Stage) -> dict[str, Any]:
    """Two hundred concurrent loads of one URL, in four sizes."""
    origin, picture = stage.origin, stage.pictures[0]
    origin.reset()
    boxes = [None, *((side, side) for side in (64, 128, 256))]
    joined: set[sdimage.Task] = set()

    def is_joined(received: int, expected: int | None, task: sdimage.Task) -> None:
        """Progress reaches every load of a transfer, which is complete after all have joined it."""
        joined.add(task)
        if len(joined) == WAITERS:
            origin.open_gate()

    origin.close_gate()
    late = threading.Timer(60, origin.open_gate)
    late.start()
    with sdimage.Manager(cache=None) as manager:
        started = time.perf_counter()
        url = picture.url + "?gate=1"
        tasks = [
            manager.start(url, thumbnail_size=boxes[index % len(boxes)], on_progress=is_joined)
            for index in range(WAITERS)
        ]
        if stage.has_stray:
            urllib.request.urlopen(picture.url).close()
        images = [task.wait().image for task in tasks]
        late.cancel()
        seconds = time.perf_counter() - started
    sized = {image.width: image for image in images if image}
    widths, hits = sorted(sized), origin.hits(picture.name)
    stage.terminal.line(
        f"   {WAITERS} loads, {len(widths)} sizes (widths {', '.join(map(str, widths))}), {seconds * 1000:.0f} ms"
    )
    wide = picture.known["width"]
    stage.terminal.claim(
        f"the origin counts {hits} {'request' if hits == 1 else 'requests'} for {WAITERS} loads",
        hits == 1 and len(widths) == len({min(box[0], wide) if box else wide for box in boxes}),
    )
    each = f"{WAITERS // len(widths)} loads"
    stage.strip("coalescing", [[Cell(sized[width], f"{width} px", each) for width in widths]])
    found = {"loads": WAITERS, "widths": widths, "origin_requests": hits, "seconds": round(seconds, 3)}
    return {**found, "origin": origin.counters(), "name": picture.name}


def urls(stage: Stage) -> None:
    """Publishes every image and stores its URL."""
    for picture in stage.pictures:
        picture.url = stage.origin.url(urllib.parse.quote(picture.name))
