"""The report's section of each scene: a lead sentence, then the images and charts."""

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
    """A moving film and its last frame, both inline."""
    film = sdimage.decode(file)
    moving = f"data:image/webp;base64,{base64.b64encode(file.read_bytes()).decode()}"
    return moving, data_url(film.frame(film.frame_count - 1), 1000)


def gallery(stage: Stage, found: dict[str, Any]) -> str:
    """The contact sheet; the times of each image appear under the pointer."""
    timed = [each.times for each in stage.pictures if each.times]
    axis = charts.Logarithmic([value for times in timed for value in times.values()]) if timed else None
    figures = []
    for each in stage.pictures:
        name, kind = html.escape(each.path.stem), html.escape(each.label)
        times = ""
        if axis:
            times = f'<div class="times"><b>{html.escape(each.name)}</b>{charts.little(each.times, axis)}</div>'
        figures.append(
            f'<figure tabindex="0"><div class="frame">{picture(each.shown(), each.name, 220)}</div>'
            f"<figcaption>{name}<i>{kind}</i></figcaption>{times}</figure>"
        )
    for missing in stage.missing:
        package = html.escape(missing.package)
        figures.append(
            f'<figure><div class="frame"><div class="missing"><b>{html.escape(missing.format)}</b>needs '
            f"<code>{package}</code></div></div><figcaption>{html.escape(missing.stem)}"
            f"<i>{html.escape(missing.format)} missing</i></figcaption></figure>"
        )
    rows = "".join(strip(row, 200) for row in stage.strips.get("gallery", []))
    lead = (
        f"All images at once over connections of {found['kbps']} kB/s: {found['bytes'] / 1000:,.0f} kB in "
        f"{found['seconds']:.1f} s. Each tile shows a BlurHash, then partial images, then the final image. Point at an "
        f"image, or touch it, for its times."
    )
    return f'{lead}\n<div class="sheet">{"".join(figures)}</div><h3>BlurHash, partial image, final image</h3>{rows}'


def timings(stage: Stage, found: dict[str, Any]) -> str:
    """The chart of medians, that of every image, and the table."""
    spread, half = found["spread_ms"], found["median_ms"]
    names = {"p50": "median", "p95": "95th percentile"}
    whole = [(said, {layer: spread[layer][name] for layer in LAYERS}) for name, said in names.items()]
    each = charts.layers([(picture.path.name, picture.times) for picture in stage.pictures])
    lead = (
        "Milliseconds of one load at a time, including decoding, and storing for cold loads. "
        f"The axis is logarithmic: memory is {half['cold'] / half['memory']:,.0f} times as fast as cold, disk "
        f"{half['cold'] / half['disk']:.1f} times."
    )
    return (
        f'{lead}\n<div class="card">{charts.key()}{charts.layers(whole, 11)}</div>'
        f'<div class="card"><details><summary>Each image</summary>{charts.key()}{each}</details></div>'
        f'<div class="card"><details><summary>The numbers</summary>{_numbers(stage, spread)}</details></div>'
    )


def _numbers(stage: Stage, spread: dict[str, dict[str, float]]) -> str:
    def times(values: dict[str, float]) -> list[str]:
        return [f"{values[layer]:.{4 if layer == 'memory' else 2}f}" for layer in LAYERS]

    rows: list[tuple[object, ...]] = []
    for each in stage.pictures:
        size = f"{each.known['width']} × {each.known['height']}"
        about = (each.name, each.format, size, f"{each.size / 1000:.0f}")
        rows.append((*about, *times(each.times), each.network_loads, each.requests))
    for name in ("p50", "p95"):
        rows.append((name, "", "", "", *times({layer: spread[layer][name] for layer in LAYERS}), "", ""))
    heads = [
        "image",
        "format",
        "pixels",
        "kB",
        *(f"{layer} ms" for layer in LAYERS),
        "transfers",
        "requests at the server",
    ]
    return table(heads, rows, range(2, 10), last=2, card=False)


def coalescing(stage: Stage, found: dict[str, Any]) -> str:
    """One transfer for all waiters."""
    lead = (
        f"{found['loads']} concurrent loads of <code>{html.escape(found['name'])}</code> in "
        f"{len(found['widths'])} sizes finished within {found['seconds'] * 1000:.0f} ms. They share one transfer, and each "
        f"receives its own size."
    )
    return f"{lead}\n{strip(stage.strips['coalescing'][0], 200, 320)}"


