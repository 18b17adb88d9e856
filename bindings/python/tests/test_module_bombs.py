"""Small HEIC and AVIF files that cause much work: a clean outcome for each, within time and memory limits."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

from . import bombs
from .support import environment, sdimage
from .test_modules import Fixture, usable

#: The CPU time of all threads, with a margin for other load: without its limit each file took from 4 s to more than a
#: minute. Working memory is 256 MiB, and so is a bitmap.
SECONDS = 3.0
MEMORY = 400 << 20

WORKER = """
    import json, pathlib, sys, memory, sdimage
    memory.allow(int(sys.argv[3]))
    def attempt(function, **options):
        try:
            function(pathlib.Path(sys.argv[1]).read_bytes(), **options)
            return "OK"
        except sdimage.Error as error:
            return error.code
    import time
    start = time.process_time()
    codes = [attempt(sdimage.decode, **json.loads(sys.argv[2])), attempt(sdimage.info)]
    print(*codes, time.process_time() - start)
"""


class Bombs(Fixture):
    def measure(self, data: bytes, options: str = "{}") -> tuple[str, str, float]:
        """The outcomes of decoding and of reading the header with limited memory, and the CPU seconds of the process."""
        with tempfile.NamedTemporaryFile() as file:
            file.write(data)
            file.flush()
            done = subprocess.run(
                [sys.executable, "-c", textwrap.dedent(WORKER), file.name, options, str(MEMORY)],
                stdout=subprocess.PIPE,
                timeout=600,
                env=environment(),
                check=True,
            )
        decoded, described, seconds = done.stdout.decode().split()
        return decoded, described, float(seconds)

    def assert_harmless(self, data: bytes, *codes: str) -> None:
        decoded, described, seconds = self.measure(data)
        self.assertEqual((decoded, described), codes)
        self.assertLess(seconds, SECONDS)


@unittest.skipUnless(usable("heic"), f"no HEIF module: {sdimage.doctor()['libraries'].get('heif')}")
class HeifBombs(Bombs):
    kind = "heif"

    def test_a_tile_that_is_repeated_is_decoded_once(self) -> None:
        for junk in (0, 100_000):
            with self.subTest(junk=junk):
                self.assert_harmless(bombs.repeated_tile(self.data("still.heic"), junk), "OK", "OK")

    def test_tiles_that_share_their_bytes_are_refused(self) -> None:
        for junk in (0, 100_000):
            with self.subTest(junk=junk):
                data = bombs.shared_tiles(self.data("still.heic"), junk_bytes=junk)
                self.assert_harmless(data, "TOO_LARGE", "TOO_LARGE")

    def test_layers_of_one_long_item_are_refused(self) -> None:
        self.assert_harmless(bombs.layers(self.data("still.heic"), 250, 6_300_000), "UNSUPPORTED", "UNSUPPORTED")

    def test_references_have_a_limit(self) -> None:
        self.assert_harmless(bombs.many_references(self.data("still.heic"), 430), "TOO_LARGE", "TOO_LARGE")

    def test_alpha_counts_as_working_memory(self) -> None:
        data = bombs.large_alpha(self.data("still.heic"), self.data("full_chroma.heic"))
        self.assert_harmless(data, "TOO_LARGE", "OK")

    def test_what_is_cropped_away_counts_too(self) -> None:
        self.assert_harmless(bombs.cropped_giant(self.data("still.heic")), "TOO_LARGE", "OK")

    def test_units_of_a_stream_have_a_limit(self) -> None:
        self.assert_harmless(bombs.many_units(self.data("still.heic"), 1_000_000), "TOO_LARGE", "OK")

    def test_a_decode_ends_at_its_time_limit(self) -> None:
        data = bombs.repeated_tile(self.data("still.heic"))
        decoded, _, seconds = self.measure(data, '{"max_work_ms": 5}')
        self.assertEqual(decoded, "TIMEOUT")
        self.assertLess(seconds, SECONDS)

    def test_tables_end_at_the_time_limit(self) -> None:
        data = bombs.many_associations(self.data("still.heic"), 20)
        start = time.process_time()
        with self.assertRaises(sdimage.Error) as caught:
            sdimage.decode(data, max_work_ms=100)
        self.assertEqual(caught.exception.code, "TIMEOUT")
        # The call may have been abandoned: its thread must end, too.
        seen = -1.0
        while seen < time.process_time() - 0.02:
            seen = time.process_time()
            time.sleep(0.2)
        self.assertLess(seen - start, 0.5)

    def test_the_crop_applies_to_alpha(self) -> None:
        still, alpha = self.data("still.heic"), self.data("gray.heic")
        whole = sdimage.decode(bombs.with_alpha(still, alpha, None))
        part = sdimage.decode(bombs.with_alpha(still, alpha, (40, 20, 24, 16)))
        self.assertEqual((part.width, part.height), (40, 20))
        for x, y in ((0, 0), (39, 0), (0, 19), (39, 19)):
            with self.subTest(x=x, y=y):
                self.assertEqual(self.pixel(part, x, y)[3], self.pixel(whole, x + 24, y + 16)[3])


@unittest.skipUnless(usable("avif"), f"no AVIF module: {sdimage.doctor()['libraries'].get('avif')}")
class AvifBombs(Bombs):
    kind = "avif"

    def test_items_that_nothing_refers_to_have_a_limit(self) -> None:
        self.assert_harmless(bombs.avif_spare_items(self.data("still.avif"), 60_000), "TOO_LARGE", "TOO_LARGE")

    def test_tiles_that_share_their_bytes_are_refused(self) -> None:
        for side in (90, 60):
            with self.subTest(side=side):
                data = bombs.avif_shared_tiles(self.data("still.avif"), side)
                self.assert_harmless(data, "TOO_LARGE", "TOO_LARGE")

    def test_decoders_of_tiles_are_working_memory(self) -> None:
        data = bombs.avif_shared_tiles(self.data("still.avif"), 31, own_bytes=True)
        self.assert_harmless(data, "TOO_LARGE", "OK")
        self.assertEqual(sdimage.decode(bombs.avif_shared_tiles(self.data("still.avif"), 4, own_bytes=True)).width, 512)

    def test_the_tiles_of_alpha_count_if_the_image_has_none(self) -> None:
        still = self.data("still.avif")
        self.assertEqual(sdimage.decode(bombs.avif_alpha_tiles(still, 2)).width, 256)
        self.assert_harmless(bombs.avif_alpha_tiles(still, 31), "TOO_LARGE", "OK")
        # libavif finds alpha behind any number of other auxiliary images, and combines lists of tiles.
        self.assert_harmless(bombs.avif_alpha_tiles(still, 31, others=16), "TOO_LARGE", "TOO_LARGE")
        self.assert_harmless(bombs.avif_alpha_tiles(still, 31, boxes=2), "BAD_DATA", "BAD_DATA")

    def test_the_alpha_of_a_grid_may_be_a_single_image(self) -> None:
        alpha = sdimage.Image.from_pixels(bytes([77]) * (384 * 192), 384, 192, "gray8").encode("avif", quality=0.9)
        image = sdimage.decode(bombs.avif_single_alpha(self.data("still.avif"), alpha, 3))
        self.assertEqual((image.width, image.height, self.pixel(image, 200, 100)[3]), (384, 192, 77))

    def test_extents_and_properties_have_limits(self) -> None:
        still = self.data("still.avif")
        self.assert_harmless(bombs.avif_empty_extents(still, 1000), "TOO_LARGE", "TOO_LARGE")
        self.assert_harmless(bombs.avif_spare_properties(still, 1_000_000), "TOO_LARGE", "TOO_LARGE")
