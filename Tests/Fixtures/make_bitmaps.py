#!/usr/bin/env python3
"""Writes the BMP and ICO fixtures beside this file, byte by byte. Needs Pillow for the JPEG and PNG inside some of them.

Pictures of 64 x 48 pixels that the tests know by formula: the ramp (red 4x, green 5y, blue 128), or what a palette leaves
of it: blocks of 4 x 3 pixels with 256 colours, columns of 4 pixels with 16, columns of 16 pixels with 4 and stripes of one
pixel with 2.
"""
import io
import pathlib
import struct

from PIL import Image

HERE = pathlib.Path(__file__).parent
WIDTH, HEIGHT = 64, 48
SRGB = 0x73524742
BLOCKS = bytes(v for i in range(256) for v in (128, i % 16 * 15, i // 16 * 16, 0))
COLUMNS = bytes(v for i in range(16) for v in (128, 0, i * 16, 0))
WIDE = bytes(v for i in range(4) for v in (128, 0, i * 64, 0))
STRIPES = bytes([0, 0, 0, 0, 255, 255, 255, 0])


def ramp(x, y):
    return 4 * x, 5 * y, 128


def index(bits, x, y):
    return {8: x // 4 * 16 + y // 3, 4: x // 4, 2: x // 16, 1: x % 2}[bits]


def packed(row, bits):
    """Indices side by side, the leftmost in the highest bits."""
    value = 0
    for i in row:
        value = value << bits | i
    return value.to_bytes(len(row) * bits // 8, "big")


def padded(row):
    return row + bytes(-len(row) % 4)


def rows(pixel_row, top_down=False):
    return b"".join(padded(pixel_row(y)) for y in (range(HEIGHT) if top_down else reversed(range(HEIGHT))))


def indexed(bits):
    return rows(lambda y: packed([index(bits, x, y) for x in range(WIDTH)], bits))


def pixels(pack, **options):
    return rows(lambda y: b"".join(pack(x, y) for x in range(WIDTH)), **options)


def bgr(x, y):
    return bytes(reversed(ramp(x, y)))


def fields(bits, *widths):
    """Red, green, blue and alpha from the highest bits on; each colour is cut to its width."""

    def pack(x, y):
        value = 0
        for colour, width in zip((*ramp(x, y), 4 * x), widths):
            value = value << width | colour >> (8 - width)
        return value.to_bytes(bits // 8, "little")

    return pack


def masks(bits, *widths):
    out, at = [], bits if sum(widths) == bits else sum(widths)
    for width in widths:
        at -= width
        out.append(((1 << width) - 1) << at)
    return out


def runs(encode):
    """Row by row, each followed by the end of the line, then the end of the bitmap."""
    return b"".join(encode(y) + b"\0\0" for y in reversed(range(HEIGHT))) + b"\0\1"


def rle8(y):
    """Runs of 4, and in every third row the pixels as they are."""
    row = [index(8, x, y) for x in range(WIDTH)]
    if y % 3 == 0:
        return bytes([0, WIDTH, *row])
    return bytes(v for x in range(0, WIDTH, 4) for v in (4, row[x]))


def rle4(y):
    """A run, 7 pixels as they are, a run of two colours by turns, then runs of 4."""
    row = [index(4, x, y) for x in range(WIDTH)]
    out = bytes([4, 0x00, 0, 7, *packed(row[4:11] + [0], 4)]) + bytes([2, row[11] << 4 | row[12]])
    return out + bytes([3, row[13] * 17]) + bytes(v for x in range(16, WIDTH, 4) for v in (4, row[x] * 17))


def rle24(y):
    return bytes([0, WIDTH]) + b"".join(bgr(x, y) for x in range(WIDTH))


def info(bits, compression=0, colours=0, length=40, height=HEIGHT, colour_masks=(), size=0):
    head = struct.pack("<IiiHHIIiiII", length, WIDTH, height, 1, bits, compression, size, 2835, 2835, colours, 0)
    head += struct.pack(f"<{len(colour_masks)}I", *colour_masks)
    if length >= 108:
        head = head.ljust(56, b"\0") + struct.pack("<I", SRGB)
    return head.ljust(length, b"\0")


def bitmap(name, head, data, palette=b""):
    offset = 14 + len(head) + len(palette)
    body = head + palette + data
    (HERE / "bmp" / name).write_bytes(struct.pack("<2sIHHI", b"BM", 14 + len(body), 0, 0, offset) + body)


def saved(format, **options):
    image = Image.new("RGB", (WIDTH, HEIGHT))
    image.putdata([ramp(x, y) for y in range(HEIGHT) for x in range(WIDTH)])
    out = io.BytesIO()
    image.save(out, format, **options)
    return out.getvalue()


def bitmaps():
    (HERE / "bmp").mkdir(exist_ok=True)
    for bits, palette in ((1, STRIPES), (2, WIDE), (4, COLUMNS), (8, BLOCKS)):
        bitmap(f"palette_{bits}.bmp", info(bits), indexed(bits), palette)
    first = struct.pack("<IHHHH", 12, WIDTH, HEIGHT, 1, 8)
    three = b"".join(BLOCKS[i : i + 3] for i in range(0, len(BLOCKS), 4))
    bitmap("os2_1.bmp", first, indexed(8), three)
    bitmap("os2_2_short.bmp", struct.pack("<IIIHH", 16, WIDTH, HEIGHT, 1, 8), indexed(8), BLOCKS)
    bitmap("os2_2_rle24.bmp", info(24, 4, length=64), runs(rle24))
    bitmap("rle8.bmp", info(8, 1), runs(rle8), BLOCKS)
    bitmap("rle4.bmp", info(4, 2), runs(rle4), COLUMNS)
    bitmap("ramp_16.bmp", info(16), pixels(fields(16, 5, 5, 5)))
    bitmap("ramp_24.bmp", info(24), pixels(bgr))
    bitmap("ramp_24_top_down.bmp", info(24, height=-HEIGHT), pixels(bgr, top_down=True))
    bitmap("ramp_32.bmp", info(32), pixels(lambda x, y: bgr(x, y) + bytes([x])))
    bitmap("fields_565.bmp", info(16, 3) + struct.pack("<3I", *masks(16, 5, 6, 5)), pixels(fields(16, 5, 6, 5)))
    bitmap("fields_v3_alpha.bmp", info(16, 3, length=56, colour_masks=masks(16, 4, 4, 4, 4)), pixels(fields(16, 4, 4, 4, 4)))
    bitmap("fields_v5_alpha.bmp", info(32, 3, length=124, colour_masks=masks(32, 8, 8, 8, 8)), pixels(fields(32, 8, 8, 8, 8)))
    png, jpeg = saved("PNG"), saved("JPEG", quality=95, subsampling=0)
    bitmap("wraps_png.bmp", info(0, 5, length=124, size=len(png)), png)
    bitmap("wraps_jpeg.bmp", info(0, 4, length=124, size=len(jpeg)), jpeg)


def entry_bitmap(side, bits, palette, row, mask_row):
    """The pixels of an icon's entry and the mask behind them, of twice the height."""
    head = struct.pack("<IiiHHIIiiII", 40, side, side * 2, 1, bits, 0, 0, 0, 0, 0, 0)
    body = b"".join(padded(row(y)) for y in reversed(range(side)))
    return head + palette + body + b"".join(padded(mask_row(y)) for y in reversed(range(side)))


def icon(name, kind, entries):
    """`entries`: side, bits, bytes."""
    (HERE / "ico").mkdir(exist_ok=True)
    offset, directory = 6 + 16 * len(entries), b""
    for side, bits, data in entries:
        directory += struct.pack("<BBBBHHII", side % 256, side % 256, 0, 0, 1, bits, len(data), offset)
        offset += len(data)
    (HERE / "ico" / name).write_bytes(
        struct.pack("<HHH", 0, kind, len(entries)) + directory + b"".join(data for *_, data in entries))


def icons():
    """Each entry has a blue of its own: 16 for the smallest, 32 and 64; the left half of all is transparent."""
    left = bytes([255])
    small = entry_bitmap(16, 4, bytes([16, 0, 0, 0] * 16), lambda y: bytes(8), lambda y: left + bytes(1))
    shallow = entry_bitmap(32, 24, b"", lambda y: bytes([1, 0, 0] * 32), lambda y: bytes(4))
    middle = entry_bitmap(32, 32, b"", lambda y: bytes([32, 0, 0, 0] * 16 + [32, 0, 0, 255] * 16), lambda y: bytes(4))
    large = Image.new("RGBA", (64, 64), (0, 0, 64, 255))
    large.paste((0, 0, 0, 0), (0, 0, 32, 64))
    out = io.BytesIO()
    large.save(out, "PNG")
    icon("three.ico", 1, [(16, 4, small), (32, 24, shallow), (32, 32, middle), (64, 32, out.getvalue())])
    icon("pointer.cur", 2, [(16, 0, small)])


if __name__ == "__main__":
    bitmaps()
    icons()