def memory(stage: Stage, found: dict[str, Any]) -> str:
    """Two processes side by side."""
    bars = [("full bitmap", found["bitmap_mb"], f"{found['bitmap_mb']:.0f} MB", "line")]
    ways = (("whole", "decode at full size, then resize", "cold"), ("thumbnail", "decode as a thumbnail", "memory"))
    for way, name, color in ways:
        row = found[way]
        words = f"{row['growth_mb']:.1f} MB, {charts.milliseconds(row['seconds'] * 1000)}"
        bars.append((name, row["growth_mb"], words, color))
    lead = (
        "Peak memory added by decoding, each in a separate process. The thumbnail is made from the DC "
        "coefficients of each block, a few rows at a time, without the full bitmap."
    )
    return f'{lead}\n<div class="card">{charts.bars(bars)}</div>'


def progressive(stage: Stage, found: dict[str, Any]) -> str:
    """The same image in three formats."""
    rows = "".join(strip(row, 200, 320) for row in stage.strips["progressive"])
    lead = (
        "One image in three formats, after 10, 25, 50 and 100 % of its bytes: JPEG in scans, JPEG XL from a 1:8 preview, "
        "WebP in rows."
    )
    return f"{lead}\n{rows}"


def _card(title: str, said: str, body: str) -> str:
    return f'<div class="card"><h3>{title}</h3><p>{said}</p>{body}</div>'


def network(stage: Stage, found: dict[str, Any]) -> str:
    """Four faults, with the origin's log of each."""
    resume, back, down = found["resume"], found["back_off"], found["down"]
    words = [
        f"{row['range'].removeprefix('bytes=')}: {row['sent'] / 1000:.0f} kB"
        if row["range"]
        else f"{row['sent'] / 1000:.0f} kB, then a reset"
        for row in resume["log"]
    ]
    waits = ["", *(f"waited {wait:.0f} ms" for wait in back["waits_ms"])]
    share = round(resume["saved"] * 100 / resume["size"])
    saved = f"{share} % of {resume['size'] / 1000:.0f} kB were not sent again, and the image is complete."
    first, second = back["bounds_ms"]
    kept = (
        f"The cached copy is delivered within {charts.milliseconds(down['ms'])}, marked stale, {down['age_s'] / 3600:.1f} "
        f"hours old, with the error <code>{down['code']}</code>."
    )
    bound = f"A random delay below {first} ms, then below {second} ms."
    later = charts.timeline(back["retry_after"], ["", "retried"])
    cards = (
        _card("Connection reset at 60 %: resumed", saved, charts.timeline(resume["log"], words)),
        _card("500, 500, 200: retried with increasing delays", bound, charts.timeline(back["log"], waits)),
        _card("429, Retry-After: 1", "The delay that the server requests.", later),
        _card("Server down", kept, strip(stage.strips["network"][0], 150, 240, small=True)),
    )
    heads = ["response", "error", "message", "cached", "next load"]
    rows = [
        (row["answer"], row["code"], row["message"], row["kept"], "works" if row["good"] else "fails")
        for row in found["bad_answers"]
    ]
    lead = "Injected faults of servers and connections. The times are measured by the server."
    return f'{lead}\n<div class="two">{"".join(cards)}</div><h3>Responses that are not images</h3>{table(heads, rows, wrap=(2,))}'


def freshness(stage: Stage, found: dict[str, Any]) -> str:
    """The response used under each rule."""
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
    heads = ["cached copy", "rule", "source", "ms", "requests", "bytes of body"]
    lead = "RFC 9111 and RFC 5861, for loads that select it. Requests and bytes are counted by the server."
    said = (
        f"The server takes {swap['delay_ms']} ms and has a new image. The cached image is delivered at once, and replaced when "
        f"the new one arrives."
    )
    return (
        f"{lead}\n{table(heads, rows, (3, 4, 5))}<h3>Stale while revalidating</h3><p>{said}</p>"
        f"{strip(stage.strips['freshness'][0], 220, 400)}"
    )


def animation(stage: Stage, found: dict[str, Any]) -> str:
    """The films, and the players."""
    films, players = found["films"], found["players"]
    rows = "".join(strip(row, 150, 192, lossless=True) for row in stage.strips["animation"])
    heads = ["format", "frames", "kB", "compared with the drawing", "compared with Pillow"]
    compared = [
        (name, film["frames"], f"{film['bytes'] / 1000:.1f}", film["drawn"], film["pillow"])
        for name, film in films.items()
    ]
    bars = [
        ("all frames", players["everything"] / 2**20, f"{players['everything'] / 2**20:.0f} MB", "line"),
        ("frame budget", players["budget"] / 2**20, f"{players['budget'] / 2**20:.0f} MB", "disk"),
        ("peak", players["peak"] / 2**20, f"{players['peak'] / 2**20:.1f} MB", "memory"),
    ]
    lead = (
        "The animation is drawn by code, so that every pixel of every frame is known. Moon, stars and doors use the "
        "three disposal methods: restore to previous, keep, and restore to background."
    )
    return (
        f"{lead}\n{rows}{table(heads, compared, (1, 2))}<h3>{players['players']} players, one budget</h3>"
        f'<div class="card">{charts.bars(bars)}</div>'
    )


