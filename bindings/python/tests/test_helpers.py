"""Names of formats, scaled sizes and colors as text."""

from __future__ import annotations

from .support import TestCase, sdimage


class Helpers(TestCase):
    def test_formats_have_media_types_and_extensions(self) -> None:
        self.assertEqual(sdimage.format_mime_type("jpeg"), "image/jpeg")
        self.assertEqual((sdimage.format_extension("jpeg"), sdimage.format_extension("unknown")), ("jpg", ""))
        for format in ("jpeg", "png", "gif", "webp", "heic", "avif", "tiff", "bmp", "ico", "jxl", "svg", "pdf"):
            self.assertEqual(sdimage.format_of_mime_type(sdimage.format_mime_type(format)), format)
        self.assertEqual(sdimage.format_of_mime_type("Image/PNG; q=0.5"), "png")
        self.assertIsNone(sdimage.format_of_mime_type("text/html"))
        self.assert_error("INVALID_ARGUMENT", sdimage.format_mime_type, "jpg")

    def test_sizes_are_scaled_as_thumbnails_are(self) -> None:
        self.assertEqual(sdimage.size_scaled((400, 300), (100, 100)), (100, 75))
        self.assertEqual(sdimage.size_scaled((400, 300), (100, 100), "fill"), (100, 100))
        self.assertEqual(sdimage.size_scaled((3, 2), (30, 30)), (3, 2))
        self.assertEqual(sdimage.size_scaled((3, 2), (30, 30), scale_up=True), (30, 20))
        self.assertEqual(sdimage.size_scaled((3, 2), (0, 30)), (3, 2))
        self.assert_error("INVALID_ARGUMENT", sdimage.size_scaled, (-1, 2), (30, 30))

    def test_colors_are_written_and_read_in_hexadecimal(self) -> None:
        self.assertEqual(sdimage.color_to_hex((1, 0.5, 0)), "#ff8000ff")
        self.assertEqual(sdimage.color_to_hex("#0F8"), "#00ff88ff")
        self.assertEqual(sdimage.color_from_hex("#ff000000"), (1, 0, 0, 0))
        self.assert_error("INVALID_ARGUMENT", sdimage.color_from_hex, "red")
