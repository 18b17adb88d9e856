"""What the report says of each scene: a line that leads to it, then what is shown."""

from __future__ import annotations

import base64
import html
from pathlib import Path
from typing import Any

import charts
import sdimage
from pieces import data_url, picture, strip, table
from scene_loading import LAYERS
from stage import Stage


def film_of(file: Path) -> tuple[str, str]:
    """A film as it moves, and its last frame, both inside the page."""
    film = sdimage.decode(file)
    moving = f"data:image/webp;base64,{base64.b64encode(file.read_bytes()).decode()}"
    return moving, data_url(film.frame(film.frame_count - 1), 1000)


def gallery(stage: Stage, found: dict[str, Any]) -> str:
    """The contact sheet; the times of each picture come up with the pointer."""
    timed = [picture for picture in stage.pictures if picture.times]
    axis = charts.Logarithmic([value for picture in timed for value in picture.times.values()]) if timed else None
    figures = []
    for each in stage.pictures:
        times = (
            f'<div class="times"><b>{html.escape(each.name)}</b>{charts.little(each.times, axis)}</div>' if axis else ""
        )
        figures.append(
            f'<figure tabindex="0"><div class="frame">{picture(each.shown(), each.name, 220)}</div>'
            f"<figcaption>{html.escape(each.path.stem)}<i>{html.escape(each.label)}</i></figcaption>{times}</figure>"
        )
    rows = "".join(strip(row, 200) for row in stage.strips.get("gallery", []))
    lead = (
        f"All at once over lines of 160 kB a second, {found['bytes'] / 1000:,.0f} kB in {found['seconds']:.1f} s: first the BlurHash that a service "
        f"would send along, then what has come, then the picture. Point at one, or touch it, for its times."
    )
    return f'{lead}\n<div class="sheet">{"".join(figures)}</div><h3>From a hash to a picture</h3>{rows}'


def timings(stage: Stage, found: dict[str, Any]) -> str:
    """The chart of medians, that of every picture, and the table."""
    spread = found["spread_ms"]
    whole = [
        ("median", {layer: spread[layer]["p50"] for layer in LAYERS}),
        ("95 % within", {layer: spread[layer]["p95"] for layer in LAYERS}),
    ]
    rows: list[tuple[object, ...]] = [
        (picture.name, picture.format, f"{picture.known['width']} × {picture.known['height']}", f"{picture.size / 1000:.0f}",
         *(f"{picture.times[layer]:.{digits}f}" for layer, digits in zip(LAYERS, (2, 2, 2, 4))), picture.network_loads, picture.requests)
        for picture in stage.pictures
    ]  # fmt: skip
    for name in ("p50", "p95"):
        rows.append(
            (
                name,
                "",
                "",
                "",
                *(f"{spread[layer][name]:.{digits}f}" for layer, digits in zip(LAYERS, (2, 2, 2, 4))),
                "",
                "",
            )
        )
    heads = [
        "picture",
        "format",
        "pixels",
        "kB",
        "cold ms",
        "304 ms",
        "disk ms",
        "memory ms",
        "our transfers",
        "origin’s count",
    ]
    each = charts.layers([(picture.path.name, picture.times) for picture in stage.pictures])
    half = found["median_ms"]
    lead = (
        f"Milliseconds to a full picture, one at a time, decoding included where it was needed, and storing for cold. The axis is logarithmic: "
        f"memory is {half['cold'] / half['memory']:,.0f} times as quick as cold, disk {half['cold'] / half['disk']:.1f} times."
    )
    return (
        f'{lead}\n<div class="card">{charts.key()}{charts.layers(whole, 11)}</div>'
        f'<div class="card"><details><summary>Every picture by itself</summary>{charts.key()}{each}</details></div>'
        f"<details style='margin-top:14px'><summary>The numbers</summary>{table(heads, rows, range(2, 10), last=2)}</details>"
    )


def coalescing(stage: Stage, found: dict[str, Any]) -> str:
    """One transfer for all who wait."""
    cells = stage.strips["coalescing"][0]
    lead = (
        f"{found['loads']} loads of <code>{html.escape(found['name'])}</code> at the same moment, in {len(found['widths'])} sizes, all answered within "
        f"{found['seconds'] * 1000:.0f} ms. Who joins shares the transfer; each gets the size that it asked for."
    )
    return f"{lead}\n{strip(cells, 200, 320)}"