def transformers(stage: Stage, found: dict[str, Any]) -> str:
    """The sheet."""
    cells = stage.strips["transformers"][0]
    lead = (
        f"One image changed by each of {found['count']} transformers and filters. In a load, they are part of the cache key."
    )
    return f"{lead}\n{strip(cells, 104, 160, small=True)}"


def prefetch(stage: Stage, found: dict[str, Any]) -> str:
    """Three latencies."""
    ways = (
        ("alone", "without other loads", "line"),
        ("reserved", "among prefetches of low priority", "memory"),
        ("equal", "among loads of the same priority", "cold"),
    )
    bars = [(name, found[way]["ms"], f"{found[way]['ms']:,.0f} ms", color) for way, name, color in ways]
    lead = (
        f"Time of a visible load that starts when a tenth of {found['count']} others is finished. The server takes "
        f"{found['delay_ms']} ms for each; a third of the connections is reserved for visible loads."
    )
    return f'{lead}\n<div class="card">{charts.bars(bars)}</div>'


def pressure(stage: Stage, found: dict[str, Any]) -> str:
    """Before and after."""
    bars = []
    for name, megabytes in (("resident", lambda row: row["resident_mb"]), ("cache", lambda row: row["bytes"] / 2**20)):
        for when, color in (("before", "cold"), ("after", "memory")):
            row = found[when]
            more = f", {row['pictures']} images" if name == "cache" else ""
            bars.append((f"{name} {when}", megabytes(row), f"{megabytes(row):.1f} MB{more}", color))
    if found["by"].startswith("/"):
        how = (
            f"A process with a simulated <code>{found['by']}</code>. After it reports "
            f"<code>{html.escape(found['wrote'])}</code>, the memory cache is empty within {found['seconds']:.1f} s."
        )
    else:
        how = (
            "The kernel does not allow a simulated /proc here, so the function of the watch was called: "
            "<code>sdimage_trim_memory(true)</code>."
        )
    return f'{how} The disk cache is unchanged.\n<div class="card">{charts.bars(bars)}</div>'


def hdr(stage: Stage, found: dict[str, Any]) -> str:
    """The renditions side by side."""
    lead = (
        f"A JPEG with a gain map. Its base image is SDR; its HDR rendition has light up to {found['peaks']['hdr']:.1f} times "
        "the white of SDR, which a page in SDR shows darker or tone-mapped."
    )
    return f"{lead}\n{strip(stage.strips['hdr'][0], 200, 240)}"


def comparison(stage: Stage, found: dict[str, Any]) -> str:
    """Wall time, memory, and the second run."""
    names, bars, rows = found["names"], [], []
    for peer, row in found["peers"].items():
        if "not_run" in row:
            rows.append((names[peer], f"not run: {row['not_run']}", "", "", "", ""))
            continue
        for run, color in (("first", "cold"), ("second", "memory")):
            seconds = row[run]["seconds"]
            bars.append(
                (f"{names[peer]}, {run} run", seconds, f"{seconds:.2f} s", color if peer == "sdimage" else "line")
            )
        times = (f"{row[run]['seconds']:.2f} s" for run in ("first", "second"))
        asked = (row[run]["requests"] for run in ("first", "second"))
        rows.append((names[peer], *times, f"{row['first']['peak_mb']:.0f} MB", *asked))
    heads = ["program", "first run", "second run", "peak memory", "requests", "requests, second run"]
    lead = (
        f"{found['count']} URLs of JPEGs of six megapixels, {found['bytes'] / 1e6:.1f} MB, to thumbnails of {found['side']} "
        "pixels, measured for the whole process with six concurrent transfers. The peak excludes curl. "
        f"{html.escape(found['where'])}. The second run repeats the command; it is faster only if the program has a cache. "
        "A single run is not a benchmark; see docs/performance.md."
    )
    return f'{lead}\n<div class="card">{charts.bars(bars)}</div>{table(heads, rows, (1, 2, 3, 4, 5))}'
