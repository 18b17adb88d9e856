"""Remote caches without a server; Tests/remote has the tests with one."""

from __future__ import annotations

import socket
import unittest
from typing import Any
from unittest import mock

import sdimage
from sdimage import Error
from sdimage._ffi import lib
from sdimage.remote import STATISTICS

from .support import TestCase, png


def unused_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class RemoteCaches(TestCase):
    def make(self, kind: type[sdimage.RemoteCache], address: str | None = None) -> sdimage.RemoteCache:
        try:
            return kind(address or f"127.0.0.1:{unused_port()}")
        except Error as error:
            if error.code != "MODULE_MISSING":
                raise
            raise unittest.SkipTest(str(error)) from None

    def test_a_server_that_is_not_there_is_a_miss(self) -> None:
        for kind in (sdimage.RedisCache, sdimage.MemcachedCache):
            shared = self.make(kind)
            origin = self.origin()
            url = origin.add("a.png", png())
            with sdimage.Manager(cache=sdimage.TieredCache(sdimage.ImageCache(memory_only=True), shared)) as manager:
                self.assertEqual(manager.load(url).source, "network")
                self.assertEqual(manager.load(url).source, "memory")
            self.assertGreaterEqual(shared.statistics()["failures"], 1)
            shared.close()

    def test_statistics_have_names(self) -> None:
        shared = self.make(sdimage.RedisCache)
        self.assertEqual(shared.statistics(), dict.fromkeys(STATISTICS, 0))

    def test_a_cache_that_is_closed_in_the_middle_of_a_call_goes_after_it(self) -> None:
        gone: list[int] = []
        unref, get_data = lib.sdimage_cache_unref, lib.sdimage_cache_get_data

        def record(pointer: int) -> None:
            gone.append(pointer)
            unref(pointer)

        def ask(*arguments: Any) -> Any:
            shared.close()  # as if on another thread
            self.assertEqual(gone, [])
            return get_data(*arguments)

        with mock.patch.object(lib, "sdimage_cache_unref", record), mock.patch.object(lib, "sdimage_cache_get_data", ask):
            shared = self.make(sdimage.RedisCache)
            self.assert_error("CONNECT_FAILED", shared.data, "key")
        self.assertEqual(len(gone), 1)
        self.assert_error("SHUTDOWN", shared.data, "key")

    def test_nonsense_is_refused(self) -> None:
        self.make(sdimage.RedisCache)
        for address in ("", "host:0", "redis://user@host"):
            with self.assertRaises(Error) as caught:
                sdimage.RedisCache(address)
            self.assertEqual(caught.exception.code, "INVALID_ARGUMENT")
        with self.assertRaises(TypeError):
            sdimage.RedisCache("host", budget=3)  # type: ignore[call-arg]

    def test_options_of_other_types_are_refused(self) -> None:
        self.make(sdimage.RedisCache)
        for name, value in (
            ("ttl_s", "77"),
            ("ttl_s", 77.0),
            ("ttl_s", True),
            ("lease_ms", None),
            ("connections", b"2"),
            ("namespace", 5),
            ("namespace", b"fleet"),
        ):
            with self.subTest(name, value=value), self.assertRaisesRegex(TypeError, f"^{name} must be "):
                sdimage.RedisCache("host", **{name: value})  # type: ignore[arg-type]
        self.assert_error("INVALID_ARGUMENT", sdimage.RedisCache, "host", ttl_s=-1)
        sdimage.RedisCache("host", ttl_s=77, namespace="fleet").close()