def memory(stage: Stage, found: dict[str, Any]) -> str:
    """Two processes side by side."""
    bars = [("the bitmap alone", found["bitmap_mb"], f"{found['bitmap_mb']:.0f} MB", "line")]
    for way, name in (("whole", "decoded whole, then resized"), ("thumbnail", "decoded as a thumbnail")):
        row = found[way]
        bars.append(
            (
                name,
                row["growth_mb"],
                f"{row['growth_mb']:.1f} MB, {charts.milliseconds(row['seconds'] * 1000)}",
                "cold" if way == "whole" else "memory",
            )
        )
    lead = (
        "What decoding adds to the peak of a process, in a process each. The thumbnail is made from the lowest coefficients of each block, a few rows "
        "at a time: nobody ever holds the large bitmap."
    )
    return f'{lead}\n<div class="card">{charts.bars(bars)}</div>'


def progressive(stage: Stage, found: dict[str, Any]) -> str:
    """The same picture in three formats."""
    rows = "".join(strip(row, 200, 320) for row in stage.strips["progressive"])
    lead = (
        "One picture in three formats, after 10, 25, 50 and 100 % of its bytes. JPEG comes in passes, JPEG XL from an eighth of its size, "
        "WebP in rows."
    )
    return f"{lead}\n{rows}"


def network(stage: Stage, found: dict[str, Any]) -> str:
    """Four faults, with what the origin noted of each."""
    resume, back, down = found["resume"], found["back_off"], found["down"]
    words = [
        f"{row['sent'] / 1000:.0f} kB, then a reset"
        if not row["range"]
        else f"{row['range'].removeprefix('bytes=')}: {row['sent'] / 1000:.0f} kB"
        for row in resume["log"]
    ]
    waits = ["asked", *(f"waited {wait:.0f} ms" for wait in back["waits_ms"])]
    cells = stage.strips["network"][0]
    bad = table(
        ["the origin sent", "refused as", "message", "kept", "then a good load"],
        [
            (row["answer"], row["code"], row["message"], row["kept"], "works" if row["good"] else "fails")
            for row in found["bad_answers"]
        ],
        wrap=(2,),
    )
    share = resume["saved"] * 100 // resume["size"]
    lead = "What servers and lines do wrong, on purpose. The times are those that the origin noted itself."
    return (
        f"{lead}\n<div class='two'><div class='card'><h3 style='margin-top:0'>Reset at 60 %: goes on where it was</h3>"
        f"<p>{share} % of {resume['size'] / 1000:.0f} kB were not sent again, and the picture is whole.</p>{charts.timeline(resume['log'], words)}</div>"
        f"<div class='card'><h3 style='margin-top:0'>500, 500, 200: waits, longer each time</h3>"
        f"<p>A random moment below {back['bounds_ms'][0]} ms, then below {back['bounds_ms'][1]}.</p>{charts.timeline(back['log'], waits)}</div></div>"
        f"<div class='two'><div class='card'><h3 style='margin-top:0'>429, Retry-After: 1</h3><p>The server says when; it is kept.</p>"
        f"{charts.timeline(back['retry_after'], ['asked', 'asked again'])}</div>"
        f"<div class='card'><h3 style='margin-top:0'>The origin is down</h3><p>The copy that is kept comes within {charts.milliseconds(down['ms'])}, "
        f"marked stale, {down['age_s'] / 3600:.1f} hours old, with the reason: <code>{down['code']}</code>.</p>{strip(cells, 150, 240, small=True)}</div></div>"
        f"<h3>Answers that are no pictures</h3>{bad}"
    )


def freshness(stage: Stage, found: dict[str, Any]) -> str:
    """What was used by which rule."""
    swap = found["swap"]
    rows = [
        (
            row["copy"],
            row["rule"].replace("_", "-"),
            row["source"],
            f"{row['ms']:.2f}",
            row["requests"],
            f"{row['bytes']:,}",
        )
        for row in found["rows"]
    ]
    heads = ["the copy that is kept", "rule", "came from", "ms", "requests", "bytes of body"]
    lead = "As HTTP says (RFC 9111, RFC 5861), for loads that ask for it. Requests and bytes are those that the origin counted."
    return (
        f"{lead}\n{table(heads, rows, (3, 4, 5))}<h3>Stale while it is renewed</h3><p>The origin takes {swap['delay_ms']} ms and has another picture by "
        f"now. The old one is on screen at once; the new one is there as soon as it has come.</p>{strip(stage.strips['freshness'][0], 220, 400)}"
    )


