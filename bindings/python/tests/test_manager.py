"""Loads through memory, disk and network, against the embedded origin."""

from __future__ import annotations

import asyncio
import base64
import math
import os
import threading
from pathlib import Path
from typing import Any

from .support import PICTURES, TestCase, becomes, in_quarters, jpeg, png, run_python, sdimage


class Loading(TestCase):
    def test_an_observer_hears_of_every_load_and_numbers_rise(self) -> None:
        origin, heard = self.origin(), []
        url = origin.add("seen.png", png())
        done = threading.Event()

        def hear(result: sdimage.Result) -> None:
            heard.append((result.source, result.error.code if result.error else None))
            if len(heard) == 3:
                done.set()

        manager = self.manager(on_load=hear)
        manager.load(url)
        manager.load(url)
        self.assert_error("HTTP_STATUS", manager.load, origin.url("absent.png"))
        self.assertTrue(done.wait(120))
        # Each by the thread that ended the load: an image in memory may overtake one that just arrived.
        self.assertEqual(sorted(heard, key=str), [("memory", None), ("network", None), ("none", "HTTP_STATUS")])
        numbers = dict(line.rsplit(" ", 1) for line in sdimage.metrics().splitlines() if not line.startswith("#"))
        self.assertGreaterEqual(int(numbers['sdimage_loads_total{source="network"}']), 1)
        self.assertGreaterEqual(int(numbers['sdimage_load_errors_total{code="HTTP_STATUS"}']), 1)

    def test_a_picture_comes_from_network_then_disk_then_memory(self) -> None:
        origin, cache = self.origin(), self.cache()
        url = origin.add("cat.jpg", jpeg())
        with sdimage.Manager(cache) as manager:
            first = manager.load(url, wait_for_store=True)
            self.assertEqual((first.source, first.kind, first.stale), ("network", "final", False))
            self.assertEqual(first.data, jpeg())
            cache.clear(disk=False)
            self.assertEqual(manager.load(url).source, "disk")
            last = manager.load(url)
            self.assertEqual((last.source, last.data), ("memory", None))
            assert last.image
            self.assertEqual((last.image.width, last.image.height), (64, 48))
        self.assertEqual(origin.hits("cat.jpg"), 1)

    def test_a_path_means_its_url(self) -> None:
        folder = Path(self.folder())
        names = ["a b#1%é?.png", "b.png"]
        for number, name in enumerate(names, 1):
            (folder / name).write_bytes(png(number, 1))
        path, url = folder / names[0], (folder / names[0]).as_uri()
        loaders = sdimage.Loader.file()
        manager = self.manager(cache=sdimage.ImageCache(memory_only=True), loader=loaders)
        for way in (manager.load, lambda path: manager.start(path).wait(), lambda path: asyncio.run(manager.load_async(path))):
            result = way(path)
            self.assertEqual((result.url, result.image.width if result.image else 0), (url, 1))
        self.assertEqual((manager.load(path).source, manager.start(path).url), ("memory", url))
        self.assertEqual(manager.cache_key(path), manager.cache_key(url))
        self.assertEqual(loaders.load(path).data, png(1, 1))
        self.assertEqual(sdimage.Prefetcher(manager).start([path, url]).urls, [url] * 2)
        with os.scandir(os.fsencode(folder)) as entries:
            batch = manager.load_many(sorted(entries, key=lambda entry: entry.name), (1, 1))
        self.assertEqual(batch.errors, {})
        target = sdimage.Target(manager)
        self.addCleanup(target.close)
        task = target.load(path)
        self.assertEqual((task.wait().image is not None if task else None, target.url()), (True, url))
        self.assert_error("INVALID_ARGUMENT", manager.load, folder / "a\0b")
        with self.assertRaisesRegex(TypeError, "^key must be str or bytes, not PosixPath"):
            manager.cache.lookup(path)  # type: ignore[arg-type, union-attr]

    def test_a_relative_path_is_that_of_the_current_folder(self) -> None:
        manager, before = self.manager(loader=sdimage.Loader.file()), Path.cwd()
        self.addCleanup(os.chdir, before)
        for width in (1, 2):
            os.chdir(self.folder())
            Path("a.png").write_bytes(png(width, 1))
            for _ in range(2):
                image = manager.load(Path("a.png")).image
                self.assertEqual(image.width if image else None, width)

    def test_thumbnails_share_the_original_on_disk(self) -> None:
        origin, manager = self.origin(), self.manager()
        url = origin.add("cat.jpg", jpeg(640, 480))
        sizes = []
        for side in (100, 50):
            image = manager.load(url, thumbnail_size=(side, side), wait_for_store=True).image
            assert image
            sizes.append((image.width, image.height))
        self.assertEqual(sizes, [(100, 75), (50, 38)])
        self.assertEqual(origin.hits("cat.jpg"), 1)

    def test_two_hundred_loads_of_one_url_are_one_request(self) -> None:
        origin, manager = self.origin(), self.manager()
        url = origin.add("cat.jpg", jpeg()) + "?gate=1"
        tasks = [manager.start(url) for _ in range(200)]
        origin.open_gate()
        for task in tasks:
            self.assertIsNotNone(task.wait(120).image)
        self.assertEqual(origin.hits("cat.jpg"), 1)

    def test_callbacks_come_in_order_and_end_with_one_result(self) -> None:
        data = jpeg(1600, 1200)
        events: list[Any] = []
        ended = threading.Event()
        manager = self.manager(loader=in_quarters(data, lambda count: events and events[-1][0] >= count))

        def on_result(result: sdimage.Result) -> None:
            events.append(result)
            ended.set()

        manager.start(
            "x:a", on_progress=lambda received, expected: events.append((received, expected)), on_result=on_result
        )
        self.assertTrue(ended.wait(120))
        progress = [event for event in events if isinstance(event, tuple)]
        self.assertIsInstance(events[-1], sdimage.Result)
        self.assertEqual(len(events) - len(progress), 1)
        self.assertEqual(progress, sorted(progress))
        # The last counts are dropped if the result is there before they are delivered.
        self.assertEqual((progress[-1][0] <= len(data), progress[-1][1]), (True, len(data)))
        self.assertGreater(len(progress), 1)

    def test_partial_images_come_before_the_whole(self) -> None:
        origin, manager = self.origin(), self.manager()
        url = origin.add("aurora.jpg", (PICTURES / "aurora.jpg").read_bytes()) + "?gate=1"
        kinds: list[str] = []
        done = threading.Event()
        manager.start(
            url,
            on_partial=lambda result: (kinds.append(result.kind), origin.open_gate()),
            on_result=lambda result: (kinds.append(result.kind), done.set()),
            progressive_interval_ms=1,
        )
        self.assertTrue(done.wait(120))
        self.assertGreater(len(kinds), 1)
        self.assertEqual((set(kinds[:-1]), kinds[-1]), ({"partial"}, "final"))

    def test_an_early_thumbnail_ends_its_transfer(self) -> None:
        origin, manager = self.origin(), self.manager()
        picture = (PICTURES / "aurora.jpg").read_bytes()
        url = origin.add("aurora.jpg", picture) + "?gate=1"
        result = manager.load(url, thumbnail_size=(120, 120), early_thumbnail=True)
        assert result.image
        self.assertEqual((result.image.width, result.source, result.data), (120, "network", None))
        self.assertLess(origin.counters()["bytes"], len(picture))
        self.assertEqual(manager.load(url, thumbnail_size=(120, 120)).source, "memory")
        self.assertEqual(manager.cache.contains(url), "none")  # type: ignore[union-attr]

    def test_a_failed_load_calls_back_with_its_error(self) -> None:
        origin, manager = self.origin(), self.manager()
        got: list[sdimage.Result] = []
        ended = threading.Event()
        task = manager.start(origin.url("nothing"), on_result=lambda result: (got.append(result), ended.set()))
        with self.assertRaises(sdimage.Error):
            task.wait(120)
        self.assertTrue(ended.wait(120))
        assert got[0].error
        self.assertEqual((got[0].error.code, got[0].error.http_status, got[0].image), ("HTTP_STATUS", 404, None))

    def test_cancelling_ends_a_load(self) -> None:
        origin, manager = self.origin(), self.manager()
        url = origin.add("cat.jpg", jpeg()) + "?fault=hang"
        task = manager.start(url)
        self.assertFalse(task.done)
        self.assertIsNone(task.result())
        self.assert_error("TIMEOUT", task.wait, 0.05)
        task.cancel()
        self.assert_error("CANCELLED", task.wait, 120)
        self.assertEqual(manager.running_count, 0)

    def test_the_priority_of_a_load_changes(self) -> None:
        loader = sdimage.Loader.http(max_total=1)
        origin, manager = self.origin(), self.manager(loader=loader)
        first = manager.start(origin.add("first.jpg", jpeg()) + "?gate=1")
        self.assertTrue(becomes(lambda: origin.hits("first.jpg")))
        urls = [origin.add(f"{name}.jpg", jpeg()) for name in "abc"]
        tasks = [manager.start(urls[0]), manager.start(urls[1]), manager.start(urls[2], priority="low")]
        self.assertEqual([task.priority for task in tasks], ["normal", "normal", "low"])
        tasks[0].priority, tasks[2].priority = "low", "high"
        self.assertEqual([task.priority for task in tasks], ["low", "normal", "high"])
        for wrong in ("urgent", 1, None):
            self.assert_error("INVALID_ARGUMENT", setattr, tasks[1], "priority", wrong)
        self.assertTrue(becomes(lambda: loader.transfer_count == 4))
        origin.open_gate()
        for task in (first, *tasks):
            task.wait(120)
        self.assertEqual([each.path for each in origin.log()], ["first.jpg", "c.jpg", "b.jpg", "a.jpg"])
        self.assertEqual([task.priority for task in tasks], ["low", "normal", "high"])

    def test_all_loads_are_awaited(self) -> None:
        gate, finals = threading.Event(), list[sdimage.Result]()

        def load(request: sdimage.LoadRequest) -> bytes:
            gate.wait(120)
            return png()

        manager = self.manager(cache=None, loader=load)
        manager.wait_all()
        for number in range(3):
            manager.start(f"x://{number}", on_result=finals.append)
        self.assert_error("TIMEOUT", manager.wait_all, 0)
        gate.set()
        manager.wait_all(120)
        self.assertEqual((len(finals), manager.running_count), (3, 0))

    def test_flushing_completes_what_is_still_being_encoded(self) -> None:
        origin, cache = self.origin(), self.cache()
        with sdimage.Manager(cache) as manager:
            urls = [origin.add(f"{number}.jpg", jpeg(640, 480)) for number in range(8)]
            keys = [manager.entry_key(url, thumbnail_size=(300, 300)) for url in urls]
            tasks = [manager.start(url, thumbnail_size=(300, 300)) for url in urls]
            for task in tasks:
                task.wait(120)
            manager.flush(120)
            cache.clear(disk=False)
            self.assertEqual({cache.contains(key) for key in keys}, {"disk"})
        manager.flush()
        cache.close()
        self.assert_error("SHUTDOWN", manager.flush)
        sdimage.Manager(cache=None).flush(0)

    def test_ctrl_c_ends_a_flush(self) -> None:
        code = """
            import base64, signal, sys, threading, sdimage
            gate = threading.Event()
            hooks = sdimage.LoadHooks(serialize=lambda request, image, data: gate.wait(120) and None)
            cache = sdimage.ImageCache(sys.argv[1])
            manager = sdimage.Manager(cache, lambda request: base64.b64decode(sys.argv[2]), load_hooks=hooks)
            manager.load("test://a", thumbnail_size=(4, 4))
            try:
                manager.flush(0.01)
            except sdimage.Error as error:
                assert error.code == "TIMEOUT", error
            else:
                raise AssertionError("nothing to wait for")
            late = threading.Timer(60, gate.set)
            late.start()
            try:
                threading.Timer(0.1, lambda: signal.raise_signal(signal.SIGINT)).start()
                manager.flush()
            except KeyboardInterrupt:
                assert not gate.is_set()
            late.cancel()
            gate.set()
            manager.flush()
            manager.close(None)
            """
        run_python(code, self.folder(), base64.b64encode(png()).decode())

    def test_a_time_limit_is_a_number(self) -> None:
        manager = self.manager(cache=None, loader=lambda request: png())
        task = manager.start("test://a")
        task.wait(None)
        group = manager.prefetch(["test://a"])
        group.wait(None)
        prefetcher = sdimage.Prefetcher(manager)
        for wait in (manager.wait_all, manager.flush, manager.close, prefetcher.close):
            error = self.assert_error("INVALID_ARGUMENT", wait, math.nan)
            self.assertEqual(error.message, "argument: timeout is not a number")
            with self.assertRaisesRegex(TypeError, "timeout must be a number, not str"):
                wait("1")  # type: ignore[arg-type]
        prefetcher.close(None)
        manager.close(None)

    def test_one_of_two_waiters_may_leave(self) -> None:
        origin, manager = self.origin(), self.manager()
        url = origin.add("cat.jpg", jpeg()) + "?gate=1"
        # An earlier cancellation may end a transfer that the other load has not joined yet.
        joined = threading.Event()
        leaving, staying = manager.start(url), manager.start(url, on_progress=lambda *_: joined.set())
        self.assertTrue(joined.wait(120))
        leaving.cancel()
        self.assert_error("CANCELLED", leaving.wait, 120)
        origin.open_gate()
        self.assertIsNotNone(staying.wait(120).image)
        self.assertEqual(origin.hits("cat.jpg"), 1)

    def test_closing_ends_what_is_under_way(self) -> None:
        origin, manager = self.origin(), self.manager()
        task = manager.start(origin.add("cat.jpg", jpeg()) + "?fault=hang")
        manager.close(120)
        manager.close()
        self.assert_error("SHUTDOWN", task.wait, 120)
        self.assert_error("SHUTDOWN", manager.start, "http://localhost/")

    def test_other_threads_run_while_a_load_blocks(self) -> None:
        origin, manager = self.origin(), self.manager()
        url = origin.add("cat.jpg", jpeg()) + "?gate=1"
        loader = threading.Thread(target=manager.load, args=(url,))
        loader.start()
        self.assertTrue(becomes(lambda: origin.hits("cat.jpg")))
        self.assertTrue(loader.is_alive())
        origin.open_gate()
        loader.join(120)
        self.assertFalse(loader.is_alive())

    def test_the_cache_alone_may_be_asked(self) -> None:
        origin, manager = self.origin(), self.manager()
        url = origin.add("cat.jpg", jpeg())
        result = manager.load(url, source_policy="cache_only")
        self.assertEqual((result.image, result.error, result.source), (None, None, "none"))
        manager.load(url)
        self.assertIsNotNone(manager.load(url, source_policy="cache_only").image)
        self.assertEqual(manager.load(url, source_policy="loader_only").source, "network")
        self.assertEqual(origin.hits("cat.jpg"), 2)

    def test_the_cache_policy_selects_the_layers(self) -> None:
        origin, cache = self.origin(), self.cache()
        manager = self.manager(cache=cache)
        url = origin.add("cat.jpg", jpeg())
        for policy in ("memory_only", {"skip_disk_read", "skip_disk_write"}, ("skip_disk_write",)):
            cache.clear()
            manager.load(url, cache_policy=policy, wait_for_store=True)
            self.assertEqual((cache.contains(url), cache.disk_count()), ("memory", 0), policy)
        self.assertEqual(manager.load(url, cache_policy="disk_only").source, "network")
        self.assertEqual(manager.load(url, cache_policy="none").source, "network")
        self.assertEqual(manager.load(url, cache_policy=[]).source, "memory")
        self.assert_error("INVALID_ARGUMENT", manager.load, url, cache_policy="floppy")
        self.assert_error("INVALID_ARGUMENT", manager.load, url, cache_policy=["memory_only", "floppy"])

    def test_a_key_of_ones_own_joins_urls(self) -> None:
        origin, cache = self.origin(), self.cache()
        manager = self.manager(cache=cache)
        url = origin.add("cat.jpg", jpeg())
        manager.load(url + "?token=1", cache_key="cat")
        self.assertEqual(manager.load(url + "?token=2", cache_key="cat").source, "memory")
        self.assertEqual(manager.cache_key(url, cache_key="cat"), b"cat")
        self.assertEqual(cache.contains("cat"), "memory")

    def test_file_and_data_urls_are_loaded(self) -> None:
        import base64

        manager = self.manager()
        path = self.folder() + "/tiny.png"
        with open(path, "wb") as file:
            file.write(png())
        self.assertEqual(manager.load(f"file://{path}").source, "loader")
        data = base64.b64encode(png()).decode()
        image = manager.load(f"data:image/png;base64,{data}").image
        assert image
        self.assertEqual(image.width, 8)

    def test_times_are_told(self) -> None:
        origin, manager = self.origin(), self.manager()
        result = manager.load(origin.add("cat.jpg", jpeg()) + "?delay_ms=50")
        self.assertGreaterEqual(result.time_ns("total"), result.time_ns("load"))
        self.assertGreaterEqual(result.time_ns("load"), 45_000_000)
        self.assertTrue(result.cache_key.endswith("cat.jpg?delay_ms=50"))

    def test_headers_reach_the_origin(self) -> None:
        origin, manager = self.origin(), self.manager(cache=None)
        url = origin.add("cat.jpg", jpeg())
        self.assert_error("NOT_AN_IMAGE", manager.load, url + "?part", headers={"Range": "bytes=5-900"})
        self.assertEqual(origin.counters()["partial"], 1)
        error = self.assert_error("INVALID_REQUEST", manager.load, url, headers={"X-A": "one\r\nX-B: two"})
        self.assertEqual(error.http_status, 0)

    def test_a_manager_without_a_cache_loads_each_time(self) -> None:
        origin, manager = self.origin(), self.manager(cache=None)
        url = origin.add("cat.jpg", jpeg())
        self.assertEqual([manager.load(url).source for _ in range(2)], ["network", "network"])
        self.assertIsNone(manager.cache)

    def test_a_loader_with_limits_can_be_made(self) -> None:
        origin = self.origin()
        url = origin.add("cat.jpg", jpeg(640, 480))
        loader = sdimage.Loader.chain(sdimage.Loader.file(), sdimage.Loader.http(max_body_bytes=1000))
        manager = self.manager(loader=loader)
        self.assertEqual(loader.name, "chain")
        self.assert_error("TOO_LARGE", manager.load, url)
        strict = self.manager(loader=sdimage.Loader.http(address_policy="public_only"))
        self.assert_error("ADDRESS_FORBIDDEN", strict.load, url)
        allowed = sdimage.Loader.http(address_policy="public_only", address_allow=["10.0.0.0/8", "127.0.0.0/8"])
        self.assertIsNotNone(self.manager(loader=allowed).load(url).image)
        for ranges in (["localhost"], "10.0.0.0/8"):
            with self.assertRaises(sdimage.Error) as caught:
                sdimage.Loader.http(address_policy="public_only", address_allow=ranges)
            self.assertEqual(caught.exception.code, "INVALID_ARGUMENT")

    def test_messages_of_errors_show_no_secrets(self) -> None:
        manager = self.manager()
        for url in ("http://127.0.0.1:1/a?token=s3cret#s3cret", "http:alice:s3cret@host/a", "alice:s3cret@host"):
            with self.assertRaises(sdimage.Error) as caught:
                manager.load(url)
            self.assertNotIn("s3cret", str(caught.exception))

    def test_redirects_are_followed_up_to_a_limit(self) -> None:
        origin, manager = self.origin(), self.manager()
        origin.add("cat.jpg", jpeg())
        self.assertIsNotNone(manager.load(origin.url("redirect?to=/cat.jpg&n=5")).image)
        self.assert_error("TOO_MANY_REDIRECTS", manager.load, origin.url("redirect?to=/cat.jpg&n=12"))
        self.assert_error("REDIRECT_FORBIDDEN", manager.load, origin.url("redirect?to=file:///etc/passwd"))


