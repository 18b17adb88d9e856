"""Coders from Python methods."""

from __future__ import annotations

import base64
import gc
import itertools
import os
import struct
import sys
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

from .support import TestCase, becomes, run_python, sdimage


def farbfeld(width: int, height: int) -> bytes:
    """Red grows by 1000 a column, green by 1000 a row."""
    samples = [value for y in range(height) for x in range(width) for value in (x * 1000, y * 1000, 7, 65535)]
    return b"farbfeld" + struct.pack(f">II{len(samples)}H", width, height, *samples)


class Farbfeld(sdimage.Coder):
    """https://tools.suckless.org/farbfeld"""

    name = "farbfeld"
    seen: sdimage.DecodeOptions

    def can_decode(self, head: bytes) -> bool:
        return head.startswith(b"farbfeld")

    def decode(self, data: bytes, options: sdimage.DecodeOptions) -> sdimage.Image:
        self.seen = options
        width, height = struct.unpack_from(">II", data, 8)
        if width * height > (options["max_pixels"] or 0):
            raise sdimage.Error("TOO_LARGE", "more pixels than allowed")
        if len(data) - 16 < width * height * 8:
            raise sdimage.Error("TRUNCATED", "pixels are missing")
        samples = bytearray(data[16 : 16 + width * height * 8])
        if sys.byteorder == "little":
            samples[::2], samples[1::2] = samples[1::2], samples[::2]
        return sdimage.Image.from_pixels(samples, width, height, "rgba16")


class FarbfeldWithInfo(Farbfeld):
    def info(self, data: bytes) -> dict[str, Any]:
        width, height = struct.unpack_from(">II", data, 8)
        return {"width": width, "height": height, "has_alpha": True, "bits_per_channel": 16}

    def decode(self, data: bytes, options: sdimage.DecodeOptions) -> sdimage.Image:
        raise ZeroDivisionError("by nought")


class Endless(sdimage.Coder):
    """Decodes until its budget ends."""

    name = "endless"

    def __init__(self) -> None:
        self.started = threading.Semaphore(0)
        self.minutes = 0

    def can_decode(self, head: bytes) -> bool:
        return head.startswith(b"endless")

    def decode(self, data: bytes, options: sdimage.DecodeOptions) -> sdimage.Image:
        self.started.release()
        for _ in range(60_000):
            self.budget.check()
            time.sleep(0.001)
        self.minutes += 1
        raise sdimage.Error("BAD_DATA", "a minute is over")


class EndlessEncoder(sdimage.Coder):
    """Encodes until its budget ends."""

    def __init__(self) -> None:
        self.started, self.ended = threading.Semaphore(0), threading.Semaphore(0)

    def can_decode(self, head: bytes) -> bool:
        return False

    def can_encode(self, format: str) -> bool:  # noqa: A002
        return format == "png"

    def encode(self, image: sdimage.Image, format: str, options: sdimage.EncodeOptions) -> bytes:  # noqa: A002
        self.started.release()
        try:
            for _ in range(60_000):
                self.budget.check()
                time.sleep(0.001)
        finally:
            self.ended.release()
        raise sdimage.Error("BAD_DATA", "a minute is over")


