"""HEIC sequences and videos: frames in any order, posters, sources, and no access beyond the bytes."""

from __future__ import annotations

import struct
import tempfile
import unittest
from pathlib import Path

from . import movies
from .movies import COLORS, clip
from .support import FIXTURES, TestCase, apart, apart_in_little_memory, from_source, needs, sdimage

DURATIONS = [40, 100, 200, 60, 100]


@needs("av")
class Video(TestCase):
    def assert_color(self, image: sdimage.Image, index: int) -> None:
        self.assert_close(self.pixel(image, 32, 32)[:3], COLORS[index])

    def test_a_poster_is_a_still_of_the_first_frame_or_of_a_time(self) -> None:
        for index_first in (True, False):
            data = clip(index_first=index_first)
            image = sdimage.decode(data)
            self.assertEqual((image.width, image.height, image.frame_count, image.pixel_format), (64, 64, 1, "rgb8"))
            self.assert_color(image, 0)
            times = {0: 0, 39: 0, 40: 1, 139: 1, 140: 2, 339: 2, 340: 3, 400: 4, 499: 4, 500: 4, 10**15: 4, -7: 0}
            for time, index in times.items():
                with self.subTest(time=time, index_first=index_first):
                    self.assert_color(sdimage.decode(data, options={"av.poster_ms": time}), index)

    def test_frames_are_had_in_any_order(self) -> None:
        data = clip()
        wish = {"av.frames": True}
        image = sdimage.decode(data, options=wish)
        self.assertEqual((image.frame_count, image.loop_count, image.durations_ms), (5, 1, DURATIONS))
        with sdimage.Animation(data, options=wish) as moving:
            self.assertEqual((len(moving), moving.loop_count, moving.durations_ms), (5, 1, DURATIONS))
            for index in (4, 0, 2, 1, 3, 3, 4):
                self.assert_color(moving[index], index)
                self.assert_color(image.frame(index), index)
        self.assertEqual(sdimage.decode(data, options=wish, first_frame_only=True).frame_count, 1)
        self.assertEqual([frame.width for frame in sdimage.Animation(data, options=wish, thumbnail_size=(16, 16))], [16] * 5)
        known = sdimage.info(data)
        self.assertEqual((known["width"], known["frame_count"], known["duration_ms"]), (64, 5, 500))

    def test_a_turned_movie_is_shown_upright(self) -> None:
        half = bytes((250, 10, 10)) * 32 + bytes((10, 10, 250)) * 32
        samples = [sdimage.Image.from_pixels(half * 32, 64, 32, "rgb8").encode("jpeg", chroma="444")]
        for turned, size, red, blue in (("up", (64, 32), (8, 8), (56, 8)), ("down", (64, 32), (56, 8), (8, 8)),
                                        ("right", (32, 64), (8, 8), (8, 56)), ("left", (32, 64), (8, 56), (8, 8)),
                                        ("up_mirrored", (64, 32), (56, 8), (8, 8))):
            entry = movies.visual(b"jpeg", height=32)
            data = movies.movie((b"qt  ",), b"vide", entry, samples, [100], turned, height=32)
            with self.subTest(turned):
                image = sdimage.decode(data)
                self.assertEqual((image.width, image.height), size)
                self.assert_close(self.pixel(image, *red)[:3], (250, 10, 10), 12)
                self.assert_close(self.pixel(image, *blue)[:3], (10, 10, 250), 12)
                self.assertEqual(sdimage.decode(data, apply_orientation=False).orientation, turned)

    def test_a_source_is_read_where_it_is_needed(self) -> None:
        for index_first in (True, False):
            data = clip(index_first=index_first)
            self.assertEqual(from_source(data).tobytes(), sdimage.decode(data).tobytes())
            self.assert_color(from_source(data, options={"av.poster_ms": 200}), 2)

    def test_the_error_of_a_source_is_told(self) -> None:
        # Padding, because a small file would be read at once.
        samples = [movies.plain(color).encode("jpeg", chroma="444") + bytes(50000) for color in COLORS]
        data = movies.movie((b"qt  ",), b"vide", movies.visual(b"jpeg"), samples, DURATIONS)
        last = {"av.poster_ms": 10**6}
        # In the header, in the index, and within the last frame, which no other frame may replace.
        for place, options in ((0, {}), (30, {}), (400, {}), (len(data) - 300, last), (len(data) - 300, {"av.frames": True})):
            with self.subTest(place=place, options=options), self.assertRaises(sdimage.Error) as caught:
                from_source(data, breaks_at=place, options=options)
            self.assertEqual((caught.exception.code, caught.exception.message), ("PERMISSION_DENIED", "not for you"))
        self.assert_color(from_source(data, breaks_at=len(data) - 300), 0)

    def test_pieces_end_in_the_same_picture(self) -> None:
        self.assert_pieces_agree(clip())
        self.assert_pieces_agree(clip(), options={"av.frames": True})

    def test_nothing_else_is_opened(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            other = Path(folder, "other.mov")
            other.write_bytes(clip())
            # A track whose samples are in another file, by name.
            data = movies.clip(reference=other.as_uri().encode())
            self.assert_survives(data[: data.index(b"mdat") - 4])
            for text in (f"#EXTM3U\n#EXTINF:1,\n{other}\n", f"ffconcat version 1.0\nfile {other}\n", f"file:{other}"):
                self.assert_error("NOT_AN_IMAGE", text.encode())

    def test_sizes_and_numbers_are_limited(self) -> None:
        self.assert_error("TOO_LARGE", clip(), max_pixels=4000)
        self.assert_error("TOO_LARGE", clip(), max_bytes=4000)
        sample = movies.plain(COLORS[0], 8, 8).encode("jpeg")
        entry = movies.visual(b"jpeg", width=8, height=8)
        many = movies.movie((b"qt  ",), b"vide", entry, [sample] * 10001, [10] * 10001, width=8, height=8)
        self.assert_error("TOO_LARGE", many, options={"av.frames": True})
        self.assertEqual(sdimage.decode(many, options={"av.poster_ms": 99000}).width, 8)
        huge = movies.movie((b"qt  ",), b"vide", movies.visual(b"jpeg", width=65535, height=65535), [sample], [10])
        self.assert_error("TOO_LARGE", huge)
        self.assertEqual(sdimage.info(huge)["width"], 65535)
        self.assert_error("UNSUPPORTED", movies.movie((b"qt  ",), b"vide", movies.visual(b"xyz1"), [sample], [10]))
        self.assert_error("UNSUPPORTED", movies.movie((b"qt  ",), b"soun", movies.visual(b"jpeg"), [sample], [10]))

    def test_edits_do_not_multiply_many_samples(self) -> None:
        """libavformat makes entries for the samples of each edit. Above the limit of samples edits are not repeated."""

        def edited(edits: int) -> sdimage.Image:
            edit = struct.pack(">IiI", 500, 0, 0x10000)
            listed = movies.box(b"edts", movies.full(b"elst", 0, 0, struct.pack(">I", edits), edit * edits))
            samples = [movies.plain(color).encode("jpeg", quality=0.9, chroma="444") for color in COLORS]
            data = movies.movie((b"qt  ",), b"vide", movies.visual(b"jpeg"), samples, [100] * 5, extra=listed)
            return sdimage.decode(data, options={"av.frames": True})

        self.assertEqual(edited(3).frame_count, 15)
        many = edited(2**22 // 5 + 1)
        self.assertEqual(many.frame_count, 5)
        self.assert_color(many, 0)

    def test_tables_that_announce_much_in_few_bytes_are_refused(self) -> None:
        """Samples of equal size need no bytes in a table; libavformat would allocate 24 for each."""
        data = clip(index_first=False)
        moov = data.index(b"moov")

        def patched(bytes_: bytes, count: int) -> bytes:
            place = bytes_.index(b"stsz") + 8
            return bytes_[:place] + struct.pack(">II", 1, count) + bytes_[place + 8 :]

        def with_box(box: bytes) -> bytes:
            return data[: moov - 4] + struct.pack(">I", len(data) - moov + 4 + len(box)) + data[moov:] + box

        def fragment(samples: int) -> bytes:
            run = movies.full(b"trun", 0, 0, struct.pack(">I", samples))
            head = movies.full(b"tfhd", 0, 0x20000, struct.pack(">I", 1))
            return movies.box(b"moof", movies.full(b"mfhd", 0, 0, struct.pack(">I", 1)), movies.box(b"traf", head, run))

        whole = with_box(movies.box(b"mvex", movies.full(b"trex", 0, 0, struct.pack(">5I", 1, 1, 40, 1, 0))))
        self.assert_color(sdimage.decode(whole + fragment(1000)), 0)
        for many in (patched(data, 5_000_000), whole + fragment(5_000_000), whole + fragment(3_000_000) * 2):
            self.assertIn("samples", self.assert_error("TOO_LARGE", many).message)
            with self.assertRaises(sdimage.Error):
                sdimage.info(many)
        with self.assertRaises(sdimage.Error) as caught:
            from_source(patched(data, 5_000_000))
        self.assertEqual(caught.exception.code, "TOO_LARGE")
        # Sound with samples of one tick is read by chunks: an entry has 1024 of them.
        sound = movies.movie((b"qt  ",), b"soun", movies.visual(b"raw "), [b"x"], [1])
        track = sound[sound.index(b"trak") - 4 : sound.index(b"mdat") - 4]
        self.assert_color(sdimage.decode(with_box(patched(track, 2**31))), 0)
        self.assertIn("samples", self.assert_error("TOO_LARGE", with_box(patched(track, 2**31) * 3)).message)
        packed = movies.box(b"moov", movies.box(b"cmov", bytes(64)))
        self.assert_error("UNSUPPORTED", data[: moov - 4] + packed)

    def test_fragments_and_encrypted_samples_count_too(self) -> None:
        """libavformat makes entries for each track of a fragment, and copies the encryption of each sample."""
        sample = movies.plain(COLORS[0]).encode("jpeg", quality=0.9, chroma="444")
        # One initialization vector for all samples, which then take no bytes.
        constant = movies.full(b"tenc", 1, 0, bytes((0, 0, 1, 0)), bytes(16), b"\x10", bytes(16))
        scheme = movies.box(b"sinf", movies.box(b"frma", b"jpeg"), movies.full(b"schm", 0, 0, b"cenc", bytes(4)),
                            movies.box(b"schi", constant))

        def encrypted(kind: bytes, before: bytes, count: int, flags: int = 0) -> bytes:
            table = movies.full(kind, 0, flags, before, struct.pack(">I", count))
            return movies.movie((b"qt  ",), b"vide", movies.visual(b"encv", scheme), [sample], [40], extra=table)

        data = clip(index_first=False)
        moov = data.index(b"moov")
        track = data[data.index(b"trak") - 4 :]

        def fragmented(tracks: int, *boxes: bytes) -> bytes:
            more = track * (tracks - 1) + movies.box(b"mvex", movies.full(b"trex", 0, 0, struct.pack(">5I", 1, 1, 40, 1, 0)))
            return data[: moov - 4] + struct.pack(">I", len(data) - moov + 4 + len(more)) + data[moov:] + more + b"".join(boxes)

        index = movies.full(b"sidx", 0, 0, struct.pack(">IIIIHH", 1, 1000, 0, 0, 0, 0xFFFF), struct.pack(">III", 100, 40, 0) * 0xFFFF)
        for name, few, many in (
                ("senc", encrypted(b"senc", b"", 1000), encrypted(b"senc", b"", 700_000)),
                ("saiz", encrypted(b"saiz", b"\1", 0), encrypted(b"saiz", b"\1", 700_000)),
                ("saiz of a type", encrypted(b"saiz", b"cenc" + bytes(4) + b"\1", 0, 1),
                 encrypted(b"saiz", b"cenc" + bytes(4) + b"\1", 700_000, 1)),
                ("sidx", fragmented(1, index), fragmented(31, index)),
                ("moof", fragmented(1, movies.box(b"moof") * 50_000), fragmented(31, movies.box(b"moof") * 50_000))):
            with self.subTest(name):
                self.assertEqual(sdimage.decode(few).width, 64)
                self.assertIn("samples", self.assert_error("TOO_LARGE", many).message)

    def test_titles_of_chapters_are_not_read(self) -> None:
        # 60,000 titles of 64 KB with the same bytes.
        count, title = 60_000, struct.pack(">H", 64_000) + b"A" * 64_000
        data = clip(index_first=False)
        moov, track = data.index(b"moov"), data[data.index(b"trak") - 4 :]
        entry = movies.box(b"text", bytes(6), b"\0\1", bytes(51))

        def with_chapters(place: int) -> bytes:
            chunks = struct.pack(">I", count) + struct.pack(">I", place) * count
            table = movies.box(b"stbl", movies.full(b"stsd", 0, 0, struct.pack(">I", 1), entry),
                               movies.full(b"stts", 0, 0, struct.pack(">III", 1, count, 40)),
                               movies.full(b"stsc", 0, 0, struct.pack(">4I", 1, 1, 1, 1)),
                               movies.full(b"stsz", 0, 0, struct.pack(">II", len(title), count)), movies.full(b"stco", 0, 0, chunks))
            media = movies.box(b"mdia", movies.full(b"mdhd", 0, 0, struct.pack(">IIIII", 0, 0, 1000, 0, 0)),
                               movies.full(b"hdlr", 0, 0, bytes(4), b"text", bytes(13)), movies.box(b"minf", table))
            head = movies.full(b"tkhd", 0, 3, struct.pack(">IIIII", 0, 0, 2, 0, 0), bytes(60))
            own = track[8:] + movies.box(b"tref", movies.box(b"chap", struct.pack(">I", 2)))
            film = data[moov + 4 : len(data) - len(track)] + movies.box(b"trak", own) + movies.box(b"trak", head, media)
            return data[: moov - 4] + movies.box(b"moov", film)

        whole = with_chapters(len(with_chapters(0)) + 8) + movies.box(b"mdat", title)
        done = apart_in_little_memory(whole, "print(sdimage.decode(data, max_work_ms=30_000).width)")
        self.assertEqual((done.returncode, done.stdout), (0, "64\n"), done.stderr)

    def test_tables_in_other_boxes_are_counted_too(self) -> None:
        """libavformat reads tables in most of the boxes in which it reads others."""
        sample = movies.plain(COLORS[0]).encode("jpeg", quality=0.9, chroma="444")

        def movie(*boxes: bytes, extra: bytes = b"", handler: bytes = b"vide", count: int | None = None) -> bytes:
            """A movie with an own table of sizes for `count` samples, or with none."""
            data = movies.movie((b"qt  ",), handler, movies.visual(b"jpeg", *boxes), [sample], [1], extra=extra)
            place = data.rindex(b"stsz") if not extra else data.rindex(b"stsz", 0, data.rindex(b"stco"))
            if count is None:
                return data[:place] + b"skip" + data[place + 4 :]
            return data[: place + 8] + struct.pack(">II", 1, count) + data[place + 16 :]

        def kind(handler: bytes) -> bytes:
            return movies.full(b"hdlr", 0, 0, bytes(4), handler, bytes(13))

        sizes = movies.full(b"stsz", 0, 0, struct.pack(">II", 1, 5_000_000))
        usual, many = movie(count=len(sample)), movie(count=5_000_000)
        for name, data in {
            "sample description": movie(sizes),
            "last box": movie(b"\xff\xff\xff\xff" + sizes[4:]),
            "meta": movie(extra=movies.box(b"meta", bytes(4), kind(b"mdta"), sizes)),
            "meta without a version": movie(extra=movies.box(b"meta", kind(b"mdta"), sizes)),
            "list": movie(extra=movies.box(b"ilst", sizes)),
            "hoov": many.replace(b"moov", b"hoov"),
            "free": many.replace(b"moov", b"free"),
            "later durations": movie(extra=movies.full(b"stts", 0, 0, struct.pack(">3I", 1, 1, 40)), handler=b"soun",
                                     count=5_000_000),
            "kind of track": movie(extra=movies.box(b"meta", kind(b"vide")), handler=b"soun", count=5_000_000),
        }.items():
            with self.subTest(name):
                self.assertIn("samples", self.assert_error("TOO_LARGE", data).message)
        packed = movies.box(b"hoov", movies.box(b"cmov", bytes(64)))
        self.assert_error("UNSUPPORTED", usual[: usual.index(b"moov") - 4] + packed)
        usual = clip()
        self.assert_color(sdimage.decode(usual.replace(b"moov", b"hoov")), 0)
        self.assert_color(sdimage.decode(usual.replace(b"moov", b"free")), 0)
        described = movies.movie((b"qt  ",), b"vide", movies.visual(b"jpeg"), [sample], [1],
                                 extra=movies.box(b"meta", bytes(4), kind(b"mdta")))
        self.assert_color(sdimage.decode(described), 0)

    def test_a_file_that_ends_early_is_truncated(self) -> None:
        data = clip()
        self.assert_error(("TRUNCATED", "BAD_DATA", "UNSUPPORTED"), data[:300])
        self.assert_error(("TRUNCATED", "BAD_DATA"), clip(index_first=False)[:2000])
        cut = data[: len(data) - 300]
        self.assert_color(sdimage.decode(cut), 0)

    def test_damage_is_an_error_or_a_picture(self) -> None:
        self.assert_hardened(clip(), 40, 100)
        data = clip()
        for at in range(data.index(b"moov"), data.index(b"mdat"), 9):
            changed = data[:at] + struct.pack(">I", 0xFFFFFFFF) + data[at + 4 :]
            self.assert_survives(changed, options={"av.frames": True}, seconds=2)

    def test_nothing_is_printed_about_damage(self) -> None:
        done = apart("""
            import sys
            data = bytes.fromhex(sys.argv[1])
            for at in range(40, len(data), 9):
                try:
                    sdimage.decode(data[:at] + b"\\xff" + data[at + 1:])
                except sdimage.Error:
                    pass
            """, clip().hex())
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_stills_and_avif_stay_with_their_coders(self) -> None:
        for name in ("heif/still.heic", "avif/still.avif", "avif/animated.avif"):
            data = (FIXTURES / name).read_bytes()
            with self.subTest(name):
                try:
                    self.assertEqual(sdimage.decode(data).frame_count, 3 if "animated" in name else 1)
                except sdimage.Error as error:
                    self.assertEqual(error.code, "UNSUPPORTED", str(error))


@needs("av")
class Sequence(TestCase):
    def setUp(self) -> None:
        self.data = (FIXTURES / "av" / "sequence.heics").read_bytes()

    def test_a_sequence_is_an_animation_that_plays_for_ever(self) -> None:
        image = sdimage.decode(self.data)
        self.assertEqual((image.format, image.frame_count, image.loop_count), ("heic", 5, 0))
        self.assertEqual(image.durations_ms, [50, 200, 100, 80, 70])
        with sdimage.Animation(self.data) as moving:
            for index in (4, 0, 3, 1, 2, 2):
                self.assert_close(self.pixel(moving[index], 30, 30)[:3], COLORS[index])
        known = sdimage.info(self.data)
        self.assertEqual((known["format"], known["frame_count"], known["duration_ms"]), ("heic", 5, 500))
        self.assertEqual(sdimage.decode(self.data, first_frame_only=True).frame_count, 1)

    def test_encoding_it_unchanged_returns_its_bytes(self) -> None:
        self.assertEqual(sdimage.decode(self.data).encode("heic"), self.data)
        for index in range(5):
            frame = sdimage.decode(self.data).frame(index)
            self.assertEqual((frame.is_animated, frame.frame_count, frame.duration_ms), (False, 1, 0), index)

    def test_damage_is_an_error_or_a_picture(self) -> None:
        self.assert_hardened(self.data)

    def test_a_player_shows_it(self) -> None:
        with sdimage.Manager(cache=None) as manager:
            result = manager.load((FIXTURES / "av" / "sequence.heics").as_uri(), require_animation=True)
            self.assertEqual(result.image.frame_count, 5)


if __name__ == "__main__":
    unittest.main()
