#!/usr/bin/env python3
"""Checks the site: one command makes it, every link works, every page is reachable, nothing is loaded from other
sites, and every name of the library on a page exists.

    pages.py [--made]"""

import html.parser
import pathlib
import re
import sys
import urllib.parse

sys.path[:0] = [
    str(pathlib.Path(__file__).resolve().parents[1] / "support"),
    str(pathlib.Path(__file__).resolve().parent),
]
import declarations  # noqa: E402
import reference  # noqa: E402
import report  # noqa: E402

ROOT = declarations.ROOT
SITE = ROOT / "build/site"


class Page(html.parser.HTMLParser):
    def __init__(self, path: pathlib.Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.resources: list[str] = []
        self.anchors: set[str] = set()
        self.repeated: set[str] = set()
        self.images_without_text = 0
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = dict(attributes)
        if found.get("id"):
            (self.repeated if found["id"] in self.anchors else self.anchors).add(found["id"])
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        if tag in ("img", "script", "link", "iframe", "source", "video"):
            self.resources.append(found.get("src") or found.get("href") or "")
        if tag == "img" and not found.get("alt"):
            self.images_without_text += 1


def lost(pages: dict[pathlib.Path, Page]) -> tuple[list[str], list[str], set[pathlib.Path]]:
    """Broken links and resources, and the pages that links lead to."""
    nowhere, elsewhere, reached = [], [], set()
    for path, page in pages.items():
        for link in page.links + page.resources:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme:
                if link in page.resources:
                    elsewhere.append(f"{path.relative_to(SITE)}: {link}")
                continue
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            reached.add(target)
            if not target.is_file() or (
                parts.fragment and target in pages and parts.fragment not in pages[target].anchors
            ):
                nowhere.append(f"{path.relative_to(SITE)}: {link}")
    return nowhere, elsewhere, reached


def unknown_names() -> list[str]:
    """Names in the texts, outside blocks of code, that no header declares."""
    known = set(reference.members()) | set(
        name
        for script in [ROOT / "Tests/run", ROOT / "scripts/setup.sh", *ROOT.glob("Tests/*/suite.sh")]
        for name in re.findall(r"\bSDIMAGE_\w+", script.read_text())
    )
    for path in ROOT.glob("integrations/*/*.h"):
        known.update(re.findall(r"\bsdimage_\w+", path.read_text()))
    # Variables of the environment, which the library reads.
    for path in [*ROOT.glob("Sources/**/*.swift"), *ROOT.glob("Sources/**/*.c")]:
        known.update(re.findall(r'"(SDIMAGE_\w+)"', path.read_text()))
    bad = []
    for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]:
        if path.name == "CHANGELOG.md":  # describes removed names too
            continue
        text = re.sub(r"^```.*?^```|<!--.*?-->", "", path.read_text(), flags=re.S | re.M)
        for name in re.findall(r"`((?:sdimage|SDIMAGE)_\w+)\b(?!\.)", text):
            if name not in known and not name.endswith("_") and name != "SDIMAGE_1":
                bad.append(f"{path.relative_to(ROOT)}: {name}")
    return bad


def main() -> None:
    if report.command("docs/site makes the site", ROOT / "docs/site", *sys.argv[1:], cwd=ROOT) is None:
        report.finish()
    pages = {path.resolve(): Page(path) for path in SITE.rglob("*.html")}
    nowhere, elsewhere, reached = lost(pages)
    count = sum(len(page.links) + len(page.resources) for page in pages.values())
    report.check(
        f"each of the {count} links of {len(pages)} pages leads somewhere", count and not nowhere, "; ".join(nowhere)
    )
    report.check("the site needs nothing from elsewhere", not elsewhere, "; ".join(elsewhere))
    unreached = sorted(str(path.relative_to(SITE)) for path in set(pages) - reached - {(SITE / "index.html").resolve()})
    report.check("each page of the site can be reached", not unreached, f"not: {unreached}")
    guides = [path.stem for path in (ROOT / "docs/guides").glob("*.md")]
    left_out = sorted(name for name in guides if not (SITE / f"guides/{name}.html").exists())
    report.check("the menu of the site has each guide", guides and not left_out, f"not: {left_out}")
    repeated = [f"{path.relative_to(SITE)}: {sorted(page.repeated)}" for path, page in pages.items() if page.repeated]
    report.check("no place in a page has the name of another", not repeated, "; ".join(repeated))
    silent = [str(path.relative_to(SITE)) for path, page in pages.items() if page.images_without_text]
    report.check("each picture has words for those who do not see it", not silent, f"not in {silent}")
    bad = unknown_names()
    report.check("each name of the library in the texts is that of something", not bad, "; ".join(bad))
    report.finish()


main()
