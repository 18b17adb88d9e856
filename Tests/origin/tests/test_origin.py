"""The test origin, tested with the standard library's client."""

from __future__ import annotations

import gzip
import http.client
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import urllib.parse
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parents[1]))
from origin import TOKEN, Origin  # noqa: E402
from origin.jpeg import jpeg as encode  # noqa: E402


def jpeg() -> bytes:
    return encode(64, 48)


class TestCase(unittest.TestCase):
    def folder(self) -> str:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        return holder.name

    def origin(self) -> Origin:
        """A running origin."""
        origin = Origin().start()
        self.addCleanup(origin.stop)
        return origin


class Answers(TestCase):
    def ask(self, origin: Origin, path: str, **headers: str) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection(*origin.address, timeout=120)
        self.addCleanup(connection.close)
        connection.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        return connection.getresponse()

    def test_validators_are_answered_with_304(self) -> None:
        origin = self.origin()
        origin.add("a.jpg", jpeg())
        first = self.ask(origin, "/a.jpg")
        self.assertEqual((first.status, first.read(), first.headers["Content-Type"]), (200, jpeg(), "image/jpeg"))
        self.assertEqual(self.ask(origin, "/a.jpg", If_None_Match=first.headers["ETag"]).status, 304)
        self.assertEqual(self.ask(origin, "/a.jpg", If_Modified_Since=first.headers["Last-Modified"]).status, 304)
        self.assertEqual(self.ask(origin, "/a.jpg", If_None_Match='"other"').status, 200)
        self.assertEqual(origin.counters()["not_modified"], 2)

    def test_ranges_are_answered_with_206(self) -> None:
        origin = self.origin()
        origin.add("a.bin", bytes(range(100)))
        part = self.ask(origin, "/a.bin", Range="bytes=10-19")
        self.assertEqual((part.status, part.read()), (206, bytes(range(10, 20))))
        self.assertEqual(part.headers["Content-Range"], "bytes 10-19/100")
        self.assertEqual(self.ask(origin, "/a.bin", Range="bytes=-5").read(), bytes(range(95, 100)))
        self.assertEqual(self.ask(origin, "/a.bin", Range="bytes=100-").status, 416)
        self.assertEqual(self.ask(origin, "/a.bin", Range="bytes=10-", If_Range='"other"').status, 200)

    def test_a_connection_is_kept_and_counted(self) -> None:
        origin = self.origin()
        origin.add("a.jpg", jpeg())
        connection = http.client.HTTPConnection(*origin.address, timeout=120)
        self.addCleanup(connection.close)
        for _ in range(3):
            connection.request("GET", "/a.jpg?x")
            connection.getresponse().read()
        connection.request("GET", "/_counters")
        counters = json.loads(connection.getresponse().read())
        self.assertEqual((counters["connections"], counters["requests"]), (1, 3))
        self.assertEqual((counters["paths"], counters["bytes"]), ({"a.jpg": 3}, 3 * len(jpeg())))
        connection.request("GET", "/_reset")
        self.assertEqual(json.loads(connection.getresponse().read())["requests"], 0)

    def test_signed_urls_change_and_others_are_refused(self) -> None:
        origin = self.origin()
        origin.add("a b.jpg", jpeg())
        urls = [origin.signed("a b.jpg") for _ in range(2)]
        self.assertNotEqual(*urls)
        for url in urls:
            self.assertEqual(self.ask(origin, url.removeprefix(origin.url("")[:-1])).read(), jpeg())
        path = urls[0].removeprefix(origin.url("")[:-1])
        for bad in ("/signed/a%20b.jpg", path.replace("Policy=", "Policy=0"), path.replace("Signature=", "Signature=0")):
            self.assertEqual(self.ask(origin, bad).status, 403)
        late = origin.signed("a b.jpg", seconds=-1).removeprefix(origin.url("")[:-1])
        self.assertEqual(self.ask(origin, late).status, 403)

    def test_passwords_and_tokens_are_asked_for(self) -> None:
        origin = self.origin()
        origin.add("a.jpg", jpeg())
        challenge = self.ask(origin, "/a.jpg?auth=basic")
        self.assertEqual((challenge.status, challenge.headers["WWW-Authenticate"][:6]), (401, "Basic "))
        # RFC 7617: user and password in base 64.
        self.assertEqual(self.ask(origin, "/a.jpg?auth=basic", Authorization="Basic ZGVtbzpzZWNyZXQ=").read(), jpeg())
        self.assertEqual(self.ask(origin, "/a.jpg?auth=bearer", Authorization="Bearer other").status, 401)
        self.assertEqual(self.ask(origin, "/a.jpg?auth=bearer", Authorization=f"Bearer {TOKEN}").read(), jpeg())

    def test_redirects_change_the_port(self) -> None:
        origin = self.origin()
        origin.add("a.jpg", jpeg())
        ports = []
        place = "/redirect?to=/a.jpg&n=2&other=1"
        host, port = origin.address
        while True:
            connection = http.client.HTTPConnection(host, port, timeout=120)
            self.addCleanup(connection.close)
            connection.request("GET", place)
            answer = connection.getresponse()
            if answer.status != 302:
                break
            split = urllib.parse.urlsplit(answer.headers["Location"])
            place, port = f"{split.path}?{split.query}", split.port or 0
            ports.append(port)
        self.assertEqual((answer.read(), ports[1]), (jpeg(), origin.address[1]))
        self.assertNotEqual(ports[0], ports[1])

    def test_gzip_age_and_cache_control_are_as_told(self) -> None:
        origin = self.origin()
        origin.add("a.jpg", jpeg())
        answer = self.ask(origin, "/a.jpg?gzip=1&age=9&cache=no-store", Accept_Encoding="gzip")
        self.assertEqual((answer.headers["Age"], answer.headers["Cache-Control"]), ("9", "no-store"))
        self.assertEqual((answer.headers["Content-Encoding"], gzip.decompress(answer.read())), ("gzip", jpeg()))
        self.assertEqual(self.ask(origin, "/a.jpg?gzip=1").read(), jpeg())

    def test_the_log_says_what_was_asked_and_sent(self) -> None:
        origin = self.origin()
        origin.add("a.bin", bytes(100))
        with self.assertRaises(http.client.IncompleteRead):
            self.ask(origin, "/a.bin?fault=short&at=60").read()
        self.ask(origin, "/a.bin", Range="bytes=60-").read()
        self.ask(origin, "/none").read()
        log = origin.log("a.bin")
        self.assertEqual([(each.status, each.sent, each.range) for each in log], [(200, 60, ""), (206, 40, "bytes=60-")])
        self.assertLessEqual(log[0].at, log[1].at)
        self.assertEqual(origin.counters()["statuses"], {"200": 1, "206": 1, "404": 1})

    def test_an_origin_that_stopped_sends_no_response(self) -> None:
        with Origin() as origin:
            origin.add("a.jpg", jpeg())
            connection = http.client.HTTPConnection(*origin.address, timeout=120)
            self.addCleanup(connection.close)
            connection.request("GET", "/a.jpg")
            connection.getresponse().read()
        with self.assertRaises((OSError, http.client.HTTPException)):
            connection.request("GET", "/a.jpg")
            connection.getresponse()

    def test_nothing_outside_the_folder_is_served(self) -> None:
        folder = self.folder()
        with open(folder + "/a.txt", "w") as file:
            file.write("in")
        with Origin(folder) as origin:
            self.assertEqual(self.ask(origin, "/a.txt").read(), b"in")
            self.assertEqual(json.loads(self.ask(origin, "/").read()), ["a.txt"])
            for path in ("/../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd"):
                self.assertEqual(self.ask(origin, path).status, 404)

    def test_it_runs_as_a_program(self) -> None:
        process = subprocess.Popen(
            [sys.executable, str(HERE.parent), "--folder", str(HERE)],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout
        try:
            address = process.stdout.readline().strip()
            with urllib.request.urlopen(address + "test_origin.py") as answer:
                self.assertIn(b"standard library's client", answer.read())
        finally:
            process.terminate()
            process.communicate()
