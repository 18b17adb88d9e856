"""AVIF: sequences with damaged frames, and tables that repeat."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from .movies import COLORS, body_of, box, full, movie, plain, visual
from .support import TestCase, sdimage


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