class Custom(TestCase):
    def register(self, coder: sdimage.Coder) -> None:
        sdimage.register_coder(coder)
        self.addCleanup(sdimage.unregister_coder, coder)

    def test_a_coder_sees_the_time_limit(self) -> None:
        coder = Endless()
        self.register(coder)
        self.assert_error("TIMEOUT", sdimage.decode, b"endless", max_work_ms=100)
        self.assertEqual(coder.minutes, 0)

    def test_there_is_no_budget_outside_of_calls(self) -> None:
        budget = Endless().budget
        budget.check()
        budget.spend(1 << 40)
        self.assertIsNone(budget.remaining)

    def test_cancelled_loads_free_their_workers(self) -> None:
        coder = Endless()
        self.register(coder)
        manager = self.manager()
        # One for each worker, and more.
        loads = [manager.start(f"data:,endless{i}") for i in range(len(os.sched_getaffinity(0)) + 2)]
        self.assertTrue(coder.started.acquire(timeout=120))
        for load in loads:
            load.cancel()
        png = base64.b64encode(sdimage.Image.from_pixels(bytes(4), 1, 1, "rgba8").encode("png")).decode()
        self.assertEqual(manager.load(f"data:image/png;base64,{png}").image.width, 1)
        self.assertEqual(coder.minutes, 0)

    def test_closing_a_manager_ends_long_encodes_for_its_cache(self) -> None:
        picture = sdimage.Image.from_pixels(bytes(12), 2, 2, "rgb8").encode("png")
        coder = EndlessEncoder()
        self.register(coder)
        manager = self.manager(loader=lambda request: picture)
        manager.load("x://a", transformer=sdimage.transforms.resize((2000, 2000), mode="fill"))
        self.assertTrue(coder.started.acquire(timeout=120))
        manager.close()
        self.assertTrue(coder.ended.acquire(timeout=120))

    def test_a_registered_coder_decodes_until_it_is_taken_out(self) -> None:
        coder = Farbfeld()
        sdimage.register_coder(coder)
        image = sdimage.decode(farbfeld(3, 2), pixel_format="native")
        self.assertEqual((image.width, image.height, image.pixel_format), (3, 2, "rgba16"))
        self.assertEqual(sdimage.decode(farbfeld(3, 2)).pixel_format, "rgba8")
        self.assertEqual(struct.unpack_from("=4H", image.pixels, image.stride + 16), (2000, 1000, 7, 65535))
        sdimage.unregister_coder(coder)
        self.assert_error("NOT_AN_IMAGE", sdimage.decode, farbfeld(3, 2))
        self.assert_error("NOT_FOUND", sdimage.unregister_coder, coder)

    def test_the_library_shrinks_and_converts_what_it_decodes(self) -> None:
        coder = Farbfeld()
        self.register(coder)
        image = sdimage.decode(farbfeld(8, 4), thumbnail_size=(4, 4), pixel_format="rgb8")
        self.assertEqual((image.width, image.height, image.pixel_format), (4, 2, "rgb8"))
        self.assertEqual((coder.seen["thumbnail_size"], coder.seen["pixel_format"]), ((4, 4), "rgb8"))

    def test_a_manager_loads_it_like_any_other(self) -> None:
        self.register(Farbfeld())
        manager = self.manager(loader=lambda request: farbfeld(5, 4))
        self.assertEqual(manager.load("x://a").image.width, 5)  # type: ignore[union-attr]

    def test_exceptions_become_errors(self) -> None:
        self.register(Farbfeld())
        error = self.assert_error("TRUNCATED", sdimage.decode, farbfeld(3, 2)[:-1])
        self.assertEqual(error.message, "pixels are missing")
        self.assert_error("TOO_LARGE", sdimage.decode, b"farbfeld" + b"\xff" * 8)
        self.assert_error("INTERNAL_ERROR", sdimage.decode, b"farbfeld")

    def test_headers_are_told_without_decoding(self) -> None:
        self.register(FarbfeldWithInfo())
        known = sdimage.info(farbfeld(6, 2))
        self.assertEqual((known["width"], known["height"], known["bits_per_channel"]), (6, 2, 16))
        self.assert_error("INTERNAL_ERROR", sdimage.decode, farbfeld(6, 2))

    def test_without_info_the_picture_is_decoded_to_know(self) -> None:
        self.register(Farbfeld())
        self.assertEqual(sdimage.info(farbfeld(6, 2))["width"], 6)

    def test_a_coder_that_is_not_registered_is_collected(self) -> None:
        coder = Farbfeld()
        self.assertTrue(coder.pointer)
        gone = weakref.ref(coder)
        del coder
        gc.collect()
        self.assertIsNone(gone())

    def test_a_registered_coder_does_not_hinder_the_end(self) -> None:
        run_python(
            """
            import sdimage
            class Nothing(sdimage.Coder):
                def can_decode(self, head): return False
            sdimage.register_coder(Nothing())
            sdimage.Manager()
            """
        )


