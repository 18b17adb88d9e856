#!/usr/bin/env python3
"""Draws the HEIC and AVIF fixtures beside this file. Needs Pillow with AVIF, pillow-heif and numpy.

The picture is a ramp that the tests know by formula: red from left to right, green from top to bottom, blue 128.
pillow-heif codes the HEIC pictures; the files around them are written here (ISO/IEC 23008-12), so that every way of
relating pictures is at hand. Their sizes are multiples of 64, to which the encoder would pad others.
"""
import io
import pathlib
import struct

import numpy as np
import pillow_heif
from PIL import Image

HERE = pathlib.Path(__file__).parent
ALPHA = b"urn:mpeg:hevc:2015:auxid:1\0"


def ramp(width=128, height=64):
    y, x = np.mgrid[0:height, 0:width]
    return np.dstack([x * 256 // width, y * 240 // height, np.full_like(x, 128)]).astype(np.uint8)


def fade(width=128, height=64):
    return np.clip(255 - 2 * np.mgrid[0:height, 0:width][1], 0, 255).astype(np.uint8)


# --- Boxes.


def box(name, *bodies):
    body = b"".join(bodies)
    return struct.pack(">I", 8 + len(body)) + name + body


def full(name, version, flags, *bodies):
    return box(name, struct.pack(">I", version << 24 | flags), *bodies)


def find(data, *path):
    """The body of a box within boxes; `meta` begins with a version."""
    for name in path:
        at = 0
        while data[at + 4 : at + 8] != name:
            at += struct.unpack_from(">I", data, at)[0]
        data = data[at + 8 : at + struct.unpack_from(">I", data, at)[0]]
        data = data[4:] if name == b"meta" else data
    return data


def coded(pixels, **options):
    """A picture coded as H.265: its configuration and its bytes."""
    mode = {2: "L", 3: "RGB"}[pixels.ndim] + (";16" if pixels.dtype == np.uint16 else "")
    picture = pillow_heif.from_bytes(mode, (pixels.shape[1], pixels.shape[0]), np.ascontiguousarray(pixels).tobytes())
    file = io.BytesIO()
    picture.save(file, **{"quality": 90, "chroma": 420, **options})
    data = file.getvalue()
    return find(data, b"meta", b"iprp", b"ipco", b"hvcC"), find(data, b"mdat")


def size(width, height):
    return full(b"ispe", 0, 0, struct.pack(">II", width, height))


def rotation(quarters):
    return box(b"irot", bytes([quarters]))


def mirror(axis):
    return box(b"imir", bytes([axis]))


def clap(width, height, right, down):
    return box(b"clap", struct.pack(">IIIIiIiI", width, 1, height, 1, right, 1, down, 1))


SRGB = box(b"colr", b"nclx", struct.pack(">HHHB", 1, 13, 6, 0x80))


class File:
    """Items, their properties and references, and the file that holds them; the first item is the primary one."""

    def __init__(self):
        self.items, self.properties, self.references = [], [], []

    def add(self, kind, data, *properties, content=b""):
        used = []
        for one in properties:
            if one not in self.properties:
                self.properties.append(one)
            used.append(self.properties.index(one) + 1)
        self.items.append((kind + b"\0" + content, data, used))
        return len(self.items)

    def picture(self, pixels, *properties, announced=None, **options):
        configuration, data = coded(pixels, **options)
        height, width = pixels.shape[:2]
        return self.add(b"hvc1", data, box(b"hvcC", configuration), size(*announced or (width, height)), *properties)

    def refer(self, kind, from_item, *to):
        self.references.append(box(kind, struct.pack(f">HH{len(to)}H", from_item, len(to), *to)))

    def write(self, name):
        entries = [full(b"infe", 2, 0, struct.pack(">HH", i + 1, 0), kind) for i, (kind, _, _) in enumerate(self.items)]
        owners = [struct.pack(">HB", i + 1, len(used)) + bytes(used) for i, (_, _, used) in enumerate(self.items)]

        def meta(start):
            places, at = [], start
            for i, (_, data, _) in enumerate(self.items):
                places.append(struct.pack(">HHHII", i + 1, 0, 1, at, len(data)))
                at += len(data)
            return full(
                b"meta", 0, 0,
                full(b"hdlr", 0, 0, bytes(4), b"pict", bytes(13)),
                full(b"pitm", 0, 0, struct.pack(">H", 1)),
                full(b"iloc", 0, 0, b"\x44\x00", struct.pack(">H", len(places)), *places),
                full(b"iinf", 0, 0, struct.pack(">H", len(entries)), *entries),
                box(b"iprp", box(b"ipco", *self.properties),
                    full(b"ipma", 0, 0, struct.pack(">I", len(owners)), *owners)),
                *([full(b"iref", 0, 0, *self.references)] if self.references else []),
            )

        head = box(b"ftyp", b"heic", bytes(4), b"mif1heic")
        start = len(head) + len(meta(0)) + 8
        file = head + meta(start) + box(b"mdat", *(data for _, data, _ in self.items))
        (HERE / "heif" / name).write_bytes(file)


# --- HEIC.


def single(name, pixels, *properties, **options):
    file = File()
    file.picture(pixels, SRGB, *properties, **options)
    file.write(name)


def with_alpha(name, premultiplied=False):
    colour = ramp()
    if premultiplied:
        colour = (colour * (fade()[..., None] / 255.0) + 0.5).astype(np.uint8)
    file = File()
    primary = file.picture(colour, SRGB)
    alpha = file.picture(fade(), full(b"auxC", 0, 0, ALPHA))
    file.refer(b"auxl", alpha, primary)
    if premultiplied:
        file.refer(b"prem", primary, alpha)
    file.write(name)


def grid(name, width, height, announced=None, tile=None):
    """Tiles of 64 x 64 that reach beyond the picture."""
    whole = ramp(width, height)
    columns, rows = -(-width // 64), -(-height // 64)
    whole = np.pad(whole, ((0, rows * 64 - height), (0, columns * 64 - width), (0, 0)), "edge")
    file = File()
    shown = announced or (width, height)
    primary = file.add(b"grid", struct.pack(">BBBBHH", 0, 0, rows - 1, columns - 1, *shown), size(*shown), SRGB)
    corners = [(x, y) for y in range(0, rows * 64, 64) for x in range(0, columns * 64, 64)]
    tiles = [file.picture(whole[y : y + 64, x : x + 64], announced=tile) for x, y in corners]
    file.refer(b"dimg", primary, *tiles)
    file.write(name)


def with_thumbnail():
    file = File()
    primary = file.picture(ramp(512, 256), SRGB, quality=40)
    small = ramp()
    small[..., 2] = 250
    thumbnail = file.picture(small, SRGB)
    file.refer(b"thmb", thumbnail, primary)
    file.write("thumbnail.heic")


def derived():
    file = File()
    primary = file.add(b"iden", b"", size(64, 128), rotation(1), SRGB)
    file.refer(b"dimg", primary, file.picture(ramp(), SRGB))
    file.write("identity.heic")


def described():
    """TIFF with one entry, the maker's name; behind the number that EXIF begins with here."""
    tiff = b"II*\0" + struct.pack("<IHHHI4sI", 8, 1, 0x010F, 2, 4, b"sd!\0", 0)
    file = File()
    primary = file.picture(ramp(), SRGB)
    exif = file.add(b"Exif", bytes(4) + tiff)
    xmp = file.add(b"mime", b"<x:xmpmeta/>", content=b"application/rdf+xml\0")
    file.refer(b"cdsc", exif, primary)
    file.refer(b"cdsc", xmp, primary)
    file.write("described.heic")


def make_heif():
    single("still.heic", ramp())
    single("gray.heic", ramp()[..., 1])
    single("deep.heic", (ramp().astype(np.uint16) << 8) | ramp(), bit_depth=10)
    single("full_chroma.heic", ramp(), chroma=444)
    single("turned.heic", np.rot90(ramp(), 1), rotation(3))
    single("mirrored.heic", ramp()[:, ::-1], mirror(1))
    single("turned_mirrored.heic", np.rot90(ramp()[::-1], -1), rotation(1), mirror(0))
    single("cropped.heic", ramp(), clap(64, 32, 16, -8))
    single("larger_than_announced.heic", ramp(256, 256), announced=(16, 16))
    with_alpha("alpha.heic")
    with_alpha("premultiplied.heic", premultiplied=True)
    grid("grid.heic", 100, 90)
    grid("huge_grid.heic", 100, 90, announced=(30000, 30000), tile=(15000, 15000))
    with_thumbnail()
    derived()
    described()


# --- AVIF.


def avif(name, image, **options):
    image.save(HERE / "avif" / name, "AVIF", **{"quality": 90, "speed": 6, **options})


def make_avif():
    exif = Image.Exif()
    exif[0x0112] = 6
    picture = Image.fromarray(ramp())
    avif("still.avif", picture, xmp=b"<x:xmpmeta/>")
    avif("limited.avif", picture, range="limited")
    avif("full_chroma.avif", picture, subsampling="4:4:4")
    avif("gray.avif", Image.fromarray(ramp()[..., 1]))
    avif("alpha.avif", Image.fromarray(np.dstack([ramp(), fade()]), "RGBA"))
    avif("turned.avif", Image.fromarray(np.ascontiguousarray(np.rot90(ramp(), 1))), exif=exif.tobytes())
    frames = [Image.new("RGB", (32, 24), colour) for colour in ((250, 10, 10), (10, 250, 10), (10, 10, 250))]
    avif("animated.avif", frames[0], save_all=True, append_images=frames[1:], duration=[50, 200, 4])


if __name__ == "__main__":
    for folder in ("heif", "avif"):
        (HERE / folder).mkdir(exist_ok=True)
    make_heif()
    make_avif()