class Misbehaviour(TestCase):
    """Every fault has its own code, leaves no trace, and the next good load works."""

    def check(self, query: str, codes: str | tuple[str, ...], **options: object) -> sdimage.Error:
        origin, cache = self.origin(), self.cache()
        manager = self.manager(cache=cache)
        url = origin.add("cat.jpg", jpeg(640, 480))
        bad = f"{url}?{query}"
        error = self.assert_error(codes, manager.load, bad, wait_for_store=True, **options)
        shown = {"progressive": True, "progressive_interval_ms": 1, **options}
        self.assert_error(codes, manager.load, f"{bad}&shown", wait_for_store=True, **shown)
        cache.flush()
        self.assertEqual((cache.contains(bad), cache.contains(f"{bad}&shown"), cache.disk_count()), ("none", "none", 0))
        self.assertEqual(error.url, bad)
        image = manager.load(url).image
        assert image
        self.assertEqual(image.width, 640)
        return error

    def test_a_missing_picture(self) -> None:
        error = self.check("status=404", "HTTP_STATUS")
        self.assertEqual((error.http_status, error.transient), (404, False))

    def test_a_broken_server(self) -> None:
        error = self.check("status=500", "HTTP_STATUS")
        self.assertEqual((error.http_status, error.transient), (500, True))

    def test_a_web_page_under_200(self) -> None:
        self.check("fault=html", "NOT_AN_IMAGE")

    def test_an_empty_body(self) -> None:
        self.check("fault=empty", "EMPTY_DATA")

    def test_random_bytes(self) -> None:
        self.check("fault=garbage", "NOT_AN_IMAGE")

    def test_a_truncated_picture(self) -> None:
        self.check("fault=truncated", "TRUNCATED")

    def test_a_body_that_ends_early(self) -> None:
        self.assertTrue(self.check("fault=short", "CONNECTION_LOST").transient)

    def test_a_connection_that_is_reset(self) -> None:
        self.assertTrue(self.check("fault=reset", "CONNECTION_LOST").transient)

    def test_a_server_that_never_answers(self) -> None:
        self.assertTrue(self.check("fault=hang", "TIMEOUT", timeout_ms=200).transient)

    def test_more_bytes_than_announced_do_not_reach_the_next_answer(self) -> None:
        origin, manager = self.origin(), self.manager()
        url = origin.add("cat.jpg", jpeg(640, 480))
        for index in range(6):
            manager.load(f"{url}?fault=long&{index}")
            image = manager.load(f"{url}?{index}").image
            assert image
            self.assertEqual(image.width, 640)

    def test_no_server_listens(self) -> None:
        origin = self.origin()
        url = origin.url("cat.jpg")
        origin.stop()
        self.assertTrue(self.assert_error("CONNECT_FAILED", self.manager().load, url).transient)

    def test_urls_that_are_none(self) -> None:
        manager = self.manager()
        for url in ("", "no url", "http://"):
            self.assert_error("INVALID_URL", manager.load, url)
        self.assert_error("SCHEME_FORBIDDEN", manager.load, "gopher://example.org/cat.jpg")
        # A slow name server is no time-out.
        patient = self.manager(loader=sdimage.Loader.http(connect_timeout_ms=120_000, total_timeout_ms=240_000))
        self.assert_error("RESOLVE_FAILED", patient.load, "http://no.such.host.invalid/cat.jpg")

    def test_passwords_are_not_told(self) -> None:
        origin, manager = self.origin(), self.manager()
        url = origin.url("nothing").replace("http://", "http://me:secret@")
        error = self.assert_error("HTTP_STATUS", manager.load, url)
        self.assertNotIn("secret", str(error))

    def test_a_url_that_failed_for_good_is_not_asked_again(self) -> None:
        origin, manager = self.origin(), self.manager()
        url = origin.url("nothing")
        self.assert_error("HTTP_STATUS", manager.load, url)
        self.assert_error("FAILED_URL", manager.load, url)
        self.assertEqual(origin.hits("nothing"), 1)
        self.assert_error("HTTP_STATUS", manager.load, url, retry_failed=True)
        manager.forget_failed([url])
        self.assert_error("HTTP_STATUS", manager.load, url)
        self.assertEqual(origin.hits("nothing"), 3)

    def test_a_passing_fault_is_asked_again(self) -> None:
        origin, manager = self.origin(), self.manager()
        url = origin.add("cat.jpg", jpeg()) + "?status=503&first=1"
        self.assert_error("HTTP_STATUS", manager.load, url, max_retries=0)
        self.assertIsNotNone(manager.load(url).image)


