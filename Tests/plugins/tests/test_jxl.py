"""JPEG XL: round trips of the plug-in's encoder; progressive images, small thumbnails, animations, limits."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from . import jxls, profiles
from .support import FIXTURES, LONGEST_MS, TestCase, apart, needs, sdimage


def ramp(width: int = 96, height: int = 64, channels: int = 3) -> sdimage.Image:
    pixels = b"".join(
        bytes((x * 255 // (width - 1), y * 255 // (height - 1), 128, 60 + x)[:channels])
        for y in range(height)
        for x in range(width)
    )
    return sdimage.Image.from_pixels(pixels, width, height, {1: "gray8", 3: "rgb8", 4: "rgba8"}[channels])


@needs("jxl")
class Jxl(TestCase):
    def test_pixels_without_loss_are_exact(self) -> None:
        for pixel_format in ("gray8", "rgb8", "rgba8", "gray16", "rgb16", "rgba16"):
            image = ramp(channels=4 if "a8" in pixel_format or "a16" in pixel_format else 3).convert(pixel_format)
            data = image.encode("jxl", lossless=True, effort=3)
            with self.subTest(pixel_format):
                self.assertEqual(sdimage.sniff(data), "jxl")
                self.assertEqual(sdimage.decode(data).pixel_format, pixel_format.replace("16", "8"))
                back = sdimage.decode(data, pixel_format="native")
                self.assertEqual((back.format, back.pixel_format), ("jxl", pixel_format))
                self.assertEqual(back.tobytes(), image.tobytes())
                known = sdimage.info(data)
                bits = 16 if pixel_format.endswith("16") else 8
                self.assertEqual((known["width"], known["bits_per_channel"], known["has_alpha"]), (96, bits, image.has_alpha))

    def test_lower_quality_takes_fewer_bytes_and_a_limit_is_kept(self) -> None:
        image = sdimage.decode(FIXTURES / "pictures" / "aurora.jpg", thumbnail_size=(300, 300))
        sizes = [len(image.encode("jxl", quality=quality, effort=3)) for quality in (1.0, 0.8, 0.4)]
        self.assertEqual(sizes, sorted(sizes, reverse=True))
        limit = (sizes[0] + sizes[2]) // 2
        self.assertLessEqual(len(image.encode("jxl", max_file_size=limit, effort=3)), limit)
        self.assert_close(self.pixel(sdimage.decode(image.encode("jxl", quality=0.9)), 100, 100), self.pixel(image, 100, 100))
        for option in ("embed_thumbnail", "embed_gain_map"):
            with self.assertRaises(sdimage.Error) as caught:
                image.encode("jxl", **{option: True})
            self.assertEqual(caught.exception.code, "UNSUPPORTED")

    def test_the_highest_efforts_end_no_process(self) -> None:
        flat = sdimage.Image.from_pixels(bytes([80]) * 1200, 40, 30, "gray8")
        for image, options in ((flat, {}), (ramp(9, 6), {"lossless": True})):
            for effort in (7, 8, 9):
                with self.subTest(size=image.width, effort=effort):
                    result = sdimage.decode(image.encode("jxl", effort=effort, **options))
                    self.assert_close(self.pixel(result, 5, 5), self.pixel(image, 5, 5), 2)

    def test_orientation_profile_and_blocks_come_back(self) -> None:
        exif = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0"
        profile = (FIXTURES / "jpeg" / "ramp_profile.jpg").read_bytes()
        image = sdimage.decode(profile, convert_to_srgb=False)
        data = image.encode("jxl", exif=exif, xmp=b"<x:xmpmeta/>", lossless=True, effort=1)
        self.assertEqual(sdimage.read_metadata(data, "xmp"), b"<x:xmpmeta/>")
        self.assertEqual(sdimage.read_metadata(data, "exif"), exif[:18] + b"\x01" + exif[19:])
        self.assertEqual(sdimage.read_metadata(data, "icc"), sdimage.read_metadata(profile, "icc"))
        self.assertEqual(sdimage.decode(data, convert_to_srgb=False).tobytes(), image.tobytes())
        largest = bytes(1 << 20)
        self.assertEqual(sdimage.read_metadata(image.encode("jxl", xmp=largest, effort=1), "xmp"), largest)
        with self.assertRaises(sdimage.Error) as caught:
            image.encode("jxl", xmp=largest + b"x", effort=1)
        self.assertEqual(caught.exception.code, "TOO_LARGE")
        for number in range(1, 9):
            turned = (FIXTURES / "jpeg" / f"turned_{number}.jpg").read_bytes()
            kept = sdimage.decode(turned, apply_orientation=False)
            written = kept.encode("jxl", lossless=True, effort=1)
            with self.subTest(number):
                self.assertEqual(sdimage.decode(written, apply_orientation=False).orientation, kept.orientation)
                self.assertEqual(sdimage.decode(written).tobytes(), sdimage.decode(turned).tobytes())

    def test_profiles_that_cannot_be_used_count_as_srgb(self) -> None:
        done = apart(
            """
            import pathlib, struct, sys
            data = pathlib.Path(sys.argv[1]).read_bytes()
            profile = sdimage.read_metadata(data, "icc")
            curve = struct.unpack(">I", profile[profile.index(b"rTRC") + 4 :][:4])[0]
            changed = [profile.replace(old, new, 1) for old, new in (
                (b"RGB XYZ", b"CMYKXYZ"), (b"RGB XYZ", b"Lab XYZ"), (b"mntr", b"link"), (b"rXYZ", b"none"),
                (b"rTRC", b"none"), (profile[curve : curve + 4], b"none"), (b"acsp", b"none"))]
            # A negative exponent: 0 becomes infinite.
            changed.append(profile[: curve + 12] + b"\\xff" + profile[curve + 13 :])
            for each in [profile, *changed]:
                image = sdimage.decode(data.replace(profile, each), convert_to_srgb=False)
                assert image.color_profile == each
                wanted = image.tobytes()
                for pixels in (image, image.convert("gray8")):
                    for lossless in (True, False):
                        written = pixels.encode("jxl", lossless=lossless)
                        print(sdimage.info(written)["has_color_profile"], end=" ")
                        if lossless:
                            back = sdimage.decode(written, convert_to_srgb=each is not profile)
                            assert back.tobytes() == pixels.tobytes()
                print()
            """, str(FIXTURES / "jpeg" / "ramp_profile.jpg"))
        self.assertEqual(done.returncode, 0, done.stderr)
        # The decoder converts lossy images to sRGB itself; a profile of RGB does not apply to gray.
        self.assertEqual(done.stdout.splitlines(), ["True False False False "] + ["False False False False "] * 8)

    def test_profiles_with_tables_are_kept(self) -> None:
        profile = profiles.inks(lambda rgb: (60 * rgb[1] + 30 * rgb[0] + 10 * rgb[2], 50 * (rgb[0] - rgb[1]),
                                             40 * (rgb[1] - rgb[2])), b"RGB ")
        image = sdimage.decode(FIXTURES / "pictures" / "aurora.jpg", thumbnail_size=(100, 100)).with_metadata(
            color_profile=profile)
        wanted = sdimage.decode(image.encode("png"))
        self.assertNotEqual(wanted.tobytes(), image.tobytes())
        for options in ({"lossless": True}, {"quality": 0.9}):
            data = image.encode("jxl", effort=3, **options)
            self.assertEqual(sdimage.read_metadata(data, "icc"), profile)
            got = sdimage.decode(data)
            difference = sum(abs(a - b) for a, b in zip(got.tobytes(), wanted.tobytes())) / len(wanted.tobytes())
            self.assertLess(difference, 2)

    def test_profiles_with_multi_process_elements_count_as_srgb(self) -> None:
        profile = profiles.inks(lambda rgb: (30 * rgb[0] + 60 * rgb[1] + 10 * rgb[2], 0, 0), b"RGB ", [profiles.black_element(3)])
        data = ramp().with_metadata(color_profile=profile).encode("jxl", lossless=True, effort=1)
        self.assertFalse(sdimage.info(data)["has_color_profile"])

    def test_an_animation_has_its_frames_in_any_order(self) -> None:
        colors = ((250, 10, 10), (10, 250, 10), (10, 10, 250), (90, 90, 90))
        frames = [sdimage.Image.from_pixels(bytes(color) * 600, 30, 20, "rgb8") for color in colors]
        data = sdimage.Image.animation(frames, [40, 200, 100, 350], 3).encode("jxl", lossless=True, effort=1)
        with sdimage.Animation(data) as moving:
            # Durations below 100 ms become 100.
            self.assertEqual((len(moving), moving.loop_count, moving.durations_ms), (4, 3, [100, 200, 100, 350]))
            for index in (3, 0, 2, 1, 2, 3, 3):
                self.assertEqual(self.pixel(moving[index], 3, 3)[:3], colors[index])
        image = sdimage.decode(data)
        self.assertEqual((image.frame_count, image.duration_ms), (4, 750))
        self.assertEqual(self.pixel(image.frame(2), 0, 0)[:3], colors[2])
        self.assertEqual(image.encode("jxl"), data)
        limited = sdimage.decode(data, limit_bytes=30 * 20 * 4)
        self.assertLessEqual(sum(limited.frame(each).width * limited.frame(each).height * 4 for each in range(4)), 2400)
        still = sdimage.decode(data, first_frame_only=True)
        self.assertEqual((still.frame_count, self.pixel(still, 1, 1)[:3]), (1, colors[0]))
        self.assertEqual([frame.width for frame in sdimage.Animation(data, thumbnail_size=(15, 10))], [15] * 4)
        known = sdimage.info(data)
        self.assertEqual((known["frame_count"], known["loop_count"], known["duration_ms"]), (4, 3, 750))
        self.assertEqual(sdimage.info(image.encode("jxl", first_frame_only=True, effort=1))["frame_count"], 1)
        self.assert_hardened(data)

    def test_frames_may_differ_in_alpha_and_gray(self) -> None:
        kinds = {"gray8": (50,), "rgb8": (200, 10, 20), "rgba8": (10, 90, 200, 128), "rgb16": (7, 7, 8, 8, 9, 9)}
        for first in kinds:
            for second in kinds:
                frames = [sdimage.Image.from_pixels(bytes(kinds[kind]) * 256, 16, 16, kind) for kind in (first, second)]
                with self.subTest(first=first, second=second):
                    data = sdimage.Image.animation(frames, [100, 200]).encode("jxl", lossless=True, effort=1)
                    with sdimage.Animation(data) as moving:
                        colors = [self.pixel(frame, 3, 3) for frame in moving]
                    self.assertEqual(colors, [self.pixel(frame, 3, 3) for frame in frames])
        placed = sdimage.decode(FIXTURES / "webp" / "placed.webp")
        result = sdimage.decode(placed.encode("jxl", lossless=True, effort=1))
        self.assertEqual(result.frame_count, placed.frame_count)

    def test_a_picture_shows_while_it_grows(self) -> None:
        image = sdimage.decode(FIXTURES / "pictures" / "aurora.jpg")
        data = image.encode("jxl", quality=0.9, effort=3)
        growing, step, shown = sdimage.Animation(b""), len(data) // 16 + 1, []
        for at in range(0, len(data), step):
            growing.update(data[at : at + step], finished=at + step >= len(data))
            part = growing.image
            if part:
                self.assertEqual((part.width, part.height), (image.width, image.height))
                shown.append((part.is_incremental, part.tobytes()))
        self.assertGreater(len(shown), 3)
        self.assertEqual([incremental for incremental, _ in shown], [True] * (len(shown) - 1) + [False])
        self.assertEqual(shown[-1][1], sdimage.decode(data).tobytes())
        self.assertNotEqual(shown[0][1], shown[-1][1])
        cut = data[: len(data) * 3 // 4]
        self.assert_error("TRUNCATED", cut)
        partial = sdimage.decode(cut, accept_partial=True)
        self.assertEqual((partial.width, partial.height), (image.width, image.height))

    def test_a_small_thumbnail_is_close_to_the_large_picture(self) -> None:
        image = sdimage.decode(FIXTURES / "pictures" / "aurora.jpg")
        data = image.encode("jxl", quality=0.9, effort=3)
        for box in ((60, 60), (300, 300)):
            small, wanted = sdimage.decode(data, thumbnail_size=box), sdimage.decode(
                FIXTURES / "pictures" / "aurora.jpg", thumbnail_size=box)
            with self.subTest(box):
                self.assertEqual((small.width, small.height, small.source_size), (wanted.width, wanted.height, (1000, 625)))
                difference = sum(abs(a - b) for a, b in zip(small.tobytes(), wanted.tobytes())) / len(wanted.tobytes())
                self.assertLess(difference, 3)
        # The preview needs no more data.
        self.assertEqual(sdimage.decode(data[: len(data) * 6 // 10], thumbnail_size=(60, 60)).width, 60)

    def test_alpha_and_pieces(self) -> None:
        data = ramp(channels=4).encode("jxl", lossless=True, effort=1)
        self.assert_pieces_agree(data)
        self.assert_pieces_agree(data, thumbnail_size=(20, 20))
        self.assertEqual(self.pixel(sdimage.decode(data), 10, 5), self.pixel(ramp(channels=4), 10, 5))

    def test_sizes_are_refused_before_anything_is_decoded(self) -> None:
        data = ramp().encode("jxl", lossless=True, effort=1)
        self.assert_error("TOO_LARGE", data, max_pixels=6000)
        self.assert_error("TOO_LARGE", data, max_bytes=10000)
        # Rows of the bitmap are padded to 64 bytes.
        narrow = ramp(2, 200).encode("jxl", lossless=True, effort=1)
        self.assert_error("TOO_LARGE", narrow, max_bytes=200 * 64 - 1)
        self.assertEqual(sdimage.decode(narrow, max_bytes=200 * 64).stride, 64)
        # A bare codestream whose size header (ISO/IEC 18181-1, D.2) announces 2^30 by 2^30.
        bits, count = 0, 0
        for value, size in ((0, 1), (3, 2), (2**30 - 1, 30), (0, 3), (3, 2), (2**30 - 1, 30)):
            bits |= value << count
            count += size
        huge = b"\xff\x0a" + bits.to_bytes(16, "little") + bytes(64)
        self.assert_error(("TOO_LARGE", "BAD_DATA"), huge)

    def test_planes_of_floats_have_a_limit(self) -> None:
        # 36 million pixels in about a kilobyte; their planes and bitmap take 515 MiB.
        image = sdimage.Image.from_pixels(bytes(6000 * 6000), 6000, 6000, "gray8").convert("rgb8")
        with tempfile.NamedTemporaryFile(suffix=".jxl") as file:
            file.write(image.encode("jxl", effort=1))
            file.flush()
            done = apart(
                """
                import memory, sys
                memory.allow(64 << 20)
                try:
                    print(sdimage.decode(sys.argv[1]).width)
                except sdimage.Error as error:
                    print(error.code)
                print(sdimage.info(open(sys.argv[1], "rb").read())["width"])
                """, file.name)
        # The header of the same file has no such limit.
        self.assertEqual(done.stdout.split(), ["TOO_LARGE", "6000"], done.stderr)

    def test_frames_beyond_the_image_have_a_limit(self) -> None:
        last = jxls.frame(8, 8, is_last=True)
        small = jxls.frame(300, 200, jxls.REFERENCE_ONLY)
        # 64 million pixels each, in about 30 bytes.
        hidden = jxls.frame(8192, 8192, jxls.REFERENCE_ONLY, 8)
        layers = [jxls.frame(8192, 8192, kind, 8) for kind in (jxls.REGULAR, jxls.SKIP_PROGRESSIVE)]
        oversized = jxls.frame(8192, 8192, upsampling=8, is_last=True)
        # Permuted tables of contents have more than one section.
        permuted = jxls.frame(3000, 20, jxls.REFERENCE_ONLY, is_permuted=True)
        good = [(), (small,), (permuted,), (small, permuted, small, permuted)]
        bad = [(hidden,), (layers[0],), (layers[1],), (small, hidden), (permuted, hidden), (permuted, permuted, small, hidden)]
        files = [(True, (*frames, last)) for frames in good] + [(False, (*frames, last)) for frames in bad]
        files.append((False, (small, oversized)))
        with tempfile.TemporaryDirectory() as folder:
            for number, (is_good, frames) in enumerate(files):
                data = jxls.header(8, 8) + b"".join(frames)
                for step in (1, 7, 64, len(data)):
                    name = f"{folder}/{is_good}-{number}-{step}.jxl"
                    Path(name).write_bytes(jxls.boxed(data, step) if step < len(data) else data)
            done = apart(
                """
                import memory, pathlib, sys
                memory.allow(128 << 20)
                for path in sorted(pathlib.Path(sys.argv[1]).iterdir()):
                    data = path.read_bytes()
                    wanted = "8" if path.name.startswith("True") else "TOO_LARGE"
                    growing, got = sdimage.Animation(b""), []
                    def grow():
                        for at in range(0, len(data), 5):
                            growing.update(data[at : at + 5], finished=at + 5 >= len(data))
                        return growing.image
                    for load in (lambda: sdimage.decode(data), grow):
                        try:
                            got.append(str(load().width))
                        except sdimage.Error as error:
                            got.append(error.code)
                    if got != [wanted, wanted]:
                        print(path.name, got)
                """, folder)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)

    def test_reference_frames_have_a_limit(self) -> None:
        # Frames of 183 MiB, which are no larger than the image.
        layers = [jxls.frame(4000, 4000, slot=slot) for slot in (1, 2, 3)]
        last = jxls.frame(4000, 4000, is_last=True)
        self.assert_error("TOO_LARGE", jxls.header(4000, 4000) + b"".join(layers) + last)
        image = sdimage.decode(jxls.header(4000, 4000) + layers[0] + layers[1] + layers[0] + last, max_work_ms=LONGEST_MS)
        self.assertEqual(image.width, 4000)

    def test_rows_of_planes_are_padded(self) -> None:
        narrow = jxls.header(1, 1_500_000) + jxls.frame(1, 1_500_000, is_last=True)
        self.assert_error("TOO_LARGE", narrow)

    def test_damage_is_an_error_or_a_picture(self) -> None:
        for image, options in ((ramp(channels=4), {"lossless": True}), (ramp(), {"quality": 0.7})):
            self.assert_hardened(image.encode("jxl", effort=3, **options))

    def test_time_is_limited(self) -> None:
        image = sdimage.decode(FIXTURES / "jpeg" / "large.jpg")
        data = image.encode("jxl", quality=0.9, effort=1)
        self.assert_error("TIMEOUT", data, max_work_ms=1)


if __name__ == "__main__":
    unittest.main()