class Strip(sdimage.Coder):
    """Frames of one gray each: b"strip", then one byte a frame, then b"." at the end."""

    name = "strip"

    def __init__(self) -> None:
        self.seen: list[object] = []
        self.live: weakref.WeakSet[Film] = weakref.WeakSet()

    def can_decode(self, head: bytes) -> bool:
        return head.startswith(b"strip")

    def decode(self, data: bytes, options: sdimage.DecodeOptions) -> sdimage.Image:
        values = options["options"]
        assert values is not None
        self.seen.append((values.get("page"), values.get("none"), len(values)))
        return gray(data[5])

    def open(self, options: sdimage.DecodeOptions) -> sdimage.CoderInstance:
        values = options["options"]
        assert values is not None
        self.seen.append(("open", values.get("page")))
        film = Film()
        self.live.add(film)
        return film


class Film(sdimage.CoderInstance):
    def __init__(self) -> None:
        self.grays = b""

    def update(self, data: bytes, finished: bool) -> None:
        if finished and not data.endswith(b"."):
            raise sdimage.Error("TRUNCATED", "no end")
        self.grays = data[5:].rstrip(b".")

    def frame_count(self) -> int:
        return len(self.grays)

    def loop_count(self) -> int:
        return 3

    def duration_ms(self, index: int) -> int:
        return 50 + index

    def frame(self, index: int) -> sdimage.Image:
        if self.grays[index] == 99:
            raise ZeroDivisionError("by nought")
        return gray(self.grays[index])


def gray(value: int) -> sdimage.Image:
    return sdimage.Image.from_pixels(bytes([value]) * 4, 2, 2, "gray8")


class Disc(sdimage.Coder):
    """A vector format: b"disc" and a gray, drawn at any size."""

    name = "disc"

    def can_decode(self, head: bytes) -> bool:
        return head.startswith(b"disc")

    def decode(self, data: bytes, options: sdimage.DecodeOptions) -> sdimage.Image:
        return self.render(data, (10, 10), options)

    def render(self, data: bytes, size: tuple[int, int], options: sdimage.DecodeOptions) -> sdimage.Image:
        return sdimage.Image.from_pixels(data[4:5] * size[0] * size[1], *size, "gray8")


