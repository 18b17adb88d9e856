"""SVG: rendered at the requested size, from the given bytes alone."""

from __future__ import annotations

import base64
import gzip
import struct
import tempfile
import time
import unittest
import zlib
from pathlib import Path

from .support import FIXTURES, LONGEST_MS, Origin, TestCase, apart, is_vector, needs, rendered, sdimage

HALVES = '<rect width="20" height="20" fill="red"/><rect x="20" width="20" height="20" fill="#00f" opacity=".5"/>'
SIZE = 'width="40" height="20"'
RED, BLUE, GREEN, NOTHING = (255, 0, 0, 255), (0, 0, 255, 128), (0, 255, 0, 255), (0, 0, 0, 0)


def svg(body: str = HALVES, head: str = SIZE, before: str = "") -> bytes:
    spaces = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    return f"{before}<svg {spaces} {head}>{body}</svg>".encode()


def shown(reference: str) -> str:
    return f'<image width="40" height="20" preserveAspectRatio="none" xlink:href="{reference}"/>'


def data_url(data: bytes, kind: str = "image/png") -> str:
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"


def bomb(width: int = 30000, height: int = 30000) -> bytes:
    """A PNG with only a valid header."""
    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(999))) + chunk(b"IEND", b"")


def green() -> bytes:
    return sdimage.Image.from_pixels(bytes((0, 255, 0)) * 100, 10, 10, "rgb8").encode("png")


