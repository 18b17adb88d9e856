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
        f"All at once over lines of {found['kbps']} kB a second, {found['bytes'] / 1000:,.0f} kB in "
        f"{found['seconds']:.1f} s: first the BlurHash that a service would send along, then what has come, then the "
        f"picture. Point at one, or touch it, for its times."
    )
    return f'{lead}\n<div class="sheet">{"".join(figures)}</div><h3>From a hash to a picture</h3>{rows}'


def timings(stage: Stage, found: dict[str, Any]) -> str:
    """The chart of medians, that of every image, and the table."""
    spread, half = found["spread_ms"], found["median_ms"]
    names = {"p50": "median", "p95": "95 % within"}
    whole = [(said, {layer: spread[layer][name] for layer in LAYERS}) for name, said in names.items()]
    each = charts.layers([(picture.path.name, picture.times) for picture in stage.pictures])
    lead = (
        "Milliseconds to a full picture, one at a time, decoding included where it was needed, and storing for cold. "
        f"The axis is logarithmic: memory is {half['cold'] / half['memory']:,.0f} times as quick as cold, disk "
        f"{half['cold'] / half['disk']:.1f} times."
    )
    return (
        f'{lead}\n<div class="card">{charts.key()}{charts.layers(whole, 11)}</div>'
        f'<div class="card"><details><summary>Every picture by itself</summary>{charts.key()}{each}</details></div>'
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
        "picture",
        "format",
        "pixels",
        "kB",
        *(f"{layer} ms" for layer in LAYERS),
        "our transfers",
        "origin’s count",
    ]
    return table(heads, rows, range(2, 10), last=2, card=False)


def coalescing(stage: Stage, found: dict[str, Any]) -> str:
    """One transfer for all waiters."""
    lead = (
        f"{found['loads']} loads of <code>{html.escape(found['name'])}</code> at the same moment, in "
        f"{len(found['widths'])} sizes, all answered within {found['seconds'] * 1000:.0f} ms. Who joins shares the "
        f"transfer; each gets the size that it asked for."
    )
    return f"{lead}\n{strip(stage.strips['coalescing'][0], 200, 320)}"


def memory(stage: Stage, found: dict[str, Any]) -> str:
    """Two processes side by side."""
    bars = [("the bitmap alone", found["bitmap_mb"], f"{found['bitmap_mb']:.0f} MB", "line")]
    ways = (("whole", "decoded whole, then resized", "cold"), ("thumbnail", "decoded as a thumbnail", "memory"))
    for way, name, colour in ways:
        row = found[way]
        words = f"{row['growth_mb']:.1f} MB, {charts.milliseconds(row['seconds'] * 1000)}"
        bars.append((name, row["growth_mb"], words, colour))
    lead = (
        "What decoding adds to the peak of a process, in a process each. The thumbnail is made from the lowest "
        "coefficients of each block, a few rows at a time: nobody ever holds the large bitmap."
    )
    return f'{lead}\n<div class="card">{charts.bars(bars)}</div>'


def progressive(stage: Stage, found: dict[str, Any]) -> str:
    """The same image in three formats."""
    rows = "".join(strip(row, 200, 320) for row in stage.strips["progressive"])
    lead = (
        "One picture in three formats, after 10, 25, 50 and 100 % of its bytes. JPEG comes in passes, JPEG XL from an "
        "eighth of its size, WebP in rows."
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
    saved = f"{share} % of {resume['size'] / 1000:.0f} kB were not sent again, and the picture is whole."
    first, second = back["bounds_ms"]
    kept = (
        f"The copy that is kept comes within {charts.milliseconds(down['ms'])}, marked stale, {down['age_s'] / 3600:.1f} "
        f"hours old, with the reason: <code>{down['code']}</code>."
    )
    bound = f"A random moment below {first} ms, then below {second}."
    later = charts.timeline(back["retry_after"], ["", "asked again"])
    cards = (
        _card("Reset at 60 %: goes on where it was", saved, charts.timeline(resume["log"], words)),
        _card("500, 500, 200: waits, longer each time", bound, charts.timeline(back["log"], waits)),
        _card("429, Retry-After: 1", "The server says when; it is kept.", later),
        _card("The origin is down", kept, strip(stage.strips["network"][0], 150, 240, small=True)),
    )
    heads = ["the origin sent", "refused as", "message", "kept", "then a good load"]
    rows = [
        (row["answer"], row["code"], row["message"], row["kept"], "works" if row["good"] else "fails")
        for row in found["bad_answers"]
    ]
    lead = "What servers and lines do wrong, on purpose. The times are those that the origin noted itself."
    return f'{lead}\n<div class="two">{"".join(cards)}</div><h3>Answers that are no pictures</h3>{table(heads, rows, wrap=(2,))}'


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
    heads = ["the copy that is kept", "rule", "came from", "ms", "requests", "bytes of body"]
    lead = "As HTTP says (RFC 9111, RFC 5861), for loads that ask for it. Requests and bytes are those that the origin counted."
    said = (
        f"The origin takes {swap['delay_ms']} ms and has another picture by now. The old one is on screen at once; the new "
        f"one is there as soon as it has come."
    )
    return (
        f"{lead}\n{table(heads, rows, (3, 4, 5))}<h3>Stale while it is renewed</h3><p>{said}</p>"
        f"{strip(stage.strips['freshness'][0], 220, 400)}"
    )


def animation(stage: Stage, found: dict[str, Any]) -> str:
    """The films, and the players."""
    films, players = found["films"], found["players"]
    rows = "".join(strip(row, 150, 192, lossless=True) for row in stage.strips["animation"])
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
        "A film that was painted by code, so that every pixel of every frame is known. The moon is to leave what was "
        "behind it, the stars are to stay, and the doors are cut out: the three ways of disposing of a frame."
    )
    return (
        f"{lead}\n{rows}{table(heads, compared, (1, 2))}<h3>{players['players']} players, one budget</h3>"
        f'<div class="card">{charts.bars(bars)}</div>'
    )


