"""The report: one HTML file that needs nothing else."""

from __future__ import annotations

import base64
import html
import math
from typing import Any

from pictures import Picture
from scenes import LAYERS
from sdimage import _png

_STYLE = """
:root { color-scheme: light dark; --page: #f7f7f5; --card: #fff; --ink: #1c1d20; --soft: #646872; --line: #dfe0e4;
  --cold: #c2562d; --disk: #3d74c9; --memory: #2f9461; --check: #d9dade; }
@media (prefers-color-scheme: dark) { :root { --page: #15171b; --card: #1d2026; --ink: #eceef2; --soft: #9aa0ad;
  --line: #32363f; --cold: #e8865c; --disk: #7ba7ee; --memory: #5cc48f; --check: #3a3e47; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 16px/1.55 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 56px 24px 80px; }
h1 { font-size: 34px; line-height: 1.15; letter-spacing: -.02em; margin: 0 0 8px; font-weight: 680; }
h2 { font-size: 20px; letter-spacing: -.01em; margin: 56px 0 4px; font-weight: 650; }
p { margin: 0 0 16px; color: var(--soft); max-width: 70ch; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px; margin: 28px 0 0; }
.tile { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 14px 16px; }
.tile b { display: block; font-size: 25px; letter-spacing: -.02em;
  font-weight: 640; font-variant-numeric: tabular-nums; }
.tile span { color: var(--soft); font-size: 13px; }
.sheet { display: grid; grid-template-columns: repeat(auto-fill, minmax(150px, 1fr));
  gap: 18px 14px; margin-top: 22px; }
figure { margin: 0; font-size: 13px; line-height: 1.35; }
figure div { height: 118px; display: flex; align-items: end; }
figure img { width: auto; height: auto; max-width: 100%; max-height: 118px; border-radius: 4px;
  background: repeating-conic-gradient(var(--check) 0 25%, transparent 0 50%) 0 0 / 16px 16px; }
figcaption { margin-top: 6px; }
figcaption i { display: block; font-style: normal; color: var(--soft); font-size: 12px; }
.wide { overflow-x: auto; background: var(--card); border: 1px solid var(--line);
  border-radius: 10px; padding: 12px 18px; margin-top: 16px; }
table { border-collapse: collapse; width: 100%; font-size: 14px; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 560; color: var(--soft); font-size: 12.5px; }
th, td { padding: 5px 14px 5px 0; border-bottom: 1px solid var(--line); white-space: nowrap; }
tr:last-child td { border-bottom: 0; } .n { text-align: right; }
svg { display: block; width: 100%; height: auto; }
svg text { font-size: 12px; fill: var(--soft); font-family: inherit; }
svg .name { fill: var(--ink); }
.key { display: flex; gap: 20px; font-size: 13px; color: var(--soft); margin: 4px 0 8px; }
.key i { display: inline-block; width: 11px; height: 11px; border-radius: 3px; margin-right: 6px; }
.yes { color: var(--memory); } .no { color: #d33; font-weight: 700; }
footer { margin-top: 56px; color: var(--soft); font-size: 13px; }
"""


def _row(cells: list[object], tag: str = "td", numbers: tuple[int, ...] = ()) -> str:
    parts = (
        f"<{tag}{' class=n' if index in numbers else ''}>{html.escape(str(cell))}</{tag}>"
        for index, cell in enumerate(cells)
    )
    return f"<tr>{''.join(parts)}</tr>"


def _figure(picture: Picture) -> str:
    image = picture.thumbnail
    assert image
    plain = image.convert("rgba8" if image.has_alpha else "rgb8")
    data = base64.b64encode(_png.encode(plain.width, plain.height, 4 if image.has_alpha else 3, plain.rows())).decode()
    times = ", ".join(f"{layer} {picture.times[layer]:.3g} ms" for layer in LAYERS)
    return (
        f'<figure title="{html.escape(times)}"><div><img alt="{html.escape(picture.name)}" width="{plain.width}" '
        f'height="{plain.height}" src="data:image/png;base64,{data}"></div><figcaption>{html.escape(picture.path.stem)}'
        f"<i>{html.escape(picture.label)}</i></figcaption></figure>"
    )


