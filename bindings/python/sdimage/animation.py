"""Frames on demand: not in this version."""

from __future__ import annotations

from typing import NoReturn

from .errors import Error


class Animation:
    """Raises ``Error("UNSUPPORTED")``: this version decodes first frames only (:func:`sdimage.decode`)."""

    def __new__(cls, data: object, **options: object) -> NoReturn:
        raise Error("UNSUPPORTED", "this version decodes the first frame only")
