"""PDF: pages rendered at the requested size."""

from __future__ import annotations

import ctypes
import unittest

from .pdfs import pdf
from .support import PLUGINS, TestCase, apart, is_vector, needs, rendered, sdimage

#: Left half red, right half blue: 80 by 40 points.
HALVES = "1 0 0 rg 0 0 40 40 re f 0 0 1 rg 40 0 40 40 re f"
CORNER = "0 0.6 0 rg 0 0 40 20 re f"
RED, BLUE, WHITE = (255, 0, 0, 255), (0, 0, 255, 255), (255, 255, 255, 255)


@needs("pdf")
class Pdf(TestCase):
    def test_a_page_becomes_pixels_on_white_paper(self) -> None:
        image = sdimage.decode(pdf(HALVES))
        self.assertEqual((image.format, image.pixel_format, image.width, image.height), ("pdf", "rgba8", 80, 40))
        self.assertEqual((self.pixel(image, 5, 5), self.pixel(image, 70, 5)), (RED, BLUE))
        self.assertTrue(is_vector(image))
        self.assertEqual(self.pixel(sdimage.decode(pdf(CORNER)), 5, 5), WHITE)
        self.assert_close(self.pixel(sdimage.decode(pdf(CORNER)), 5, 35), (0, 153, 0, 255), 1)
        self.assertEqual(self.pixel(sdimage.decode(pdf(CORNER), options={"pdf.clear": True}), 5, 5), (0, 0, 0, 0))
        known = sdimage.info(pdf(HALVES))
        self.assertEqual((known["format"], known["width"], known["height"]), ("pdf", 80, 40))

    def test_a_thumbnail_is_drawn_at_its_size_larger_ones_too(self) -> None:
        for box, size in (((400, 400), (400, 200)), ((10, 10), (10, 5))):
            image = sdimage.decode(pdf(HALVES), thumbnail_size=box)
            with self.subTest(box):
                self.assertEqual((image.width, image.height, image.source_size), (*size, (80, 40)))
        sharp = sdimage.decode(pdf(HALVES), thumbnail_size=(400, 400))
        self.assertEqual((self.pixel(sharp, 199, 9), self.pixel(sharp, 200, 9)), (RED, BLUE))
        again = rendered(sharp, 160, 160)
        self.assertEqual((again.width, again.height, self.pixel(again, 79, 159), self.pixel(again, 80, 0)), (160, 160, RED, BLUE))

    def test_crop_boxes_and_turns_count(self) -> None:
        image = sdimage.decode(pdf(HALVES, extra="/CropBox [30 0 60 40]"))
        self.assertEqual((image.width, image.height), (30, 40))
        self.assertEqual((self.pixel(image, 5, 5), self.pixel(image, 15, 5)), (RED, BLUE))
        turned = sdimage.decode(pdf(HALVES, extra="/Rotate 90"))
        self.assertEqual((turned.width, turned.height), (40, 80))
        self.assertEqual((self.pixel(turned, 5, 5), self.pixel(turned, 5, 75)), (RED, BLUE))

    def test_pages_are_chosen_by_an_option(self) -> None:
        data = pdf(HALVES, CORNER, "", boxes=("[0 0 80 40]", "[0 0 40 80]", "[0 0 20 20]"))
        for page, size in enumerate(((80, 40), (40, 80), (20, 20))):
            image = sdimage.decode(data, options={"pdf.page": page})
            with self.subTest(page):
                self.assertEqual((image.width, image.height, image.frame_count), (*size, 1))
                small = sdimage.decode(data, options={"pdf.page": page}, thumbnail_size=(10, 10))
                self.assertEqual(small.source_size, size)
                self.assertEqual(rendered(image, 60, 60).tobytes(), rendered(small, 60, 60).tobytes())
        for page in (3, -1, 2**40):
            self.assert_error("INVALID_ARGUMENT", data, options={"pdf.page": page})
        counting = ctypes.CDLL(PLUGINS["pdf"].path).sdimage_pdf_page_count
        counting.argtypes, counting.restype = (ctypes.c_char_p, ctypes.c_size_t), ctypes.c_uint32
        self.assertEqual([counting(text, len(text)) for text in (data, b"%PDF-1.4", b"")], [3, 0, 0])

    def test_encrypted_documents_need_their_password(self) -> None:
        data = pdf(HALVES, password=b"sesame")
        for options in ({}, {"pdf.password": "open"}):
            error = self.assert_error("PERMISSION_DENIED", data, options=options)
            self.assertIn("password", error.message)
        image = sdimage.decode(data, options={"pdf.password": "sesame"}, thumbnail_size=(160, 160))
        self.assertEqual((image.width, self.pixel(image, 5, 5)), (160, RED))

    def test_sizes_are_refused_before_memory_is_taken(self) -> None:
        self.assert_error("TOO_LARGE", pdf(HALVES), max_pixels=3000)
        self.assert_error("TOO_LARGE", pdf(HALVES), max_bytes=12000)
        self.assert_error("TOO_LARGE", pdf(HALVES, box="[0 0 1000000 1000000]"))
        large = pdf(HALVES, box="[0 0 1000000 500000]")
        self.assertEqual(sdimage.decode(large, thumbnail_size=(20, 20)).width, 20)

    def test_time_is_limited(self) -> None:
        circles = "0 0 1 rg " + "0 0 m 80 40 90 90 3 2 c f* " * 40000
        self.assert_error("TIMEOUT", pdf(circles), max_work_ms=5)

    def test_pages_in_a_circle_end(self) -> None:
        data = pdf(HALVES).replace(b"/Kids [3 0 R]", b"/Kids [2 0 R]")
        self.assert_error("BAD_DATA", data)
        form = "/Resources << /XObject << /X 4 0 R >> >>"
        data = pdf("/X Do").replace(b"/Resources << >>", form.encode()).replace(
            b"<< /Length", f"<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] {form} /Length".encode())
        self.assert_survives(data)

    def test_damage_is_an_error_or_a_picture_and_prints_nothing(self) -> None:
        self.assert_hardened(pdf(HALVES, CORNER))
        done = apart("""
            import sys
            data = bytes.fromhex(sys.argv[1])
            for at in range(9, len(data), 17):
                try:
                    sdimage.decode(data[:at] + b"\\xff" + data[at + 1:])
                except sdimage.Error:
                    pass
            """, pdf(HALVES).hex())
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_pieces_end_in_the_same_picture(self) -> None:
        self.assert_pieces_agree(pdf(HALVES))
        self.assert_pieces_agree(pdf(HALVES), thumbnail_size=(160, 160))


if __name__ == "__main__":
    unittest.main()
