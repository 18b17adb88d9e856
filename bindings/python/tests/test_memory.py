"""Memory use stays within its limits."""

from __future__ import annotations

import gc
import re
import struct
import zlib

from .support import TestCase, becomes, jpeg, png, run_python, sdimage

PEAK = """
    import sys
    import sdimage
    from pathlib import Path
    def peak():  # kilobytes; getrusage's figure would count the parent's from before exec
        with open("/proc/self/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))
    data = Path(sys.argv[1]).read_bytes()
    before = peak()
    image = sdimage.decode(data, thumbnail_size=eval(sys.argv[2]))
    print(image.width, image.height, peak() - before)
"""

#: Feeds a file in pieces and holds the last partial image, like a program that shows it. Prints the bytes of one
#: bitmap, the peak, and the bytes held at the end.
PIECES = """
    import sys
    import sdimage
    def status(field):  # bytes
        with open("/proc/self/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith(field)) << 10
    data = open(sys.argv[1], "rb").read()
    decoder, shown, step = sdimage.Animation(b"", pixel_format="rgba8"), None, len(data) // 12 + 1
    before = status("VmRSS")
    for start in range(0, len(data), step):
        decoder.update(data[start : start + step], finished=start + step >= len(data))
        if start // step % 4 == 0:
            shown = decoder.image or shown
    image = decoder.image
    print(image.width * image.height * 4, status("VmHWM") - before, status("VmRSS") - before)
"""

#: Feeds a file in pieces. Prints the outcome, and the peak in bytes.
WIDE = """
    import sys
    import sdimage
    def status(field):  # bytes
        with open("/proc/self/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith(field)) << 10
    data = open(sys.argv[1], "rb").read()
    before, code = status("VmRSS"), "OK"
    try:
        decoder = sdimage.Animation(b"")
        for start in range(0, len(data), 4096):
            decoder.update(data[start : start + 4096], finished=start + 4096 >= len(data))
    except sdimage.Error as error:
        code = error.code
    print(code, status("VmHWM") - before)
"""


class Memory(TestCase):
    def test_a_thumbnail_of_24_megapixels_never_holds_the_full_bitmap(self) -> None:
        path = self.folder() + "/large.jpg"
        with open(path, "wb") as file:
            file.write(jpeg(6000, 4000))
        width, height, small = map(int, run_python(PEAK, path, "(256, 256)").stdout.split())
        self.assertEqual((width, height), (256, 171))
        self.assertLess(small, 24_000)
        width, height, full = map(int, run_python(PEAK, path, "None").stdout.split())
        self.assertEqual((width, height), (6000, 4000))
        self.assertGreater(full, 60_000)

    def test_a_growing_picture_holds_no_more_bitmaps_than_needed(self) -> None:
        picture = sdimage.decode(jpeg(6144, 4096))
        # At the peak: the partial image of the program, the bitmap in progress, and a copy of it; or, for a progressive
        # JPEG, the coefficients, which are 3/4 of a bitmap. At the end: the partial image, and the final image.
        for name, data in (
            ("progressive JPEG", picture.encode("jpeg", progressive=True)),
            ("baseline JPEG", picture.encode("jpeg")),
            ("PNG", picture.encode("png")),
            ("WebP", picture.encode("webp")),
        ):
            with self.subTest(name):
                path = self.folder() + "/large"
                with open(path, "wb") as file:
                    file.write(data)
                bitmap, peak, held = map(int, run_python(PIECES, path).stdout.split())
                self.assertLess(peak, 3.3 * bitmap)
                self.assertLess(held, 2.3 * bitmap)

    def test_a_growing_picture_of_very_wide_rows_stays_within_working_memory(self) -> None:
        width = 67_000_000
        head = struct.pack(">IIBBBBB", width, 1, 8, 3, 0, 0, 0)
        chunks = ((b"IHDR", head), (b"PLTE", bytes(768)), (b"IDAT", zlib.compress(bytes(width + 1))), (b"IEND", b""))
        path = self.folder() + "/wide.png"
        with open(path, "wb") as file:
            file.write(b"\x89PNG\r\n\x1a\n")
            for name, data in chunks:
                file.write(struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)))
        code, peak = run_python(WIDE, path).stdout.split()
        self.assertEqual(code, "TOO_LARGE")
        self.assertLess(int(peak), 300 << 20)

    def test_handles_are_given_back(self) -> None:
        def live() -> int:
            """Bytes of pixel memory in use, by the library's own count."""
            found = re.search(r'^sdimage_pixel_bytes\{state="live"\} (.+)$', sdimage.metrics(), re.MULTILINE)
            assert found
            return int(float(found[1]))

        manager = self.manager(cache=None, loader=lambda request: png(200, 200))

        def work(times: int) -> None:
            for index in range(times):
                sdimage.decode(png(200, 200)).convert("rgba8")
                manager.load(f"x://{index}")
            gc.collect()

        before = live()
        image = sdimage.decode(png(200, 200))
        self.assertGreaterEqual(live(), before + 200 * 200 * 3)
        del image
        work(300)
        # A thread of the library may hold the last image for a moment.
        self.assertTrue(becomes(lambda: live() <= before), f"{live()} bytes, {before} before")
