"""Custom HTTP clients, methods and bodies."""

from __future__ import annotations

import http.client
import threading
from urllib.parse import urlsplit

from .support import TestCase, png, sdimage


def over_http_client(request: sdimage.TransportRequest) -> tuple[int, list[tuple[str, str]], bytes]:
    """The response according to the standard library."""
    url = urlsplit(request.url)
    connection = http.client.HTTPConnection(url.netloc, timeout=120)
    try:
        connection.request(request.method, url.path, request.body, dict(request.headers))
        answer = connection.getresponse()
        return answer.status, answer.getheaders(), answer.read()
    finally:
        connection.close()


class Transport(TestCase):
    def test_another_client_does_the_exchanges(self) -> None:
        origin = self.origin()
        urls = [origin.add(f"{width}.png", png(width, 2)) for width in range(1, 20)]
        loader = sdimage.Loader.http(transport=sdimage.Transport(over_http_client))
        manager = self.manager(loader=loader)
        for width, url in enumerate(urls, 1):
            result = manager.load(url)
            self.assertEqual((result.image.width, result.source), (width, "network"))
        self.assertEqual(self.assert_error("HTTP_STATUS", manager.load, origin.url("none.png")).http_status, 404)

    def test_content_may_come_in_pieces_and_failures_have_names(self) -> None:
        tried = threading.Semaphore(0)

        def transport(request: sdimage.TransportRequest) -> tuple[int, dict[str, str], list[bytes]]:
            if request.url.endswith("lost"):
                tried.release()
                raise sdimage.Error("CONNECTION_LOST", "the cable")
            if request.url.endswith("odd"):
                raise ValueError("no idea")
            data = png()
            return 200, {"Content-Type": "image/png"}, [data[:50], data[50:]]

        loader = sdimage.Loader.http(transport=sdimage.Transport(transport), retry_delay_ms=(1, 1), max_retries=1)
        manager = self.manager(loader=loader)
        self.assertEqual(manager.load("http://pictures.test/a").data, png())
        self.assertIn("the cable", self.assert_error("CONNECTION_LOST", manager.load, "http://pictures.test/lost").message)
        self.assertTrue(tried.acquire(timeout=120) and tried.acquire(timeout=120))
        with self.assertLogs("sdimage") as logged:
            error = self.assert_error("INTERNAL_ERROR", manager.load, "http://pictures.test/odd")
        self.assertIn("no idea", error.message)
        self.assertIsInstance(error.__cause__, ValueError)
        self.assertIn("transport raised", logged.output[0])

    def test_method_and_body_are_sent(self) -> None:
        seen: list[tuple[str, bytes | None, str | None]] = []

        def transport(request: sdimage.TransportRequest) -> tuple[int, dict[str, str], bytes]:
            seen.append((request.method, request.body, request.header("X-Own")))
            return 200, {}, png()

        loader = sdimage.Loader.http(transport=sdimage.Transport(transport))
        manager = self.manager(loader=loader)
        manager.load("http://pictures.test/a", method="POST", body=b"wish", headers={"X-Own": "1"}, cache=None)
        hooks = sdimage.DownloadHooks.fixed(method="PUT", body=b"same", headers={"X-Own": "2"})
        manager.load("http://pictures.test/b", hooks=hooks)
        self.assertEqual(seen, [("POST", b"wish", "1"), ("PUT", b"same", "2")])
        answers = sdimage.DownloadHooks.fixed(status=404)
        self.assert_error("HTTP_STATUS", manager.load, "http://pictures.test/c", hooks=answers)


class Fields(TestCase):
    """``None`` in `headers` removes a field."""

    def sent(self, own: dict[str, str | None] | None = None, **options: object) -> dict[str, str]:
        """The header fields that a load sends; `own` are those of the downloader."""
        seen: list[sdimage.TransportRequest] = []
        fields: dict[str, str] = {}

        def answer(request: sdimage.TransportRequest) -> tuple[int, dict[str, str], bytes]:
            seen.append(request)
            fields.update(request.headers)
            return 200, {"Content-Type": "image/png"}, png()

        loader = sdimage.Loader.http(transport=sdimage.Transport(answer), headers=own)
        self.manager(cache=None, loader=loader).load("http://pictures.test/a", **options)
        return fields

    def test_of_a_downloader(self) -> None:
        self.assertIn("Accept", self.sent())
        self.assertNotIn("Accept", self.sent({"accept": None}))
        self.assertEqual(self.sent({"X-Own": "1"})["X-Own"], "1")

    def test_of_a_request(self) -> None:
        hooks = sdimage.LoadHooks(process_request=lambda request: request.set(headers={"X-Own": None}))
        seen: list[list[tuple[str, str]]] = []

        def load(request: sdimage.LoadRequest) -> bytes:
            seen.append(request.headers)
            return png()

        manager = self.manager(cache=None, loader=load, load_hooks=hooks)
        manager.load("x:a", headers={"X-Own": "1", "X-Other": "2"})
        self.assertEqual(seen, [[("X-Other", "2")]])

    def test_of_one_load_that_the_downloader_sets(self) -> None:
        fields = self.sent({"X-Own": "1"}, headers={"X-Own": None, "accept": None})
        self.assertIsNone(fields.get("X-Own"))
        self.assertIsNone(fields.get("Accept"))
        self.assertIn("User-Agent", fields)

    def test_of_a_running_downloader(self) -> None:
        seen: list[dict[str, str]] = []

        def answer(request: sdimage.TransportRequest) -> tuple[int, dict[str, str], bytes]:
            seen.append(dict(request.headers))
            return 200, {"Content-Type": "image/png"}, png()

        loader = sdimage.Loader.http(transport=sdimage.Transport(answer), headers={"X-Own": "1"})
        self.assertEqual(dict(loader.headers)["X-Own"], "1")
        loader.set_header("X-Own", "2")
        loader.load("http://pictures.test/a")
        loader.set_header("x-own", None)
        loader.load("http://pictures.test/a")
        self.assertEqual([fields.get("X-Own") for fields in seen], ["2", None])
        self.assertNotIn("X-Own", dict(loader.headers))
        self.assertEqual(loader.config["headers"], {"x-own": None})
        self.assert_error("INVALID_REQUEST", loader.set_header, "a b", "c")

