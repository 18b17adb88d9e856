"""HEIC and AVIF: the coders in separate files, and the behavior without those files."""

from __future__ import annotations

import ctypes
import json
import struct
import unittest
from pathlib import Path
from typing import ClassVar

from .support import ROOT, TestCase, run_python, sdimage

FIXTURES = ROOT / "Tests" / "fixtures"
LOSS = 8
ORIENTATIONS = ("up", "up_mirrored", "down", "down_mirrored", "left_mirrored", "right", "right_mirrored", "left")


def ramp(x: int, y: int, width: int = 128, height: int = 64) -> tuple[int, int, int]:
    """The image of the fixtures; see make_heif_avif.py."""
    return x * 256 // width, y * 240 // height, 128


class HeifError(ctypes.Structure):
    _fields_ = (("code", ctypes.c_int), ("subcode", ctypes.c_int), ("message", ctypes.c_char_p))


def heif_thumbnails(data: bytes) -> list[tuple[int, int]]:
    """The sizes of the thumbnails that libheif finds."""
    heif = ctypes.CDLL("libheif.so.1")
    void = ctypes.c_void_p
    for name, result, *arguments in (
        ("heif_context_alloc", void),
        ("heif_context_free", None, void),
        ("heif_context_read_from_memory_without_copy", HeifError, void, ctypes.c_char_p, ctypes.c_size_t, void),
        ("heif_context_get_primary_image_handle", HeifError, void, void),
        ("heif_image_handle_get_number_of_thumbnails", ctypes.c_int, void),
        ("heif_image_handle_get_list_of_thumbnail_IDs", ctypes.c_int, void, void, ctypes.c_int),
        ("heif_image_handle_get_thumbnail", HeifError, void, ctypes.c_uint32, void),
        ("heif_image_handle_get_width", ctypes.c_int, void),
        ("heif_image_handle_get_height", ctypes.c_int, void),
        ("heif_image_handle_release", None, void),
    ):
        function = getattr(heif, name)
        function.restype, function.argtypes = result, arguments
    context, primary = heif.heif_context_alloc(), void()
    assert heif.heif_context_read_from_memory_without_copy(context, data, len(data), None).code == 0
    assert heif.heif_context_get_primary_image_handle(context, ctypes.byref(primary)).code == 0
    ids = (ctypes.c_uint32 * heif.heif_image_handle_get_number_of_thumbnails(primary))()
    heif.heif_image_handle_get_list_of_thumbnail_IDs(primary, ids, len(ids))
    sizes = []
    for number in ids:
        thumbnail = void()
        assert heif.heif_image_handle_get_thumbnail(primary, number, ctypes.byref(thumbnail)).code == 0
        sizes.append((heif.heif_image_handle_get_width(thumbnail), heif.heif_image_handle_get_height(thumbnail)))
        heif.heif_image_handle_release(thumbnail)
    heif.heif_image_handle_release(primary)
    heif.heif_context_free(context)
    return sizes


def usable(name: str) -> bool:
    return name in sdimage.doctor()["formats"]["decode"]


