"""JPEG XL with gain maps, in a box `jhgm`."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from ctypes import byref, sizeof

from sdimage._ffi import lib
from sdimage._prototypes import DESTROY, LOG_HANDLER_MESSAGE, LogHandler
from sdimage.errors import call

from .support import TestCase, needs, sdimage
from .test_jxl import ramp

LOG_LEVEL_WARNING = 2
#: The gains of the map in stops.
STOPS = 2
SIGNATURE = bytes.fromhex("0000000c4a584c200d0a870a") + bytes.fromhex("00000014667479706a786c20000000006a786c20")


def box(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", 8 + len(body)) + name + body


def codestream(image: sdimage.Image) -> bytes:
    data = image.encode("jxl", lossless=True, effort=1)
    assert data.startswith(b"\xff\n")
    return data


def parameters(headroom: int = STOPS) -> bytes:
    """Those of ISO 21496-1, annex C: gains from 0 to `headroom` stops, without gamma and offsets."""
    numbers = (0, headroom, 0, headroom, 1, 0, 0)
    return struct.pack(">HHB", 0, 0, 0x40) + b"".join(struct.pack(">ii", number, 1) for number in numbers)


def bundle(samples: bytes, fields: bytes, version: int = 0, color: bytes = b"", profile: bytes = b"") -> bytes:
    head = struct.pack(">BH", version, len(fields)) + fields + bytes([len(color)]) + color
    return head + struct.pack(">I", len(profile)) + profile + samples


def linear(sample: int) -> float:
    value = sample / 255
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def light(image: sdimage.Image) -> Iterator[tuple[float, ...]]:
    return struct.iter_unpack("=4f", image.tobytes())


def logged(decode: Callable[[], sdimage.Image]) -> tuple[sdimage.Image, list[bytes]]:
    """An image, and the warnings that its decode writes."""
    lines: list[bytes] = []
    handler = LogHandler(sizeof(LogHandler), LOG_HANDLER_MESSAGE(lambda _, level, text: lines.append(text)))
    call(lib.sdimage_log_set_handler, LOG_LEVEL_WARNING, byref(handler), None, DESTROY())
    try:
        return decode(), lines
    finally:
        call(lib.sdimage_log_set_handler, 0, None, None, DESTROY())


@needs("jxl")
class GainMaps(TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.base = ramp()
        self.samples = ramp(96, 64, 1)

    def file(self, *boxes: bytes) -> bytes:
        return SIGNATURE + box(b"jxlc", codestream(self.base)) + b"".join(boxes)

    def assert_rendition(self, image: sdimage.Image) -> None:
        self.assertEqual((image.is_hdr, image.headroom, image.pixel_format), (True, STOPS, "rgba_float"))
        for index, pixel in enumerate(light(image)):
            gain = 2 ** (STOPS * self.samples.tobytes()[index] / 255) if index % 89 == 0 else None
            for channel in range(3 if gain else 0):
                expected = linear(self.base.tobytes()[3 * index + channel]) * (gain or 0)
                self.assertAlmostEqual(pixel[channel], expected, delta=0.004 + 0.005 * expected)

    def test_the_map_is_applied(self) -> None:
        for extra in ({}, {"color": b"12345"}, {"profile": b"123456789"}):
            data = self.file(box(b"jhgm", bundle(codestream(self.samples), parameters(), **extra)))
            self.assert_rendition(sdimage.decode(data, dynamic_range="hdr"))
            self.assertFalse(sdimage.decode(data).is_hdr)
            self.assertEqual(sdimage.info(data)["content_headroom"], STOPS)

    def test_a_stream_has_the_rendition_too(self) -> None:
        data = self.file(box(b"jhgm", bundle(codestream(self.samples), parameters())))
        growing = sdimage.Animation(b"", dynamic_range="hdr")
        growing.update(data[:-40])
        growing.update(data[-40:], finished=True)
        assert growing.image is not None
        self.assert_rendition(growing.image)

    def test_maps_that_cannot_be_used_leave_the_image(self) -> None:
        samples = codestream(self.samples)
        whole = bundle(samples, parameters())
        for content in (b"", whole[:2], whole[:20], whole[:-30], bundle(samples, parameters(), version=1),
                        bundle(samples, parameters(0)), bundle(samples, b""), whole[:1] + b"\xff\xff" + whole[3:],
                        bundle(samples, parameters().replace(b"\x40", b"\0", 1))):
            data = self.file(box(b"jhgm", content))
            image, lines = logged(lambda: sdimage.decode(data, dynamic_range="hdr"))
            self.assertEqual((image.is_hdr, image.pixel_format, image.gain_map), (False, "rgb8", None))
            self.assertTrue([line for line in lines if line.startswith(b"decode: gain map is not used: ")], lines)
