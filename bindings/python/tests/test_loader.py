"""Loaders from Python functions."""

from __future__ import annotations

import asyncio
import gc
import threading
import unittest
from collections.abc import Iterator

from .support import TestCase, jpeg, png, sdimage

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]


class Custom(TestCase):
    def test_a_function_loads_bytes(self) -> None:
        seen: list[str] = []

        def load(request: sdimage.LoadRequest) -> bytes:
            seen.append(request.url)
            return png()

        manager = self.manager(loader=load)
        result = manager.load("anything://at/all")
        assert result.image
        self.assertEqual((result.source, result.image.width, seen), ("loader", 8, ["anything://at/all"]))
        self.assertEqual(manager.load("anything://at/all").source, "memory")

    def test_a_generator_loads_in_pieces(self) -> None:
        data = jpeg(640, 480)

        def load(request: sdimage.LoadRequest) -> Iterator[bytes]:
            request.expect(len(data))
            for start in range(0, len(data), 1000):
                yield data[start : start + 1000]

        image = self.manager(loader=load).load("pieces://x").image
        assert image
        self.assertEqual(image.width, 640)

    def test_a_ready_picture_needs_no_bytes(self) -> None:
        picture = sdimage.Image.from_pixels(bytes(48), 4, 4, "rgb8")
        cache = self.cache()
        result = self.manager(cache=cache, loader=lambda request: picture).load("drawn://x", wait_for_store=True)
        assert result.image
        self.assertEqual((result.image.width, result.data or None), (4, None))
        self.assertEqual((cache.contains("drawn://x"), cache.disk_count()), ("memory", 0))

    def test_exceptions_become_errors(self) -> None:
        def load(request: sdimage.LoadRequest) -> bytes:
            if "own" in request.url:
                raise sdimage.Error("OFFLINE", "not now")
            if "file" in request.url:
                raise FileNotFoundError("gone")
            if "exit" in request.url:
                raise SystemExit(3)
            raise ZeroDivisionError("by nought")

        manager = self.manager(loader=load)
        self.assertEqual(self.assert_error("OFFLINE", manager.load, "x://own").message, "not now")
        self.assert_error("NOT_FOUND", manager.load, "x://file")
        self.assert_error("INTERNAL_ERROR", manager.load, "x://exit")
        self.assertIn("by nought", self.assert_error("INTERNAL_ERROR", manager.load, "x://y").message)

    def test_wrong_answers_become_errors(self) -> None:
        manager = self.manager(loader=lambda request: None if "none" in request.url else [1, 2])  # type: ignore
        self.assert_error("INTERNAL_ERROR", manager.load, "x://none")
        self.assert_error(("INTERNAL_ERROR", "INVALID_ARGUMENT"), manager.load, "x://list")
        self.assert_error("INVALID_ARGUMENT", sdimage.Manager, loader=5)

    def test_a_loader_alone_fetches_bytes(self) -> None:
        origin = self.origin()
        url = origin.add("a.png", png())
        loader = sdimage.Loader.http()
        result = loader.load(url, headers={"X-Mine": "1"})
        self.assertEqual((result.data, result.image, result.source), (png(), None, "network"))
        self.assertEqual(loader.load(url).data, png())
        self.assertEqual(origin.hits("a.png"), 2)
        self.assertEqual(self.assert_error("HTTP_STATUS", loader.load, origin.url("none")).http_status, 404)
        self.assert_error("UNSUPPORTED", loader.load, "data:,")

    def test_a_fetch_reports_to_callbacks(self) -> None:
        told, ended, results = threading.Event(), threading.Event(), list[sdimage.Result]()
        counts: list[tuple[int, int | None]] = []

        def load(request: sdimage.LoadRequest) -> Iterator[bytes]:
            yield b"ab"
            told.wait(120)  # the result would take the place of progress that waits
            yield b"c"

        def on_progress(received: int, expected: int | None) -> None:
            counts.append((received, expected))
            told.set()

        def on_result(result: sdimage.Result) -> None:
            results.append(result)
            ended.set()

        task = sdimage.Loader(load).start("x://y", on_progress, on_result)
        self.assertEqual((task.wait(120).data, task.url), (b"abc", "x://y"))
        self.assertTrue(ended.wait(120))
        self.assertEqual((results[0].data, counts[0]), (b"abc", (2, None)))

    def test_an_exception_of_the_function_is_the_cause_of_the_error(self) -> None:
        def load(request: sdimage.LoadRequest) -> bytes:
            raise ZeroDivisionError("by nought")

        error = self.assert_error("INTERNAL_ERROR", sdimage.Loader(load).load, "x://y")
        self.assertIsInstance(error.__cause__, ZeroDivisionError)

    def test_an_exception_of_can_load_is_the_cause_of_the_error(self) -> None:
        def can_load(url: str) -> bool:
            raise ZeroDivisionError("by nought")

        manager = self.manager(loader=sdimage.Loader.chain(sdimage.Loader(lambda request: png(), can_load=can_load)))
        with self.assertLogs("sdimage") as logged:
            error = self.assert_error("SCHEME_FORBIDDEN", manager.load, "x://y")
        self.assertIsInstance(error.__cause__, ZeroDivisionError)
        self.assertIn("can_load raised", logged.output[0])

    def test_a_loader_decides_which_failures_are_remembered(self) -> None:
        asked: list[str] = []

        def load(request: sdimage.LoadRequest) -> bytes:
            asked.append(request.url)
            raise sdimage.Error("TIMEOUT" if "slow" in request.url else "NOT_FOUND", "no")

        def should_remember(request: sdimage.LoadRequest, error: sdimage.Error) -> bool:
            return error.code == "TIMEOUT" and "slow" in request.url

        manager = self.manager(cache=None, loader=sdimage.Loader(load, should_remember_failure=should_remember))
        self.assert_error("TIMEOUT", manager.load, "x://slow")
        self.assert_error("FAILED_URL", manager.load, "x://slow")
        self.assert_error("NOT_FOUND", manager.load, "x://none")
        self.assert_error("NOT_FOUND", manager.load, "x://none")
        self.assertEqual(asked, ["x://slow", "x://none", "x://none"])

    def test_a_loader_may_be_given_with_one_load(self) -> None:
        manager = self.manager(cache=None)
        image = manager.load("http://localhost/x", loader=lambda request: png(5, 5)).image
        assert image
        self.assertEqual(image.width, 5)

        async def main() -> int:
            result = await manager.load_async("http://localhost/y", loader=lambda request: png(6, 6))
            return result.image.width if result.image else 0

        self.assertEqual(asyncio.run(main()), 6)

    def test_a_task_without_references_still_has_its_loader(self) -> None:
        manager = self.manager(cache=None)
        gate, ended = threading.Event(), threading.Event()
        widths: list[int] = []

        def load(request: sdimage.LoadRequest) -> bytes:
            gate.wait(120)
            return png(7, 7)

        def on_result(result: sdimage.Result) -> None:
            widths.append(result.image.width if result.image else 0)
            ended.set()

        manager.start("x://y", loader=load, on_result=on_result)
        del load
        gc.collect()
        gate.set()
        self.assertTrue(ended.wait(120))
        self.assertEqual(widths, [7])

    def test_a_chain_asks_the_loader_that_can_load(self) -> None:
        mine = sdimage.Loader(lambda request: png(9, 9), can_load=lambda url: url.startswith("mine:"), name="mine")
        chain = sdimage.Loader.chain(sdimage.Loader.data_url(), mine)
        manager = self.manager(loader=chain)
        image = manager.load("mine://x").image
        assert image
        self.assertEqual((image.width, mine.name), (9, "mine"))
        self.assert_error("SCHEME_FORBIDDEN", manager.load, "yours://x")

    def test_cancelling_is_seen_by_the_function(self) -> None:
        entered, left = threading.Event(), threading.Event()

        def load(request: sdimage.LoadRequest) -> bytes:
            entered.set()
            while not request.is_cancelled:
                left.wait(0.005)
            left.set()
            return b""

        manager = self.manager(loader=load)
        task = manager.start("x://y")
        self.assertTrue(entered.wait(120))
        task.cancel()
        self.assert_error("CANCELLED", task.wait, 120)
        self.assertTrue(left.wait(120))

    def test_values_travel_with_the_request(self) -> None:
        seen: list[object] = []

        def load(request: sdimage.LoadRequest) -> bytes:
            for name, fallback in (("i", 0), ("f", 0.0), ("s", ""), ("b", False), ("d", b""), ("absent", 5)):
                seen.append(request.option(name, fallback))
            return png()

        values = {"i": -(2**40), "f": 0.5, "s": "grün", "b": True, "d": b"\0x"}
        self.manager(loader=load).load("x://y", options=values)
        self.assertEqual(seen, [*values.values(), 5])

    @unittest.skipUnless(numpy, "numpy is not installed")
    def test_numbers_of_numpy_are_numbers(self) -> None:
        values = {"i": numpy.int64(-5), "u": numpy.uint8(200), "f": numpy.float32(0.5), "b": numpy.bool_(True)}
        values["d"] = numpy.arange(3, dtype="u1")
        expected = {"i": -5, "u": 200, "f": 0.5, "b": True, "d": b"\0\1\2"}
        seen: dict[str, object] = {}

        def load(request: sdimage.LoadRequest) -> bytes:
            seen.update((name, request.options[name]) for name in expected)
            return png()

        self.manager(loader=load).load("x://y", options=values)
        self.assertEqual(seen, expected)
