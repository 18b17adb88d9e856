"""The embedded origin itself, seen by the standard library's client."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import urllib.request

from .support import PACKAGE, Origin, TestCase, environment, jpeg


class Answers(TestCase):
    def ask(self, origin: Origin, path: str, **headers: str) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection(*origin.address, timeout=10)
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
        connection = http.client.HTTPConnection(*origin.address, timeout=10)
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

    def test_nothing_outside_the_folder_is_served(self) -> None:
        folder = self.folder()
        with open(folder + "/a.txt", "w") as file:
            file.write("in")
        with Origin(folder) as origin:
            self.assertEqual(self.ask(origin, "/a.txt").read(), b"in")
            self.assertEqual(json.loads(self.ask(origin, "/").read()), ["a.txt"])
            for path in ("/../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd"):
                self.assertEqual(self.ask(origin, path).status, 404)

    def test_it_runs_as_a_file_of_its_own(self) -> None:
        process = subprocess.Popen(
            [sys.executable, str(PACKAGE / "sdimage" / "origin.py"), "--folder", str(PACKAGE / "tests")],
            stdout=subprocess.PIPE,
            text=True,
            env=environment(SDIMAGE_LIBRARY="/nowhere"),
        )
        assert process.stdout
        try:
            address = process.stdout.readline().strip()
            with urllib.request.urlopen(address + "test_origin.py") as answer:
                self.assertIn(b"standard library's client", answer.read())
        finally:
            process.terminate()
            process.communicate()
