"""The built-in downloader through the package: retries, resumption, configuration, reports."""

from __future__ import annotations

from .support import TestCase, becomes, jpeg, png, sdimage


class Downloads(TestCase):
    def test_a_transient_failure_is_tried_again_and_told(self) -> None:
        origin = self.origin()
        origin.add("a.png", png(5, 4))
        loader = sdimage.Loader.http(retry_delay_ms=(1, 2))
        result = self.manager(loader=loader).load(origin.url("a.png?status=503&first=2"))
        self.assertEqual([each.http_status for each in result.transactions], [503, 503, 200])
        last = result.transactions[-1]
        self.assertEqual(last.protocol, "HTTP/1.1")
        self.assertEqual(last.remote_address, "{}:{}".format(*origin.address))
        self.assertTrue(last.is_connection_reused)
        self.assertEqual(last.body_bytes, len(png(5, 4)))
        self.assertGreater(last.wire_bytes, last.body_bytes)
        self.assertGreater(last.times_ns["total"], 0)

    def test_the_request_says_how_often(self) -> None:
        origin = self.origin()
        origin.add("a.png", png(5, 4))
        manager = self.manager(loader=sdimage.Loader.http(max_retries=0, retry_delay_ms=(1, 2)))
        with self.assertRaises(sdimage.Error) as caught:
            manager.load(origin.url("a.png?status=503&first=1"))
        self.assertEqual(caught.exception.http_status, 503)
        manager.load(origin.url("a.png?status=503&first=2"), max_retries=1)
        self.assertEqual(origin.hits("a.png"), 3)

    def test_a_broken_transfer_goes_on_where_it_broke_off(self) -> None:
        origin = self.origin()
        picture = jpeg(640, 480)
        origin.add("a.jpg", picture)
        manager = self.manager(loader=sdimage.Loader.http(retry_delay_ms=(1, 2)))
        result = manager.load(origin.url("a.jpg?fault=short&first=1"))
        self.assertEqual(result.data, picture)
        self.assertEqual([each.http_status for each in result.transactions], [200, 206])
        self.assertEqual(origin.counters()["bytes"], len(picture))

    def test_statuses_types_and_users_are_configured(self) -> None:
        origin = self.origin()
        origin.add("a.png", png(5, 4))

        def code(path: str, **options: object) -> str:
            manager = self.manager(loader=sdimage.Loader.http(max_retries=0, **options))  # type: ignore[arg-type]
            try:
                manager.load(origin.url(path))
                return "OK"
            except sdimage.Error as error:
                return error.code

        self.assertEqual(code("a.png", acceptable_content_types=["image/png"]), "OK")
        self.assertEqual(code("a.png", acceptable_content_types=["image/jpeg"]), "CONTENT_TYPE")
        self.assertEqual(code("a.png", acceptable_statuses=[(500, 599)]), "HTTP_STATUS")
        self.assertEqual(code("a.png?status=404", acceptable_statuses=[]), "NOT_AN_IMAGE")
        self.assertEqual(code("a.png", proxy="http://127.0.0.1:1"), "CONNECT_FAILED")
        self.assertEqual(code("a.png", proxy="http://127.0.0.1:1", no_proxy="127.0.0.1"), "OK")
        self.assertEqual(code("a.png", unix_socket="/nowhere/at/all"), "CONNECT_FAILED")
        self.assertEqual(code("a.png", bearer_token="a", user_agent="b", credential=("c", "d"), http_version="1.1"), "OK")
        self.assertEqual(code("a.png?status=401", credential=("c", "d")), "AUTHENTICATION_FAILED")

    def test_a_running_downloader_is_steered(self) -> None:
        origin = self.origin()
        origin.add("a.png", png(5, 4))
        loader = sdimage.Loader.http()
        manager = self.manager(loader=loader)
        loader.suspended = True
        self.assertTrue(loader.suspended)
        task = manager.start(origin.url("a.png"))
        self.assertTrue(becomes(lambda: loader.transfer_count))
        self.assertEqual((loader.transfer_count, origin.hits()), (1, 0))
        loader.cancel_all()
        with self.assertRaises(sdimage.Error) as caught:
            task.wait()
        self.assertEqual(caught.exception.code, "CANCELLED")
        loader.suspended = False
        loader.set_max_per_host(1)
        loader.set_max_total(2)
        loader.set_execution_order("lifo")
        manager.load(origin.url("a.png"))
        loader.invalidate(cancel=True)
        with self.assertRaises(sdimage.Error) as caught:
            manager.load(origin.url("b.png"))
        self.assertEqual(caught.exception.code, "INVALID_REQUEST")

    def test_a_text_is_no_tuple(self) -> None:
        for name, value, message in (
            ("credential", "me", "credential must be a tuple of 2, not str"),
            ("credential", ("me", "secret", "more"), "credential must be a tuple of 2, not of 3"),
            ("client_certificate", "pem", "client_certificate must be a tuple of 3, not str"),
            ("client_certificate", ("/me.pem", "/me.key"), "client_certificate must be a tuple of 3, not of 2"),
            ("retry_delay_ms", 5, "retry_delay_ms must be a tuple of 2, not int"),
            ("retry_delay_ms", (5,), "retry_delay_ms must be a tuple of 2, not of 1"),
        ):
            with self.subTest(name, value=value), self.assertRaises(sdimage.Error) as caught:
                sdimage.Loader.http(**{name: value})  # type: ignore[arg-type]
            self.assertEqual(str(caught.exception), message)
        config = sdimage.Loader.http(credential=["me", "secret"], retry_delay_ms=(5, 6)).config  # type: ignore[arg-type]
        self.assertEqual((config["credential"][0], config["retry_delay_ms"]), ("me", (5, 6)))

