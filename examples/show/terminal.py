"""The output of the demo: titles, bars, tables, and claims that are checked when printed."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence


class Terminal:
    """Colors and bars on a terminal, plain lines elsewhere."""

    def __init__(self, plain: bool) -> None:
        self.is_plain = plain or not sys.stdout.isatty()
        self.claims: list[tuple[str, bool]] = []
        self._drawn = 0

    def style(self, code: str, text: str) -> str:
        return text if self.is_plain else f"\033[{code}m{text}\033[0m"

    def title(self, number: int, text: str) -> None:
        print(f"\n{self.style('1', f'{number}. {text}')}", flush=True)

    def line(self, text: str = "") -> None:
        print(text, flush=True)

    def claim(self, text: str, is_true: bool) -> None:
        """Prints a claim; a false claim makes the demo fail."""
        self.claims.append((text, is_true))
        mark = self.style("32", "yes") if is_true else self.style("1;31", "NO ")
        print(f"   {mark}  {text}", flush=True)

    def draw(self, lines: Sequence[str]) -> None:
        """Draws lines over the previously drawn ones; only on a terminal."""
        if self.is_plain:
            return
        up = f"\033[{self._drawn}A" if self._drawn else ""
        print(up + "".join(f"\033[2K{line}\n" for line in lines), end="", flush=True)
        self._drawn = len(lines)

    def drawn(self) -> None:
        """Makes the drawn lines permanent."""
        self._drawn = 0

    def fitting(self, width: int, beside: int) -> int:
        """The width of a bar next to `beside` characters, as far as it fits: wrapped lines cannot be drawn over."""
        return max(4, min(width, shutil.get_terminal_size().columns - beside))

    def bar(self, part: float, width: int = 24) -> str:
        """A bar that is filled to `part` of 1."""
        eighths = round(max(0.0, min(1.0, part)) * width * 8)
        full, rest = divmod(eighths, 8)
        text = "█" * full + ("▏▎▍▌▋▊▉"[rest - 1] if rest else "")
        return self.style("36", text.ljust(width)) if not self.is_plain else text

    def table(self, heads: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """Columns as wide as their contents; numbers are right-aligned."""
        cells = [list(heads), *([str(cell) for cell in row] for row in rows)]
        widths = [max(len(row[column]) for row in cells) for column in range(len(heads))]
        numeric = [all(_is_number(row[column]) for row in cells[1:]) for column in range(len(heads))]
        for index, row in enumerate(cells):
            parts = [
                cell.rjust(width) if right else cell.ljust(width) for cell, width, right in zip(row, widths, numeric)
            ]
            text = "   " + "  ".join(parts).rstrip()
            print(self.style("2", text) if index == 0 else text)
        sys.stdout.flush()


def _is_number(text: str) -> bool:
    return text.replace(".", "").replace(",", "").replace("×", "").strip().isdigit() or text == ""
