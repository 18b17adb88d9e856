"""AVIF: sequences with damaged frames, tables that repeat, and streams that take more than the container announces."""

from __future__ import annotations

import struct
import tempfile
from collections.abc import Sequence

from .movies import COLORS, body_of, box, full, movie, plain, visual
from .expensive import STORED
from .support import TestCase, apart, sdimage


class Damaged(TestCase):
    def sequence(self, samples: Sequence[bytes], still: bytes) -> bytes:
        """A sequence of key frames."""
        configuration = box(b"av1C", body_of(still, b"meta", b"iprp", b"ipco", b"av1C"))
        keys = full(b"stss", 0, 0, struct.pack(f">I{len(samples)}I", len(samples), *range(1, len(samples) + 1)))
        return movie((b"avis", b"msf1", b"iso8"), b"pict", visual(b"av01", configuration), samples, [100] * len(samples), extra=keys)

    def test_a_frame_after_a_damaged_one_has_its_own_pixels(self) -> None:
        stills = [plain(color).encode("avif") for color in COLORS[:3]]
        samples = [body_of(still, b"mdat") for still in stills]
        # libavif then has freed the pixels of the frame that it still names as the current one.
        data = self.sequence([samples[0], samples[1], bytes(len(samples[2]))], stills[0])
        with sdimage.Animation(data) as moving:
            for _ in range(2):
                for index in (0, 2, 1):
                    with self.subTest(index=index):
                        if index == 2:
                            with self.assertRaises(sdimage.Error) as caught:
                                moving[index]
                            self.assertEqual(caught.exception.code, "BAD_DATA")
                        else:
                            self.assert_close(self.pixel(moving[index], 3, 3)[:3], COLORS[index])

    def test_a_grid_of_a_tile_with_many_empty_parts_is_refused_early(self) -> None:
        # Each of 1,024 references to the tile would follow its 65,535 parts, in a file of 2 KB.
        grid = bytes((0, 0, 31, 31)) + struct.pack(">HH", 2048, 2048)

        def meta(end: int) -> bytes:
            items = [full(b"infe", 2, 0, struct.pack(">HH", number, 0), kind, b"\0") for number, kind in ((1, b"grid"), (2, b"av01"))]
            # Offsets and lengths without bytes, and a base of four: a part ends with the file (ISO/IEC 14496-12, 8.11.3).
            places = [struct.pack(">HHIH", *place) for place in ((1, 0, end - len(grid), 1), (2, 0, end, 65535))]
            tiles = box(b"dimg", struct.pack(">HH1024H", 1, 1024, *[2] * 1024))
            sizes = full(b"ipma", 0, 0, struct.pack(">I", 2), b"\0\1\1\1", b"\0\2\1\1")
            return full(b"meta", 0, 0, full(b"hdlr", 0, 0, bytes(4), b"pict", bytes(13)), full(b"pitm", 0, 0, b"\0\1"),
                        full(b"iinf", 0, 0, b"\0\2", *items), full(b"iref", 0, 0, tiles),
                        box(b"iprp", box(b"ipco", full(b"ispe", 0, 0, struct.pack(">II", 64, 64))), sizes),
                        full(b"iloc", 0, 0, b"\0\x40\0\2", *places))

        kind = box(b"ftyp", b"avif", bytes(4), b"avif", b"mif1")
        end = len(kind) + len(meta(99)) + len(box(b"mdat", grid))
        self.assert_error("TOO_LARGE", kind + meta(end) + box(b"mdat", grid))


#: Decodes a file and, if there are any, frames of it, with memory for less than its stream takes.
LIMITED = """
    import memory, pathlib, sys
    data = pathlib.Path(sys.argv[1]).read_bytes()
    memory.allow(200 << 20)
    def attempt(function):
        try:
            return function() and "OK"
        except sdimage.Error as error:
            return error.code
    print(attempt(lambda: sdimage.decode(data, max_work_ms=120_000)), end=" ")
    if sys.argv[2]:
        moving = sdimage.Animation(data, max_work_ms=120_000)
        print(*(attempt(lambda: moving[index]) for index in map(int, sys.argv[2].split())))
    """
#: Formats in the decoder configuration: 12 bits and 4:4:4, as in the stream, or less.
DEEP, SHALLOW, GRAY, LEAST = b"\x40\x60", b"\x20\0", b"\x40\x70", b"\0\x1c"


