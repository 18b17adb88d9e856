"""The images that the demo generates before it begins: a file of each additional format, and the large ones.

The library writes the formats that it can encode; a page of code writes each other one. The files stay in a
folder for the next run; all of them can be generated again."""

from __future__ import annotations

import math
import shutil
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import moving
import sdimage
from origin import jpeg
from pictures import Missing
from sdimage import transforms

#: A new number when the content of images in the same folder changes.
_EDITION = "2"
_HERE = Path(__file__).resolve().parent
#: The demo's own images.
PICTURES = _HERE.parents[1] / "Tests" / "fixtures" / "pictures"
#: The sides of the large JPEG: 48 megapixels.
LARGE = (8000, 6000)


def folder(below: Path) -> Path:
    """A folder for the files of this library version; folders of other versions are ignored."""
    place = below / "made" / f"{sdimage.version()}-{_EDITION}"
    place.mkdir(parents=True, exist_ok=True)
    return place


def _make(path: Path, content: Callable[[], bytes]) -> Path:
    """Writes a file unless it exists; it appears complete or not at all."""
    if not path.exists():
        part = path.with_suffix(path.suffix + ".part")
        part.write_bytes(content())
        part.replace(path)
    return path


def large_jpeg(place: Path) -> Path:
    """A JPEG of 48 megapixels."""
    return _make(place / "large.jpg", lambda: jpeg.jpeg(*LARGE))


def photographs(place: Path) -> list[Path]:
    """JPEGs of six megapixels, made from the smaller ones."""
    names = sorted(PICTURES.glob("*.jpg"))

    def grown(path: Path) -> bytes:
        image = sdimage.decode(path, pixel_format="rgb8")
        scale = math.sqrt(6e6 / (image.width * image.height))
        size = round(image.width * scale), round(image.height * scale)
        return image.transform(transforms.resize(size)).encode("jpeg", quality=0.85)

    return [_make(place / f"photo-{path.stem}.jpg", lambda path=path: grown(path)) for path in names]


def further(place: Path, pictures: Path) -> tuple[Path, list[Missing]]:
    """A folder with the images of another one and a file of each additional format; and the files of formats whose
    module or plug-in is missing.

    If the folder is not the demo's own, nothing is added: the images are then the user's."""
    out = place / "pictures"
    missing: list[Missing] = []
    if not (pictures / "manifest.json").exists():
        return pictures, missing
    out.mkdir(exist_ok=True)
    for path in pictures.iterdir():
        if not (out / path.name).exists():
            shutil.copyfile(path, out / path.name)
    for name, package, content in _recipes(pictures):
        try:
            path = _make(out / name, content)
            sdimage.info(path)
        except sdimage.Error as error:
            if not package:
                raise
            (out / name).unlink(missing_ok=True)
            missing.append(Missing(name, package, error.code))
    return out, missing


def _recipes(pictures: Path) -> Iterator[tuple[str, str, Callable[[], bytes]]]:
    """The generated files, in the order of the contact sheet, with the Debian package that their module or plug-in is
    built from."""

    def changed(name: str, *changes: transforms.Transformer) -> sdimage.Image:
        return sdimage.decode(pictures / name, pixel_format="rgb8").transform(*changes)

    def hue(turn: float) -> transforms.Transformer:
        return transforms.filter("CIHueAdjust", angle=turn)

    mirror = transforms.flip(horizontal=True)
    half = transforms.resize((400, 300), "aspect_fill")
    small = transforms.resize((240, 240))
    star = pictures / "star-sticker.gif"
    yield (
        "dawn.heic",
        "libheif-dev",
        lambda: changed("sunset-mountains.jpg", mirror, hue(0.6), half).encode("heic", quality=0.8),
    )
    yield (
        "ice-planet.avif",
        "libavif-dev",
        lambda: changed("ringed-planet.jpg", mirror, hue(2.6), half).encode("avif", quality=0.7),
    )
    yield (
        "lagoon.jxl",
        "libjxl-dev",
        lambda: changed("coral-reef.webp", mirror, hue(-0.9), half).encode("jxl", quality=0.85, effort=3),
    )
    yield "rose-window.tif", "libtiff-dev", lambda: tiff(changed("stained-glass.gif", hue(2.2), small))
    yield "clouds.svg", "librsvg2-dev", lambda: _SVG.encode()
    yield "poster.pdf", "libpoppler-glib-dev", pdf
    yield "dusk.bmp", "", lambda: changed("night-city.webp", mirror, transforms.resize((260, 156))).encode("bmp")
    yield "sticker.ico", "", lambda: sdimage.decode(star, thumbnail_size=(128, 128)).encode("ico")
    yield "night-film.png", "", moving.apng
    yield "night-film.webp", "", moving.webp
    yield "night-film.avif", "libavif-dev", (_HERE / "moving.avif").read_bytes
    yield "night-film.mp4", "libavformat-dev", (_HERE / "moving.mp4").read_bytes


