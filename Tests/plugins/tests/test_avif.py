"""AVIF: sequences with damaged frames, tables that repeat, and streams that take more than the container announces."""

from __future__ import annotations

import struct
import tempfile
from collections.abc import Sequence

from .movies import COLORS, body_of, box, full, movie, plain, visual
from .expensive import STORED
from .support import TestCase, apart, sdimage


#: The property that makes an item alpha.
ALPHA = full(b"auxC", 0, 0, b"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0")
#: The type of an item, the number of its bytes, and its properties from 1 on.
Item = tuple[bytes, int, Sequence[int]]


def sized(width: int, height: int = 0) -> bytes:
    return full(b"ispe", 0, 0, struct.pack(">II", width, height or width))


def canvas(across: int, down: int, width: int, height: int) -> bytes:
    """The bytes of a grid."""
    return struct.pack(">4BII", 0, 1, down - 1, across - 1, width, height)


def coding(still: bytes) -> bytes:
    return box(b"av1C", body_of(still, b"meta", b"iprp", b"ipco", b"av1C"))


def references(kind: bytes, owner: int, *to: int) -> bytes:
    return box(kind, struct.pack(f">HH{len(to)}H", owner, len(to), *to))


def items(properties: Sequence[bytes], entries: Sequence[Item], bodies: Sequence[bytes], links: bytes = b"", before: bytes = b"",
          parts: Sequence[tuple[int, int]] = ()) -> bytes:
    """A file of items with numbers from 1 on, of which the first is shown. `before` replaces the box of its type. The first item
    also has `parts` of an offset and length.
    """
    kind, count = before or box(b"ftyp", b"avif", bytes(4), b"avif", b"mif1"), struct.pack(">H", len(entries))

    def meta(start: int) -> bytes:
        starts = [start + sum(map(len, bodies[:index])) for index in range(len(bodies))]
        listed = [full(b"infe", 2, 0, struct.pack(">HH", number, 0), name, b"\0") for number, (name, *_) in enumerate(entries, 1)]
        places = []
        for number, (_, body, _) in enumerate(entries, 1):
            extents = [*(parts if number == 1 else ()), (starts[body], len(bodies[body]))]
            places.append(struct.pack(">HHH", number, 0, len(extents)) + b"".join(struct.pack(">II", *each) for each in extents))
        owned = [struct.pack(">HB", number, len(own)) + bytes(own) for number, (*_, own) in enumerate(entries, 1)]
        return full(b"meta", 0, 0, full(b"hdlr", 0, 0, bytes(4), b"pict", bytes(13)), full(b"pitm", 0, 0, b"\0\1"),
                    full(b"iinf", 0, 0, count, *listed), full(b"iref", 0, 0, links),
                    box(b"iprp", box(b"ipco", *properties), full(b"ipma", 0, 0, struct.pack(">I", len(entries)), *owned)),
                    full(b"iloc", 0, 0, b"\x44\0", count, *places))

    return kind + meta(len(kind) + len(meta(0)) + 8) + box(b"mdat", *bodies)


