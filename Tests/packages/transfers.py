"""Transfers by the wheel's own libcurl, on a machine without another libcurl."""

from __future__ import annotations

import gzip
import json
import pathlib
import shutil
import ssl
import subprocess
import sys
from collections.abc import Callable
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Tests/support"), str(ROOT / "Tests/network"), str(ROOT / "Tests")]
import report  # noqa: E402
from certificates import Authority, context  # noqa: E402
from nginx import Nginx, find  # noqa: E402
from origin.scripted import Server  # noqa: E402

PICTURE = ROOT / "Tests/fixtures/pictures/badge.png"
#: Features of curl_version_info() that the library relies on, by their names in curl.h.
FEATURES = {"SSL", "IPV6", "LIBZ", "ASYNCHDNS", "LARGEFILE", "IDN", "HTTP2", "PSL", "HTTPS_PROXY", "BROTLI", "ZSTD", "UNIX_SOCKETS",
            "THREADSAFE"}
#: Features that need a library which the wheel does not carry, or a protocol that the library does not use.
UNWANTED = {"KERBEROS4", "NTLM", "GSSNEGOTIATE", "SPNEGO", "SSPI", "NTLM_WB", "TLSAUTH_SRP", "GSSAPI", "KERBEROS5", "DEBUG", "CURLDEBUG"}
HOSTS = "127.0.0.1 shop.co.uk bank.co.uk xn--bcher-kva.example\n"


def serving(pack: Callable[[bytes], bytes] = bytes, tls: ssl.SSLContext | None = None, **fields: str) -> Server:
    """A server of one image at every path."""
    body = pack(PICTURE.read_bytes())
    return Server(lambda connection: connection.answer(body, **fields), tls)


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
        with serving(pack, Content_Encoding=encoding) as server:
            lines = load(here, f"http://127.0.0.1:{server.port}/picture.png")
            asked = [fields.get("accept-encoding", "") for _, fields in server.requests]
        report.check(f"the wheel decodes {encoding}", lines[0].split()[0].isdigit(), f"{lines}")
        report.check(f"the wheel accepts {encoding}", asked and all(encoding in each for each in asked), f"{asked}")


def names(here: Any) -> None:
    """International host names, and cookies for a public suffix."""
    with (here.system.folder / "etc/hosts").open("a") as hosts:
        hosts.write(HOSTS)
    with serving() as server:
        lines = load(here, f"http://b\u00fccher.example:{server.port}/picture.png")
        asked = [fields["host"] for _, fields in server.requests]
    report.check("the wheel loads from an international host name",
                 lines[0].split()[0].isdigit() and asked == [f"xn--bcher-kva.example:{server.port}"], f"{lines} {asked}")
    with serving(Set_Cookie="all=1; Domain=co.uk", Cache_Control="no-store") as server:
        load(here, *(f"http://{host}:{server.port}/picture.png" for host in ("shop.co.uk", "bank.co.uk")))
        sent = [fields.get("cookie") for _, fields in server.requests]
    report.check("a host sets no cookie for a public suffix", sent == [None, None], f"{sent}")
    with serving(Set_Cookie="own=1; Path=/", Cache_Control="no-store") as server:
        load(here, *(f"http://shop.co.uk:{server.port}/{number}.png" for number in range(2)))
        sent = [fields.get("cookie") for _, fields in server.requests]
    report.check("a host sets a cookie for itself", sent == [None, "own=1"], f"{sent}")


def certificates(here: Any, authority: Authority) -> None:
    """Certificate authorities at the path that Fedora uses."""
    with serving(tls=context(authority.sign("server"))) as server:
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
