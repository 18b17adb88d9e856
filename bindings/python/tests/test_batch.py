"""Many images in one array."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import threading
import unittest
from multiprocessing import shared_memory
from typing import Any

from .support import sdimage

HAS_NUMPY = importlib.util.find_spec("numpy") is not None

_RED = bytes((200, 30, 60))


def _picture(width: int, height: int, pixel: bytes = _RED) -> bytes:
    pixels = pixel * (width * height)
    return sdimage.Image.from_pixels(pixels, width, height, "rgb8" if len(pixel) == 3 else "rgba8").encode("png")


class LoadManyTests(unittest.TestCase):
    def manager(self, **pictures: bytes) -> sdimage.Manager:
        def load(request: sdimage.LoadRequest) -> bytes:
            name = request.url.partition("//")[2]
            if name not in pictures:
                raise sdimage.Error("NOT_FOUND", "no such picture")
            return pictures[name]

        manager = sdimage.Manager(cache=None, loader=load)
        self.addCleanup(manager.close)
        return manager

    def test_an_array_is_made_and_errors_are_by_index(self) -> None:
        manager = self.manager(red=_picture(30, 20), bad=b"<html>")
        seen: list[tuple[int, int]] = []
        batch = manager.load_many(
            ["test://red", "test://none", b"test://bad", "test://red"], (4, 3), on_progress=lambda *now: seen.append(now)
        )
        self.assertEqual({index: error.code for index, error in batch.errors.items()}, {1: "NOT_FOUND", 2: "NOT_AN_IMAGE"})
        view = memoryview(batch.array)
        self.assertEqual(view.shape, (4, 3, 4, 3))
        data = view.tobytes()
        self.assertEqual(data[:36], _RED * 12)
        self.assertEqual(data[36:108], bytes(72))
        self.assertEqual(data[108:], _RED * 12)

    def test_shared_memory_is_filled_in_place(self) -> None:
        memory = shared_memory.SharedMemory(create=True, size=2 * 4 * 4 * 3)
        try:
            view = memory.buf.cast("B", (2, 4, 4, 3))
            batch = self.manager(red=_picture(9, 9)).load_many(["test://red"] * 2, (4, 4), out=view)
            self.assertIs(batch.array, view)
            self.assertEqual(bytes(memory.buf[:96]), _RED * 32)
            del view, batch
        finally:
            memory.close()
            memory.unlink()

    @unittest.skipUnless(HAS_NUMPY, "numpy is not installed")
    def test_arrays_with_gaps_grey_and_sixteen_bits(self) -> None:
        import numpy

        manager = self.manager(red=_picture(9, 9))
        whole = numpy.full((2, 6, 8, 3), 7, numpy.uint8)
        manager.load_many(["test://red"] * 2, (4, 3), out=whole[:, 1:4, 2:6])
        self.assertTrue((whole[:, 1:4, 2:6] == list(_RED)).all())
        self.assertTrue((whole[:, 0] == 7).all() and (whole[:, :, :2] == 7).all() and (whole[:, :, 6:] == 7).all())
        gray = numpy.zeros((1, 4, 4), numpy.uint8)
        manager.load_many(["test://red"], (4, 4), out=gray)
        self.assertTrue((gray == gray[0, 0, 0]).all() and gray[0, 0, 0] > 0)
        deep = manager.load_many(["test://red"], (4, 4), pixel_format="rgb16").array
        self.assertEqual(deep.dtype, numpy.uint16)
        self.assertTrue((deep == [200 * 257, 30 * 257, 60 * 257]).all())

    @unittest.skipUnless(HAS_NUMPY, "numpy is not installed")
    def test_arrays_that_do_not_suit_are_refused(self) -> None:
        import numpy

        manager = self.manager(red=_picture(9, 9))
        read_only = numpy.zeros((1, 4, 4, 3), numpy.uint8)
        read_only.flags.writeable = False
        unsuited: list[Any] = [
            numpy.zeros((2, 4, 4, 3), numpy.uint8),
            numpy.zeros((1, 4, 5, 3), numpy.uint8),
            numpy.zeros((1, 4, 4, 2), numpy.uint8),
            numpy.zeros((1, 4, 4, 3), numpy.float32),
            numpy.zeros((1, 4, 4, 3), ">u2"),
            numpy.zeros((1, 4, 8, 3), numpy.uint8)[:, :, ::2],
            numpy.zeros((1, 4, 4, 3), numpy.uint8)[:, ::-1],
            read_only,
            bytes(48),
            object(),
        ]
        for out in unsuited:
            with self.subTest(type(out)), self.assertRaises(sdimage.Error) as raised:
                manager.load_many(["test://red"], (4, 4), out=out)
            self.assertEqual(raised.exception.code, "INVALID_ARGUMENT")
        expected = r"shape \(1, 3, 4, 5\) of u1, expected \(1, 4, 5\) and 1, 3 or 4 channels, 4 if f4"
        with self.assertRaisesRegex(sdimage.Error, expected):
            manager.load_many(["test://red"], (5, 4), out=numpy.zeros((1, 3, 4, 5), numpy.uint8))
        with self.assertRaises(sdimage.Error):
            manager.load_many(["test://red"], (4, 4), pixel_format="no such")
        with self.assertRaises(sdimage.Error):
            manager.load_many(["test://red"], (0, 4))

    def test_modes_and_background(self) -> None:
        manager = self.manager(wide=_picture(40, 10), clear=_picture(8, 8, bytes(4)))
        fitted = memoryview(
            manager.load_many(["test://wide"], (8, 8), scale_mode="aspect_fit", background_color="#0000ff").array
        ).tobytes()
        self.assertEqual(fitted[:24], bytes((0, 0, 255)) * 8)
        self.assertEqual(fitted[3 * 24 : 4 * 24], _RED * 8)
        clear = memoryview(manager.load_many(["test://clear"], (8, 8), background_color=(1, 1, 1)).array).tobytes()
        self.assertEqual(clear, b"\xff" * 192)

    def test_no_pictures_at_all(self) -> None:
        batch = self.manager().load_many([], (4, 4))
        self.assertEqual(batch.errors, {})
        self.assertEqual(memoryview(batch.array).nbytes, 0)

    def test_in_a_callback_it_is_refused_and_does_not_hang(self) -> None:
        said: list[str] = []
        done = threading.Event()
        manager = sdimage.Manager(cache=sdimage.ImageCache(memory_only=True), loader=lambda request: _picture(4, 4))
        self.addCleanup(manager.close)
        manager.load_many(["test://a"], (4, 4))

        def on_result(_: sdimage.Result) -> None:
            try:
                manager.load_many(["test://a"], (4, 4))
            except sdimage.Error as error:
                said.append(error.code)
            done.set()

        manager.start("test://b", on_result=on_result)
        self.assertTrue(done.wait(120))
        self.assertEqual(said, ["WOULD_DEADLOCK"])

    def test_ctrl_c_leaves_the_array_alone(self) -> None:
        script = """