class Animations(TestCase):
    def register(self, coder: sdimage.Coder) -> None:
        sdimage.register_coder(coder)
        self.addCleanup(sdimage.unregister_coder, coder)

    def test_frames_durations_and_loops_are_those_of_the_instance(self) -> None:
        coder = Strip()
        self.register(coder)
        image = sdimage.decode(b"strip" + bytes((10, 20, 30)) + b".", options={"page": 7, "mode": "fast"})
        self.assertEqual((image.frame_count, image.loop_count, image.durations_ms), (3, 3, [50, 51, 52]))
        self.assertEqual([image.frame(index).tobytes()[0] for index in range(3)], [10, 20, 30])
        animation = sdimage.Animation(b"strip" + bytes((10, 20)) + b".")
        self.assertEqual([frame.tobytes()[0] for frame in animation], [10, 20])
        self.assertEqual([index for index, _ in animation.player(loops=1)], [0, 1])
        self.assertIn(("open", 7), coder.seen)
        del image, animation
        self.assertTrue(becomes(lambda: gc.collect() >= 0 and not coder.live))

    def test_an_animation_grows_while_its_bytes_arrive(self) -> None:
        self.register(Strip())
        animation = sdimage.Animation(b"")
        animation.update(b"strip")
        self.assertIsNone(animation.image)
        # The first bytes decide on the coder.
        first, second = bytes(range(100, 200)), bytes(range(200, 210))
        animation.update(first)
        part = animation.image
        assert part is not None
        self.assertEqual((len(animation), part.is_incremental, part.frame_count), (100, True, 100))
        player = animation.player()
        self.assertEqual(player.advance(0)[0], 0)
        animation.update(second + b".", finished=True)
        self.assertEqual([frame.tobytes()[0] for frame in animation], list(first + second))

    def test_errors_and_exceptions_are_those_of_the_frame(self) -> None:
        self.register(Strip())
        self.assert_error("TRUNCATED", sdimage.Animation, b"strip" + bytes((10, 20)))
        animation = sdimage.Animation(b"strip" + bytes((10, 99)) + b".")
        with self.assertLogs("sdimage"):
            error = self.assert_error("INTERNAL_ERROR", animation.__getitem__, 1)
        self.assertIsInstance(error.__cause__, ZeroDivisionError)

    def test_a_program_sees_its_own_options(self) -> None:
        coder = Strip()
        self.register(coder)
        manager = self.manager(cache=None, loader=lambda request: b"strip" + bytes((10,)) + b".")
        manager.load("x:a", options={"page": 2, "other": 0.5})
        self.assertTrue(any(2 in seen for seen in coder.seen if isinstance(seen, tuple)), coder.seen)
        values: dict[str, sdimage.EncodeOptions] = {}

        class Encoder(Strip):
            def can_encode(self, format: str) -> bool:  # noqa: A002
                return format == "ico"

            def encode(self, image: sdimage.Image, format: str, options: sdimage.EncodeOptions) -> bytes:  # noqa: A002
                values["options"] = options
                return b"bytes"

        self.register(Encoder())
        own = {"a": 1, "b": -2.5, "c": "text", "d": True, "e": b"data", "f": False}
        self.assertEqual(gray(1).encode("ico", options=own, exif=b"II*\0\0\0\0\0"), b"bytes")
        seen = values["options"]["options"]
        assert seen is not None
        self.assertEqual({name: seen[name] for name in own}, own)
        self.assertEqual([type(seen[name]) for name in own], [type(value) for value in own.values()])
        self.assertEqual((seen.get("none"), "none" in seen, "a" in seen, len(seen)), (None, False, True, 6))
        self.assertRaises(KeyError, seen.__getitem__, "none")

    def test_a_vector_image_is_drawn_at_any_size(self) -> None:
        self.register(Disc())
        image = sdimage.decode(b"disc\x07")
        self.assertTrue(image.pixels[0] == 7 and image.width == 10)
        self.assertEqual(sdimage.decode(b"disc\x07", thumbnail_size=(40, 40)).width, 40)


    def test_an_image_holds_the_coder_that_draws_it(self) -> None:
        manager = self.manager(cache=sdimage.ImageCache(memory_only=True), loader=lambda request: b"disc\x07")

        class Ring(Disc):
            def __init__(self) -> None:
                self.itself = self

        ways: list[Callable[[sdimage.Coder], sdimage.Image | None]] = [
            lambda coder: sdimage.decode(b"disc\x07", coder=coder),
            lambda coder: manager.load("x:a", coder=coder).image,
        ]
        for decode, make in itertools.product(ways, (Disc, Ring)):
            coder = make()
            gone = weakref.ref(coder)
            image = decode(coder)
            del coder
            gc.collect()
            assert image is not None
            self.assertEqual((image.is_vector, image.render((30, 20)).tobytes()), (True, b"\x07" * 600))
            del image
            manager.cache.clear(disk=False)  # type: ignore[union-attr]
            self.assertTrue(becomes(lambda gone=gone: gc.collect() >= 0 and gone() is None))  # type: ignore[misc]

    def test_an_animation_holds_its_coder(self) -> None:
        image = sdimage.decode(b"strip" + bytes(range(5)) + b".", coder=(coder := Strip()))
        gone = weakref.ref(coder)
        del coder
        self.assertEqual([image.frame(index).pixels[0] for index in (1, 4, 0, 3)], [1, 4, 0, 3])
        del image
        self.assertTrue(becomes(lambda: gc.collect() >= 0 and gone() is None))


