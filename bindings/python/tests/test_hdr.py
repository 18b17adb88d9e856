"""HDR renditions: a JPEG with a gain map compared with libultrahdr, and PQ in PNG."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

from .support import TestCase, png, sdimage

FOLDER = Path(__file__).parents[3] / "Tests/fixtures/hdr"
#: Pixels between two in sunset.f16, and columns and rows there (Tests/fixtures/make_gain_maps.py).
STEP, COLUMNS, ROWS = 8, 30, 20


def luminance(red: float, green: float, blue: float) -> float:
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


class Renditions(TestCase):
    sunset = FOLDER / "sunset.jpg"

    def test_the_light_is_that_of_libultrahdr(self) -> None:
        reference = (FOLDER / "sunset.f16").read_bytes()
        half = len(reference) // 2
        for part, options in ((reference[:half], {"dynamic_range": "hdr"}),
                              (reference[half:], {"dynamic_range": "automatic", "display_headroom": 1.0})):
            image = sdimage.decode(self.sunset, **options)  # type: ignore[arg-type]
            self.assertEqual((image.pixel_format, image.is_hdr), ("rgba_float", True))
            samples = struct.unpack(f"={image.width * image.height * 4}f", image.tobytes())
            expected = struct.unpack(f"<{COLUMNS * ROWS * 3}e", part)
            errors = []
            for at in range(COLUMNS * ROWS):
                offset = (at // COLUMNS * STEP * image.width + at % COLUMNS * STEP) * 4
                wanted = luminance(*expected[3 * at : 3 * at + 3])
                errors.append(abs(luminance(*samples[offset : offset + 3]) - wanted) / max(wanted, 0.01))
            self.assertLess(max(errors), 0.01)

    def test_the_image_tells_its_headroom_and_its_map(self) -> None:
        image = sdimage.decode(self.sunset, dynamic_range="automatic", display_headroom=2)
        self.assertEqual(image.headroom, 2)
        self.assertAlmostEqual(image.content_headroom, 5.622, places=3)
        gains = image.gain_map
        assert gains is not None
        self.assertEqual((gains.image.width, gains.image.height, gains.image.pixel_format), (240, 160, "rgb8"))
        self.assertEqual((gains.base_headroom, gains.alternate_headroom, gains.is_linear), (0, image.content_headroom, False))
        self.assertEqual({channel.gamma for channel in gains.channels}, {1.0})
        plain = sdimage.decode(self.sunset)
        self.assertEqual((plain.pixel_format, plain.is_hdr, plain.headroom, plain.gain_map), ("rgb8", False, 0, None))

    def test_the_options_are_read_back(self) -> None:
        options = sdimage.decode(self.sunset, dynamic_range="automatic", display_headroom=1.5).decode_options
        assert options is not None
        self.assertEqual((options["dynamic_range"], options["display_headroom"]), ("automatic", 1.5))
        self.assert_error("INVALID_ARGUMENT", sdimage.decode, png(), dynamic_range="wide")

    def test_loads_have_renditions(self) -> None:
        manager = self.manager()
        url = self.origin().add("sunset.jpg", self.sunset.read_bytes(), "image/jpeg")
        for dynamic_range, is_hdr in (("hdr", True), ("sdr", False), ("hdr", True)):
            image = manager.load(url, dynamic_range=dynamic_range, thumbnail_size=(60, 60)).image
            assert image
            self.assertEqual((image.is_hdr, image.width), (is_hdr, 60))

    def test_pq_is_light_on_request(self) -> None:
        def chunk(name: bytes, body: bytes) -> bytes:
            return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

        # SMPTE ST 2084: the signal 0.75 is 983 cd/m², 4.84 times the white of SDR.
        rows = (b"\0" + struct.pack(">3H", *(round(0.75 * 65535),) * 3) * 16) * 16
        data = (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 16, 16, 16, 2, 0, 0, 0))
                + chunk(b"cICP", bytes((9, 16, 0, 1))) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
        image = sdimage.decode(data, dynamic_range="hdr")
        self.assertEqual(image.pixel_format, "rgba_float")
        self.assertAlmostEqual(struct.unpack("=f", image.tobytes()[:4])[0], 4.84, delta=0.05)
        self.assertAlmostEqual(image.headroom, 5.622, places=3)
        small = sdimage.decode(data, dynamic_range="hdr", limit_bytes=64 * 16)
        self.assertEqual((small.width, small.height, small.pixel_format), (8, 8, "rgba_float"))
        plain = sdimage.decode(data)
        self.assertEqual((plain.pixel_format, plain.headroom), ("rgb8", 0))
        self.assertAlmostEqual(plain.content_headroom, 5.622, places=3)
