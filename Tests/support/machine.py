"""The machine that runs the tests."""

from __future__ import annotations

import contextlib
import pathlib
import time


def contention() -> float:
    """The factor by which other processes prolong computations of this one now; 1 on an idle machine."""
    began, used = time.monotonic(), time.thread_time()
    while time.thread_time() - used < 0.2:
        pass
    return max(1, (time.monotonic() - began) / 0.2)


def waited() -> float:
    """Milliseconds for which the threads of this process have been ready to run and waited for a processor (sched-stats of the
    kernel's documentation); 0 if the kernel does not tell. The difference of two calls is what other programs may have added to
    the time between them."""
    nanoseconds = 0
    for thread in pathlib.Path("/proc/self/task").iterdir():
        with contextlib.suppress(OSError, IndexError):  # it has ended
            nanoseconds += int((thread / "schedstat").read_text().split()[1])
    return nanoseconds / 1e6