def _log_chart(pictures: list[Picture]) -> str:
    """Three bars for each picture on a logarithmic axis of milliseconds."""
    left, right, row, top = 170, 1040, 30, 26
    times = [time for picture in pictures for time in picture.times.values()]
    low, high = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))

    def x(milliseconds: float) -> float:
        return left + (math.log10(milliseconds) - low) / (high - low) * (right - left)

    parts = []
    bottom = top + row * len(pictures)
    for decade in range(low, high + 1):
        at = x(10.0**decade)
        label = f"{10.0**decade:g} ms"
        parts.append(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{top - 4}" y2="{bottom}" stroke="var(--line)"/>')
        parts.append(f'<text x="{at:.1f}" y="{top - 11}" text-anchor="middle">{label}</text>')
    for index, picture in enumerate(pictures):
        y = top + index * row
        name = html.escape(picture.path.stem)
        parts.append(f'<text class="name" x="{left - 12}" y="{y + 18}" text-anchor="end">{name}</text>')
        for bar, layer in enumerate(LAYERS):
            width = max(1.5, x(picture.times[layer]) - left)
            parts.append(
                f'<rect x="{left}" y="{y + 4 + bar * 7}" width="{width:.1f}" height="6" rx="2" fill="var(--{layer})">'
                f"<title>{name}, {layer}: {picture.times[layer]:.3g} ms</title></rect>"
            )
    return f'<svg viewBox="0 0 1070 {bottom + 6}" role="img" aria-label="Milliseconds by layer">{"".join(parts)}</svg>'


def _memory_chart(memory: dict[str, Any]) -> str:
    full = memory["full"]["growth_mb"]
    parts = []
    for index, (name, said) in enumerate((("full", "in full, 6000 × 4000"), ("thumbnail", "as a thumbnail, 256 px"))):
        value = memory[name]["growth_mb"]
        y = 8 + index * 34
        width = max(2, value / full * 700)
        parts.append(f'<text class="name" x="158" y="{y + 16}" text-anchor="end">{said}</text>')
        parts.append(f'<rect x="170" y="{y}" width="{width:.1f}" height="24" rx="3" fill="var(--disk)"/>')
        parts.append(f'<text x="{180 + width:.1f}" y="{y + 16}">{value:.1f} MB</text>')
    return f'<svg viewBox="0 0 1070 76" role="img" aria-label="Peak memory">{"".join(parts)}</svg>'


def _tile(value: str, said: str) -> str:
    return f'<div class="tile"><b>{html.escape(value)}</b><span>{html.escape(said)}</span></div>'


def page(pictures: list[Picture], found: dict[str, Any]) -> str:
    """The whole file."""
    median = found["timings"]["median_ms"]
    heads = ["picture", "format", "pixels", "kB", "cold ms", "disk ms", "memory ms", "our loads", "origin’s count"]
    rows = [
        _row(
            [
                picture.name,
                picture.known["format"],
                f"{picture.known['width']} × {picture.known['height']}",
                f"{picture.size / 1000:.0f}",
                f"{picture.times['cold']:.2f}",
                f"{picture.times['disk']:.2f}",
                f"{picture.times['memory']:.4f}",
                picture.network_loads,
                picture.requests,
            ],
            numbers=(2, 3, 4, 5, 6, 7, 8),
        )
        for picture in pictures
    ]
    bad_heads = ["the origin sent", "code", "message", "kept", "then a good load"]
    bad = [
        _row([row["answer"], row["code"], row["message"], row["kept"], "works" if row["good"] else "fails"])
        for row in found["bad_answers"]
    ]
    claims = "".join(
        f'<tr><td class="{"yes" if true else "no"}">{"✓" if true else "✗"}</td><td>{html.escape(said)}</td></tr>'
        for said, true in found["claims"]
    )
    key = "".join(f'<span><i style="background:var(--{layer})"></i>{layer}</span>' for layer in LAYERS)
    shared = found["coalescing"]
    tiles = [
        _tile(f"{median['cold']:.3g} ms", "cold, median"),
        _tile(f"{median['disk']:.3g} ms", f"disk: {median['cold'] / median['disk']:.1f} × quicker"),
        _tile(f"{median['memory'] * 1000:.3g} µs", f"memory: {median['cold'] / median['memory']:,.0f} × quicker"),
        _tile(f"{shared['loads']} → {shared['origin_requests']}", "loads of a URL → requests"),
        _tile(f"{found['memory']['thumbnail']['growth_mb']:.1f} MB", "for a thumbnail of 24 megapixels"),
    ]
    return f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>sdimage: what the demo saw</title><style>{_STYLE}</style>
<main>
<h1>From a URL to pixels</h1>
<p>{len(pictures)} pictures went through <code>libsdimage.so</code> {html.escape(found["version"])}: over HTTP
from an origin on this machine, from the disk cache, and from memory. Every statement
here was checked while it was made.</p>
<div class="tiles">{"".join(tiles)}</div>
<h2>Pictures</h2><p>Decoded by the library into thumbnails. Point at one for its times.</p>
<div class="sheet">{"".join(map(_figure, pictures))}</div>
<h2>Cold, disk, memory</h2>
<p>Milliseconds to a full picture, decoding included where it was needed, and storing for cold;
the axis is logarithmic.</p>
<div class="wide"><div class="key">{key}</div>{_log_chart(pictures)}</div>
<div class="wide"><table>{_row(heads, "th", (2, 3, 4, 5, 6, 7, 8))}{"".join(rows)}</table></div>
<h2>Memory</h2><p>What decoding a JPEG of 24 megapixels adds to the peak of a process.</p>
<div class="wide">{_memory_chart(found["memory"])}</div>
<h2>Bad answers</h2><p>Refused with a code of their own, not kept, and the next good load works.</p>
<div class="wide"><table>{_row(bad_heads, "th")}{"".join(bad)}</table></div>
<h2>What was claimed</h2>
<div class="wide"><table>{claims}</table></div>
<footer>{html.escape(found["machine"])}. Made by <code>examples/demo</code>.</footer>
</main></html>
"""