class Understated(TestCase):
    """Streams of 12 bits and 4:4:4, which take 6 bytes a pixel: 7000 x 7000 pixels, and tiles of 2304 x 2304."""

    SIDE, TILE = 7000, 2304

    @classmethod
    def setUpClass(cls) -> None:
        cls.whole, cls.tile = ((STORED / name).read_bytes() for name in ("deep.avif", "deep_tile.avif"))

    def announcing(self, data: bytes, form: bytes, side: int | None = None) -> bytes:
        """The file with another format or size in its container."""
        at = data.index(b"av1C") + 5
        # The level stays; the second byte ends with the position of chroma samples.
        data = data[:at] + bytes((form[0] | data[at] & 31, form[1])) + data[at + 2 :]
        data = data.replace(b"pixi", b"free")
        if side:
            at = data.index(b"ispe") + 8
            data = data[:at] + struct.pack(">II", side, side) + data[at + 8 :]
        return data

    def grid(self, form: bytes, side: int) -> bytes:
        """Tiles in items of their own."""
        still = self.announcing(self.tile, form)
        body, count = body_of(still, b"mdat"), side * side
        properties = body_of(still, b"meta", b"iprp", b"ipco")
        canvas = struct.pack(">4BII", 0, 1, side - 1, side - 1, side * self.TILE, side * self.TILE)

        def sized(across: int) -> bytes:
            return full(b"ispe", 0, 0, struct.pack(">II", across, across))

        def meta(start: int) -> bytes:
            ids = range(1, count + 2)
            items = [full(b"infe", 2, 0, struct.pack(">HH", i, 0), b"grid" if i == 1 else b"av01", b"\0") for i in ids]
            lengths = [len(canvas), *[len(body)] * count]
            places = [struct.pack(">HHHII", i, 0, 1, start + sum(lengths[: i - 1]), lengths[i - 1]) for i in ids]
            owned = [struct.pack(">HBBB", i, 2, 1 if i == 1 else 2, 3) for i in ids]
            coding = box(b"av1C", body_of(properties, b"av1C"))
            return full(b"meta", 0, 0, full(b"hdlr", 0, 0, bytes(4), b"pict", bytes(13)), full(b"pitm", 0, 0, b"\0\1"),
                        full(b"iinf", 0, 0, struct.pack(">H", count + 1), *items),
                        full(b"iref", 0, 0, box(b"dimg", struct.pack(f">HH{count}H", 1, count, *ids[1:]))),
                        box(b"iprp", box(b"ipco", sized(side * self.TILE), sized(self.TILE), coding),
                            full(b"ipma", 0, 0, struct.pack(">I", count + 1), *owned)),
                        full(b"iloc", 0, 0, b"\x44\0", struct.pack(">H", count + 1), *places))

        kind = box(b"ftyp", b"avif", bytes(4), b"avif", b"mif1")
        return kind + meta(len(kind) + len(meta(0)) + 8) + box(b"mdat", canvas, body * count)

    def sequence(self, *stills: bytes, shown: int = TILE) -> bytes:
        """Key frames with the configuration of the first still, to be displayed with another size."""
        entry = visual(b"av01", box(b"av1C", body_of(stills[0], b"meta", b"iprp", b"ipco", b"av1C")), width=self.TILE, height=self.TILE)
        keys = full(b"stss", 0, 0, struct.pack(f">I{len(stills)}I", len(stills), *range(1, len(stills) + 1)))
        return movie((b"avis", b"msf1", b"iso8"), b"pict", entry, [body_of(still, b"mdat") for still in stills], [100] * len(stills),
                     width=shown, height=shown, extra=keys)

    def assert_outcomes(self, data: bytes, *codes: str, frames: str = "") -> None:
        with tempfile.NamedTemporaryFile() as file:
            file.write(data)
            file.flush()
            done = apart(LIMITED, file.name, frames)
        self.assertEqual((done.returncode, done.stdout.split()), (0, [*codes]), done.stderr)

    def test_samples_count_as_in_the_stream(self) -> None:
        for form in (DEEP, SHALLOW, GRAY, LEAST):
            with self.subTest(form=form):
                self.assert_outcomes(self.announcing(self.whole, form), "TOO_LARGE")

    def test_a_stream_with_more_pixels_is_damaged(self) -> None:
        self.assert_outcomes(self.announcing(self.tile, DEEP, self.TILE), "OK")
        self.assert_outcomes(self.announcing(self.tile, DEEP, self.TILE - 1), "BAD_DATA")

    def test_tiles_count_as_in_their_streams(self) -> None:
        self.assert_outcomes(self.grid(LEAST, 3), "TOO_LARGE")

    def test_frames_count_as_in_their_samples(self) -> None:
        deep = self.announcing(self.tile, LEAST)
        self.assert_outcomes(self.sequence(deep, deep), "TOO_LARGE")
        small = plain(COLORS[0]).encode("avif")
        self.assert_outcomes(self.sequence(small, deep, small), "OK", "OK", "TOO_LARGE", "OK", "TOO_LARGE", "OK", frames="0 1 2 1 0")

    def test_frames_may_be_larger_than_displayed(self) -> None:
        self.assertEqual(sdimage.decode(self.sequence(self.tile, shown=1000), max_work_ms=120_000).width, 1000)

    def test_small_streams_of_another_format_are_decoded(self) -> None:
        # Files of old encoders announce 4:4:4 for 4:2:2.
        image = sdimage.decode(self.announcing(self.tile, LEAST), max_work_ms=120_000)
        self.assertEqual((image.width, image.height), (self.TILE, self.TILE))
        self.assert_close(self.pixel(image, 9, 9), (0, 0, 0, 255))
