"""Building blocks of the report's sections: inline images, strips, tables."""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Sequence

import sdimage
from stage import Cell, fitted


def data_url(image: sdimage.Image, side: int, lossless: bool = False) -> str:
    """A data: URL of an image as WebP, at most `side` pixels a side."""
    small = fitted(image, (side, side))
    # Only the first frame: an animation would move.
    data = small.encode("webp", first_frame_only=True, **({"lossless": True} if lossless else {"quality": 0.84}))
    return f"data:image/webp;base64,{base64.b64encode(data).decode()}"


def tile(value: str, said: str) -> str:
    """A tile with a number and its caption."""
    return f'<div class="tile"><b>{html.escape(value)}</b><span>{html.escape(said)}</span></div>'


def picture(image: sdimage.Image, alt: str, side: int = 400, lossless: bool = False) -> str:
    """An ``img`` element with its size, so that the layout is stable before it is decoded."""
    small = fitted(image, (side, side))
    size = f'width="{small.width}" height="{small.height}"'
    return f'<img alt="{html.escape(alt)}" {size} src="{data_url(small, side, lossless)}">'


def _broken(caption: str) -> str:
    """Names of filters may break between their words."""
    return re.sub("(?<=[a-z])(?=[A-Z])", "<wbr>", html.escape(caption))


def strip(cells: Sequence[Cell], width: int = 200, side: int = 400, lossless: bool = False, small: bool = False) -> str:
    """Images side by side; stacked if there is not enough room."""
    shapes = [cell.image.width / cell.image.height for cell in cells if cell.image]
    figures = []
    for cell in cells:
        said = " ".join(filter(None, (cell.caption, cell.note)))
        shown = picture(cell.image, said, side, lossless) if cell.image else '<div class="blank">nothing yet</div>'
        if small:
            shown = f'<div class="frame">{shown}</div>'
        note = f"<i>{html.escape(cell.note)}</i>" if cell.note else ""
        figures.append(f"<figure>{shown}<figcaption>{_broken(cell.caption)}{note}</figcaption></figure>")
    kind = "strip small" if small else "strip"
    return f'<div class="{kind}" style="--cell:{width}px;--shape:{shapes[0] if shapes else 1:.3f}">{"".join(figures)}</div>'


def table(
    heads: Sequence[str],
    rows: Sequence[Sequence[object]],
    numbers: Sequence[int] = (),
    wrap: Sequence[int] = (),
    last: int = 0,
    card: bool = True,
) -> str:
    """Columns in `numbers` are right-aligned, those in `wrap` may break; the `last` rows are sums."""

    def cells(row: Sequence[object], tag: str) -> str:
        parts = []
        for index, cell in enumerate(row):
            kind = ' class="n"' if index in numbers else ' class="wrap"' if index in wrap and tag == "td" else ""
            parts.append(f"<{tag}{kind}>{html.escape(str(cell))}</{tag}>")
        return "".join(parts)

    sums = len(rows) - last
    body = "".join(f"<tr{' class=sum' * (index >= sums)}>{cells(row, 'td')}</tr>" for index, row in enumerate(rows))
    whole = f"<table><tr>{cells(heads, 'th')}</tr>{body}</table>"
    return f'<div class="card">{whole}</div>' if card else f'<div class="scroll">{whole}</div>'