import signal, sys, threading, time, sdimage
png = sdimage.Image.from_pixels(bytes((200, 30, 60)) * 81, 9, 9, "rgb8").encode("png")
manager = sdimage.Manager(cache=None, loader=lambda request: time.sleep(0.001) or png)
array = memoryview(bytearray(600 * 4 * 4 * 3)).cast("B", (600, 4, 4, 3))
threading.Timer(float(sys.argv[1]), lambda: signal.raise_signal(signal.SIGINT)).start()
try:
    manager.load_many([f"test://{n}" for n in range(600)], (4, 4), out=array)
    print("not interrupted")
except KeyboardInterrupt:
    before = array.tobytes()
    # These loads end after all that were started before.
    manager.load_many([f"test://later/{n}" for n in range(600)], (4, 4))
    print(array.tobytes() == before)
manager.close()
"""
        for delay in ("0.0005", "0.002", "0.05"):
            done = subprocess.run([sys.executable, "-c", script, delay], capture_output=True, text=True, timeout=600)
            # Before the call, the signal ends the script; after it there is nothing to interrupt.
            self.assertIn(done.stdout.strip(), ("True", "not interrupted", ""), done.stderr)

    def test_closing_the_manager_ends_it(self) -> None:
        started, may_end = threading.Event(), threading.Event()

        def load(request: sdimage.LoadRequest) -> bytes:
            started.set()
            may_end.wait(120)
            return _picture(4, 4)

        manager = sdimage.Manager(cache=None, loader=load)
        raised: list[str] = []

        def fill() -> None:
            try:
                manager.load_many(["test://a", "test://b"], (4, 4))
            except sdimage.Error as error:
                raised.append(error.code)

        thread = threading.Thread(target=fill)
        thread.start()
        self.assertTrue(started.wait(120))
        closer = threading.Thread(target=lambda: manager.close(120))
        closer.start()
        thread.join(120)
        may_end.set()
        closer.join(120)
        self.assertEqual(raised, ["CANCELLED"])


if __name__ == "__main__":
    unittest.main()
