"""Text of fixed width."""

from __future__ import annotations


def wrapped(text: str, width: int) -> list[str]:
    """The words of a text on lines of at most `width` characters."""
    lines = [""]
    for part in text.split(" "):
        if lines[-1] and len(lines[-1]) + 1 + len(part) > width:
            lines.append(part)
        else:
            lines[-1] = f"{lines[-1]} {part}".strip()
    return lines
