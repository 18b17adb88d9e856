"""Names that are never found, and their delay of other loads; names that change their address. A preloaded
getaddrinfo(3) replaces the resolver."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
import world  # noqa: E402  (finds the package and the other tests)
import report  # noqa: E402
import sdimage  # noqa: E402
from origin.scripted import Server  # noqa: E402


def passes(kind: str, port: int, data: bytes, host: str, own: bool) -> bool:
    """True if a good load ends while eight names in one downloader, or in its own one, are still being resolved. These
    look-ups take an hour, so it never waits for one."""
    with world.world(inactivity_timeout_ms=600_000, connect_timeout_ms=600_000) as here, world.world() as other:
        tasks = [here.manager.start(f"http://{kind}{index}.dead.test:{port}/a") for index in range(8)]
        world.becomes(lambda: here.loader.transfer_count == 8)
        fine = (here if own else other).is_picture(f"http://{host}:{port}/a", data)
        pending = here.loader.transfer_count
        for task in tasks:
            task.cancel()
    report.check(f"a manager closes while dead names are looked up, {kind}", pending == 8, f"{pending} look-ups")
    return fine


def dead_names(port: int, data: bytes) -> None:
    for kind, host, own, name in (("other", "other.good.test", False, "do not delay another downloader"),
                                  ("own", "own.good.test", True, "delay their own downloader for a while only"),
                                  ("address", "127.0.0.1", True, "do not delay addresses")):
        report.check(f"eight dead names {name}", passes(kind, port, data, host, own))


def moved_names(port: int, data: bytes) -> None:
    with world.world(address_policy="public_only", address_allow=["127.0.0.1"]) as here:
        report.check("a name at an allowed address", here.is_picture(f"http://moved.test:{port}/a", data))
        code = here.code(f"http://moved.test.:{port}/b")
        report.check("the name after it has moved to another address is refused", code == "ADDRESS_FORBIDDEN", code)


def names(data: bytes, folder: pathlib.Path) -> None:
    library = folder / "names.so"
    command = ["gcc", "-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", str(library),
               str(HERE / "names.c")]
    if report.command("the resolver of the tests compiles", *command) is None:
        return
    picture = folder / "picture.png"
    picture.write_bytes(data)
    with Server(lambda c: c.answer(data)) as server:
        child = subprocess.run([sys.executable, __file__, str(server.port), str(picture)], text=True, capture_output=True, timeout=1500,
                               env=os.environ | {"LD_PRELOAD": f"{os.environ.get('LD_PRELOAD', '')} {library}"})
    print(child.stdout, end="", flush=True)
    report.check("names: the process ends", child.returncode in (0, 1) and child.stdout, child.stderr[-300:])


if __name__ == "__main__":
    for test in (dead_names, moved_names):
        with world.part(test.__name__):
            test(int(sys.argv[1]), pathlib.Path(sys.argv[2]).read_bytes())
    sys.stdout.flush()
    # Look-ups cannot be interrupted: exits without waiting for their threads.
    os._exit(1 if report.failures else 0)
