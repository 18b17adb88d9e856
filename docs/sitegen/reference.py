"""The pages of the reference: one for each header, made from Doxygen's XML and the text of the header."""

import html
import pathlib
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).resolve().parents[2]
XML = ROOT / "build/doxygen/xml"
Element = ElementTree.Element
# The filter's descriptions of functions that count references, shown once for both functions.
COUNTING = ("Adds a reference", "Releases a reference")


@dataclass
class Item:
    """One entry of a header: a function, a type with its values or fields, or a macro."""

    name: str
    kind: str
    line: int
    description: str
    values: list[tuple[str, str, str]] = field(default_factory=list)  # name, declaration, description


@dataclass
class Header:
    name: str
    about: str
    lines: list[str]
    items: list[Item]
    sections: dict[int, str]

    @property
    def page(self) -> str:
        return page_of(self.name)


def breakable(name: str) -> str:
    """A long name that may be broken after its underscores."""
    return name.replace("_", "_<wbr>") if len(name) > 24 else name


def page_of(header: str) -> str:
    return "reference/" + header.removeprefix("sdimage/").replace("/", "-").removesuffix(".h") + ".html"


class Reader:
    """Reads the XML once, then generates HTML."""

    def __init__(self) -> None:
        self.places: dict[str, str] = {}  # Doxygen's ids -> URLs from the root of the site
        self.names: dict[str, str] = {}  # names -> URLs
        self.compounds = [
            ElementTree.parse(path).getroot().find("compounddef")
            for path in sorted([*XML.glob("*_8h.xml"), *XML.glob("struct*.xml")])
        ]
        for compound in self.compounds:
            self.place(compound)
        self.headers = self.read()

    def place(self, compound: Element) -> None:
        page = page_of(compound.find("location").get("file"))
        is_file = compound.get("kind") == "file"
        name = compound.findtext("compoundname")
        self.places[compound.get("id")] = page if is_file else f"{page}#{name}"
        if not is_file:
            self.names[name] = f"{page}#{name}"
        for member in compound.iter("memberdef"):
            anchor = member.findtext("name") if is_file else f"{name}.{member.findtext('name')}"
            self.places[member.get("id")] = f"{page}#{anchor}"
            if is_file:
                self.names[anchor] = f"{page}#{anchor}"
            for value in member.iter("enumvalue"):
                self.places[value.get("id")] = self.names[value.findtext("name")] = f"{page}#{value.findtext('name')}"

    def read(self) -> list[Header]:
        found: dict[str, Header] = {}
        for compound in self.compounds:
            file = compound.find("location").get("file")
            lines = (ROOT / "include" / file).read_text().splitlines()
            header = found.setdefault(file, Header(file, "", lines, [], sections(lines)))
            if compound.get("kind") == "file":
                header.about = capital(self.described(compound))
                for member in compound.iter("memberdef"):
                    header.items.append(self.member(member, lines))
            else:
                header.items.append(self.structure(compound, lines))
        for header in found.values():
            header.items.sort(key=lambda item: item.line)
        return sorted(found.values(), key=lambda header: (header.name.count("/"), header.name))

    def member(self, member: Element, lines: list[str]) -> Item:
        line = int(member.find("location").get("line"))
        is_opaque = re.match(r"typedef struct \w+ \w+;", lines[line - 1])
        item = Item(
            member.findtext("name"), "object" if is_opaque else member.get("kind"), line, self.described(member)
        )
        for value in member.iter("enumvalue"):
            item.values.append(
                (value.findtext("name"), value.findtext("initializer", "").lstrip("= "), self.described(value))
            )
        return item

    def structure(self, compound: Element, lines: list[str]) -> Item:
        name = compound.findtext("compoundname")
        item = Item(name, "struct", int(compound.find("location").get("line")), self.described(compound))
        for member in compound.iter("memberdef"):
            start = int(member.find("location").get("line"))
            item.values.append((f"{name}.{member.findtext('name')}", declaration(lines, start), self.described(member)))
        return item

    def groups(self) -> list[tuple[str, list[Header]]]:
        """The headers by topic: those for users as the table of sdimage.h orders them, then the others by folder."""
        known = {header.name: header for header in self.headers}
        groups: list[tuple[str, list[Header]]] = []
        for title, name in re.findall(r"^ \*   (\w*) +(\w+\.h) ", (ROOT / "include/sdimage.h").read_text(), re.M):
            if title:
                groups.append((title, []))
            groups[-1][1].append(known.pop(f"sdimage/{name}"))
        for title, folder in (("Implementing parts", "sdimage/sys"), ("Plug-ins", "sdimage/plugins")):
            groups.append((title, [known.pop(name) for name in list(known) if name.startswith(folder)]))
        return [("", list(known.values())), *groups]

    # --- Descriptions.

    def described(self, node: Element) -> str:
        brief = node.findtext("briefdescription/para", "")
        if re.search(r"_(un)?ref$", node.findtext("name", "")) and brief.startswith(COUNTING):
            return "<p>Add a reference and return the object, and release a reference; NULL has no effect.</p>"
        parts = [self.block(node.find(kind)) for kind in ("briefdescription", "detaileddescription")]
        text = "".join(part for part in parts if part)
        # Doxygen separates the first sentence from the rest of its paragraph: joins the two.
        return re.sub(r"</p>\s*<p>", " ", text, count=1) if all(parts) else text

    def block(self, node: Element | None) -> str:
        return "" if node is None else "".join(self.paragraph(para) for para in node.findall("para"))

    def paragraph(self, para: Element) -> str:
        text = self.inline(para).strip()
        return f"<p>{text}</p>".replace("<p></p>", "").replace("<p><pre>", "<pre>").replace("</pre></p>", "</pre>")

    def inline(self, node: Element) -> str:
        text = self.escaped(node.text)
        for child in node:
            if child.tag == "ref":
                place = self.places.get(child.get("refid"))
                text += f'<a href="{{root}}{place}">{self.inline(child)}</a>' if place else self.inline(child)
            elif child.tag in ("computeroutput", "bold", "emphasis"):
                text += f"<code>{self.inline(child)}</code>"
            elif child.tag == "verbatim":
                text = f"{text.rstrip()}</p><pre><code>{self.linked(plain(child.text))}</code></pre><p>"
            elif child.tag == "para":
                text += self.paragraph(child)
            else:
                text += {"nonbreakablespace": " ", "ndash": "–", "mdash": "—"}.get(child.tag, "") + self.inline(child)
            text += self.escaped(child.tail)
        return text

    def escaped(self, text: str | None) -> str:
        """Escaped text, in which the names of statuses without their prefix are links."""

        def link(word: re.Match[str]) -> str:
            place = self.names.get(f"SDIMAGE_STATUS_{word[0]}")
            return f'<a href="{{root}}{place}">{word[0]}</a>' if place else word[0]

        safe = html.escape(text or "", quote=False).replace("{", "&#123;").replace("}", "&#125;")
        short = "TIMEOUT|FORKED|BUSY|TRUNCATED|CANCELLED|SHUTDOWN|UNSUPPORTED"
        return re.sub(rf"\b[A-Z]{{2,}}(?:_[A-Z]+)+\b|\b(?:{short})\b", link, safe)

    def linked(self, code: str) -> str:
        """Code, in which names are links."""

        def link(word: re.Match[str]) -> str:
            place = self.names.get(word[0])
            return f'<a href="{{root}}{place}">{word[0]}</a>' if place else word[0]

        safe = html.escape(code, quote=False).replace("{", "&#123;").replace("}", "&#125;")
        return re.sub(r"\b(?:sdimage|SDIMAGE)_\w+", link, safe)

    # --- Pages.

    def page(self, header: Header) -> str:
        """The body of a page; {root} is replaced by the path to the root of the site."""
        out = [f"<h1><code>{header.name}</code></h1>", f'<div class="about">{header.about}</div>']
        last_line, previous = 0, None
        for item in header.items:
            for line in sorted(at for at in header.sections if last_line < at <= item.line):
                out.append(f"<h2>{self.escaped(header.sections[line])}</h2>")
                previous = None
            last_line = item.line
            together = (
                previous is not None
                and item.kind == previous.kind
                and item.kind in ("function", "define")
                and item.description == previous.description
            )
            if item.kind == "object" and previous is not None and previous.kind == "object":
                out[-1] = out[-1].replace("</table>", self.row(item) + "</table>")
            elif item.kind == "object":
                out.append(f'<table class="values">{self.row(item)}</table>')
            elif together:
                out[-1] = out[-1].replace("</code></pre>", "\n" + self.anchored(item, header) + "</code></pre>", 1)
            else:
                out.append(self.entry(item, header))
            previous = item
        return "\n".join(out)

    def row(self, item: Item) -> str:
        """An opaque type, which has only a name."""
        return f'<tr id="{item.name}"><td><code><b>{item.name}</b></code></td><td>{capital(item.description)}</td></tr>'

    def anchored(self, item: Item, header: Header) -> str:
        code = self.linked(declaration(header.lines, item.line))
        own = f'<a href="{{root}}{self.names.get(item.name)}">{item.name}</a>'
        return code.replace(own, f'<b id="{item.name}">{item.name}</b>', 1)

    def entry(self, item: Item, header: Header) -> str:
        if item.kind in ("enum", "struct"):
            code = f'{"enum" if item.kind == "enum" else "struct"} <b id="{item.name}">{item.name}</b>'
        else:
            code = self.anchored(item, header)
        rows = "".join(
            f'<tr id="{name}"><td><code>{breakable(name) if item.kind == "enum" else self.linked(value)}</code></td>'
            + (f"<td><code>{html.escape(value)}</code></td>" if item.kind == "enum" else "")
            + f"<td>{text}</td></tr>"
            for name, value, text in item.values
        )
        table = f'<table class="values">{rows}</table>' if rows else ""
        return f'<section class="entry"><pre><code>{code}</code></pre>{item.description}{table}</section>'

    def index(self) -> str:
        tables = ""
        for title, headers in self.groups():
            rows = "".join(
                f'<tr><td class="name"><a href="{{root}}{header.page}"><code>{header.name}</code></a></td>'
                f"<td>{first_sentence(header.about)}</td></tr>"
                for header in headers
            )
            tables += (f"<h2>{title}</h2>" if title else "") + f"<table>{rows}</table>"
        names = "".join(f'<li><a href="{{root}}{place}">{name}</a></li>' for name, place in sorted(self.names.items()))
        return (
            f"<h1>Reference</h1><p>These pages have the text of the headers. The conventions of all are in "
            f'<a href="{{root}}{page_of("sdimage/base.h")}"><code>base.h</code></a>.</p>'
            f'{tables}<h2>All names</h2><ul class="names">{names}</ul>'
        )


