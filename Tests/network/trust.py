"""No data of a load that accepts an invalid certificate reaches another load, in any way."""

from __future__ import annotations

import pathlib
import threading
from collections.abc import Callable

import report
import sdimage
from certificates import Authority, context
from origin.scripted import Connection, Server, head
from ports import Port
from world import ROOT, World, world

FIXTURES = ROOT / "Tests/fixtures"

#: Variants of a lenient load; each is then repeated strictly.
WAYS: dict[str, dict[str, object]] = {
    "an original": {},
    "a thumbnail": {"thumbnail_size": (60, 60)},
    "an early thumbnail": {"thumbnail_size": (100, 100), "early_thumbnail": True},
    "a first frame": {"first_frame_only": True},
    "a transformed image": {"transformer": sdimage.transforms.flip(horizontal=True)},
    "a transformed image and its original": {
        "transformer": sdimage.transforms.flip(horizontal=True), "cache_policy": {"store_original_in_memory"}},
    "other pixels": {"pixel_format": "bgra8_premultiplied"},
    "a progressive load": {"progressive": True},
    "a load from the loader alone": {"source_policy": "loader_only"},
    "a load that respects freshness": {"freshness": "respect"},
    "a refresh": {"freshness": "refresh"},
    "a load with all frames": {"preload_frames": True},
}


def code(call: Callable[[], object]) -> str:
    try:
        call()
        return "OK"
    except sdimage.Error as error:
        return error.code


def entries(here: World) -> int:
    """Number of entries in memory and on disk."""
    here.cache.flush()
    numbers = here.cache.statistics()
    return int(numbers["memory"]["count"]) + int(numbers["disk"]["count"])


def ways(here: World, files: dict[str, bytes], tls: object) -> None:
    for kind, body in files.items():
        def answer(connection: Connection, body: bytes = body) -> None:
            connection.send(head(length=len(body), ETag='"a"'), body[:5000])
            connection.send(body[5000:])

        for name, options in WAYS.items():
            with Server(answer, tls) as server:  # type: ignore[arg-type]
                url = server.url("/a")
                lenient = code(lambda: here.manager.load(url, accept_invalid_certificates=True, wait_for_store=True, **options))
                kept = entries(here)
                strict = code(lambda: here.manager.load(url, **options))
                plain = code(lambda: here.manager.load(url))
                prefetched = here.manager.prefetch([url]).wait()
                found = here.manager.load(url, source_policy="cache_only", **{**options, "freshness": "ignore"}).image \
                    if options.get("source_policy") is None else None
            report.check(f"trust, {kind}, {name}: nothing is kept, and strict loads are refused",
                         (lenient, strict, plain) == ("OK", "TLS_FAILED", "TLS_FAILED") and not kept and found is None,
                         f"{lenient} {strict} {plain} {kept} {found} {prefetched!r}")


def together(here: World, body: bytes, tls: object) -> None:
    """A strict load never joins a lenient one of the same URL, before or after it, with any loader."""
    goes_on = threading.Event()

    def answer(connection: Connection) -> None:
        connection.send(head(length=len(body)), body[:5000])
        goes_on.wait(60)
        connection.send(body[5000:])

    with Server(answer, tls) as server:  # type: ignore[arg-type]
        url = server.url("/a")
        first = here.manager.start(url, accept_invalid_certificates=True)
        strict = code(lambda: here.manager.load(url))
        goes_on.set()
        report.check("trust: a strict load does not join a lenient one", strict == "TLS_FAILED"
                     and code(first.wait) == "OK", strict)
    asked: list[bool] = []

    def load(request: sdimage.LoadRequest) -> bytes:  # type: ignore[name-defined]
        asked.append(True)
        goes_on.wait(60)
        return body

    goes_on.clear()
    loader = sdimage.Loader(load)
    first = here.manager.start("test://h/a", accept_invalid_certificates=True, loader=loader)
    second = here.manager.start("test://h/a", loader=loader)
    goes_on.set()
    codes = [code(first.wait), code(second.wait)]
    report.check("trust: a loader of the program is asked by each of both", codes == ["OK", "OK"] and len(asked) == 2,
                 f"{codes} {asked}")


