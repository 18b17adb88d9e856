"""Charts of the report: SVG that scales to its container, with HTML text around it, readable on a phone too."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from typing import Any

from scene_loading import LAYERS

#: The CSS name of each layer's color.
COLORS = {"cold": "cold", "304": "asked", "disk": "disk", "memory": "memory"}
#: Keeps the line width when an SVG is stretched.
_STILL = 'vector-effect="non-scaling-stroke"'
NAMES = {"cold": "cold", "304": "confirmed (304)", "disk": "disk", "memory": "memory"}


def key() -> str:
    """The legend of the layers' colors."""
    marks = (f'<span><i style="background:var(--{COLORS[layer]})"></i>{NAMES[layer]}</span>' for layer in LAYERS)
    return f'<div class="key">{"".join(marks)}</div>'


def milliseconds(value: float) -> str:
    """A time with a suitable unit."""
    if value < 1:
        return f"{value * 1000:.0f} µs"
    return f"{value:.1f} ms" if value < 10 else f"{value:,.0f} ms"


class Logarithmic:
    """A logarithmic axis of milliseconds from one power of ten to another."""

    def __init__(self, values: Sequence[float]) -> None:
        self._low = math.floor(math.log10(min(values)))
        self._high = max(self._low + 1, math.ceil(math.log10(max(values))))

    def at(self, value: float) -> float:
        """The position on the axis in per cent."""
        return (math.log10(value) - self._low) / (self._high - self._low) * 100

    def ticks(self) -> list[tuple[float, str]]:
        """Positions and labels of the powers of ten."""
        return [(self.at(10.0**power), milliseconds(10.0**power)) for power in range(self._low, self._high + 1)]


def _svg(height: int, parts: Sequence[str], about: str = "") -> str:
    role = f'role="img" aria-label="{html.escape(about)}"' if about else 'aria-hidden="true"'
    return f'<svg {role} viewBox="0 0 100 {height}" height="{height}" preserveAspectRatio="none">{"".join(parts)}</svg>'


def _bar(y: int, width: float, height: int, color: str, title: str) -> str:
    said = f"<title>{html.escape(title)}</title>"
    return f'<rect x="0" y="{y}" width="{max(0.4, width):.2f}" height="{height}" fill="var(--{color})">{said}</rect>'


def layers(rows: Sequence[tuple[str, dict[str, float]]], thick: int = 5) -> str:
    """Bars of each layer for each image, on a logarithmic axis."""
    height = len(LAYERS) * (thick + 1) + 2
    axis = Logarithmic([value for _, times in rows for value in times.values()])
    lines = [
        f'<line x1="{at:.2f}" x2="{at:.2f}" y1="-3" y2="{height + 4}" stroke="var(--line)" {_STILL}/>'
        for at, _ in axis.ticks()
    ]
    labels = "".join(f'<span style="left:{at:.2f}%">{name}</span>' for at, name in axis.ticks())
    parts = [f'<span></span><div class="axis">{labels}</div>']
    for name, times in rows:
        bars = [
            _bar(
                1 + index * (thick + 1),
                axis.at(times[layer]),
                thick,
                COLORS[layer],
                f"{name}, {NAMES[layer]}: {milliseconds(times[layer])}",
            )
            for index, layer in enumerate(LAYERS)
        ]
        about = f"{name}: " + ", ".join(f"{NAMES[layer]} {milliseconds(times[layer])}" for layer in LAYERS)
        parts.append(f'<span>{html.escape(name)}</span><div class="plot">{_svg(height, [*lines, *bars], about)}</div>')
    return f'<div class="bars">{"".join(parts)}</div>'


def little(times: dict[str, float], axis: Logarithmic) -> str:
    """The layers of one image, for its panel."""
    rows = (
        f"<div><span>{layer}</span>{_svg(6, [_bar(0, axis.at(times[layer]), 6, COLORS[layer], layer)])}"
        f"<span>{milliseconds(times[layer])}</span></div>"
        for layer in LAYERS
    )
    return "".join(rows)


def bars(rows: Sequence[tuple[str, float, str, str]], most: float | None = None) -> str:
    """A bar for each (name, value, words, color), on an axis from zero to the largest value."""
    most = most or max(value for _, value, _, _ in rows)
    parts = []
    for name, value, words, color in rows:
        width = value / most * 100
        inside = " in" * (width > 70) + " pale" * (color == "line")
        bar = _svg(22, [_bar(0, width, 22, color, f"{name}: {words}")], f"{name}: {words}")
        parts.append(
            f'<span>{html.escape(name)}</span><div class="plot">{bar}'
            f'<span class="value{inside}" style="left:{width:.2f}%">{html.escape(words)}</span></div>'
        )
    return f'<div class="bars">{"".join(parts)}</div>'


def timeline(log: Sequence[dict[str, Any]], words: Sequence[str]) -> str:
    """The origin's log of requests on a timeline, with a text from `words` below each."""
    end = max(row["at_ms"] for row in log) or 1.0
    parts = [
        '<line x1="0" x2="100" y1="22" y2="22" stroke="var(--line)" stroke-width="2" vector-effect="non-scaling-stroke"/>'
    ]
    labels = []
    for index, (row, said) in enumerate(zip(log, words)):
        edge = " first" if index == 0 else " last" if index == len(log) - 1 else ""
        at, good = row["at_ms"] / end * 100, row["status"] in (200, 206, 304)
        color = "good" if good else "bad"
        parts.append(
            f'<line x1="{at:.2f}" x2="{at:.2f}" y1="22" y2="22" stroke="var(--{color})" stroke-width="12" '
            f'stroke-linecap="round" {_STILL}/>'
        )
        labels.append(f'<span style="left:{at:.2f}%;top:-4px" class="{color}{edge}"><b>{row["status"]}</b></span>')
        labels.append(
            f'<span style="left:{at:.2f}%;top:32px" class="{edge}">{row["at_ms"]:,.0f} ms<br>{html.escape(said)}</span>'
        )
    about = ", ".join(f"{row['status']} after {row['at_ms']:.0f} ms" for row in log)
    svg = f'<svg role="img" aria-label="{about}" viewBox="0 0 100 64" preserveAspectRatio="none">{"".join(parts)}</svg>'
    return f'<div class="line">{svg}{"".join(labels)}</div>'