class Fixture(TestCase):
    kind: ClassVar[str]

    def data(self, name: str) -> bytes:
        return (FIXTURES / self.kind / name).read_bytes()

    def pixel(self, image: sdimage.Image, x: int, y: int) -> tuple[int, ...]:
        """Samples of one pixel, 8 bits each."""
        pixels = image.convert("rgba8").tobytes()
        return tuple(pixels[4 * (y * image.width + x) :][:4])

    def assert_close(self, got: tuple[int, ...], wanted: tuple[int, ...], loss: int = LOSS) -> None:
        worst = max(abs(g - w) for g, w in zip(got, wanted))
        self.assertLessEqual(worst, loss, f"{got} where {wanted} was expected")

    def assert_ramp(self, image: sdimage.Image, width: int = 128, height: int = 64) -> None:
        self.assertEqual((image.width, image.height), (width, height))
        for x in (0, width // 3, width - 1):
            for y in (0, height // 2, height - 1):
                with self.subTest(x=x, y=y):
                    self.assert_close(self.pixel(image, x, y)[:3], ramp(x, y, width, height))


@unittest.skipUnless(usable("heic"), f"no HEIF module: {sdimage.doctor()['libraries'].get('heif')}")
class Heif(Fixture):
    kind = "heif"

    def test_a_still_becomes_its_pixels(self) -> None:
        for name in ("still", "full_chroma", "deep"):
            with self.subTest(name):
                image = sdimage.decode(self.data(f"{name}.heic"))
                self.assert_ramp(image)
                self.assertEqual((image.format, image.pixel_format, image.has_alpha), ("heic", "rgb8", False))

    def test_a_grey_picture_is_grey(self) -> None:
        image = sdimage.decode(self.data("gray.heic"))
        self.assertEqual(image.pixel_format, "gray8")
        self.assert_close(self.pixel(image, 5, 32)[:3], (120, 120, 120))

    def test_ten_bits_keep_their_steps_when_asked_for(self) -> None:
        image = sdimage.decode(self.data("deep.heic"), pixel_format="rgb16")
        samples = struct.unpack_from("=3H", image.tobytes(), 6 * 64)
        self.assert_close(tuple(value >> 8 for value in samples), ramp(64, 0))
        self.assertEqual(sdimage.info(self.data("deep.heic"))["bits_per_channel"], 10)
        native = sdimage.decode(self.data("deep.heic"), pixel_format="native")
        self.assertEqual((native.pixel_format, native.tobytes()), ("rgb16", image.tobytes()))
        self.assertEqual(sdimage.decode(self.data("still.heic"), pixel_format="native").pixel_format, "rgb8")

    def test_tiles_make_one_picture(self) -> None:
        self.assert_ramp(sdimage.decode(self.data("grid.heic")), 100, 90)

    def test_pictures_are_turned_mirrored_and_cut_once(self) -> None:
        for name in ("turned", "mirrored", "turned_mirrored"):
            with self.subTest(name):
                image = sdimage.decode(self.data(f"{name}.heic"))
                self.assertEqual(image.orientation, "up")
                self.assert_ramp(image)
                known = sdimage.info(self.data(f"{name}.heic"))
                self.assertEqual((known["width"], known["height"]), (128, 64))
        image = sdimage.decode(self.data("cropped.heic"))
        self.assertEqual((image.width, image.height), (64, 32))
        self.assert_close(self.pixel(image, 0, 0)[:3], ramp(48, 8))

    def test_alpha_is_straight_also_where_it_was_multiplied_in(self) -> None:
        for name in ("alpha", "premultiplied"):
            with self.subTest(name):
                image = sdimage.decode(self.data(f"{name}.heic"))
                self.assertEqual((image.pixel_format, image.has_alpha), ("rgba8", True))
                self.assert_close(self.pixel(image, 64, 32), (*ramp(64, 32), 127))

    def test_an_embedded_thumbnail_serves_small_boxes_only(self) -> None:
        data = self.data("thumbnail.heic")
        for box, blue in (((128, 64), 250), ((64, 64), 250), ((200, 100), 128)):
            with self.subTest(box):
                image = sdimage.decode(data, thumbnail_size=box)
                self.assertEqual((image.source_size, image.is_thumbnail), ((512, 256), True))
                self.assert_close(self.pixel(image, image.width // 2, 2)[2:3], (blue,))
        self.assert_close(self.pixel(sdimage.decode(data), 9, 9)[2:3], (128,))

    def test_a_picture_derived_from_another_is_decoded(self) -> None:
        image = sdimage.decode(self.data("identity.heic"))
        self.assertEqual((image.width, image.height), (64, 128))
        self.assert_close(self.pixel(image, 0, 127)[:3], ramp(0, 0))
        known = sdimage.info(self.data("identity.heic"))
        self.assertEqual((known["width"], known["height"], known["stored_width"], known["orientation"]), (64, 128, 128, 8))

    def test_code_points_of_a_derived_picture_count(self) -> None:
        for codes in ((12, 13), (9, 16)):
            results = []
            for name in ("still.heic", "identity.heic"):
                data = bytearray(self.data(name))
                at = data.index(b"nclx") + 4
                data[at : at + 4] = struct.pack(">2H", *codes)
                stored = sdimage.decode(bytes(data), convert_to_srgb=False)
                self.assertEqual((stored.color_primaries, stored.transfer_characteristics), codes)
                pixels = sdimage.decode(bytes(data), pixel_format="rgb8").tobytes()
                results.append(tuple(sum(pixels[channel::3]) * 3 // len(pixels) for channel in range(3)))
            with self.subTest(codes):
                self.assert_close(results[0], results[1], 3)

    def test_the_blocks_beside_the_pixels_are_read(self) -> None:
        data = self.data("described.heic")
        self.assertEqual(sdimage.read_metadata(data, "xmp"), b"<x:xmpmeta/>")
        exif = sdimage.read_metadata(data, "exif")
        assert exif is not None
        self.assertEqual((exif[:4], exif[18:21]), (b"II*\0", b"sd!"))

    def test_a_file_cut_anywhere_is_an_error(self) -> None:
        data = self.data("still.heic")
        for length in range(28, len(data), 37):
            with self.subTest(length):
                whole = self.assert_error(("TRUNCATED", "BAD_DATA"), sdimage.decode, data[:length])
                self.assert_error(whole.code, sdimage.Animation(b"").update, data[:length], finished=True)
        self.assert_error("TRUNCATED", sdimage.decode, data[:-100])

    def test_sizes_are_refused_before_anything_is_decoded(self) -> None:
        self.assert_error("TOO_LARGE", sdimage.decode, self.data("huge_grid.heic"))
        self.assert_error("TOO_LARGE", sdimage.decode, self.data("still.heic"), max_pixels=8000)
        self.assert_error("BAD_DATA", sdimage.decode, self.data("larger_than_announced.heic"))

    def test_too_many_items_are_refused(self) -> None:
        data = bytearray(self.data("still.heic"))
        at = data.index(b"iinf") + 8
        data[at : at + 2] = b"\xff\xff"
        self.assert_error("TOO_LARGE", sdimage.decode, bytes(data))

    def test_a_kind_of_item_without_a_decoder_is_unsupported(self) -> None:
        self.assert_error("UNSUPPORTED", sdimage.decode, self.data("still.heic").replace(b"hvc1", b"xyz1"))


@unittest.skipUnless(usable("avif"), f"no AVIF module: {sdimage.doctor()['libraries'].get('avif')}")
class Avif(Fixture):
    kind = "avif"

    def test_a_still_becomes_its_pixels(self) -> None:
        for name in ("still", "limited", "full_chroma"):
            with self.subTest(name):
                image = sdimage.decode(self.data(f"{name}.avif"))
                self.assert_ramp(image)
                self.assertEqual((image.format, image.pixel_format, image.frame_count), ("avif", "rgb8", 1))

    def test_a_grey_picture_is_grey(self) -> None:
        self.assertEqual(sdimage.decode(self.data("gray.avif")).pixel_format, "gray8")

    def test_alpha_is_straight(self) -> None:
        image = sdimage.decode(self.data("alpha.avif"))
        self.assert_close(self.pixel(image, 64, 32), (*ramp(64, 32), 127))

    def test_the_turn_of_the_container_is_applied_or_kept(self) -> None:
        data = self.data("turned.avif")
        self.assert_ramp(sdimage.decode(data))
        kept = sdimage.decode(data, apply_orientation=False)
        self.assertEqual((kept.width, kept.height, kept.orientation), (64, 128, "right"))
        known = sdimage.info(data)
        self.assertEqual((known["width"], known["stored_width"]), (128, 64))

    def test_a_sequence_has_its_frames_and_times_in_any_order(self) -> None:
        data = self.data("animated.avif")
        colors = ((250, 10, 10), (10, 250, 10), (10, 10, 250))
        with sdimage.Animation(data) as moving:
            self.assertEqual((len(moving), moving.loop_count, moving.durations_ms), (3, 0, [50, 200, 100]))
            for index in (2, 0, 1, 2):
                self.assert_close(self.pixel(moving[index], 3, 3)[:3], colors[index])
        self.assertEqual(sdimage.decode(data).frame_count, 3)
        known = sdimage.info(data)
        self.assertEqual((known["frame_count"], known["duration_ms"]), (3, sdimage.decode(data).duration_ms))

    def test_a_sequence_keeps_its_bytes(self) -> None:
        data = self.data("animated.avif")
        image = sdimage.decode(data)
        self.assertEqual(image.encode("avif"), data)
        cache = sdimage.ImageCache(self.folder())
        cache.store("key", image)
        cache.flush()
        self.assertEqual(cache.data("key"), data)

    def test_the_frames_of_a_sequence_share_a_limit_of_bytes(self) -> None:
        data = self.data("animated.avif")
        whole = sdimage.decode(data)
        limit = whole.width * whole.height * 4
        image = sdimage.decode(data, limit_bytes=limit)
        self.assertLess(image.width, whole.width)
        frames = [image.frame(index) for index in range(image.frame_count)]
        self.assertLessEqual(sum(frame.width * frame.height * 4 for frame in frames), limit)

    def test_the_blocks_beside_the_pixels_are_read(self) -> None:
        self.assertEqual(sdimage.read_metadata(self.data("still.avif"), "xmp"), b"<x:xmpmeta/>")

    def test_pieces_end_in_the_same_picture(self) -> None:
        data = self.data("still.avif")
        growing = sdimage.Animation(b"")
        for at in range(0, len(data), 64):
            growing.update(data[at : at + 64], finished=at + 64 >= len(data))
        last = growing.image
        assert last is not None
        self.assertEqual(last.tobytes(), sdimage.decode(data).tobytes())

    def test_a_file_cut_anywhere_is_an_error(self) -> None:
        data = self.data("still.avif")
        for length in range(32, len(data), 23):
            with self.subTest(length):
                whole = self.assert_error(("TRUNCATED", "BAD_DATA"), sdimage.decode, data[:length])
                self.assert_error(whole.code, sdimage.Animation(b"").update, data[:length], finished=True)

    def test_sizes_are_refused_before_anything_is_decoded(self) -> None:
        data = self.data("still.avif")
        self.assert_error("TOO_LARGE", sdimage.decode, data, max_pixels=8000)
        huge = data.replace(struct.pack(">II", 128, 64), struct.pack(">II", 16000, 16000))
        self.assert_error("TOO_LARGE", sdimage.decode, huge)


def encodes(name: str) -> bool:
    """True if an encoder is installed: some builds of the libraries have none."""
    try:
        return bool(sdimage.Image.from_pixels(bytes(16 * 16 * 3), 16, 16, "rgb8").encode(name))
    except sdimage.Error as error:
        if error.code != "UNSUPPORTED":
            raise
        return False


class Encoding(Fixture):
    """Encoding by both modules, if their libraries have an encoder."""

    kind = "jpeg"
    formats = tuple(name for name in ("heic", "avif") if encodes(name))

    def setUp(self) -> None:
        if not self.formats:
            self.skipTest(f"no encoder of HEIC or AVIF: {sdimage.doctor()['libraries']}")

    def drawn(self, width: int, height: int, pixel_format: str = "rgb8", alpha: int = 255) -> sdimage.Image:
        pixels = b"".join(
            bytes((*ramp(x, y, width, height), alpha)[: 4 if pixel_format == "rgba8" else 3])
            for y in range(height)
            for x in range(width)
        )
        return sdimage.Image.from_pixels(pixels, width, height, pixel_format)

    def test_pictures_of_any_size_come_back_near_the_original(self) -> None:
        for name in self.formats:
            for width, height in ((17, 33), (64, 64), (128, 65), (321, 200)):
                with self.subTest(name, width=width, height=height):
                    image = sdimage.decode(self.drawn(width, height).encode(name))
                    self.assertEqual((image.format, image.has_alpha), (name, False))
                    self.assert_ramp(image, width, height)
            # Pixels with the same color as their neighbors keep it.
            for width, height in ((1, 1), (3, 2), (2, 5)):
                with self.subTest(name, width=width, height=height):
                    plain = sdimage.Image.from_pixels(bytes((200, 40, 90)) * (width * height), width, height, "rgb8")
                    image = sdimage.decode(plain.encode(name))
                    self.assertEqual((image.width, image.height), (width, height))
                    self.assert_close(self.pixel(image, width - 1, height - 1)[:3], (200, 40, 90))

    def test_grey_stays_grey(self) -> None:
        gray = sdimage.Image.from_pixels(bytes(x * 2 for _ in range(40) for x in range(100)), 100, 40, "gray8")
        for name in self.formats:
            with self.subTest(name):
                image = sdimage.decode(gray.encode(name))
                self.assertEqual(image.pixel_format, "gray8")
                self.assert_close(self.pixel(image, 60, 20)[:3], (120, 120, 120), 2)

    def test_alpha_comes_back(self) -> None:
        for name in self.formats:
            for pixel_format in ("rgba8", "bgra8_premultiplied"):
                with self.subTest(name, pixel_format=pixel_format):
                    image = self.drawn(80, 40, "rgba8", alpha=100).convert(pixel_format)
                    back = sdimage.decode(image.encode(name))
                    self.assertTrue(back.has_alpha)
                    self.assert_close(self.pixel(back, 40, 20), (*ramp(40, 20, 80, 40), 100), 10)

    def test_deep_pictures_have_ten_bits(self) -> None:
        deep = self.drawn(64, 32).convert("rgb16")
        for name in self.formats:
            with self.subTest(name):
                data = deep.encode(name)
                self.assertEqual(sdimage.info(data)["bits_per_channel"], 10)
                self.assert_ramp(sdimage.decode(data), 64, 32)

    def test_lower_quality_takes_fewer_bytes_and_a_limit_is_kept(self) -> None:
        pixels = bytes((x * x * 7 + y * 31 * x) & 255 for y in range(96) for x in range(288))
        image = sdimage.Image.from_pixels(pixels, 96, 96, "rgb8")
        for name in self.formats:
            with self.subTest(name):
                sizes = [len(image.encode(name, quality=quality, effort=1)) for quality in (1.0, 0.6, 0.0)]
                self.assertEqual(sizes, sorted(sizes, reverse=True))
                limit = (sizes[0] + sizes[2]) // 2
                size = len(image.encode(name, max_file_size=limit, effort=1))
                self.assertLessEqual(size, limit)
                self.assertGreater(size, sizes[2])

    def test_the_orientation_is_kept(self) -> None:
        for number in range(1, 9):
            turned = sdimage.decode(self.data(f"turned_{number}.jpg"), apply_orientation=False)
            upright = sdimage.decode(self.data(f"turned_{number}.jpg"))
            for name in self.formats:
                with self.subTest(name, number=number):
                    data = turned.encode(name)
                    self.assertEqual(sdimage.decode(data, apply_orientation=False).orientation, turned.orientation)
                    image = sdimage.decode(data)
                    self.assertEqual((image.width, image.height), (upright.width, upright.height))
                    for x, y in ((2, 2), (image.width - 3, 2), (2, image.height - 3)):
                        self.assert_close(self.pixel(image, x, y), self.pixel(upright, x, y))

    def test_a_larger_picture_of_unequal_sides_is_turned(self) -> None:
        drawn = self.drawn(200, 150)
        for orientation in ORIENTATIONS:
            turned = drawn.with_metadata(orientation=orientation)
            upright = sdimage.decode(turned.encode("png"))
            for name in self.formats:
                with self.subTest(name, orientation=orientation):
                    image = sdimage.decode(turned.encode(name, effort=1))
                    self.assertEqual((image.width, image.height), (upright.width, upright.height))
                    pairs = zip(image.convert("rgb8").tobytes(), upright.convert("rgb8").tobytes())
                    self.assertLess(max(abs(one - other) for one, other in pairs), 2 * LOSS)

    def test_the_preview_of_a_turned_picture_is_found(self) -> None:
        if "heic" not in self.formats:
            self.skipTest("no encoder of HEIC")
        turned = self.drawn(720, 480).with_metadata(orientation="right")
        data = turned.encode("heic", embed_thumbnail=True, effort=1)
        sizes = [b"ispe\0\0\0\0" + struct.pack(">II", *size) in data for size in ((720, 480), (320, 212))]
        self.assertEqual(sizes, [True, True])
        image = sdimage.decode(data, thumbnail_size=(100, 150))
        self.assertEqual((image.width, image.height, image.source_size), (100, 150, (480, 720)))
        self.assert_close(self.pixel(image, 50, 75)[:3], ramp(75, 50, 150, 100))

    def test_profile_and_blocks_come_back(self) -> None:
        exif = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0"
        data = self.data("ramp_profile.jpg")
        image = sdimage.decode(data, convert_to_srgb=False)
        for name in self.formats:
            with self.subTest(name):
                written = image.encode(name, exif=exif, xmp=b"<x:xmpmeta/>")
                self.assertEqual(sdimage.read_metadata(written, "xmp"), b"<x:xmpmeta/>")
                self.assertEqual(sdimage.read_metadata(written, "icc"), sdimage.read_metadata(data, "icc"))
                self.assertEqual(sdimage.read_metadata(written, "exif"), exif[:18] + b"\x01" + exif[19:])
                for long in (exif[:12] + b"\x04" + exif[13:], b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x04\0\0\0\x01\0\0\0\x06" + bytes(4)):
                    block = sdimage.read_metadata(image.encode(name, exif=long), "exif")
                    assert block is not None
                    order = "<" if block.startswith(b"II") else ">"
                    self.assertEqual(struct.unpack_from(order + "HHIH", block, 10), (0x0112, 3, 1, 1))
                self.assert_error("INVALID_ARGUMENT", image.encode, name, exif=b"words")
                largest = bytes(1 << 20)
                self.assertEqual(sdimage.read_metadata(image.encode(name, xmp=largest), "xmp"), largest)
                self.assert_error("TOO_LARGE", image.encode, name, xmp=largest + b"x")

    def test_avif_without_loss_is_exact(self) -> None:
        if "avif" not in self.formats:
            self.skipTest("no encoder of AVIF")
        for image in (self.drawn(70, 30), self.drawn(70, 30, "rgba8", 90), self.drawn(70, 30).convert("gray8")):
            with self.subTest(image.pixel_format):
                back = sdimage.decode(image.encode("avif", lossless=True))
                self.assertEqual(back.pixel_format, image.pixel_format)
                self.assertEqual(back.tobytes(), image.tobytes())

    def test_a_preview_of_even_sides_is_embedded_in_larger_pictures(self) -> None:
        if "heic" not in self.formats:
            self.skipTest("no encoder of HEIC")
        size = struct.pack(">II", 320, 212)
        for embeds in (False, True):
            data = self.drawn(1440, 960).encode("heic", embed_thumbnail=embeds, effort=1)
            self.assertEqual((b"thmb" in data, b"ispe\0\0\0\0" + size in data), (embeds, embeds))
            image = sdimage.decode(data, thumbnail_size=(300, 200))
            self.assertEqual((image.width, image.height, image.source_size), (300, 200, (1440, 960)))
            self.assert_close(self.pixel(image, 150, 100)[:3], ramp(150, 100, 300, 200))
        small = self.drawn(320, 200).encode("heic", embed_thumbnail=True, effort=1)
        self.assertNotIn(b"thmb", small)

    def test_libheif_finds_the_preview(self) -> None:
        if "heic" not in self.formats:
            self.skipTest("no encoder of HEIC")
        for pixel_format in ("rgb8", "rgba8", "gray8", "rgb16"):
            image = self.drawn(960, 1440).convert(pixel_format)
            with self.subTest(pixel_format):
                self.assertEqual(heif_thumbnails(image.encode("heic", effort=1)), [])
                data = image.encode("heic", embed_thumbnail=True, effort=1)
                self.assertEqual(heif_thumbnails(data), [(212, 320)])

    def test_what_a_format_cannot_do_is_said(self) -> None:
        refusals = {"heic": {"lossless": True}, "avif": {"embed_thumbnail": True}}
        for name in self.formats:
            with self.subTest(name):
                self.assert_error("UNSUPPORTED", self.drawn(8, 8).encode, name, **refusals[name])
                self.assert_error("UNSUPPORTED", self.drawn(8, 8).encode, name, embed_gain_map=True)


class Report(TestCase):
    def test_doctor_lists_the_formats_of_modules_before_their_first_use(self) -> None:
        code = """
            import json, sdimage
            first = sdimage.doctor()
            image = sdimage.Image.from_pixels(b"abc", 1, 1, "rgb8")
            for name in ("heic", "avif"):
                try:
                    image.encode(name)
                except sdimage.Error:
                    pass
            print(json.dumps([first, sdimage.doctor()]))
            """
        first, second = json.loads(run_python(code).stdout)
        self.assertEqual(first["formats"], second["formats"])
        self.assertEqual(first["libraries"], second["libraries"])
        self.assertEqual({"heic", "avif"} & set(first["formats"]["encode"]), set(Encoding.formats))


class Missing(TestCase):
    def test_a_missing_module_encodes_nothing(self) -> None:
        done = run_python(
            """
            import os, sys
            os.environ["SDIMAGE_MODULE_PATH"] = sys.argv[1]
            import sdimage
            image = sdimage.Image.from_pixels(b"abc", 1, 1, "rgb8")
            for name in ("heic", "avif"):
                try:
                    print(image.encode(name))
                except sdimage.Error as error:
                    print(error.code)
            """,
            self.folder(),
        )
        self.assertEqual(done.stdout.split(), ["UNSUPPORTED"] * 2)

    def test_a_missing_module_is_unsupported_and_doctor_says_why(self) -> None:
        done = run_python(
            """
            import json, os, sys
            os.environ["SDIMAGE_MODULE_PATH"] = sys.argv[1]
            import sdimage
            answers = []
            for path in sys.argv[2:]:
                try:
                    sdimage.decode(path)
                except sdimage.Error as error:
                    answers.append([error.code, error.message])
            print(json.dumps([answers, sdimage.doctor()]))
            """,
            self.folder(),
            str(FIXTURES / "heif" / "still.heic"),
            str(FIXTURES / "avif" / "still.avif"),
        )
        answers, report = json.loads(done.stdout)
        for (code, message), name in zip(answers, ("heif", "avif")):
            self.assertEqual(code, "UNSUPPORTED")
            self.assertIn(f"{name}.so", message)
            self.assertIn("unavailable", report["libraries"][name])
        self.assertFalse({"heic", "heif", "avif"} & set(report["formats"]["decode"]))

    def test_a_picture_of_another_format_opens_no_module(self) -> None:
        done = run_python(
            """
            import sys, sdimage
            sdimage.decode(sys.argv[1])
            print([name for name in ("heif.so", "avif.so") if name in open("/proc/self/maps").read()])
            """,
            str(next(Path(FIXTURES / "jpeg").glob("ramp.jpg"))),
        )
        self.assertEqual(done.stdout.strip(), "[]")


if __name__ == "__main__":
    unittest.main()
