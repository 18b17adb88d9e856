"""A limit of the memory of this process, so that an operation that needs more fails.

Memory that is allocated counts even before it is used, and free memory that the allocator holds is no reserve: results
do not depend on the system and on earlier operations, as the peak of the resident set does."""

from __future__ import annotations

import resource


def allow(count: int) -> None:
    """Lets the process allocate at most `count` more bytes; an earlier limit ends. Threads that start later count with
    their stacks."""
    with open("/proc/self/status") as file:
        used = next(int(line.split()[1]) for line in file if line.startswith("VmData")) << 10
    resource.setrlimit(resource.RLIMIT_DATA, (used + count, resource.getrlimit(resource.RLIMIT_DATA)[1]))