class List(TestCase):
    def test_the_registered_coders_are_listed(self) -> None:
        names = [coder.name for coder in sdimage.coders()]
        for name in ("basic", "gif", "webp", "apng", "heif", "avif"):
            self.assertIn(name, names)
        first, second = Farbfeld(), Strip()
        for coder in (first, second):
            sdimage.register_coder(coder)
            self.addCleanup(sdimage.unregister_coder, coder)
        self.assertEqual(sdimage.coders()[:2], [second, first])
        self.assertEqual([coder.name for coder in sdimage.coders()[2:]], names)

    def test_a_format_hint_selects_a_coder_for_bytes_without_signature(self) -> None:
        class Raw(sdimage.Coder):
            def can_decode(self, head: bytes) -> bool:
                return False

            def can_decode_format(self, format: str) -> bool:  # noqa: A002
                return format == "raw"

            def decode(self, data: bytes, options: sdimage.DecodeOptions) -> sdimage.Image:
                seen.append(options)
                return sdimage.Image.from_pixels(data, len(data), 1, "gray8")

        seen: list[sdimage.DecodeOptions] = []
        coder = Raw()
        sdimage.register_coder(coder)
        self.addCleanup(sdimage.unregister_coder, coder)
        self.assertEqual(sdimage.decode(b"abc", format_hint="raw").tobytes(), b"abc")
        self.assertEqual((seen[0]["format_hint"], seen[0]["early_thumbnail"]), ("raw", False))
        self.assert_error("NOT_AN_IMAGE", sdimage.decode, b"abc")
        self.assert_error("NOT_AN_IMAGE", sdimage.decode, b"abc", format_hint="svg")

    def test_what_can_be_decoded_and_encoded(self) -> None:
        file = farbfeld(2, 2)
        self.assertFalse(sdimage.can_decode(file))
        self.assertTrue(sdimage.can_decode(gray(5).encode("png")))
        self.assertTrue(sdimage.can_encode("png"))
        self.assertFalse(sdimage.can_encode("raw"))
        self.assert_error("INVALID_ARGUMENT", sdimage.can_encode, "floppy")
        coder = Farbfeld()
        sdimage.register_coder(coder)
        self.addCleanup(sdimage.unregister_coder, coder)
        self.assertTrue(sdimage.can_decode(file))

    def test_a_coder_may_be_chosen_for_one_image(self) -> None:
        file = farbfeld(3, 2)
        self.assertEqual(sdimage.decode(file, coder=Farbfeld()).width, 3)
        self.assertEqual(len(sdimage.Animation(b"strip" + bytes((1, 2)) + b".", coder=Strip())), 2)
        manager = self.manager(cache=None, loader=lambda request: file)
        self.assert_error("NOT_AN_IMAGE", manager.load, "x:a")
        image = manager.load("x:b", coder=Farbfeld()).image
        self.assertEqual(image.width if image else None, 3)
        png = gray(5).encode("png")
        self.assertEqual(sdimage.decode(png, coder=sdimage.LibraryCoder.builtin("png")).format, "png")
        self.assert_error(("NOT_AN_IMAGE", "BAD_DATA", "UNSUPPORTED"), sdimage.decode, png, coder=sdimage.LibraryCoder.builtin("jpeg"))
        self.assert_error("NOT_FOUND", sdimage.LibraryCoder.builtin, "floppy")
        with self.assertRaisesRegex(TypeError, "coder must be Coder, LibraryCoder or None, not str"):
            manager.load("x:c", coder="png")