def animation(stage: Stage, found: dict[str, Any]) -> str:
    """The films, and the players."""
    films, players = found["films"], found["players"]
    rows = "".join(strip(row, 104, 192, lossless=True) for row in stage.strips["animation"])
    heads = ["format", "frames", "kB", "as it was drawn", "as Pillow decodes it"]
    compared = [
        (name, film["frames"], f"{film['bytes'] / 1000:.1f}", film["drawn"], film["pillow"])
        for name, film in films.items()
    ]
    bars = [
        ("all their frames", players["everything"] / 2**20, f"{players['everything'] / 2**20:.0f} MB", "line"),
        ("the budget", players["budget"] / 2**20, f"{players['budget'] / 2**20:.0f} MB", "disk"),
        ("held at most", players["peak"] / 2**20, f"{players['peak'] / 2**20:.1f} MB", "memory"),
    ]
    lead = (
        "A film that was painted by code, so that every pixel of every frame is known. The moon is to leave what was behind it, the stars are to stay, "
        "and the doors are cut out: the three ways of disposing of a frame."
    )
    return (
        f"{lead}\n{rows}{table(heads, compared, (1, 2))}<h3>{players['players']} players, one budget</h3>"
        f'<div class="card">{charts.bars(bars)}</div>'
    )


def transformers(stage: Stage, found: dict[str, Any]) -> str:
    """The sheet."""
    cells = stage.strips["transformers"][0]
    lead = f"One picture by each of {found['count']} transformers and filters, with their defaults or a little more. In a load they enter the cache key."
    return f"{lead}\n{strip(cells, 104, 160, small=True)}"


def prefetch(stage: Stage, found: dict[str, Any]) -> str:
    """Three latencies."""
    bars = [
        (name, found[key]["ms"], f"{found[key]['ms']:,.0f} ms", colour)
        for key, name, colour in (
            ("alone", "alone", "line"),
            ("reserved", "behind prefetches of low priority", "memory"),
            ("equal", "behind loads of its own priority", "cold"),
        )
    ]
    lead = (
        f"How long a picture takes for which somebody waits, when a tenth of {found['count']} others is done. The origin takes {found['delay_ms']} ms for each; "
        f"a third of the places is kept from what nobody waits for."
    )
    return f'{lead}\n<div class="card">{charts.bars(bars)}</div>'


def pressure(stage: Stage, found: dict[str, Any]) -> str:
    """Before and after."""
    before, after = found["before"], found["after"]
    most = before["resident_mb"]
    bars = [
        ("resident before", before["resident_mb"], f"{before['resident_mb']:.0f} MB", "cold"),
        ("resident after", after["resident_mb"], f"{after['resident_mb']:.0f} MB", "memory"),
        (
            "cache before",
            before["bytes"] / 2**20,
            f"{before['bytes'] / 2**20:.1f} MB, {before['pictures']} pictures",
            "cold",
        ),
        (
            "cache after",
            after["bytes"] / 2**20,
            f"{after['bytes'] / 2**20:.1f} MB, {after['pictures']} pictures",
            "memory",
        ),
    ]
    if found["by"].startswith("/"):
        how = f"A process for which <code>{found['by']}</code> is a file of ours. When it says <code>{html.escape(found['wrote'])}</code>, the watch empties the memory cache {found['seconds']:.1f} s later."
    else:
        how = "The kernel lets nobody put another file over /proc here, so that what the watch calls was called: <code>sdimage_trim_memory(true)</code>."
    return f'{how} The disk keeps everything.\n<div class="card">{charts.bars(bars, most)}</div>'


def comparison(stage: Stage, found: dict[str, Any]) -> str:
    """Wall time, memory, and the second run."""
    names, peers = found["names"], found["peers"]
    bars, rows = [], []
    for peer, row in peers.items():
        if "not_run" in row:
            rows.append((names[peer], f"not run: {row['not_run']}", "", "", "", ""))
            continue
        for run, colour in (("first", "cold"), ("second", "memory")):
            seconds = row[run]["seconds"]
            bars.append(
                (f"{names[peer]}, {run} run", seconds, f"{seconds:.2f} s", colour if peer == "sdimage" else "line")
            )
        rows.append(
            (
                names[peer],
                f"{row['first']['seconds']:.2f} s",
                f"{row['second']['seconds']:.2f} s",
                f"{row['first']['peak_mb']:.0f} MB",
                row["first"]["requests"],
                row["second"]["requests"],
            )
        )
    heads = ["program", "first run", "second run", "peak of memory", "requests", "requests, second run"]
    lead = (
        f"{found['count']} URLs of JPEGs of six megapixels, {found['bytes'] / 1e6:.1f} MB, to thumbnails of {found['side']} pixels: from the start of a process to its end, "
        f"six transfers at once. The second run is the same command again. One run on a machine with other work is no benchmark; the README has those."
    )
    return f'{lead}\n<div class="card">{charts.bars(bars)}</div>{table(heads, rows, (1, 2, 3, 4, 5))}'
