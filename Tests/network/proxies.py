"""Proxies that libcurl does not accept: no password is shown, and no load connects without the proxy."""

from __future__ import annotations

import report
import sdimage
from origin.scripted import Server
from world import world


def proxies(good: bytes) -> None:
    refused = {"a port beyond all": "http://user:secret@127.0.0.1:99999999", "a space": "http://user:secret@a host:80",
               "no bracket": "http://user:secret@[bad", "a scheme": "foo://user:secret@127.0.0.1:1"}
    control = {"a line end": "http://user:a%0Ab@127.0.0.1:1", "NUL": "http://user:a%00b@127.0.0.1:1",
               "a tab in the user": "socks5h://a%09b:c@127.0.0.1:1", "a line end, no scheme": "user:a%0ab@127.0.0.1:1"}
    with Server(lambda c: c.answer(good)) as server:
        for name, proxy in refused.items():
            text = outcome(server, proxy)
            report.check(f"proxy with {name}: no password in the message", "Unsupported proxy" in text and "secret" not in text, text)
        for name, proxy in control.items():
            text = outcome(server, proxy)
            report.check(f"proxy with {name} is refused", text.startswith("INVALID_ARGUMENT"), text)
        # The escapes are the zone of an address, and a path.
        for proxy in ("http://[::1%10]:1", "http://user:secret@[::1%10]:1", "http://127.0.0.1:1/%0a"):
            text = outcome(server, proxy)
            report.check(f"proxy {proxy} is accepted", text != "OK" and not text.startswith("INVALID_ARGUMENT"), text)
        report.check("proxies: no load has connected without one", server.connections == 0, f"{server.connections}")


def outcome(server: Server, proxy: str) -> str:
    """The error of a downloader or of its load; "OK" without any."""
    try:
        with world(proxy=proxy) as here:
            here.load(server.url("/a.png"))
            return "OK"
    except sdimage.Error as error:
        return f"{error.code}: {error}"
