"""Download hooks."""

from __future__ import annotations

import base64
import logging
import threading

from .support import TestCase, png, sdimage


class Hooks(TestCase):
    def test_a_request_is_modified_or_refused(self) -> None:
        origin = self.origin()
        origin.add("signed.png", png())

        def sign(request: sdimage.DownloadRequest) -> None:
            if request.url.endswith("refused.png"):
                raise ValueError("no key for that")
            self.assertEqual((request.header("X-Own"), request.header("X-Other")), ("mine", None))
            request.url = request.url.replace("plain", "signed")
            request.set_header("Authorization", "Bearer t")

        loader = sdimage.Loader.http(hooks=sdimage.DownloadHooks(modify_request=sign))
        manager = self.manager(loader=loader)
        result = manager.load(origin.url("plain.png"), headers={"X-Own": "mine"})
        self.assertEqual((result.url, origin.hits("signed.png")), (origin.url("plain.png"), 1))
        error = self.assert_error("INVALID_REQUEST", manager.load, origin.url("refused.png"))
        self.assertIn("no key for that", error.message)

    def test_an_answer_is_changed_before_it_is_judged(self) -> None:
        origin = self.origin()
        url = origin.add("a.png", png())

        def refuse(response: sdimage.DownloadResponse) -> None:
            self.assertEqual((response.status, response.url), (200, url))
            self.assertEqual(response.header("content-type"), "image/png")
            response.set_header("Content-Type", "image/x-other")
            response.status = 418

        hooks = sdimage.DownloadHooks(modify_response=refuse)
        error = self.assert_error("HTTP_STATUS", self.manager().load, url, hooks=hooks)
        self.assertEqual(error.http_status, 418)

    def test_bodies_are_decrypted(self) -> None:
        origin, manager = self.origin(), self.manager()
        masked = origin.add("masked.png", bytes(value ^ 90 for value in png()), "application/octet-stream")
        text = origin.add("text.png", base64.b64encode(png()), "text/plain")
        hooks = sdimage.DownloadHooks(decrypt=lambda data, _response: bytes(value ^ 90 for value in data))
        self.assertEqual(manager.load(masked, hooks=hooks).data, png())
        self.assertEqual(manager.load(text, hooks=sdimage.DownloadHooks.base64()).data, png())
        broken = sdimage.DownloadHooks(decrypt=lambda data, response: b"")
        self.assert_error("BAD_DATA", manager.load, masked + "?other", hooks=broken)

    def test_redirects_are_followed_refused_or_led_elsewhere(self) -> None:
        origin, manager = self.origin(), self.manager()
        good, other = origin.add("good.png", png()), origin.add("other.png", png(3, 3))
        for said, width in ((True, 8), (other, 3), (False, 0)):
            hooks = sdimage.DownloadHooks(redirect=lambda _from, _to, _status, said=said: said)
            url = origin.url(f"redirect?to={good}&said={width}")
            if said:
                image = manager.load(url, hooks=hooks).image
                self.assertEqual(image.width if image else None, width)
            else:
                self.assert_error("REDIRECT_FORBIDDEN", manager.load, url, hooks=hooks)

    def test_events_are_heard_in_their_order(self) -> None:
        origin = self.origin()
        url = origin.add("a.png", png())
        seen: list[sdimage.DownloadEvent] = []
        done = threading.Event()

        def hear(event: sdimage.DownloadEvent) -> None:
            seen.append(event)
            if event.kind == "finished":
                done.set()

        self.manager(loader=sdimage.Loader.http(hooks=sdimage.DownloadHooks(event=hear))).load(url)
        self.assertTrue(done.wait(120))
        self.assertEqual([event.kind for event in seen], ["started", "responded", "stopped", "finished"])
        last = seen[-1]
        self.assertEqual((last.url, last.http_status, last.received, last.error), (url, 200, len(png()), None))

    def test_an_exception_of_a_hook_is_logged_and_raised_to_the_caller(self) -> None:
        origin = self.origin()
        good = origin.add("good.png", png())

        def fail(*_arguments: object) -> bytes:
            raise ZeroDivisionError("by nought")

        for name, url, code in (
            ("modify_request", good + "?1", "INVALID_REQUEST"),
            ("modify_response", good + "?2", "INVALID_RESPONSE"),
            ("decrypt", good + "?3", "BAD_DATA"),
            ("redirect", origin.url(f"redirect?to={good}"), "REDIRECT_FORBIDDEN"),
        ):
            hooks = sdimage.DownloadHooks(**{name: fail})  # type: ignore[arg-type]
            with self.subTest(name), self.assertLogs("sdimage") as logged:
                error = self.assert_error(code, self.manager(cache=None).load, url, hooks=hooks)
                self.assertIsInstance(error.__cause__, ZeroDivisionError)
                self.assertIn(f"{name} raised", logged.output[0])

    def test_an_exception_of_an_event_is_logged(self) -> None:
        logged = threading.Event()

        class Handler(logging.Handler):
            def emit(self, record: logging.LogRecord) -> None:
                if record.getMessage().startswith("event raised ZeroDivisionError"):
                    logged.set()

        def fail(event: sdimage.DownloadEvent) -> None:
            raise ZeroDivisionError("by nought")

        handler = Handler()
        log = logging.getLogger("sdimage")
        log.addHandler(handler)
        self.addCleanup(log.removeHandler, handler)
        hooks = sdimage.DownloadHooks(event=fail)
        result = self.manager(cache=None).load(self.origin().add("a.png", png()), hooks=hooks)
        self.assertIsNotNone(result.image)
        self.assertTrue(logged.wait(120))