def revalidations(here: World, body: bytes, authority: Authority) -> None:
    """A response under an invalid certificate neither revalidates nor replaces a copy of the true origin."""
    forged = sdimage.decode(body).encode("png")
    good, bad = context(authority.sign("true")), context((authority.folder / "stranger.pem", authority.folder / "stranger.key"))
    for name, freshness in (("respect", "respect"), ("refresh", "refresh")):
        for reply in ("not modified", "another image", "no-store", "gone"):
            port = Port()
            # A persistent connection would be used instead of the other server.
            with Server(lambda c: (c.answer(body, ETag='"a"', Cache_Control="max-age=0", Connection="close"), c.close()),
                        good, port.number) as server:
                url = server.url("/a")
                here.manager.load(url, wait_for_store=True)
                before = here.cache.data(url)

            def lie(connection: Connection, reply: str = reply) -> None:
                if reply == "not modified":
                    connection.send(head(304, ETag='"a"', Cache_Control="max-age=100000"))
                elif reply == "gone":
                    connection.answer(b"", 410)
                else:
                    fields = {"Cache_Control": "no-store"} if reply == "no-store" else {"Cache_Control": "max-age=100000"}
                    connection.answer(forged, ETag='"b"', **fields)

            with Server(lie, bad, port.number) as server:
                lenient = code(lambda: here.manager.load(url, accept_invalid_certificates=True, freshness=freshness,
                                                         wait_for_store=True))
                here.cache.flush()
                after = here.cache.data(url)
                # Still stale: the strict load tries to revalidate it, and fails.
                result = here.manager.load(url, freshness="respect")
                strict = result.error.code if result.error else "OK"
                here.cache.clear(disk=False)
                shown = here.manager.load(url, freshness="ignore").data
            report.check(f"trust, {name}, {reply}: the copy stays as it was",
                         after == before == body and strict == "TLS_FAILED" and shown == body,
                         f"{lenient} {strict} {after == before}")
            port.close()


def failures(here: World, body: bytes, authority: Authority) -> None:
    """A failure under an invalid certificate is not remembered for other loads."""
    good, bad = context(authority.sign("again")), context((authority.folder / "stranger.pem", authority.folder / "stranger.key"))
    lies = {"404": lambda c: c.answer(b"", 404), "410": lambda c: c.answer(b"", 410), "451": lambda c: c.answer(b"", 451),
            "no image": lambda c: c.answer(b"no image at all")}
    for name, lie in lies.items():
        port = Port()
        with Server(lie, bad, port.number) as server:
            url = server.url("/a")
            lenient = code(lambda: here.manager.load(url, accept_invalid_certificates=True))
        with Server(lambda c: c.answer(body), good, port.number):
            strict = code(lambda: here.manager.load(url))
        port.close()
        report.check(f"trust: {name} under an invalid certificate is not remembered", lenient != "OK" and strict == "OK",
                     f"{lenient} {strict}")


def cookies(here: World, body: bytes, authority: Authority) -> None:
    """Connections with and without a verified certificate have separate cookies."""
    good, bad = context(authority.sign("cookies")), context((authority.folder / "stranger.pem", authority.folder / "stranger.key"))
    sent: list[str] = []

    def answer(cookie: str) -> Callable[[Connection], None]:
        def set_cookie(connection: Connection) -> None:
            sent.append(connection.headers.get("cookie", ""))
            connection.answer(body, Set_Cookie=cookie, Cache_Control="no-store", Connection="close")
            connection.close()
        return set_cookie

    port = Port()
    for certificate, cookie, lenient in ((good, "session=true", False), (bad, "session=forged", True), (good, "b=2", False),
                                         (bad, "c=3", True)):
        with Server(answer(cookie), certificate, port.number) as server:
            here.manager.load(server.url("/a"), handle_cookies=True, accept_invalid_certificates=lenient, freshness="refresh")
    port.close()
    report.check("trust: cookies under an invalid certificate stay apart",
                 sent == ["", "", "session=true", "session=forged"], repr(sent))


def trust(good: bytes, folder: pathlib.Path, authority: Authority) -> None:
    stranger = folder / "stranger.pem"
    if not stranger.exists():
        Authority(folder, "stranger")
    invalid = context((stranger, folder / "stranger.key"))
    files = {"jpeg": (FIXTURES / "jpeg/large_progressive.jpg").read_bytes(), "png": (FIXTURES / "pictures/contour-map.png").read_bytes(),
             "gif": (FIXTURES / "pictures/orbits.gif").read_bytes()}
    with world(ca_file=str(authority.file)) as here:
        ways(here, files, invalid)
        together(here, files["jpeg"], invalid)
        revalidations(here, files["jpeg"], authority)
        failures(here, good, authority)
        cookies(here, good, authority)
