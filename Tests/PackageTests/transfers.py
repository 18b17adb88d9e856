"""Transfers by the wheel's own libcurl, on a machine without another libcurl."""

from __future__ import annotations

import contextlib
import gzip
import http.server
import json
import pathlib
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Tests/HeaderTests"), str(ROOT / "Tests/NetworkTests")]
import report  # noqa: E402
from certificates import Authority, context  # noqa: E402
from nginx import Nginx, find  # noqa: E402

PICTURE = ROOT / "Tests/Fixtures/pictures/badge.png"
#: Features of curl_version_info() that the library relies on, by their names in curl.h.
FEATURES = {"SSL", "IPV6", "LIBZ", "ASYNCHDNS", "LARGEFILE", "IDN", "HTTP2", "PSL", "HTTPS_PROXY", "BROTLI", "ZSTD", "UNIX_SOCKETS",
            "THREADSAFE"}
#: Features that need a library which the wheel does not carry, or a protocol that the library does not use.
UNWANTED = {"KERBEROS4", "NTLM", "GSSNEGOTIATE", "SPNEGO", "SSPI", "NTLM_WB", "TLSAUTH_SRP", "GSSAPI", "KERBEROS5", "DEBUG", "CURLDEBUG"}
HOSTS = "127.0.0.1 shop.co.uk bank.co.uk xn--bcher-kva.example\n"


class Server(http.server.ThreadingHTTPServer):
    """Serves one image at every path; records the fields of each request."""

    def __init__(self, fields: dict[str, str] | None = None, pack: Callable[[bytes], bytes] = bytes) -> None:
        self.requests: list[dict[str, str]] = []
        body = pack(PICTURE.read_bytes())

        class Handler(http.server.BaseHTTPRequestHandler):
            server: Server

            def do_GET(self) -> None:
                self.server.requests.append({name.lower(): value for name, value in self.headers.items()})
                self.send_response(200)
                for name, value in (fields or {}).items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None: ...

        super().__init__(("127.0.0.1", 0), Handler)

    @property
    def port(self) -> int:
        return self.server_address[1]


@contextlib.contextmanager
def running(server: Server) -> Iterator[Server]:
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def load(here: Any, *urls: str) -> list[str]:
    """A line for each URL: the width of the image and the protocol, or the error."""
    done = here.inside("urls", *urls)
    return done.stdout.splitlines() or [done.stderr[-300:]]


def capabilities(here: Any) -> None:
    done = here.inside("curl")
    said = json.loads(done.stdout) if done.stdout.startswith("{") else {"protocols": done.stderr[-300:], "features": []}
    report.check("the wheel's libcurl speaks HTTP and HTTPS alone", sorted(said["protocols"]) == ["http", "https"], f"{said['protocols']}")
    lacking, unwanted = FEATURES - set(said["features"]), UNWANTED & set(said["features"])
    report.check("the wheel's libcurl has the features that the engine relies on, and no other protocol's",
                 not lacking and not unwanted, f"without {lacking}, with {unwanted}")
    report.check("the engine uses the wheel's libcurl", said.get("mapped") == 1, f"{said}")


def encodings(here: Any) -> None:
    packers: dict[str, Callable[[bytes], bytes]] = {"gzip": gzip.compress}
    for encoding, tool in (("br", "brotli"), ("zstd", "zstd")):
        if shutil.which(tool):
            packers[encoding] = lambda data, tool=tool: subprocess.run([tool, "-c"], input=data, capture_output=True, check=True).stdout
        else:
            report.skip(f"the wheel decodes {encoding}", f"{tool} is not installed")
    for encoding, pack in packers.items():
        with running(Server({"Content-Encoding": encoding}, pack)) as server:
            lines = load(here, f"http://127.0.0.1:{server.port}/picture.png")
            asked = [request.get("accept-encoding", "") for request in server.requests]
        report.check(f"the wheel decodes {encoding}", lines[0].split()[0].isdigit(), f"{lines}")
        report.check(f"the wheel accepts {encoding}", asked and all(encoding in each for each in asked), f"{asked}")


def names(here: Any) -> None:
    """International host names, and cookies for a public suffix."""
    with (here.system.folder / "etc/hosts").open("a") as hosts:
        hosts.write(HOSTS)
    with running(Server()) as server:
        lines = load(here, f"http://b\u00fccher.example:{server.port}/picture.png")
        asked = [request["host"] for request in server.requests]
    report.check("the wheel loads from an international host name",
                 lines[0].split()[0].isdigit() and asked == [f"xn--bcher-kva.example:{server.port}"], f"{lines} {asked}")
    with running(Server({"Set-Cookie": "all=1; Domain=co.uk", "Cache-Control": "no-store"})) as server:
        load(here, *(f"http://{host}:{server.port}/picture.png" for host in ("shop.co.uk", "bank.co.uk")))
        sent = [request.get("cookie") for request in server.requests]
    report.check("a host sets no cookie for a public suffix", sent == [None, None], f"{sent}")
    with running(Server({"Set-Cookie": "own=1; Path=/", "Cache-Control": "no-store"})) as server:
        load(here, *(f"http://shop.co.uk:{server.port}/{number}.png" for number in range(2)))
        sent = [request.get("cookie") for request in server.requests]
    report.check("a host sets a cookie for itself", sent == [None, "own=1"], f"{sent}")


def certificates(here: Any, authority: Authority) -> None:
    """Certificate authorities at the path that Fedora uses."""
    server = Server()
    server.socket = context(authority.sign("server")).wrap_socket(server.socket, server_side=True)
    with running(server):
        url = f"https://127.0.0.1:{server.port}/picture.png"
        lines = load(here, url)
        report.check("without certificate authorities HTTPS fails", lines == ["TLS_FAILED"], f"{lines}")
        place = here.system.folder / "etc/pki/tls/certs/ca-bundle.crt"
        place.parent.mkdir(parents=True)
        shutil.copy(authority.file, place)
        lines = load(here, url)
        report.check("the authorities of other distributions are found", lines[0].split()[0].isdigit(), f"{lines}")


def http2(here: Any, folder: pathlib.Path, authority: Authority) -> None:
    if find() is None:
        report.skip("the wheel speaks HTTP/2", "nginx is not installed")
        return
    (folder / "site").mkdir()
    shutil.copy(PICTURE, folder / "site")
    with Nginx(folder, authority.sign("nginx"), authority.file) as server:
        lines = load(here, f"https://127.0.0.1:{server.tls}/{PICTURE.name}")
    report.check("the wheel speaks HTTP/2", lines[0].endswith(" HTTP/2"), f"{lines}")


def check(here: Any, folder: pathlib.Path) -> None:
    capabilities(here)
    encodings(here)
    names(here)
    place = folder / "transfers"
    place.mkdir()
    folder.chmod(0o755)  # the workers of nginx, which run as another user, need access
    authority = Authority(place)
    certificates(here, authority)
    http2(here, place, authority)
