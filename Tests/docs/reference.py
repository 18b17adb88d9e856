#!/usr/bin/env python3
"""Checks that the header reference is complete: Doxygen has no warning, and every function of symbols.txt, every
enum value, field, macro and type of the headers has a description.

    reference.py"""

import pathlib
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import declarations  # noqa: E402
import report  # noqa: E402

XML = declarations.ROOT / "build/doxygen/xml"
# The include guards of the headers, and definitions for compilers.
BARE = ("_H",)


def described(node: ElementTree.Element, words: int = 3) -> bool:
    """At least three words: "Default 10." is not a description."""
    text = " ".join(
        "".join(part.itertext())
        for part in (node.find("briefdescription"), node.find("detaileddescription"))
        if part is not None
    )
    return len(text.split()) >= words


def members() -> dict[str, bool]:
    """Every name that the headers declare, with True if it has a description."""
    found: dict[str, bool] = {}
    for path in sorted([*XML.glob("*_8h.xml"), *XML.glob("struct*.xml")]):
        compound = ElementTree.parse(path).getroot().find("compounddef")
        found[compound.findtext("compoundname")] = described(compound)
        for member in compound.iter("memberdef"):
            name = member.findtext("name")
            within = "" if compound.get("kind") == "file" else compound.findtext("compoundname") + "."
            found[within + name] = described(member, 1 if within else 3)
            for value in member.iter("enumvalue"):
                found[value.findtext("name")] = described(value, 1)
    return found


def main() -> None:
    shutil.rmtree(XML, ignore_errors=True)  # the files of removed headers
    XML.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(["doxygen", "docs/reference/Doxyfile"], cwd=declarations.ROOT, capture_output=True, text=True)
    report.check(
        "Doxygen reads the headers without a warning", done.returncode == 0 and not done.stderr.strip(), done.stderr
    )
    found = members()
    symbols = declarations.symbols()
    plain = sorted(name for name in symbols if not found.get(name))
    report.check(
        f"each of the {len(symbols)} functions of symbols.txt is described", symbols and not plain, f"not: {plain}"
    )
    bare = sorted(name for name, is_described in found.items() if not is_described and not name.endswith(BARE))
    report.check(f"each of the {len(found)} names of the headers is described", not bare, f"not: {bare}")
    report.finish()


if __name__ == "__main__":
    main()