def gray(width: int, height: int = 0) -> bytes:
    """A file of samples with the value 77."""
    height = height or width
    return sdimage.Image.from_pixels(bytes([77]) * (width * height), width, height, "gray8").encode("avif", quality=0.9)


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

    def grid(self, form: bytes, side: int, sample: bytes = b"") -> bytes:
        """Tiles in items of their own. `sample` replaces their stream."""
        still, count = self.announcing(self.tile, form), side * side
        return items([sized(side * self.TILE), sized(self.TILE), coding(still)],
                     [(b"grid", 0, (1, 3)), *[(b"av01", 1, (2, 3))] * count],
                     [canvas(side, side, side * self.TILE, side * self.TILE), sample or body_of(still, b"mdat")],
                     references(b"dimg", 1, *range(2, 2 + count)))

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

    def test_empty_parts_have_no_bytes(self) -> None:
        still = self.announcing(self.whole, LEAST)
        for offset in (0, 500):
            with self.subTest(offset=offset):
                self.assert_outcomes(items([sized(self.SIDE), coding(still)], [(b"av01", 0, (1, 2))], [body_of(still, b"mdat")],
                                           parts=[(offset, 0)]), "TOO_LARGE")

    def test_parts_are_not_longer_than_the_file(self) -> None:
        still = plain(COLORS[0]).encode("avif")
        with self.assertRaisesRegex(sdimage.Error, "bytes of an item"):
            sdimage.decode(items([sized(32, 24), coding(still)], [(b"av01", 0, (1, 2))], [body_of(still, b"mdat")],
                                 parts=[(0, 300)] * 9))

    def test_frames_do_not_depend_on_items(self) -> None:
        # A grid of one tile is the cover; the frames are larger than it.
        still, tile = gray(200, 160), gray(64)
        keys = full(b"stss", 0, 0, struct.pack(">3I", 2, 1, 2))
        moving = movie((b"avis", b"msf1", b"avif", b"mif1"), b"pict", visual(b"av01", coding(still), width=200, height=160),
                       [body_of(still, b"mdat")] * 2, [100] * 2, width=200, height=160, extra=keys)
        data = items([sized(64), coding(tile)], [(b"grid", 0, (1,)), (b"av01", 1, (1, 2))],
                     [canvas(1, 1, 64, 64), body_of(tile, b"mdat")], references(b"dimg", 1, 2), before=moving)
        image = sdimage.decode(data)
        self.assertEqual((image.width, image.height), (200, 160))
        # The other way round, the item is shown.
        image = sdimage.decode(data.replace(b"ftypavis", b"ftypavif"))
        self.assertEqual((image.width, image.height), (64, 64))

    def test_narrow_pictures_count_as_aligned(self) -> None:
        # The decoder's pictures are 128 samples wide.
        tile = self.announcing(self.tile, LEAST)
        data = items([sized(30, 32768), sized(1, 32768), coding(tile)], [(b"grid", 0, (1,)), *[(b"av01", 1, (2, 3))] * 30],
                     [canvas(30, 1, 30, 32768), body_of(tile, b"mdat")], references(b"dimg", 1, *range(2, 32)))
        self.assert_outcomes(data, "TOO_LARGE")

    def test_further_frames_of_stills_have_a_limit_of_their_own(self) -> None:
        # The decoder ends at the first frame. Nine of 6000 by 6000 take more than 256 MiB.
        data = (STORED / "black.avif").read_bytes()
        image = sdimage.decode(items([sized(6000), coding(data)], [(b"av01", 0, (1, 2))], [body_of(data, b"mdat") * 9]),
                               max_work_ms=120_000)
        self.assertEqual((image.width, image.height), (6000, 6000))
        self.assert_outcomes(self.grid(LEAST, 2, body_of(self.tile, b"mdat") * 9), "TOO_LARGE")

    def test_a_refused_frame_does_not_name_the_error_of_another(self) -> None:
        small = plain(COLORS[0]).encode("avif")
        length = len(body_of(small, b"mdat"))
        broken = small[:-length] + bytes(length)
        data = self.sequence(small, self.announcing(self.tile, LEAST), broken)
        self.assert_outcomes(data, "OK", "BAD_DATA", "TOO_LARGE", "BAD_DATA", frames="2 1 2")


class Alpha(TestCase):
    """Single images with alpha of another size, format or purpose."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.color, cls.larger = gray(100), gray(150)
        cls.properties = [sized(100), sized(150), coding(cls.color), coding(cls.larger), ALPHA]
        cls.bodies = [body_of(each, b"mdat") for each in (cls.color, cls.larger)]

    def assert_decoded(self, data: bytes) -> None:
        image = sdimage.decode(data)
        self.assertEqual((image.width, image.height), (100, 100))
        self.assertEqual(self.pixel(image, 50, 50)[3], 77)

    def test_tiles_of_alpha_may_be_larger(self) -> None:
        self.assert_decoded(items(self.properties, [(b"av01", 0, (1, 3)), (b"grid", 2, (1, 5)), (b"av01", 1, (2, 4))],
                                  [*self.bodies, canvas(1, 1, 100, 100)], references(b"auxl", 2, 1) + references(b"dimg", 2, 3)))

    def test_alpha_without_a_size_may_be_larger(self) -> None:
        self.assert_decoded(items(self.properties, [(b"av01", 0, (1, 3)), (b"av01", 1, (4, 5))], self.bodies, references(b"auxl", 2, 1)))

    def test_the_chroma_of_alpha_counts(self) -> None:
        # Two pictures of 8000 by 8000 fit with gray alpha; then the decoder finds no frame of the colors.
        deep = (STORED / "deep_tile.avif").read_bytes()
        for body, code in ((self.bodies[1] * 2, "BAD_DATA"), (body_of(deep, b"mdat") * 2, "TOO_LARGE")):
            with self.subTest(code=code):
                self.assert_error(code, items([sized(8000), coding(self.color), ALPHA], [(b"av01", 0, (1, 2)), (b"av01", 1, (1, 2, 3))],
                                              [bytes(99), body], references(b"auxl", 2, 1)))

    def test_tiles_of_depth_are_not_counted(self) -> None:
        depth = full(b"auxC", 0, 0, b"urn:mpeg:mpegB:cicp:systems:auxiliary:depth\0")
        image = sdimage.decode(items([sized(100), coding(self.color), depth],
                                     [(b"av01", 0, (1, 2)), (b"grid", 1, (1, 3)), (b"av01", 0, (1, 2))],
                                     [self.bodies[0], canvas(1, 1, 100, 100)],
                                     references(b"auxl", 2, 1) + references(b"dimg", 2, *[3] * 1025)))
        self.assertEqual((image.width, image.height), (100, 100))
