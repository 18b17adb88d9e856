"""Callbacks of targets."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import sizeof
from dataclasses import dataclass
from typing import TypeAlias

from . import _enums, _failures
from ._prototypes import (
    TARGET_TABLE_INDICATOR_START,
    TARGET_TABLE_INDICATOR_STOP,
    TARGET_TABLE_INDICATOR_UPDATE,
    TARGET_TABLE_SET_IMAGE,
    TARGET_TABLE_TRANSITION_ANIMATE,
    TARGET_TABLE_TRANSITION_END,
    TARGET_TABLE_TRANSITION_PREPARE,
    TargetTable,
)
from ._tokens import WeakTokens
from .image import Image
from .result import Result

SetImage: TypeAlias = Callable[[str, "Image | None", "Result | None"], object]
Indicate: TypeAlias = Callable[[str], object]
IndicateFraction: TypeAlias = Callable[[str, float], object]
PrepareTransition: TypeAlias = Callable[[str, "str | int", int, "Image | None"], object]
EndTransition: TypeAlias = Callable[[str, bool], object]


@dataclass(slots=True, weakref_slot=True)
class Widget:
    """The functions of one target, by the names of the C table."""

    set_image: SetImage | None
    indicator_start: Indicate | None
    indicator_stop: Indicate | None
    indicator_update: IndicateFraction | None
    transition_prepare: PrepareTransition | None
    transition_animate: PrepareTransition | None
    transition_end: EndTransition | None

    def table(self) -> TargetTable:
        """The table with only the given functions: calls of others would wait for the interpreter's lock in vain."""
        given = {name: function for name, function in _FUNCTIONS.items() if getattr(self, name) is not None}
        return TargetTable(size=sizeof(TargetTable), **given)


widgets: WeakTokens[Widget] = WeakTokens("target")
_WORDS = {number: word for word, number in _enums.TRANSITIONS.items()}


def _call(token: int | None, name: str, key: bytes, *arguments: object) -> None:
    function = getattr(widgets.get(token), name, None)
    if function is None:
        return
    try:
        function(key.decode(), *arguments)
    except BaseException as error:  # no exception may leave a callback
        _failures.report(name, error)


def _image(pointer: int | None) -> Image | None:
    return Image.borrowed(pointer) if pointer else None


def _set_image(token: int | None, key: bytes, image: int | None, result: int | None) -> None:
    _call(token, "set_image", key, _image(image), Result.borrowed(result) if result else None)


def _start(token: int | None, key: bytes) -> None:
    _call(token, "indicator_start", key)


def _stop(token: int | None, key: bytes) -> None:
    _call(token, "indicator_stop", key)


def _update(token: int | None, key: bytes, fraction: float) -> None:
    _call(token, "indicator_update", key, fraction)


def _prepare(token: int | None, key: bytes, transition: int, ms: int, image: int | None, _result: int | None) -> None:
    _call(token, "transition_prepare", key, _WORDS.get(transition, transition), ms, _image(image))


def _animate(token: int | None, key: bytes, transition: int, ms: int, image: int | None) -> None:
    _call(token, "transition_animate", key, _WORDS.get(transition, transition), ms, _image(image))


def _end(token: int | None, key: bytes, finished: bool) -> None:
    _call(token, "transition_end", key, finished)


_FUNCTIONS = {
    "set_image": TARGET_TABLE_SET_IMAGE(_set_image),
    "indicator_start": TARGET_TABLE_INDICATOR_START(_start),
    "indicator_stop": TARGET_TABLE_INDICATOR_STOP(_stop),
    "indicator_update": TARGET_TABLE_INDICATOR_UPDATE(_update),
    "transition_prepare": TARGET_TABLE_TRANSITION_PREPARE(_prepare),
    "transition_animate": TARGET_TABLE_TRANSITION_ANIMATE(_animate),
    "transition_end": TARGET_TABLE_TRANSITION_END(_end),
}
