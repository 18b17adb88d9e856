"""HEIC whose H.265 streams are incomplete, or promise other sizes than the file: errors, without memory for them."""

from __future__ import annotations

import struct
import unittest

from . import bombs
from .bombs import PRIMARY, Container, Item, grid, reference, size
from .hevc import SEQUENCE, Picture, stream, unit
from .support import sdimage
from .test_heif_parts import box
from .test_module_bombs import Bombs
from .test_modules import usable

COLOR = (100, 90, 200)
#: Sides whose luma of 16 bits takes 2^32 bytes and 1 MiB: too small a plane, if that is computed with 32 bits.
WRAPPING = (65520, 32784)


def pixels(image: sdimage.Image) -> set[bytes]:
    data = image.convert("rgba8").tobytes()
    return {data[at : at + 4] for at in range(0, len(data), 4)}


def identity(
    picture: Picture, width: int, height: int, sets: list[bytes] | None = None, units: list[bytes] | None = None
) -> Container:
    """An image that is another one unchanged, which libheif decodes."""
    return Container(
        b"heic",
        [size(width, height), picture.configuration(sets)],
        [Item(PRIMARY, b"iden", 0, (1,)), Item(2, b"hvc1", 1, (1, 0x82))],
        [b"", stream(picture.slices() if units is None else units)],
        reference(b"dimg", PRIMARY, [2]),
    )


def second_table(first: bytes, second: bytes) -> bytes:
    """The first file, with the table of items of a second one, which refers to the bytes of its own `mdat` there."""
    at = second.index(b"meta") - 4
    end = at + struct.unpack_from(">I", second, at)[0]
    moved = bytearray(second[at:end])
    start = moved.index(b"iloc") + 4 + 4 + 2
    for number in range(struct.unpack_from(">H", moved, start)[0]):
        place = start + 2 + 14 * number + 6
        struct.pack_into(">I", moved, place, struct.unpack_from(">I", moved, place)[0] + len(first) - at)
    return first + bytes(moved) + box(b"free", second[end + 8 :])


