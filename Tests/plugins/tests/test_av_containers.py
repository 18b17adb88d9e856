"""Movies from libavformat's own writers, with frames that refer to each other: the right frame for each time, from
each container."""

from __future__ import annotations

import unittest

from . import expensive, movies, writers
from .movies import COLORS, body_of, box
from .support import TestCase, apart_in_little_memory, from_source, needs, sdimage

COUNT = 30
FRAMES = {"av.frames": True}


def halves(index: int) -> tuple[writers.Color, writers.Color]:
    """The left half has one of five colors, the right half a unique gray."""
    return COLORS[index % len(COLORS)], (index * 8,) * 3


@needs("av")
class Containers(TestCase):
    def assert_frame(self, image: sdimage.Image, index: int) -> None:
        self.assertEqual((image.width, image.height), (64, 48))
        left, right = halves(index)
        self.assert_close(self.pixel(image, 12, 24)[:3], tuple(left), 10)
        # Less than half of the difference to the next frame.
        self.assert_close(self.pixel(image, 52, 24)[:3], tuple(right), 3)

    def assert_container(self, container: str, encoder: str, *options: str) -> None:
        data = writers.movie(container, encoder, map(halves, range(COUNT)), *options)
        for time, index in {0: 0, 39: 0, 40: 1, 399: 9, 400: 10, 520: 13, 1000: 25, 1160: 29, 10**7: 29}.items():
            with self.subTest(time=time):
                poster = sdimage.decode(data, options={"av.poster_ms": time})
                self.assertEqual(poster.frame_count, 1)
                self.assert_frame(poster, index)
        with sdimage.Animation(data, options=FRAMES) as moving:
            self.assertEqual((len(moving), moving.durations_ms), (COUNT, [40] * COUNT))
            for index in (29, 0, 13, 7, 8, 22, 21, 12, 1):
                with self.subTest(index=index):
                    self.assert_frame(moving[index], index)
        known = sdimage.info(data)
        self.assertEqual((known["width"], known["height"], known["frame_count"], known["duration_ms"]), (64, 48, COUNT, 1200))
        middle = {"av.poster_ms": 520}
        self.assertEqual(from_source(data, options=middle).tobytes(), sdimage.decode(data, options=middle).tobytes())
        self.assertEqual(sdimage.decode(data, options=middle, thumbnail_size=(16, 16)).width, 16)
        self.assert_hardened(data, 8, 16)

    def test_matroska_with_h264(self) -> None:
        self.assert_container("matroska", "libx264", "crf=4", "g=12", "bf=3", "refs=4", "preset=fast")

    def test_webm_with_vp8(self) -> None:
        self.assert_container("webm", "libvpx", "b=4M", "qmax=8", "g=12", "auto-alt-ref=1", "lag-in-frames=8")

    def test_webm_with_vp9(self) -> None:
        self.assert_container("webm", "libvpx-vp9", "b=4M", "qmax=8", "g=12", "deadline=realtime", "cpu-used=8")

    def test_formats_that_libswscale_converts_have_their_colors(self) -> None:
        colors = ((190, 70, 90), (70, 100, 180))
        for options in ((), ("colorspace=bt709",), ("color_range=pc",), ("colorspace=bt709", "color_range=pc")):
            data = writers.movie("webm", "libvpx-vp9", [colors], "b=4M", "qmax=8", "deadline=realtime", "cpu-used=8", *options,
                                 pixel_format="yuv440p")
            image = sdimage.decode(data)
            for x, color in zip((12, 52), colors):
                with self.subTest(options, color=color):
                    self.assert_close(self.pixel(image, x, 24)[:3], color, 4)

    def test_webm_with_av1(self) -> None:
        self.assert_container("webm", "libaom-av1", "crf=8", "g=12", "cpu-used=8", "lag-in-frames=8")

    def test_avi_with_mpeg4(self) -> None:
        self.assert_container("avi", "mpeg4", "b=8M", "qmax=2", "g=12")

    def test_avi_with_motion_jpeg(self) -> None:
        self.assert_container("avi", "mjpeg", "b=20M", "qmax=2")

    def test_mp4_with_h265(self) -> None:
        self.assert_container("mp4", "libx265", "crf=4", "g=12", "x265-params=log-level=none:bframes=3")

    def test_a_long_movie_tells_its_duration_by_its_header(self) -> None:
        frames = [(COLORS[0], COLORS[1])] * 10001
        known = sdimage.info(writers.movie("matroska", "mjpeg", frames, width=16, height=16))
        self.assertEqual(known["duration_ms"], 400040)

    def test_pictures_that_are_referred_to_are_limited_too(self) -> None:
        # Sixteen frames of 5.5 MB, all of them in memory, where bitmaps of 12 MB are permitted and therefore 64 MiB in
        # total.
        frames = [((0, 0, 0), (index * 8,) * 3) for index in range(16)]
        data = writers.movie("matroska", "libx264", frames, "preset=ultrafast", "refs=16", "g=100", "bf=0", "qp=20", width=2560,
                             height=1440)
        last = {"av.poster_ms": 600}
        self.assert_close(self.pixel(sdimage.decode(data, options=last), 2000, 700)[:3], (120,) * 3, 3)
        error = self.assert_error("TOO_LARGE", data, options=last, max_bytes=12 << 20)
        self.assertIn("refer", error.message)
        self.assertEqual(sdimage.decode(data, max_bytes=12 << 20).width, 2560)
        small = sdimage.decode(data, options=last, max_bytes=12 << 20, thumbnail_size=(64, 64))
        self.assertEqual((small.width, small.height), (64, 36))

    def test_narrow_frames_are_counted_with_their_padding(self) -> None:
        # Sixteen frames of 1.5 MB, whose buffers take eight times as much, where 64 MiB are permitted.
        bombs = expensive.package_bombs()
        narrow = bombs.Picture(16, 64_000, references=15)
        entry = movies.visual(b"hvc1", narrow.configuration(), width=16, height=64_000)
        data = movies.movie((b"isom",), b"vide", entry, [bombs.stream(narrow.slices(1))], [40], width=16, height=64_000)
        self.assertEqual(sdimage.decode(data).height, 64_000)
        self.assertIn("refer", self.assert_error("TOO_LARGE", data, max_bytes=16 << 20).message)

    def test_units_of_a_picture_are_limited(self) -> None:
        # libavcodec keeps 4 KiB for each, also for those of the configuration.
        empty = {b"avc1": (b"avcC", bytes((1, 66, 0, 30, 255, 224, 0)), b"\x0c"),
                 b"hvc1": (b"hvcC", expensive.package_bombs().Picture(64, 64).configuration()[8:], b"\x4c\1")}
        for name, (kind, configuration, unit) in empty.items():
            def movie(sample: bytes, *configurations: bytes) -> bytes:
                entries = [movies.visual(name, box(kind, body)) for body in configurations or (configuration,)]
                data = movies.movie((b"isom",), b"vide", b"".join(entries), [sample], [40])
                # The sample has the last configuration.
                count = len(entries).to_bytes(4, "big")
                data = data.replace(b"stsd\0\0\0\0\0\0\0\1", b"stsd\0\0\0\0" + count)
                at = data.index(b"stsc") + 20
                return data[:at] + count + data[at + 4 :]

            one, coded = bytes((0, 0, 0, len(unit))) + unit, (b"\0\0\1" + unit) * 20_000
            inside = len(coded).to_bytes(4, "big") + coded
            # Its last two bits are the size of the lengths, minus 1.
            place = 4 if name == b"avc1" else 21
            short = configuration[:place] + bytes((configuration[place] & 0xFC,)) + configuration[place + 1 :]
            for reason, data in {"lengths": movie(one * 20_000), "start codes": movie(inside), "configuration": movie(one, coded),
                                 "short lengths": movie(one[3:] * 20_000, short),
                                 "later configuration": movie(one, configuration, coded)}.items():
                with self.subTest(reason, codec=name):
                    self.assertIn("units", self.assert_error("TOO_LARGE", data).message)
            self.assert_error(("BAD_DATA", "TRUNCATED"), movie(one * 8_000))

    def test_messages_of_a_picture_are_limited(self) -> None:
        # libavcodec keeps each message of user data, and hands it out with the frame.
        bombs = expensive.package_bombs()
        picture = bombs.Picture(64, 64)
        entry = movies.visual(b"hvc1", picture.configuration())
        message = bytes((5, 17)) + b"\x55" * 17

        def movie(count: int, before: bytes = b"") -> bytes:
            units = [b"\x4e\1" + before + message * count + b"\x80", *picture.slices()]
            return movies.movie((b"isom",), b"vide", entry, [bombs.stream(units)], [40])

        self.assertEqual(sdimage.decode(movie(1000)).width, 64)
        limit = (1 << 20) // len(message) + 1
        self.assertIn("SEI", self.assert_error("TOO_LARGE", movie(limit)).message)
        # Behind a start code in a unit of another type.
        self.assertIn("SEI", self.assert_error("TOO_LARGE", movie(limit).replace(b"\x4e\1" + message[:2], b"\0\0\1\x4e" + message[1:2])
                                               ).message)

    def test_parameter_sets_of_large_pictures_are_refused(self) -> None:
        # libavcodec makes tables for each of them, also for those that no picture uses.
        bombs = expensive.package_bombs()
        usual, large = bombs.Picture(64, 64), bombs.Picture(9216, 9216)

        def movie(configuration: bytes, *units: bytes) -> bytes:
            entry = movies.visual(b"hvc1", configuration)
            return movies.movie((b"isom",), b"vide", entry, [bombs.stream([*units, *usual.slices()])], [40])

        self.assertEqual(sdimage.decode(movie(usual.configuration()), max_pixels=64 * 64).width, 64)
        for name, data in {"configuration": movie(large.configuration()),
                           "packet": movie(usual.configuration(), *large.sets(), *usual.sets())}.items():
            with self.subTest(name):
                self.assertIn("max_pixels", self.assert_error("TOO_LARGE", data).message)
                self.assertEqual(sdimage.info(data)["width"], 64)

    def test_units_of_av1_need_no_memory(self) -> None:
        still = movies.plain(COLORS[1]).encode("avif")
        entry = movies.visual(b"av01", box(b"av1C", body_of(still, b"meta", b"iprp", b"ipco", b"av1C")))
        delimiter = b"\x12\0"
        data = movies.movie((b"isom", b"av01"), b"vide", entry, [delimiter * 500_000 + body_of(still, b"mdat")], [40])
        done = apart_in_little_memory(data, 'print(sdimage.info(data)["frame_count"], sdimage.decode(data).width)')
        self.assertEqual((done.returncode, done.stdout), (0, "1 64\n"), done.stderr)

    def test_av1_has_the_format_that_its_track_announces(self) -> None:
        # 12 bits and 4:4:4: 6 bytes a pixel.
        deep = (expensive.STORED / "deep_tile.avif").read_bytes()
        configuration = body_of(deep, b"meta", b"iprp", b"ipco", b"av1C")
        less = configuration[:2] + b"\0" + configuration[3:]

        def movie(configuration: bytes, side: int = 2304) -> bytes:
            entry = movies.visual(b"av01", box(b"av1C", configuration), width=side, height=side)
            return movies.movie((b"isom", b"av01"), b"vide", entry, [body_of(deep, b"mdat")], [40], width=side, height=side)

        self.assertEqual(sdimage.decode(movie(configuration)).width, 2304)
        self.assertIn("announces", self.assert_error("BAD_DATA", movie(less)).message)
        self.assertIn("refer", self.assert_error("TOO_LARGE", movie(configuration, 5000)).message)
        self.assertIn("announces", self.assert_error("BAD_DATA", movie(less, 5000)).message)

    def test_references_of_av1_are_limited_by_the_size(self) -> None:
        entry = movies.visual(b"av01", width=8000, height=5000)
        data = movies.movie((b"isom", b"av01"), b"vide", entry, [bytes(64)], [40], width=8000, height=5000)
        self.assertIn("refer", self.assert_error("TOO_LARGE", data).message)
        self.assert_error(("BAD_DATA", "TRUNCATED"), data, max_bytes=1 << 30)
        self.assertEqual(sdimage.info(data)["width"], 8000)


if __name__ == "__main__":
    unittest.main()
