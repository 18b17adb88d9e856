"""Content codings: complete and truncated bodies, and the memory of large ones."""

from __future__ import annotations

import gzip
import pathlib
import subprocess
import zlib

import limited
import report
import world
from origin.scripted import Connection, Server, head
from world import UNREADABLE, refused

#: The memory for a body with the default limit of 64 MiB.
MOST = (64 << 20) + limited.BESIDES


def run(*command: str, data: bytes) -> bytes:
    return subprocess.run(command, input=data, capture_output=True, check=True).stdout


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def coded(data: bytes) -> dict[str, tuple[str, bytes]]:
    """Content codings and their bodies; codings whose command is not installed are left out."""
    made = {"gzip": ("gzip", gzip.compress(data)), "deflate": ("deflate", zlib.compress(data)),
            "deflate without a header": ("deflate", raw_deflate(data))}
    for name, coding, command in (("br", "br", ["brotli", "-c"]), ("zstd", "zstd", ["zstd", "-qc"]),
                                  ("zstd with a checksum", "zstd", ["zstd", "-qc", "--check"]),
                                  ("zstd with a long window", "zstd", ["zstd", "-qc", "-19", "--long=23"])):
        try:
            made[name] = (coding, run(*command, data=data))
        except FileNotFoundError:
            report.skip(f"content coding {name}", f"{command[0]} is not installed")
    return made


def complete_and_cut(data: bytes) -> None:
    bodies = coded(data)
    half = len(data) // 2
    whole = dict(bodies)
    whole["gzip in two members"] = ("gzip", gzip.compress(data[:half]) + gzip.compress(data[half:]))
    whole["gzip with zeros behind it"] = ("gzip", gzip.compress(data) + bytes(512))
    whole["identity"] = ("identity", data)
    whole["gzip in gzip"] = ("gzip, gzip", gzip.compress(gzip.compress(data)))
    if "zstd" in bodies:
        whole["zstd in two frames"] = ("zstd", run("zstd", "-qc", data=data[:half]) + run("zstd", "-qc", data=data[half:]))
    with Server() as server, world.world() as here:
        for name, (coding, body) in whole.items():
            for step in (len(body), 1, 7):
                def answer(connection: Connection, coding: str = coding, body: bytes = body, step: int = step) -> None:
                    connection.send(head(length=len(body), Content_Encoding=coding))
                    for start in range(0, len(body), step):
                        connection.send(body[start:start + step])
                url = server.on(f"/{len(server.answers)}", answer)
                report.check(f"content coding {name}, {step if step < len(body) else 'all'} bytes at once", here.is_picture(url, data))
        for name, (coding, body) in bodies.items():
            wrong = []
            for kept in sorted({1, 2, len(body) // 2, len(body) - 9, len(body) - 8, len(body) - 4, len(body) - 2, len(body) - 1}):
                for progressive in (False, True):
                    url = server.on(f"/{len(server.answers)}", lambda c, coding=coding, body=body[:kept]: c.answer(
                        body, Content_Encoding=coding))
                    code = here.code(url, progressive=progressive)
                    if code != "TRUNCATED" or here.keeps(url):
                        wrong.append(f"{kept} of {len(body)} bytes: {code}")
            report.check(f"content coding {name}, cut: TRUNCATED", not wrong, "; ".join(wrong))
        for name, coding, body in (("unknown", "rot13", data), ("many", ", ".join(["gzip"] * 3), data), ("zstd in zstd", "zstd, zstd", data),
                                   ("br in gzip", "br, gzip", data), ("gzip that is none", "gzip", data), ("zstd that is none", "zstd", data),
                                   ("br that is none", "br", b"\xff" * 100)):
            refused(here, f"content coding refused: {name}", server.on(f"/{len(server.answers)}", lambda c, coding=coding, body=body: c.answer(
                body, Content_Encoding=coding)), UNREADABLE)
        refused(here, "transfer coding refused: gzip", server.on("/te", lambda c: c.send(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", b"%x\r\n%s\r\n0\r\n\r\n" % (
                len(gzip.compress(data)), gzip.compress(data)))), UNREADABLE)
        if "zstd" in bodies:
            body = run("zstd", "-qc", "--long=27", "-19", data=bytes(16 << 20) + data)
            refused(here, "content coding refused: zstd with a window beyond 8 MiB", server.on("/window", lambda c: c.answer(
                body, Content_Encoding="zstd")), UNREADABLE)


def zeros(count: int):
    """Chunks of an endless body."""
    while True:
        yield bytes(count)


def bodies_beyond_the_limit(folder: pathlib.Path) -> dict[str, tuple[str | None, bytes | None]]:
    """Bodies of 192 MiB and more; None is endless."""
    noise = bytes(range(256)) * 32
    plain = folder / "plain"
    with plain.open("wb") as file:
        for index in range((192 << 20) // len(noise)):
            file.write(index.to_bytes(8, "little") + noise[8:])
    made: dict[str, tuple[str | None, bytes | None]] = {"identity": (None, None), "chunked": ("chunked", None)}
    commands = {"gzip": ["gzip", "-1c"], "zstd": ["zstd", "-qc"], "zstd, window of 8 MiB": ["zstd", "-qc", "--long=23"],
                "zstd, window of 128 MiB": ["zstd", "-qc", "--long=27"], "br": ["brotli", "-q", "5", "-c"],
                "br, window of 16 MiB": ["brotli", "-q", "5", "-w", "24", "-c"]}
    for name, command in commands.items():
        try:
            made[name] = (name.split(",")[0], subprocess.run([*command, str(plain)], capture_output=True, check=True).stdout)
        except FileNotFoundError:
            report.skip(f"memory of a body beyond the limit, {name}", f"{command[0]} is not installed")
    plain.unlink()
    return made


def large_bodies(good: bytes, folder: pathlib.Path) -> None:
    """The default limit of 64 MiB is enforced with little more memory."""
    def respond(name: str | None, body: bytes | None):
        def answer(connection: Connection) -> None:
            if body is not None:
                return connection.answer(body, Content_Encoding=name)
            connection.send(head(Transfer_Encoding="chunked") if name else head())
            for piece in zeros(65536):
                connection.send(b"10000\r\n" + piece + b"\r\n" if name else piece)
        return answer

    cases = {name: (respond(coding, body), UNREADABLE if "128" in name else {"TOO_LARGE"})
             for name, (coding, body) in bodies_beyond_the_limit(folder).items()}
    limited.check(f"at most {MOST >> 20} MiB for a body beyond the limit", MOST, good, cases)