def transformers(stage: Stage, found: dict[str, Any]) -> str:
    """The sheet."""
    cells = stage.strips["transformers"][0]
    lead = (
        f"One picture by each of {found['count']} transformers and filters, with their defaults or a little more. In a "
        f"load they enter the cache key."
    )
    return f"{lead}\n{strip(cells, 104, 160, small=True)}"


def prefetch(stage: Stage, found: dict[str, Any]) -> str:
    """Three latencies."""
    ways = (
        ("alone", "alone", "line"),
        ("reserved", "behind prefetches of low priority", "memory"),
        ("equal", "behind loads of its own priority", "cold"),
    )
    bars = [(name, found[way]["ms"], f"{found[way]['ms']:,.0f} ms", colour) for way, name, colour in ways]
    lead = (
        f"How long a picture takes for which somebody waits, when a tenth of {found['count']} others is done. The origin "
        f"takes {found['delay_ms']} ms for each; a third of the places is kept from what nobody waits for."
    )
    return f'{lead}\n<div class="card">{charts.bars(bars)}</div>'


def pressure(stage: Stage, found: dict[str, Any]) -> str:
    """Before and after."""
    bars = []
    for name, megabytes in (("resident", lambda row: row["resident_mb"]), ("cache", lambda row: row["bytes"] / 2**20)):
        for when, colour in (("before", "cold"), ("after", "memory")):
            row = found[when]
            more = f", {row['pictures']} pictures" if name == "cache" else ""
            bars.append((f"{name} {when}", megabytes(row), f"{megabytes(row):.1f} MB{more}", colour))
    if found["by"].startswith("/"):
        how = (
            f"A process for which <code>{found['by']}</code> is a file of ours. When it says "
            f"<code>{html.escape(found['wrote'])}</code>, the watch empties the memory cache {found['seconds']:.1f} s later."
        )
    else:
        how = (
            "The kernel lets nobody put another file over /proc here, so that what the watch calls was called: "
            "<code>sdimage_trim_memory(true)</code>."
        )
    return f'{how} The disk keeps everything.\n<div class="card">{charts.bars(bars)}</div>'


def comparison(stage: Stage, found: dict[str, Any]) -> str:
    """Wall time, memory, and the second run."""
    names, bars, rows = found["names"], [], []
    for peer, row in found["peers"].items():
        if "not_run" in row:
            rows.append((names[peer], f"not run: {row['not_run']}", "", "", "", ""))
            continue
        for run, colour in (("first", "cold"), ("second", "memory")):
            seconds = row[run]["seconds"]
            bars.append(
                (f"{names[peer]}, {run} run", seconds, f"{seconds:.2f} s", colour if peer == "sdimage" else "line")
            )
        times = (f"{row[run]['seconds']:.2f} s" for run in ("first", "second"))
        asked = (row[run]["requests"] for run in ("first", "second"))
        rows.append((names[peer], *times, f"{row['first']['peak_mb']:.0f} MB", *asked))
    heads = ["program", "first run", "second run", "peak of memory", "requests", "requests, second run"]
    lead = (
        f"{found['count']} URLs of JPEGs of six megapixels, {found['bytes'] / 1e6:.1f} MB, to thumbnails of {found['side']} "
        "pixels: from the start of a process to its end, six transfers at once; the peak is that of the program without "
        f"curl. {html.escape(found['where'])}. The second run is the same command again, which finds nothing unless its "
        "program keeps something. One run on a machine with other work is no benchmark; the README has those."
    )
    return f'{lead}\n<div class="card">{charts.bars(bars)}</div>{table(heads, rows, (1, 2, 3, 4, 5))}'
