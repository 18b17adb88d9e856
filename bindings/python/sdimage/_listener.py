"""Types of callbacks of loads."""

from __future__ import annotations

from collections.abc import Callable

from .result import Result

#: Bytes received, and bytes expected if known.
OnProgress = Callable[[int, "int | None"], object]
OnResult = Callable[[Result], object]
