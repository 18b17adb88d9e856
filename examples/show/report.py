"""The report: one self-contained HTML file."""

from __future__ import annotations

import html
from collections.abc import Callable
from pathlib import Path
from typing import Any

import charts
import sections
from pieces import data_url, tile
from stage import Stage

_STYLE = Path(__file__).resolve().with_name("report.css")

#: The sections in the order of the show: the scene, its title, and the function that renders it.
_SECTIONS: tuple[tuple[str, str, Callable[[Stage, dict[str, Any]], str]], ...] = (
    ("gallery", "Gallery", sections.gallery),
    ("timings", "Network, revalidation, disk, memory", sections.timings),
    ("coalescing", "Request coalescing", sections.coalescing),
    ("memory", "Memory of a thumbnail", sections.memory),
    ("progressive", "Progressive display", sections.progressive),
    ("network", "Network faults", sections.network),
    ("freshness", "Freshness", sections.freshness),
    ("animation", "Animation", sections.animation),
    ("transformers", "Transformers", sections.transformers),
    ("prefetch", "Prefetching and priorities", sections.prefetch),
    ("pressure", "Memory pressure", sections.pressure),
    ("hdr", "HDR", sections.hdr),
    ("comparison", "Comparison", sections.comparison),
)


def _claims(found: dict[str, Any]) -> str:
    items = "".join(f'<li class="{"yes" if true else "no"}">{html.escape(said)}</li>' for said, true in found["claims"])
    return f'<ul class="claims">{items}</ul>'


def _counted(found: dict[str, Any]) -> str:
    """The origin's own counters."""
    counters = found.get("origin")
    if not counters:
        return ""
    names = ("connections", "requests", "not_modified", "partial", "faults")
    said = {"not_modified": "responses 304", "partial": "range responses", "faults": "injected faults"}
    one = {"connections": "connection", "requests": "request", "faults": "injected fault"}
    parts = [
        f"<span><b>{counters[name]:,}</b> {(one if counters[name] == 1 else said).get(name) or said.get(name, name)}</span>"
        for name in names
        if counters[name]
    ]
    parts.append(f"<span><b>{counters['bytes'] / 1000:,.0f} kB</b> of bodies sent</span>")
    return f'<div class="counted"><span>Counted by the server</span>{"".join(parts)}</div>'


def _section(
    stage: Stage, number: int, name: str, title: str, say: Callable[[Stage, dict[str, Any]], str], found: dict[str, Any]
) -> str:
    lead, _, body = say(stage, found[name]).partition("\n")
    return (
        f'<section id="{name}"><header><b>{number}</b><h2>{html.escape(title)}</h2><p>{lead}</p></header>'
        f"{body}{_counted(found[name])}{_claims(found[name])}</section>"
    )


def _tiles(found: dict[str, Any]) -> str:
    median, memory = found["timings"]["median_ms"], found["memory"]
    shared, resumed, prefetch = found["coalescing"], found["network"]["resume"], found["prefetch"]
    tiles = (
        tile(
            charts.milliseconds(median["memory"]),
            f"from memory; {charts.milliseconds(median['disk'])} from disk, "
            f"{charts.milliseconds(median['cold'])} cold (medians)",
        ),
        tile(f"{shared['loads']} → {shared['origin_requests']}", "loads of one URL, requests to the server"),
        tile(
            f"{memory['thumbnail']['growth_mb']:.0f} MB",
            f"for a thumbnail of 48 megapixels, instead of {memory['whole']['growth_mb']:.0f}",
        ),
        tile(f"{resumed['saved'] * 100 / resumed['size']:.0f} %", "of an interrupted transfer were resumed"),
        tile(
            f"{prefetch['reserved']['ms']:.0f} ms",
            f"for a visible load among {prefetch['count']} prefetches; {prefetch['equal']['ms']:,.0f} ms without priority",
        ),
    )
    return f'<div class="tiles">{"".join(tiles)}</div>'


def _hero(stage: Stage) -> str:
    """The animation of the loading wall; its last frame if the viewer prefers reduced motion."""
    file = stage.out / "gallery.webp"
    if not file.exists():
        return ""
    moving, still = sections.film_of(file)
    alt = "All images of the gallery: BlurHash, partial image, final image, and a progress bar below each"
    return (
        f'<picture><source media="(prefers-reduced-motion: reduce)" srcset="{still}">'
        f'<img class="hero" src="{moving}" alt="{alt}"></picture>'
        f'<p class="note">The first scene in real time, as an animated WebP written by the library.</p>'
    )


def page(stage: Stage, found: dict[str, Any]) -> str:
    """The complete file."""
    style = _STYLE.read_text().replace("\n", " ")
    claims = found["claims"]
    true = sum(is_true for _, is_true in claims)
    body = "".join(
        _section(stage, number, name, title, say, found)
        for number, (name, title, say) in enumerate(_SECTIONS, 1)
        if name in found
    )
    links = "".join(f'<a href="#{name}">{html.escape(title)}</a>' for name, title, _ in _SECTIONS if name in found)
    icon = data_url(stage.picture("glass-icon.png").shown(), 32)
    missing = "".join(
        f" {html.escape(name)} is missing ({html.escape(why)})." for name, why in found["missing"].items()
    )
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>libsdimage demo report</title><link rel="icon" href="{icon}">
<style>{style}</style></head><body><main>
<h1>libsdimage demo</h1>
<p class="lead">{len(stage.pictures)} images in {len(found["gallery"]["formats"])} formats, loaded by
libsdimage {html.escape(found["version"])} from a server on this machine, over normal, slow and faulty connections, with disk and
memory caches. The server counts its requests. {true} of {len(claims)} statements on this page were verified during the run.</p>
{_hero(stage)}{_tiles(found)}<nav>{links}</nav>
{body}
<footer>{html.escape(found["machine"])}, {found["date"]}; times of one run on this machine, which may have been
busy.{missing}
Made by <code>examples/demo</code>, which fails if a statement is false.</footer>
</main></body></html>
"""
