"""Types of callbacks of loads."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from .result import Result

if TYPE_CHECKING:
    from .task import Task

#: Bytes received, bytes expected if known, and, for a function with three parameters, the task.
OnProgress: TypeAlias = "Callable[[int, int | None], object] | Callable[[int, int | None, Task], object]"
OnResult = Callable[[Result], object]
#: Positional parameters of a function that receives the task.
_WITH_TASK = 3


def takes_task(function: Callable[..., object]) -> bool:
    """True for a function that requires three positional arguments."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False  # a built-in function without a signature
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(each.kind in positional and each.default is each.empty for each in parameters) == _WITH_TASK


def tell_progress(function: OnProgress, received: int, expected: int, task: Callable[[], Task]) -> None:
    """Calls a progress callback; `task` creates the task if it takes one."""
    known = expected if expected >= 0 else None
    if takes_task(function):
        cast(Any, function)(received, known, task())
    else:
        cast(Any, function)(received, known)
