"""Memory use stays within its limits."""

from __future__ import annotations

import gc
import re
import struct
import zlib

from .support import TestCase, becomes, jpeg, png, run_python, sdimage

#: Decodes a file with the options in the second argument, and the memory in bytes in the third. Prints the outcome.
DECODE = """
    import sys
    import memory
    import sdimage
    from pathlib import Path
    data = Path(sys.argv[1]).read_bytes()
    try:
        sdimage.decode(data[:1000])
    except sdimage.Error:
        pass
    memory.allow(int(sys.argv[3]))
    try:
        image = sdimage.decode(data, thumbnail_size=eval(sys.argv[2]))
        print("OK", image.width, image.height)
    except sdimage.Error as error:
        print(error.code)
"""

#: Feeds a file in pieces and holds the last partial image, like a program that shows it; at most the bitmaps in the
#: second argument may exist at the same time, of the bytes in the third. Prints the outcome, and the bytes of pixels at
#: the end.
PIECES = """
    import re
    import sys
    import memory
    import sdimage
    data = open(sys.argv[1], "rb").read()
    decoder, shown, step = sdimage.Animation(b"", pixel_format="rgba8"), None, len(data) // 12 + 1
    memory.allow(int(float(sys.argv[2]) * int(sys.argv[3])))
    try:
        for start in range(0, len(data), step):
            decoder.update(data[start : start + step], finished=start + step >= len(data))
            if start // step % 4 == 0:
                shown = decoder.image or shown
        image, code = decoder.image, "OK"
    except sdimage.Error as error:
        code = error.code
    print(code, re.search(r'^sdimage_pixel_bytes\\{state="live"\\} (.+)$', sdimage.metrics(), re.MULTILINE)[1])
"""

#: Feeds a file in pieces, with the memory in bytes in the second argument. Prints the outcome.
WIDE = """
    import sys
    import memory
    import sdimage
    data, code = open(sys.argv[1], "rb").read(), "OK"
    memory.allow(int(sys.argv[2]))
    try:
        decoder = sdimage.Animation(b"")
        for start in range(0, len(data), 4096):
            decoder.update(data[start : start + 4096], finished=start + 4096 >= len(data))
    except sdimage.Error as error:
        code = error.code
    print(code)
"""


class Memory(TestCase):
    def test_a_thumbnail_of_24_megapixels_never_holds_the_full_bitmap(self) -> None:
        path = self.folder() + "/large.jpg"
        with open(path, "wb") as file:
            file.write(jpeg(6000, 4000))
        enough = "24000000"
        self.assertEqual(run_python(DECODE, path, "(256, 256)", enough).stdout.split(), ["OK", "256", "171"])
        self.assertEqual(run_python(DECODE, path, "None", enough).stdout.split(), ["NO_MEMORY"])

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
                bitmap = 6144 * 4096 * 4
                code, held = run_python(PIECES, path, "3.3", str(bitmap)).stdout.split()
                self.assertEqual(code, "OK")
                self.assertLessEqual(float(held), 2.1 * bitmap)

    def test_a_growing_picture_of_very_wide_rows_stays_within_working_memory(self) -> None:
        width = 67_000_000
        head = struct.pack(">IIBBBBB", width, 1, 8, 3, 0, 0, 0)
        chunks = ((b"IHDR", head), (b"PLTE", bytes(768)), (b"IDAT", zlib.compress(bytes(width + 1))), (b"IEND", b""))
        path = self.folder() + "/wide.png"
        with open(path, "wb") as file:
            file.write(b"\x89PNG\r\n\x1a\n")
            for name, data in chunks:
                file.write(struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)))
        self.assertEqual(run_python(WIDE, path, str(300 << 20)).stdout.split(), ["TOO_LARGE"])

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
