"""A process that loads, starts a program with the descriptors that remain open across exec, and loads again."""

from __future__ import annotations

import fcntl
import os
import pathlib
import subprocess
import sys
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
        used = time.process_time()
        time.sleep(1)
        used = time.process_time() - used
        report.check("inherited descriptors: nothing spins", used < 0.5, f"{used:.2f} s of processor time in a second")
    report.finish()


if __name__ == "__main__":
    main(sys.argv[1])
