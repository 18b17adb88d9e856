"""Runs where the package was installed, without the checkout: prints a line for each requested item.

    inside.py load FOLDER | formats FILE… | urls URL… | curl"""

import ctypes
import functools
import http.server
import json
import pathlib
import sys
import tempfile
import threading


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def load(folder: str) -> None:
    """Serves the folder, and loads every image from there twice."""
    import sdimage

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_address[1]}"
    with tempfile.TemporaryDirectory() as cache, sdimage.Manager(cache=sdimage.ImageCache(cache)) as manager:
        for path in sorted(pathlib.Path(folder).iterdir()):
            result = manager.load(f"{base}/{path.name}")
            image = result.image
            again = manager.load(f"{base}/{path.name}").source
            print(path.name, image.format, image.width, image.height, len(set(image.tobytes())) > 16, result.source, again, flush=True)


def formats(*files: str) -> None:
    import sdimage

    plugins = sdimage.load_plugins()
    for file in files:
        try:
            image = sdimage.decode(pathlib.Path(file))
            print(pathlib.Path(file).name, image.width, image.height)
        except sdimage.Error as error:
            print(pathlib.Path(file).name, error.code)
    print(json.dumps({"plugins": {name: str(plugin.error) for name, plugin in plugins.items()}, **sdimage.doctor()["libraries"]}))


def urls(*urls: str) -> None:
    import sdimage

    with sdimage.Manager(cache=None) as manager:
        for url in urls:
            try:
                result = manager.load(url, handle_cookies=True)
                print(result.image.width, result.transactions[0].protocol)
            except sdimage.Error as error:
                print(error.code)


def curl() -> None:
    """curl_version_info() of the copy in the wheel, and the number of copies of libcurl in the process."""
    import sdimage

    class Info(ctypes.Structure):
        _fields_ = [("age", ctypes.c_int), ("version", ctypes.c_char_p), ("number", ctypes.c_uint), ("host", ctypes.c_char_p),
                    ("features", ctypes.c_int), ("ssl", ctypes.c_char_p), ("ssl_number", ctypes.c_long), ("libz", ctypes.c_char_p),
                    ("protocols", ctypes.POINTER(ctypes.c_char_p))]

    sdimage.doctor()
    maps = pathlib.Path("/proc/self/maps").read_text()
    paths = {line.split()[-1] for line in maps.splitlines() if "/libcurl" in line}
    library = ctypes.CDLL(paths.copy().pop())
    library.curl_version_info.restype = ctypes.POINTER(Info)
    info = library.curl_version_info(10).contents
    protocols = []
    while info.protocols[len(protocols)]:
        protocols.append(info.protocols[len(protocols)].decode())
    names = ("IPV6 KERBEROS4 SSL LIBZ NTLM GSSNEGOTIATE DEBUG ASYNCHDNS SPNEGO LARGEFILE IDN SSPI CONV CURLDEBUG TLSAUTH_SRP NTLM_WB HTTP2 "
             "GSSAPI KERBEROS5 UNIX_SOCKETS PSL HTTPS_PROXY MULTI_SSL BROTLI ALTSVC HTTP3 ZSTD UNICODE HSTS GSASL THREADSAFE").split()
    features = [name for bit, name in enumerate(names) if info.features & (1 << bit)]
    print(json.dumps({"protocols": protocols, "features": features, "mapped": len(paths)}))


globals()[sys.argv[1]](*sys.argv[2:])
