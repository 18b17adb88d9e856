"""A process that loads, starts a program with the descriptors that remain open across exec, and loads again."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pathlib
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import world  # noqa: E402  (finds the package and the other tests)
import report  # noqa: E402

#: Writes to all descriptors in its arguments, and shuts them down.
HARM = """
import os, socket, sys
for number in map(int, sys.argv[1:]):
    os.set_blocking(number, False)
    shared = socket.socket(fileno=number)
    try:
        shared.send(b"x" * 4096)
    except OSError:
        pass
    try:
        shared.recv(1 << 20)
    except OSError:
        pass
    shared.shutdown(socket.SHUT_RDWR)
"""


def open_across_exec() -> set[int]:
    found = set()
    for name in os.listdir("/proc/self/fd"):
        try:
            if not fcntl.fcntl(int(name), fcntl.F_GETFD) & fcntl.FD_CLOEXEC:
                found.add(int(name))
        except OSError:
            pass
    return found


def active_threads() -> list[str]:
    """The states of all other threads that use a processor or wait for one. A thread that spins always does."""
    own = str(threading.get_native_id())
    states = []
    for number in os.listdir("/proc/self/task"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            line = pathlib.Path(f"/proc/self/task/{number}/stat").read_text()
            name, _, rest = line.partition("(")[2].rpartition(") ")
            states += [f"{name} {rest[0]}"] if number != own and rest[0] != "S" else []
    return states


def all_sleep() -> bool:
    """True if no other thread was active for 0.2 s."""
    for _ in range(40):
        if active_threads():
            return False
        time.sleep(0.005)
    return True


def main(url: str) -> None:
    before = open_across_exec()
    with world.world() as here:
        report.check("inherited descriptors: a load before", here.code(url + "a") == "OK")
        left = open_across_exec() - before
        kinds = {os.readlink(f"/proc/self/fd/{number}").split(":")[0] for number in left}
        # The two descriptors of curl_multi_wakeup(3), if this libcurl creates them without the flag; never connections.
        peers = [line.split()[9] for line in pathlib.Path("/proc/self/net/tcp").read_text().splitlines()[1:]]
        inodes = {os.readlink(f"/proc/self/fd/{number}").partition("[")[2].rstrip("]") for number in left}
        report.check("inherited descriptors: two at most, and no connection",
                     len(left) <= 2 and kinds <= {"socket"} and not inodes & set(peers), f"{sorted(left)} {kinds}")
        done = subprocess.run([sys.executable, "-c", HARM, *map(str, sorted(left))], close_fds=False)
        report.check("inherited descriptors: the started program did its harm", done.returncode == 0)
        report.check("inherited descriptors: a load after that", here.code(url + "b") == "OK")
        report.check("inherited descriptors: nothing spins", world.becomes(all_sleep), f"{active_threads()}")
    report.finish()


if __name__ == "__main__":
    main(sys.argv[1])
