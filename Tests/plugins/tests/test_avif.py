"""AVIF sequences with damaged frames."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from .movies import COLORS, body_of, box, full, movie, plain, visual
from .support import TestCase, sdimage


class DamagedSequence(TestCase):
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