@needs("svg")
class Svg(TestCase):
    def test_shapes_become_straight_pixels(self) -> None:
        image = sdimage.decode(svg())
        self.assertEqual((image.format, image.pixel_format, image.width, image.height), ("svg", "rgba8", 40, 20))
        self.assertEqual((self.pixel(image, 5, 5), self.pixel(image, 30, 5)), (RED, BLUE))
        self.assertTrue(is_vector(image))
        cairo = sdimage.decode(svg(), pixel_format="bgra8_premultiplied")
        self.assertEqual(cairo.tobytes()[4 * 30 : 4 * 31], bytes((128, 0, 0, 128)))
        known = sdimage.info(svg())
        self.assertEqual((known["format"], known["width"], known["height"], known["has_alpha"]), ("svg", 40, 20, True))

    def test_a_thumbnail_is_drawn_at_its_size_larger_ones_too(self) -> None:
        for box, wanted in (((400, 400), (400, 200)), ((10, 10), (10, 5)), ((33, 999), (33, 17))):
            image = sdimage.decode(svg(), thumbnail_size=box)
            with self.subTest(box):
                self.assertEqual((image.width, image.height, image.source_size), (*wanted, (40, 20)))
        sharp = sdimage.decode(svg(), thumbnail_size=(400, 400))
        self.assertEqual((self.pixel(sharp, 199, 9), self.pixel(sharp, 200, 9)), (RED, BLUE))
        stretched = sdimage.decode(svg(), thumbnail_size=(100, 400), preserve_aspect_ratio=False)
        self.assertEqual((stretched.width, stretched.height), (100, 400))
        self.assertEqual((self.pixel(stretched, 25, 399), self.pixel(stretched, 75, 0)), (RED, BLUE))
        limited = sdimage.decode(svg(head='width="400" height="200"'), limit_bytes=4 * 5000)
        self.assertEqual((limited.width, limited.height), (100, 50))

    def test_an_image_is_drawn_again_at_any_size(self) -> None:
        image = sdimage.decode(svg(), thumbnail_size=(20, 20))
        again = rendered(image, 600, 300)
        self.assertEqual((again.width, again.height, is_vector(again)), (600, 300, True))
        self.assertEqual((self.pixel(again, 299, 0), self.pixel(again, 300, 0)), (RED, BLUE))
        for width, height in ((0, 5), (40000, 1), (20000, 20000)):
            with self.subTest(width=width, height=height), self.assertRaises(sdimage.Error) as caught:
                rendered(image, width, height)
            self.assertIn(caught.exception.code, ("INVALID_ARGUMENT", "TOO_LARGE"))

    def test_the_own_size_is_found_in_all_ways_of_saying_it(self) -> None:
        heads = {SIZE: (40, 20), 'viewBox="0 0 131 76"': (131, 76), 'width="1in" viewBox="0 0 2 1"': (96, 48),
                 'height="10mm" viewBox="0 0 2 1"': (76, 38), 'width="50%" height="50%" viewBox="5 5 30 20"': (30, 20),
                 'width="3pc" height="18pt"': (48, 24), 'width="2.54cm" height="25.4mm"': (96, 96), "": (40, 20)}
        for head, size in heads.items():
            with self.subTest(head):
                image = sdimage.decode(svg(head=head))
                self.assertEqual((image.width, image.height), size)
                self.assertEqual((sdimage.info(svg(head=head))["width"]), size[0])

    def test_without_a_size_the_image_is_what_is_drawn(self) -> None:
        opaque = HALVES.replace(' opacity=".5"', "")
        for x, y, halves, blue in ((0, 0, HALVES, BLUE), (100, 50, HALVES, BLUE), (-30, -20, opaque, (0, 0, 255, 255)),
                                   (1e8, 1e8, opaque, (0, 0, 255, 255))):
            body = f'<g transform="translate({x} {y})">{halves}</g>'
            for head in ("", 'width="100%" height="100%"'):
                with self.subTest(x=x, y=y, head=head):
                    image = sdimage.decode(svg(body, head))
                    self.assertEqual((image.width, image.height), (40, 20))
                    for at in (0, 19):
                        self.assertEqual((self.pixel(image, at, at), self.pixel(image, 20 + at, at)), (RED, blue))
                    again = rendered(image, 400, 200)
                    self.assertEqual((self.pixel(again, 0, 0), self.pixel(again, 399, 199)), (RED, blue))

    def test_groups_far_from_the_origin_take_no_memory(self) -> None:
        done = apart("""
            import memory, sys
            for place in ("20000", "1e8", "1e300", "-1e300"):
                data = sys.argv[1].replace("PLACE", place).encode()
                memory.allow((128 + 512) << 20)  # the stack of the decoder's thread counts in full
                try:
                    image = sdimage.decode(data, max_work_ms=120_000)
                    print(image.width <= 40, end=" ")
                except sdimage.Error as error:
                    print(error.code, end=" ")
            """, svg(f'<g transform="translate(PLACE PLACE)">{HALVES}</g>', "").decode())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.split()[:2], ["True"] * 2)
        for status in done.stdout.split()[2:]:
            self.assertIn(status, ("True", "BAD_DATA"))

    def test_deflated_text_is_inflated_up_to_a_limit(self) -> None:
        self.assertEqual(self.pixel(sdimage.decode(gzip.compress(svg())), 5, 5), RED)
        self.assert_error("TRUNCATED", gzip.compress(svg("<!--" + "x" * 50000 + "-->" + HALVES))[:120])
        self.assert_error("TOO_LARGE", gzip.compress(svg("<!--" + " " * (40 << 20) + "-->")))
        self.assert_error("NOT_AN_IMAGE", gzip.compress(b"words " * 99))

    def test_style_sheets_of_the_host_are_laid_over(self) -> None:
        image = sdimage.decode(svg(), options={"svg.style": "rect { fill: #00ff00 !important }"})
        self.assertEqual(self.pixel(image, 5, 5), GREEN)
        self.assertEqual(self.pixel(rendered(image, 80, 40), 5, 5), GREEN)

    def test_pictures_inside_are_shown(self) -> None:
        image = sdimage.decode(svg(shown(data_url(green()))))
        self.assertEqual(self.pixel(image, 20, 10), GREEN)

    def test_nothing_outside_is_read(self) -> None:
        origin = Origin(bodies={"green.png": green()}).start()
        self.addCleanup(origin.stop)
        with tempfile.TemporaryDirectory() as folder:
            picture = Path(folder, "green.png")
            picture.write_bytes(green())
            Path(folder, "green.svg").write_bytes(svg('<rect id="r" width="40" height="20" fill="#0f0"/>'))
            sheet = Path(folder, "green.css")
            sheet.write_text("rect { fill: #0f0 !important }")
            url = origin.url("green.png")
            for body in (shown(picture.as_uri()), shown(str(picture)), shown("green.png"), shown(url),
                         f'<use xlink:href="{folder}/green.svg#r"/>', f'<use xlink:href="file://{folder}/green.svg#r"/>',
                         f'<filter id="f"><feImage xlink:href="{picture.as_uri()}"/></filter>'
                         '<rect width="40" height="20" opacity="0.01" filter="url(#f)"/>'):
                with self.subTest(body):
                    self.assertNotEqual(self.pixel(sdimage.decode(svg(body)), 20, 10)[:3], (0, 255, 0))
            for before in (f'<?xml-stylesheet href="{sheet.as_uri()}" type="text/css"?>',
                           f'<!DOCTYPE svg SYSTEM "{picture.as_uri()}">'):
                with self.subTest(before):
                    self.assertEqual(self.pixel(sdimage.decode(svg(before=before)), 5, 5), RED)
            imported = svg(f'<style>@import url("{sheet.as_uri()}");</style>' + HALVES)
            self.assertEqual(self.pixel(sdimage.decode(imported), 5, 5), RED)
            include = f'<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="file://{folder}/green.svg"/>'
            self.assertEqual(self.pixel(sdimage.decode(svg(HALVES + include)), 5, 5), RED)
            self.assert_error("BAD_DATA", svg("&e;", before=f'<!DOCTYPE svg [<!ENTITY e SYSTEM "{picture.as_uri()}">]>'))
        self.assertEqual(origin.hits(), 0)

    def test_large_pictures_inside_are_refused_however_they_are_hidden(self) -> None:
        url = data_url(bomb())
        hidden = {
            "plain": svg(shown(url)),
            "by character references": svg(shown("&#100;" + url[1:])),
            "in an entity": svg("&e;", before=f"<!DOCTYPE svg [<!ENTITY e '{svg(shown(url)).decode()}'>]>"),
            "in an attribute's entity": svg(shown("&e;"), before=f'<!DOCTYPE svg [<!ENTITY e "{url}">]>'),
            "escaped": svg(shown("data:image/png," + "".join(f"%{byte:02x}" for byte in bomb()))),
            "in a filter": svg(f'<filter id="f"><feImage xlink:href="{url}"/></filter><rect filter="url(#f)"/>'),
            "many": svg(shown(data_url(bomb(2000, 2000))) * 9),
            "a scheme with a tab": svg(shown("da&#9;ta" + url[4:])),
        }
        for name, data in hidden.items():
            with self.subTest(name):
                self.assert_error("TOO_LARGE", data)
        self.assert_error("UNSUPPORTED", svg(shown(data_url(svg(), "image/svg+xml"))))
        damaged = bytearray(bomb())
        damaged[29] ^= 1
        self.assert_error("BAD_DATA", svg(shown(data_url(damaged))))

    def test_text_inside_is_refused_however_it_is_referred_to(self) -> None:
        inside = data_url(svg(f'<pattern id="p">{shown(data_url(bomb()))}</pattern>'), "image/svg+xml")
        rule = f"rect {{ fill: url({inside}#p) }}"
        sheet = data_url(rule.encode(), "text/css")
        hidden = {
            "used": svg(f'<use xlink:href="{inside}#p"/>'),
            "included": svg(f'<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="{inside}"/>'),
            "in an attribute": svg(f'<rect width="9" height="9" fill="url({inside}#p)"/>'),
            "in a style": svg(f'<rect width="9" height="9" style="fill: url(\'{inside}#p\')"/>'),
            "in a sheet": svg(f"<style>{rule}</style>{HALVES}"),
            "escaped in a sheet": svg(f"<style>rect {{ fill: url('\\64 ata{inside[4:]}#p') }}</style>{HALVES}"),
            "with an escaped tab in a sheet": svg(f"<style>@import url(da\\9 ta{sheet[4:]});</style>{HALVES}"),
            "with an escaped line end in a sheet": svg(f"<style>@import 'data\\a{sheet[4:]}';</style>{HALVES}"),
            "in two lines of a sheet": svg(f'<style>@import "da\\\nta{sheet[4:]}";</style>{HALVES}'),
            "in an entity of a sheet": svg(f"<style>&r;</style>{HALVES}", before=f'<!DOCTYPE svg [<!ENTITY r "{rule}">]>'),
            "imported": svg(f"<style>@import url({sheet});</style>{HALVES}"),
            "imported behind the quotation mark of a comment": svg(
                f'<style>/* "data:font/ */ @import url(\'{sheet}\');</style>{HALVES}'),
            "imported behind the parenthesis of a comment": svg(
                f"<style>/*(data:image/*/@import'{sheet}';</style>{HALVES}"),
            "beside": svg(before=f'<?xml-stylesheet type="text/css" href="{sheet}"?>'),
            "beside, in lines": svg(before=f'<?xml-stylesheet type="text/css" href="Da\ntA\t:{sheet[5:]}"?>'),
            "beside, with an entity": svg(before=f'<?xml-stylesheet type="text/css" href="&#100;{sheet[1:]}"?>'),
        }
        for name, data in hidden.items():
            with self.subTest(name):
                self.assert_error("UNSUPPORTED", data)
        # A space ends a URL without quotation marks only, wherever the scheme begins.
        for before in ("", " ", "&#9;", r"\20 ", r"\0 \a "):
            for between in ("", " ", ")"):
                for mark in ('"', "&apos;"):
                    url = f"url({mark}{before}data:image/svg+xml,{between}%3Csvg/%3E#p{mark})"
                    with self.subTest(url):
                        self.assert_error("UNSUPPORTED", svg(f"<rect width='9' height='9' mask='{url}'/>"))
        self.assertEqual(self.pixel(sdimage.decode(svg(before='<?xml-stylesheet href="metadata.css"?>')), 5, 5), RED)
        font = "@font-face { font-family: f; src: url(data:font/woff2;base64,AAAA) }"
        self.assertEqual(self.pixel(sdimage.decode(svg(f"<style>{font} g {{ fill: #00f }}</style>{HALVES}")), 5, 5), RED)
        cursor = """g { cursor: url("data:image/svg+xml,<image href='data:image/png,x (1)'/>"); fill: #00f }"""
        self.assertEqual(self.pixel(sdimage.decode(svg(f"<style><![CDATA[{cursor}]]></style>{HALVES}")), 5, 5), RED)

    def test_text_that_contains_the_scheme_is_no_url(self) -> None:
        harmless = {
            "a label": svg(head=SIZE + ' aria-label="Chart data: sales per year"'),
            "an attribute": svg(head=SIZE + ' data-url="data:text/plain,x"'),
            "a selector": svg("<style>.data:hover, .metadata:first-child { opacity: .5 }</style>" + HALVES),
            "a comment": svg("<style>/* data: x */ g { fill: blue }</style>" + HALVES),
            "text": svg("<title>data: x</title>" + HALVES),
        }
        for name, data in harmless.items():
            with self.subTest(name):
                self.assertEqual(self.pixel(sdimage.decode(data), 5, 5), RED)
        sheet = data_url(b"rect { fill: #0f0 !important }", "text/css")
        for before in ("", " ", r"\20 ", r"\1 ", " \n ", r"\0 \d \a "):
            for text in (f"@import url({before}{sheet});", f"@import url({before}'{sheet}');", f'@import "{before}{sheet}";',
                         f"@import '{before}{sheet}';", f"@import url( '{before}{sheet}');"):
                with self.subTest(text):
                    self.assert_error("UNSUPPORTED", svg(f"<style>{text}</style>{HALVES}"))

    def test_chains_end_before_the_stack(self) -> None:
        def chain(count: int, first: str, one: str) -> str:
            return first + "".join(one.replace("THIS", f"e{i}").replace("LAST", f"e{i - 1}") for i in range(1, count))

        rect = '<rect width="5" height="5"'
        use = chain(2000, f'{rect} id="e0"/>', '<use id="THIS" xlink:href="#LAST"/>')
        self.assertEqual(sdimage.decode(svg(f'<defs>{use}</defs><use xlink:href="#e1999"/>', SIZE)).width, 40)
        group = "<g opacity='.9'>" * 60 + f"{rect} fill='url(#LAST)'/>" + "</g>" * 60
        deep = chain(300, '<pattern id="e0"/>', f'<pattern id="THIS" width="1" height="1">{group}</pattern>')
        self.assert_survives(svg(f'{deep}{rect} fill="url(#e299)"/>', SIZE))
        masks = chain(100000, '<mask id="e0"/>', f'<mask id="THIS" mask="url(#LAST)">{rect}/></mask>')
        self.assert_error("TOO_LARGE", svg(f'{masks}{rect} mask="url(#e99999)"/>', SIZE))
        patterns = chain(20000, '<pattern id="e0"/>', f'<pattern id="THIS">{rect} class="THIS"/></pattern>')
        rules = "".join(f".e{i} {{ fill: url(#e{i - 1}) }}" for i in range(1, 20000))
        self.assert_error("TOO_LARGE", svg(f"<style>{rules}</style>{patterns}", SIZE))
        self.assert_error("TOO_LARGE", svg(f'{rect} fill="url({"#" * 1000001})"/>', SIZE))
        for selector in (":not(", r":n\6ft(", ":host(", "::slotted(", ":nth-child(1 of "):
            with self.subTest(selector):
                self.assert_error("TOO_LARGE", svg("<style>" + selector * 9999 + "a" + ")" * 9999 + "{}</style>", SIZE))

    def test_chains_are_found_however_their_names_are_spelled(self) -> None:
        spellings = (
            ("éN", r"#\e9 N"), ("éN", r"#\0000e9N"), ("éN", r"#\éN"), ("éN", "#éN"), ("\U0001f600N", r"#\1f600 N"),
            ("\ufffdN", r"#\0 N"), ("\ufffdN", r"#\d800 N"), ("\ufffdN", r"#\ffffffN"), ("e)N", "'#e)N'"), ("e)N", r"#e\)N"),
            ("e)N", r"#\65\29 N"), ("e;N", "#e;N"), ("e;N", r"#e\;N"), ("e}N", "'#e}N'"), ("e}N", r"#\65 \}N"), ("e N", "'#e N'"),
            ("e N", r"#e\ N"), ("e&#9;N", r"#e\9 N"), ("e&quot;N", "'#e&quot;N'"), ('eN" z:id="x', "#eN"),
        )
        square = '<rect width="9" height="9" fill="FILL"/>'
        for name, reference in spellings:
            fills = ["red", *(f"url({reference.replace('N', str(index))})" for index in range(8000))]
            patterns = [f'<pattern id="{name.replace("N", str(index))}" width="9" height="9" patternUnits="userSpaceOnUse">'
                        + square.replace("FILL", fill) + "</pattern>" for index, fill in enumerate(fills[:-1])]
            for count in (2, 8000):
                body = "".join(patterns[:count]) + square.replace("FILL", fills[count])
                data = svg(body, SIZE + ' xmlns:z="urn:z"')
                with self.subTest(name, reference=reference, count=count):
                    if count == 2:
                        self.assertEqual(self.pixel(sdimage.decode(data), 5, 5), RED)
                    else:
                        self.assert_error("TOO_LARGE", data)

    def test_layers_that_take_too_much_memory_are_refused(self) -> None:
        # librsvg draws each open layer, and each named result of a filter, on 16 MB of its own.
        big, rect = 'width="2000" height="2000"', '<rect width="2000" height="2000"/>'

        def nested(group: str, count: int = 100) -> str:
            return f"<g {group}>{rect}" * count + "</g>" * count

        links = "".join(f'<g id="g{i}" style="isolation/**/:isolate">{rect}<use xlink:href="#g{i - 1}"/></g>' for i in range(1, 100))
        results = "".join(f'<feFlood result="r{i}"/>' for i in range(100))
        bodies = {
            "attributes": nested('opacity=".9"'),
            "styles": nested(r'style="fill:red;op\61 city : .9"'),
            "masks": f'<mask id="m">{rect}</mask>' + nested('mask="url(#m)"'),
            "a style sheet": "<style>g { mix-blend-mode: multiply }</style>" + nested(""),
            "references": f'<defs><g id="g0">{rect}</g>{links}</defs><use xlink:href="#g99"/>',
            "a filter": f'<filter id="f">{results}</filter><g filter="url(#f)">{rect}</g>',
        }
        for name, body in bodies.items():
            with self.subTest(name):
                self.assert_error("TOO_LARGE", svg(body, big))
                self.assertEqual(sdimage.decode(svg(body, big), thumbnail_size=(200, 200)).width, 200)
        boxed = '<clipPath id="c" clipPathUnits="objectBoundingBox"><rect width="1" height="1"/></clipPath>'
        self.assert_error("TOO_LARGE", svg(boxed + nested('clip-path="url(#c)"'), big))
        self.assertEqual(sdimage.decode(svg(nested('opacity=".9"', 10) + nested('style="fill-opacity: .5"'), big)).width, 2000)
        # Values without effect, and clip paths in the units of the document, need no surfaces.
        plain = nested('style="opacity:1;isolation:auto;mix-blend-mode: normal ;mask:none" filter="none"')
        paths = "".join(f'<rect id="r{i}" width="9" height="9"/><clipPath id="c{i}"><use xlink:href="#r{i}"/></clipPath>' for i in range(50))
        rules = "".join(f".c{i}{{clip-path:url(#c{i});opacity:1}}" for i in range(50))
        clipped = f"<style>{rules}</style><defs>{paths}</defs>" + "".join(f'<g class="c{i}">{rect}</g>' for i in range(50))
        for body in (plain, clipped):
            self.assertEqual(sdimage.decode(svg(body, big), max_work_ms=LONGEST_MS).width, 2000)

    def test_kernel_matrices_that_end_librsvg_are_refused(self) -> None:
        def filtered(order: int, numbers: str) -> bytes:
            return svg(f'<filter id="f"><feConvolveMatrix order="{order}" kernelMatrix="{numbers}"/></filter>'
                       '<rect width="40" height="20" filter="url(#f)"/>')

        for numbers in ("1 " * 441, ",".join(["-1e-3"] * 441), "-1" * 441, ".1" * 441, "1+1-" * 220 + "1", "1/**/" * 441):
            for order in (2, 21):
                self.assertIn("kernel", self.assert_error("TOO_LARGE", filtered(order, numbers)).message)
        self.assertEqual(sdimage.decode(filtered(11, "-0.25e-1, " * 120 + "4")).width, 40)

    def test_tiles_of_filters_end_no_process(self) -> None:
        # Nothing of the input is in the drawing.
        for place in ('x="500"', 'width="0"', 'x="-1e9" width="5"'):
            body = f'<filter id="f"><feFlood {place}/><feTile/></filter><rect width="40" height="20" filter="url(#f)"/>'
            done = apart("""
                import sys
                try:
                    print(sdimage.decode(sys.argv[1].encode()).width)
                except sdimage.Error as error:
                    print(error.code)
                """, svg(body).decode())
            with self.subTest(place):
                self.assertIn(done.stdout.strip(), ("40", "UNSUPPORTED"), done.stderr)

    def test_text_that_ends_librsvg_is_refused(self) -> None:
        # librsvg requires that the width and height of a line of text are positive; they overflow at 2097152 pixels.
        large, letter = "3000000", "<text>A</text>"
        worst = {
            "an attribute": f'<text font-size="{large}">A</text>',
            "an exponent": '<text font-size=".3e+7px">A</text>',
            "inches": '<text font-size="30000in">A</text>',
            "a style": f'<g style="fill:red;Font-Size:{large}">{letter}</g>',
            "an escape": rf'<g style="f\6fnt-size:{large}">{letter}</g>',
            "a comment": f'<g style="font-size/*;*/:/*;*/{large}">{letter}</g>',
            "a shorthand": f'<g style="font:bold {large}px/1.2 serif">{letter}</g>',
            "factors": '<g font-size="20em">' * 5 + letter + "</g>" * 5,
            "percentages": '<g style="font-size:2000%">' * 5 + letter + "</g>" * 5,
            "names": '<g font-size="larger">' * 80 + letter + "</g>" * 80,
            "a rule": f"<style>text {{ font-size: {large}px }}</style>{letter}",
            "a rule with factors": "<style>g { font-size: 20em }</style>" + "<g>" * 5 + letter + "</g>" * 5,
            "a rule at the end": f"{letter}<style>text {{ font-size: {large}px }}</style>",
            "space between letters": f'<text letter-spacing="{large}">AA</text>',
            "length": f'<text>{"A" * 300_000}</text>',
            "the length of a part": f'<text>A<tspan>{"<![CDATA[A]]>" * 300_000}</tspan></text>',
            "a use": f'<defs><text id="t">A</text></defs><use font-size="{large}" xlink:href="#t"/>',
            "a link in a use": f'<a id="t" font-size="420em">{letter}</a><use xlink:href="#t"/>',
            "uses with factors": '<defs><text id="u0">A</text>' + "".join(
                f'<g id="u{i}" font-size="20em"><use xlink:href="#u{i - 1}"/></g>' for i in range(1, 5)) + '</defs><use xlink:href="#u4"/>',
            "an image of a filter": f'<text id="t">A</text><filter id="f"><feImage font-size="{large}" xlink:href="#t"/></filter>'
                                    '<rect width="9" height="9" filter="url(#f)"/>',
            "text elsewhere": f'<desc id="d">A</desc><tref font-size="{large}" xlink:href="#d"/>',
        }
        for name, body in worst.items():
            with self.subTest(name):
                self.assertIn("text", self.assert_error("TOO_LARGE", svg(body)).message)
        for selector in ("g", "a,b\ng", ".a", "#a", "*", "*/**/", "/**/*", ":not(a)", "[id]", r"\67 ", "&lt;!--g"):
            groups = '<g id="a" class="b a">' * 5 + letter + "</g>" * 5
            with self.subTest(selector):
                self.assert_error("TOO_LARGE", svg(f"<style>{selector}{{font-size:20em}}</style>{groups}"))
        self.assert_error("TOO_LARGE", svg("<style>.a{font-size:20em}</style>" + '<g class="b\xa0a">' * 5 + letter + "</g>" * 5))
        entity = f'<!DOCTYPE svg [<!ENTITY a "{"A" * 1000}"><!ENTITY b "&a;">]>'
        for use in ("&a;", "&b;"):
            self.assertIn("text", self.assert_error("TOO_LARGE", svg(f"<text>{use * 40}</text>", before=entity)).message)
        usual = {
            "long descriptions": f'<desc>{"A" * 300_000}</desc><text font-size="1000">A title in units of a map</text>',
            "lines": '<text style="font:700 12px/150% serif;line-height:150%">' + f'<tspan>{"A" * 400}</tspan>' * 100 + "</text>",
            "rules": "<style>text{font-size:1.5em;font-weight:700}.t{font-size:48px}</style>" + "<g>" * 9 + letter + "</g>" * 9,
        }
        title = "<g>" * 12 + f'<text class="title">{"A" * 200}</text>' + "</g>" * 12
        usual["a class"] = title + "<style>/* Titles */ .title, .b > .c:hover { font-size: 2em; fill: red }</style>"
        usual["uses"] = '<g font-size="40"><rect id="u0" width="9" height="9"/>' + "".join(
            f'<g id="u{i}"><use xlink:href="#u{i - 1}"/></g>' for i in range(1, 20)) + title + "</g>"
        for name, body in usual.items():
            with self.subTest(name):
                self.assertEqual(sdimage.decode(svg(body), max_work_ms=LONGEST_MS).width, 40)

    def test_text_that_multiplies_itself_ends(self) -> None:
        laughs = "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 10))
        self.assert_error("BAD_DATA", svg("&a9;", before=f'<!DOCTYPE svg [<!ENTITY a0 "<rect/>">{laughs}]>'))
        nested = "".join(f'<g id="n{i}">' + f'<use xlink:href="#n{i - 1}"/>' * 10 + "</g>" for i in range(1, 9))
        data = svg(f'<defs><g id="n0"><rect width="1" height="1"/></g>{nested}</defs><use xlink:href="#n8"/>')
        self.assert_error(("BAD_DATA", "TIMEOUT"), data, max_work_ms=3000)
        self.assert_error(("TOO_LARGE", "NOT_AN_IMAGE"), svg(before=f'<!DOCTYPE svg [<!ENTITY e "{"x" * 70000}">]>'))
        self.assert_error("BAD_DATA", svg("<g>" * 100000 + "</g>" * 100000))
        self.assert_survives(svg('<use id="a" xlink:href="#a"/>' + HALVES))

    def test_style_rules_and_elements_are_working_memory(self) -> None:
        rules = "".join(f".a{i}{{fill:red;stroke:blue}}" for i in range(200_000))
        worst = {"rules": svg(f"<style>{rules}</style>{HALVES}"), "elements": svg("<g/>" * 400_000),
                 "text": svg("<text>" + "<tspan>a</tspan>" * 50_000 + "</text>"),
                 "matches": svg("<style>" + "a{}" * 10_000 + "</style>" + "<g/>" * 20_000)}
        code = """
            import memory, pathlib, sys, time
            data = pathlib.Path(sys.argv[1]).read_bytes()
            memory.allow((256 + 512) << 20)  # the stack of the decoder's thread counts in full
            try:
                start = time.process_time()
                sdimage.decode(data, max_work_ms=120_000)
            except sdimage.Error as error:
                print(error.code, time.process_time() - start)
        """
        for name, data in worst.items():
            with self.subTest(name), tempfile.NamedTemporaryFile() as file:
                file.write(data)
                file.flush()
                status, seconds = apart(code, file.name).stdout.split()
                self.assertEqual(status, "TOO_LARGE")
                self.assertLess(float(seconds), 5)
        self.assertEqual(sdimage.decode(svg(f"<style>{rules[:100_000]}</style>{HALVES}")).width, 40)

    def test_elements_with_very_many_attributes_are_refused(self) -> None:
        def element(count: int, value: str = "") -> str:
            return "<g " + " ".join(f"a{i}='{value}'" for i in range(count)) + "/>"

        entity = "<g " + "a='' " * 513 + "/>"
        for name, data in {
            "element": svg(element(513)), "tags in values": svg(element(513, "/>")), "quotes in values": svg(element(513, '"')),
            "behind a comment": svg('<!-- <g a=" -->' + element(513)),
            "entity": svg(before=f'<!DOCTYPE svg [<!ENTITY e "{entity}">]>'),
        }.items():
            with self.subTest(name):
                self.assert_error("TOO_LARGE", data)
        self.assert_survives(svg("<style>" + "/* = */" * 2000 + "</style>" + element(500, "=") + HALVES))
        self.assert_survives(svg("<!-- " + "=" * 2000 + " -->" + HALVES))

    def test_default_values_of_attributes_are_attributes(self) -> None:
        def declared(count: int, value: str = '""') -> str:
            return "<!ATTLIST svg " + " ".join(f"a{i:06} CDATA {value}" for i in range(count)) + ">"

        def document(declarations: str, before: str = "") -> bytes:
            # The first bytes look like the root, which the format is recognized by.
            return svg(before=f"{before}<!DOCTYPE svg [<!--]><svg >-->{declarations}]>")

        for name, declarations in {"one list": declared(100_000), "two lists": declared(400) + declared(600),
                                   "fixed": declared(600, "#FIXED 'b'")}.items():
            with self.subTest(name):
                started = time.process_time()
                self.assert_error("TOO_LARGE", document(declarations))
                self.assertLess(time.process_time() - started, 3)
        both = document(declared(300)).replace(b"<svg xmlns", b"<svg " + b" ".join(b"b%d=''" % i for i in range(300)) + b" xmlns")
        self.assert_error("TOO_LARGE", both)
        for usual in (declared(500), declared(2000, "#IMPLIED")):
            self.assertEqual(self.pixel(sdimage.decode(document(usual)), 5, 5), RED)

    def test_encodings_that_hide_attributes_are_refused(self) -> None:
        def encoded(encoding: str, codec: str | None = None) -> bytes:
            head = f'<?xml version="1.0" encoding="{encoding}"?>'
            text = svg("<g " + " ".join(f"a{i}=''" for i in range(600)) + "/>" if codec is None else "<g a='\u30bd'/>" + HALVES)
            return head.encode() + (text if codec is None else text.decode().encode(codec))

        hidden = encoded("UTF-7").replace(b"=''", b"+AD0AJwAn-")
        self.assert_error("UNSUPPORTED", hidden)
        for encoding, codec in (("UTF-8", "utf-8"), ("Shift_JIS", "shift_jis"), ("EUC-JP", "euc_jp"), ("GB18030", "gb18030"),
                                ("big5", "big5hkscs")):
            with self.subTest(encoding):
                self.assertEqual(self.pixel(sdimage.decode(encoded(encoding, codec)), 5, 5), RED)
        plain = svg().decode()
        for encoding in ("ISO-8859-1", "windows-1252", "iso-8859-15", "US-ASCII", "KOI8-R", "latin1", "macintosh"):
            with self.subTest(encoding):
                data = f'<?xml version="1.0" encoding="{encoding}"?>{plain}'.encode()
                self.assertEqual(self.pixel(sdimage.decode(data), 5, 5), RED)

    def test_time_is_limited(self) -> None:
        slow = svg('<filter id="f"><feTurbulence baseFrequency=".01" numOctaves="60"/></filter>'
                   '<rect width="900" height="900" filter="url(#f)"/>', 'width="900" height="900"')
        self.assert_error("TIMEOUT", slow, max_work_ms=50)

    def test_the_check_of_a_document_ends_with_its_time(self) -> None:
        # 83 KB, whose attributes have 114 MB of text. The first bytes look like the root, which the format is recognized by.
        long = f'<!DOCTYPE svg [<!--]><svg >--><!ENTITY e "{"a" * 60_000}">]>'
        done = apart("""
            import sys, time
            start = time.process_time()
            try:
                sdimage.decode(sys.argv[1].encode(), max_work_ms=50)
            except sdimage.Error as error:
                print(error.code)
            seen = -1
            while seen < time.process_time() - 0.02:
                seen = time.process_time()
                time.sleep(0.2)
            print(seen - start)
            """, svg("<g a='&e;'/>" * 1900, before=long).decode())
        status, seconds = done.stdout.split()
        self.assertEqual(status, "TIMEOUT")
        self.assertLess(float(seconds), 0.5)

    def test_images_that_never_end_block_no_other_decode(self) -> None:
        endless = svg('<filter id="f"><feTurbulence baseFrequency=".01" numOctaves="2000000000"/></filter>'
                      '<rect width="900" height="900" filter="url(#f)"/>', 'width="900" height="900"')
        done = apart("""
            import os, sys
            for data in [sys.argv[1].encode()] * 6 + [sys.argv[2].encode()]:
                try:
                    sdimage.decode(data, max_work_ms=50)
                except sdimage.Error as error:
                    print(error.code, flush=True)
            print(len(os.listdir("/proc/self/task")) < 12, flush=True)
            os._exit(0)
            """, endless.decode(), svg().decode())
        self.assertEqual(done.stdout.split(), ["TIMEOUT"] * 7 + ["True"], done.stderr)

    def test_sizes_are_refused_before_memory_is_taken(self) -> None:
        self.assert_error("TOO_LARGE", svg(), max_pixels=700)
        self.assert_error("TOO_LARGE", svg(), max_bytes=3000)
        # Rows of the bitmap are padded to 64 bytes.
        narrow = svg(head='width="1" height="200"')
        self.assert_error("TOO_LARGE", narrow, max_bytes=200 * 64 - 1)
        self.assertEqual(sdimage.decode(narrow, max_bytes=200 * 64).stride, 64)
        self.assert_error("TOO_LARGE", svg(head='width="1e9" height="1e9"'))
        small = sdimage.decode(svg(head='width="1e9" height="5e8" viewBox="0 0 40 20"'), thumbnail_size=(40, 40))
        self.assertEqual((small.width, small.height, self.pixel(small, 5, 5)), (40, 20, RED))

    def test_damage_is_an_error_or_a_picture(self) -> None:
        for name in ("ramp.svg", "ramp.svgz", "inside.svg"):
            self.assert_hardened((FIXTURES / "svg" / name).read_bytes(), 20, 40)
        self.assert_error("BAD_DATA", svg()[:-3])
        for head in ('width="0" height="0"', 'width="-5" height="3"', 'width="nan" height="inf"', 'viewBox="0 0 0 0"',
                     'width="1e-300" height="1e300"', 'viewBox="0 0 1e300 1e-300"'):
            with self.subTest(head):
                self.assert_survives(svg(head=head))

    def test_pieces_and_loads_end_in_the_same_picture(self) -> None:
        self.assert_pieces_agree(svg())
        self.assert_pieces_agree(svg(), thumbnail_size=(80, 80))
        with sdimage.Manager(cache=None) as manager:
            url = "data:image/svg+xml;base64," + base64.b64encode(svg()).decode()
            image = manager.load(url, thumbnail_size=(80, 80)).image
        self.assertEqual((image.width, is_vector(image)), (80, True))

    def test_encoding_is_unsupported(self) -> None:
        with self.assertRaises(sdimage.Error) as caught:
            sdimage.decode(svg()).encode("svg")
        self.assertEqual(caught.exception.code, "UNSUPPORTED")


if __name__ == "__main__":
    unittest.main()