def tiff(image: sdimage.Image) -> bytes:
    """A TIFF of one strip, not compressed (TIFF 6.0, section 6: RGB Full Color Images)."""
    pixels = image.convert("rgb8").tobytes()
    entries = [
        (256, 3, 1, image.width),
        (257, 3, 1, image.height),
        (258, 3, 3, 8 + len(pixels)),
        (259, 3, 1, 1),
        (262, 3, 1, 2),
        (273, 4, 1, 8),
        (277, 3, 1, 3),
        (278, 3, 1, image.height),
        (279, 4, 1, len(pixels)),
    ]
    depths = struct.pack("<HHH", 8, 8, 8)
    head = struct.pack("<2sHI", b"II", 42, 8 + len(pixels) + len(depths))
    # A two-byte value occupies the first two of its four bytes.
    table = b"".join(struct.pack("<HHII", *entry) for entry in entries)
    return head + pixels + depths + struct.pack("<H", len(entries)) + table + bytes(4)


_SVG = """<svg xmlns="http://www.w3.org/2000/svg" width="480" height="320" viewBox="0 0 480 320">
<defs><linearGradient id="sky" x2="0" y2="1"><stop stop-color="#5db7f0"/><stop offset="1" stop-color="#f8f1d8"/></linearGradient>
<g id="cloud" fill="#fff"><circle cx="30" cy="40" r="26"/><circle cx="66" cy="28" r="34"/><circle cx="106" cy="38" r="28"/>
<rect x="8" y="38" width="124" height="28" rx="14"/></g></defs>
<rect width="480" height="320" fill="url(#sky)"/><circle cx="372" cy="84" r="40" fill="#ffd257"/>
<path d="M0 250Q120 190 240 246T480 228V320H0Z" fill="#79b66a"/><path d="M0 284Q140 236 290 282T480 270V320H0Z" fill="#4c9457"/>
<use href="#cloud" x="40" y="60"/><use href="#cloud" x="300" y="110" opacity=".85"/>
<path d="M178 150q14-16 26 0q12-16 26 0M236 120q10-12 18 0q9-12 18 0" fill="none" stroke="#40506a"
 stroke-width="4" stroke-linecap="round"/>
</svg>
"""


def pdf() -> bytes:
    """A one-page poster (ISO 32000-1): rings that rise over bars."""
    drawing = ["0.98 0.95 0.88 rg 0 0 300 400 re f"]
    colors = ("0.90 0.33 0.24", "0.95 0.62 0.24", "0.97 0.80 0.36", "0.24 0.56 0.55", "0.13 0.27 0.38")
    for index, color in enumerate(colors):
        drawing.append(f"{color} rg {_circle(150, 250, 110 - 22 * index)} f")
        drawing.append(f"{color} rg 40 {100 - 16 * index} 220 10 re f")
    stream = "\n".join(drawing).encode()
    objects = (
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Contents 4 0 R/Resources<<>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream),
    )
    out = b"%PDF-1.4\n"
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj%s endobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    return out + head + table + b"trailer<</Root 1 0 R/Size %d>>startxref %d %%%%EOF\n" % (len(objects) + 1, len(out))


def _circle(x: float, y: float, radius: float) -> str:
    """Four curves, with the usual 0.5523 of the radius for their control points."""
    bend, path = radius * 0.5523, [f"{x + radius} {y} m"]
    for quarter in range(4):
        turn = quarter * math.pi / 2
        points = ((radius, bend), (bend, radius), (0, radius))
        places = [
            f"{x + a * math.cos(turn) - b * math.sin(turn):.2f} {y + a * math.sin(turn) + b * math.cos(turn):.2f}"
            for a, b in points
        ]
        path.append(" ".join(places) + " c")
    return " ".join(path)
