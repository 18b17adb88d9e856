"""What loads call back with."""

from __future__ import annotations

from collections.abc import Callable

from .result import Result

#: Bytes received, and bytes expected where they are known.
OnProgress = Callable[[int, "int | None"], object]
OnResult = Callable[[Result], object]
