"""The machine that runs the tests."""

from __future__ import annotations

import time


def contention() -> float:
    """The factor by which other processes prolong computations of this one now; 1 on an idle machine."""
    began, used = time.monotonic(), time.thread_time()
    while time.thread_time() - used < 0.2:
        pass
    return max(1, (time.monotonic() - began) / 0.2)
