"""Conversion of the words of :mod:`sdimage._enums` to numbers and back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ._check import wrong
from .errors import Error, WrongType

#: Samples of one pixel, and bytes of one sample.
PIXEL_LAYOUTS: Final = {
    "gray8": (1, 1),
    "rgb8": (3, 1),
    "rgba8": (4, 1),
    "rgba8_premultiplied": (4, 1),
    "bgra8_premultiplied": (4, 1),
    "gray16": (1, 2),
    "rgb16": (3, 2),
    "rgba16": (4, 2),
    "rgba_float": (4, 4),
}

_WORDS: Final[dict[int, dict[int, str]]] = {}


def number(words: dict[str, int], word: str, what: str) -> int:
    """The number of a word; the error ``INVALID_ARGUMENT`` lists the valid words."""
    try:
        return words[word]
    except (KeyError, TypeError):
        problem = f"{what} is {word!r}, expected one of {', '.join(words)}"
        if isinstance(word, str):
            raise Error("INVALID_ARGUMENT", f"argument: {problem}") from None
        raise WrongType(problem) from None


def bits(words: dict[str, int], chosen: str | Iterable[str], what: str) -> int:
    """The number of a set of words, or of one word."""
    total = 0
    try:
        for each in (chosen,) if isinstance(chosen, str) else chosen:
            total |= number(words, each, what)
    except TypeError as error:
        if isinstance(error, WrongType):
            raise
        raise wrong(what, "str or a collection of str", chosen) from None
    return total


def word(words: dict[str, int], value: int) -> str:
    """The word of a number; a number of a later version is returned as digits."""
    names = _WORDS.get(id(words))
    if names is None:
        names = _WORDS[id(words)] = {each: name for name, each in words.items()}
    return names.get(value) or str(value)