@unittest.skipUnless(usable("heic"), f"no HEIF module: {sdimage.doctor()['libraries'].get('heif')}")
class Streams(Bombs):
    kind = "heif"

    def assert_refused(self, code: str, data: bytes) -> None:
        with self.assertRaises(sdimage.Error) as caught:
            sdimage.decode(data)
        self.assertEqual(caught.exception.code, code, str(caught.exception))

    def test_derived_images_have_the_announced_size(self) -> None:
        small, large = Picture(64, 48, (100, 0, 0), 0, 10), Picture(*WRAPPING, (100, 0, 0), 0, 10)
        usual, slices = identity(small, 64, 48), large.slices(8)
        hidden = identity(large, 64, 48, units=slices)
        layered = unit(SEQUENCE, large.sequence(), b"\x42\0")
        self.assert_harmless(usual.bytes(), "OK", "OK")
        for name, data in {
            "configuration": hidden.bytes(),
            "item": identity(small, 64, 48, units=[*large.sets(), *slices]).bytes(),
            "without a temporal layer": identity(small, 64, 48, units=[layered, *small.slices()]).bytes(),
            "second table of items": second_table(usual.bytes(), hidden.bytes()),
        }.items():
            with self.subTest(name):
                self.assert_harmless(data, "UNSUPPORTED", "UNSUPPORTED")

    def test_streams_have_the_announced_format(self) -> None:
        gray, color = Picture(8192, 8192, (100, 0, 0), 0), Picture(8192, 8192, COLOR, 3, 10)
        sides, sets, slices = (gray.width, gray.height), color.sets(), color.slices(1)
        self.assert_harmless(bombs.hevc_still(gray, *sides, slices, sets), "BAD_DATA", "OK")
        self.assert_harmless(identity(gray, *sides, sets, slices).bytes(), "UNSUPPORTED", "UNSUPPORTED")

    def test_no_memory_is_taken_for_missing_references(self) -> None:
        for has_offsets in (False, True):
            picture = Picture(8192, 4096, COLOR, has_offsets=has_offsets, references=15)
            with self.subTest(has_offsets=has_offsets):
                still = bombs.hevc_still(picture, 8192, 4096, picture.slices(1))
                self.assert_harmless(still, "BAD_DATA", "OK")
                derived = identity(picture, 8192, 4096, units=picture.slices(1))
                self.assert_harmless(derived.bytes(), "UNSUPPORTED", "UNSUPPORTED")
        small = Picture(64, 48, COLOR, references=15)
        self.assertEqual(len(pixels(sdimage.decode(identity(small, 64, 48).bytes()))), 1)

    def test_narrow_grids_count_with_the_alignment_of_their_rows(self) -> None:
        tile = Picture(16, 16384, COLOR)
        for rows, code in ((2, "OK"), (255, "TOO_LARGE")):
            with self.subTest(rows=rows):
                columns = struct.pack(">BBBBII", 0, 1, rows - 1, 0, 1, rows * 16384)
                data = Container(
                    b"heic",
                    [size(1, rows * 16384), size(1, 16384), tile.configuration()],
                    [Item(PRIMARY, b"grid", 0, (1,)), Item(2, b"hvc1", 1, (2, 0x83))],
                    [columns, stream(tile.slices())],
                    reference(b"dimg", PRIMARY, [2] * rows),
                )
                self.assert_harmless(data.bytes(), code, "OK")

    def test_rows_of_the_bitmap_count_with_their_padding(self) -> None:
        data = bombs.hevc_still(Picture(16, 64, COLOR), 1, 64)
        self.assertEqual(sdimage.decode(data, max_bytes=64 * 64).stride, 64)
        with self.assertRaises(sdimage.Error) as caught:
            sdimage.decode(data, max_bytes=64 * 64 - 1)
        self.assertEqual(caught.exception.code, "TOO_LARGE")

    def test_units_without_a_temporal_layer_are_dropped(self) -> None:
        picture = Picture(64, 48, COLOR)
        large = unit(SEQUENCE, Picture(1024, 1024).sequence(), b"\x42\0")
        units = [large, *picture.slices()]
        self.assertEqual(len(pixels(sdimage.decode(bombs.hevc_still(picture, 64, 48, units)))), 1)

    def test_blocks_of_plain_samples_are_decoded(self) -> None:
        for chroma in range(4):
            for depth in (8, 10):
                for has_offsets in (False, True):
                    with self.subTest(chroma=chroma, depth=depth, has_offsets=has_offsets):
                        values = tuple(value << depth - 8 for value in COLOR)
                        picture = Picture(64, 48, values, chroma, depth, has_offsets)
                        image = sdimage.decode(bombs.hevc_still(picture, 61, 47))
                        self.assertEqual((image.width, image.height, len(pixels(image))), (61, 47, 1))

    def test_missing_slices_are_damage(self) -> None:
        for depth in (8, 10):
            for has_offsets in (False, True):
                picture = Picture(64, 48, tuple(value << depth - 8 for value in COLOR), 1, depth, has_offsets)
                slices = picture.slices()
                for missing in (1, 5, 11):
                    with self.subTest(depth=depth, has_offsets=has_offsets, missing=missing):
                        some = slices[:missing] + slices[missing + 1 :]
                        self.assert_refused("BAD_DATA", bombs.hevc_still(picture, 64, 48, some))
                self.assert_refused("BAD_DATA", bombs.hevc_still(picture, 64, 48, slices[:1]))

    def test_missing_slices_of_a_derived_image_are_black(self) -> None:
        for has_offsets in (False, True):
            picture = Picture(64, 48, COLOR, 1, 8, has_offsets)
            image = sdimage.decode(identity(picture, 64, 48, units=picture.slices()[:1]).bytes())
            # Two colors, and those that the scaling of chroma makes of them.
            self.assertLess(len(pixels(image)), 8)
            self.assertEqual(image.convert("rgba8").tobytes()[-4:], bytes((0, 136, 0, 255)))

    def test_odd_tiles_cover_the_chroma(self) -> None:
        tile = Picture(144, 80, COLOR)
        for columns, rows, width, height in ((1, 2, 129, 129), (1, 2, 129, 130), (2, 1, 257, 65), (3, 3, 386, 194)):
            with self.subTest(columns=columns, rows=rows):
                data = Container(
                    b"heic",
                    [size(width, height), size(129, 65), tile.configuration()],
                    [Item(PRIMARY, b"grid", 0, (1,)), Item(2, b"hvc1", 1, (2, 0x83))],
                    [grid(columns, rows, width, height), stream(tile.slices())],
                    reference(b"dimg", PRIMARY, [2] * (columns * rows)),
                ).bytes()
                image = sdimage.decode(data)
                self.assertEqual((image.width, image.height, len(pixels(image))), (width, height, 1))