def capital(text: str) -> str:
    return re.sub(r"^<p>(?!lib)([a-z])", lambda first: "<p>" + first[1].upper(), text)


def plain(text: str | None) -> str:
    lines = (text or "").strip("\n").splitlines()
    indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(line[indent:] for line in lines)


def first_sentence(about: str) -> str:
    text = re.sub(r"<[^>]+>", "", about.split("</p>")[0])
    return text.split(". ")[0].rstrip(". ") + "."


def declaration(lines: list[str], start: int) -> str:
    """The declaration that begins in a line, without the macro that exports it."""
    text = ""
    for line in lines[start - 1 :]:
        code = re.sub(r"\s*/\*.*?\*/", "", line)
        text += code.rstrip() + "\n"
        if code.startswith("#") or code.rstrip().endswith((";", "{")):
            break
    text = plain(text.replace("SDIMAGE_API ", ""))
    head, *rest = text.splitlines()
    column = head.find("(") + 1
    return "\n".join([head, *(" " * column + line.strip() for line in rest)])


def sections(lines: list[str]) -> dict[int, str]:
    """The headings in a header: `--- Title.` at the beginning of a comment; and the text before a run of types."""
    kinds = {
        number: line[3:-3]
        for number, line in enumerate(lines, 1)
        if line.startswith("/* ") and lines[number:] and re.match(r"typedef struct \w+ \w+;\s+/\*", lines[number])
    }
    return kinds | {
        number: re.split(r"[.:](?: |$|\s*\*/)", match[1])[0].strip()
        for number, line in enumerate(lines, 1)
        if (match := re.match(r"/\* --- (.*)", line))
    }
