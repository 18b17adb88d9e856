#!/usr/bin/env python3
"""Servers that disconnect, lie, stall, redirect, send unrequested bytes, or hide behind names: loads return the
right image or a named error, and no wrong data is stored.

    network.py [PART…]

PART: broken, wrong, bombs, codings, retries, redirects, freshness, proxies, addresses, heads, slowness, reuse, exec, exit,
names, extremes, tls, trust, nginx; default: all. The library is the one in SDIMAGE_LIBRARY."""

from __future__ import annotations

import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import world  # noqa: E402  (finds the package and the other tests)
import bodies  # noqa: E402
import codings  # noqa: E402
import connections  # noqa: E402
import exits  # noqa: E402
import extremes  # noqa: E402
import freshness  # noqa: E402
import heads  # noqa: E402
import http2  # noqa: E402
import names  # noqa: E402
import proxies  # noqa: E402
import report  # noqa: E402
import sdimage  # noqa: E402
import trust  # noqa: E402
from certificates import Authority  # noqa: E402
from images import pixels, png  # noqa: E402


def pictures() -> dict[str, bytes]:
    """An image in each of five formats, some hundred to thousand bytes each."""
    made = sdimage.decode(png(48, 32))
    return {"png": png(48, 32), "jpeg": made.encode("jpeg"), "gif": made.encode("gif"), "webp": made.encode("webp"),
            "bmp": made.encode("bmp")}


def main() -> None:
    wanted = sys.argv[1:]
    files = pictures()
    good = files["png"]
    assert len(pixels(48, 32)) == len(sdimage.decode(good).tobytes())
    with tempfile.TemporaryDirectory(prefix="sdimage-network-") as place:
        folder = pathlib.Path(place)
        authority = Authority(folder)
        downgrading, secure = connections.downgrading(authority)
        parts = {
            "broken": lambda: (bodies.broken_transfers(files), bodies.broken_transfers_resume(good * 50)),
            "wrong": lambda: bodies.wrong_content(files),
            "bombs": lambda: bodies.bombs(folder, good),
            "codings": lambda: (codings.complete_and_cut(good), codings.large_bodies(good, folder)),
            "retries": lambda: bodies.retries(good),
            "redirects": lambda: heads.redirects(good, secure, str(authority.file)),
            "freshness": lambda: (freshness.memory_only(good), freshness.must_understand(good), freshness.cookies(good),
                                  freshness.redirected(good), freshness.conditions(good, files["jpeg"])),
            "proxies": lambda: proxies.proxies(good),
            "addresses": lambda: (heads.addresses(good), heads.allowed_addresses(good)),
            "heads": lambda: (heads.damaged_heads(good), heads.injections(good)),
            "slowness": lambda: (connections.slowness(good), connections.interrupted_handshakes(),
                                 connections.stalled_crowd(good)),
            "reuse": lambda: (connections.reuse([png(20 + index, 10) for index in range(8)]), connections.stale(good),
                              http2.stale(good, authority)),
            "exec": lambda: connections.inherited(good),
            "exit": lambda: exits.exits(folder, authority),
            "names": lambda: names.names(good, folder),
            "extremes": lambda: extremes.extremes(good),
            "tls": lambda: connections.tls(good, folder, authority),
            "trust": lambda: trust.trust(good, folder, authority),
            "nginx": lambda: connections.nginx(files, folder, authority),
        }
        for name, run in parts.items():
            if (not wanted or name in wanted) and report.selected(name):
                with world.part(name):
                    run()
        downgrading.__exit__()
    report.finish()


if __name__ == "__main__":
    main()