class Reports(TestCase):
    def test_a_thumbnail_on_disk_tells_the_size_of_its_file(self) -> None:
        cache = self.cache()
        manager = self.manager(cache=cache)
        url = self.origin().add("wide.jpg", jpeg(640, 480))
        for source in ("network", "disk"):
            result = manager.load(url, thumbnail_size=(64, 64), wait_for_store=True)
            assert result.image
            self.assertEqual((result.source, result.image.width, result.image.source_size), (source, 64, (640, 480)))
            cache.clear(disk=False)

    def test_a_scheme_without_a_loader_is_forbidden(self) -> None:
        self.assert_error("SCHEME_FORBIDDEN", self.manager().load, "ftp://host/a.png")

    def test_a_cancelled_load_has_its_time(self) -> None:
        gate = threading.Event()
        self.addCleanup(gate.set)

        def load(request: sdimage.LoadRequest) -> bytes:
            gate.wait(120)
            return b""

        task = self.manager(cache=None, loader=load).start("x://y")
        task.cancel()
        self.assert_error("CANCELLED", task.wait, 120)
        result = task.result()
        assert result
        self.assertGreater(result.time_ns(), 0)

    def test_a_remembered_failure_has_its_cause(self) -> None:
        manager, origin = self.manager(), self.origin()
        url = origin.url("none.png")
        self.assert_error("HTTP_STATUS", manager.load, url)
        self.assertIn("HTTP status 404", self.assert_error("FAILED_URL", manager.load, url).message)


class Closing(TestCase):
    def test_closing_waits_for_the_callback_that_runs(self) -> None:
        manager = self.manager(cache=None, loader=lambda request: b"")
        entered, goes_on, returned = threading.Event(), threading.Event(), threading.Event()

        def slow(_result: sdimage.Result) -> None:
            entered.set()
            goes_on.wait(120)
            returned.set()

        manager.start("x://y", on_result=slow)
        self.assertTrue(entered.wait(120))
        self.assert_error("TIMEOUT", manager.close, 0.02)
        goes_on.set()
        manager.close(120)
        self.assertTrue(returned.is_set())
