#!/usr/bin/env python3
"""Doxygen's input filter for public headers: prints a header with its plain comments turned into Doxygen comments.
Line numbers do not change, so that warnings refer to the right lines.

    filter.py HEADER

The rules:
- A comment belongs to the declarations that follow it without a blank line, up to the next comment.
- A comment after a value or a field belongs to that value or field.
- Words that begin with sdimage_ or SDIMAGE_ become links, so that an undeclared name is a warning.
- A `_ref`, an `_unref` or a `size` of a table without a comment gets the general description of base.h."""

import pathlib
import re
import sys

REF = "Adds a reference and returns the object; NULL returns NULL."
UNREF = "Releases a reference; NULL has no effect."
SIZE = "The sizeof of the table, set by the caller."
# Names in prose that no header declares: environment variables, and prefixes of groups of names.
PLAIN = re.compile(r"SDIMAGE_(MODULE_PATH|PLUGIN_PATH|DECODER_PATH|DISABLE|CPU|CORPUS|LIBRARY|VERSION_)$|\w+_$")
NAME = re.compile(r"\b(?:sdimage|SDIMAGE)_\w+\b")


def escaped(text: str) -> str:
    return re.sub(r'([\\@<>&#%"$])', r"\\\1", text)


def prose(line: str) -> str:
    """A line of text with `code` and links marked up."""
    pieces = re.split(r"`([^`]*)`", line)
    for index, piece in enumerate(pieces):
        piece = NAME.sub(
            lambda name: name[0] if PLAIN.match(name[0]) else f'\\ref {name[0]} "{name[0]}"', escaped(piece)
        )
        pieces[index] = f"<code>{piece}</code>" if index % 2 else piece
    return "".join(pieces)


def bare(line: str) -> str:
    """A comment line without its frame; preserves its indentation."""
    line = re.sub(r"\s*\*/\s*$", "", line)
    return re.sub(r"^\s*(?:/\*+|\*) ?", "", line).rstrip()


def body(comment: list[str], lead: str = "") -> list[str]:
    """The lines of a comment in Doxygen's syntax; lines indented by two more columns are shown verbatim."""
    lines = [bare(line) for line in comment]
    out, open_block = [], False
    for index, line in enumerate(lines):
        if line.startswith("  ") and not open_block and (index == 0 or not lines[index - 1]):
            if out:
                out[-1] += " @verbatim"
            open_block = True
        elif open_block and line and not line.startswith("  "):
            out[-1] += "@endverbatim" if not lines[index - 1] else ""
            open_block = False
        out.append(line if open_block else prose(line))
    if open_block:
        out[-1] += " @endverbatim"
    out[0] = lead + out[0]
    return out


def document(comment: list[str], lead: str = "", mark: str = "/**") -> list[str]:
    out = body(comment, lead)
    out[0] = f"{mark} {out[0]}"
    out[-1] += " */"
    return out


def one_line(comment: list[str]) -> str:
    return " ".join(line for line in document(comment) if line)


class Header:
    """One pass over the lines of a header."""

    def __init__(self, lines: list[str]) -> None:
        self.lines, self.out, self.at = lines, [], 0
        self.shared: list[str] | None = None  # the comment of the current run of declarations
        self.within = ""  # "enum" or "struct" between its braces
        self.first = True
        self.fresh = False  # True if the comment is directly above the next line

    def comment(self) -> list[str]:
        start = self.at
        while "*/" not in self.lines[self.at]:
            self.at += 1
        self.at += 1
        return self.lines[start : self.at]

    def declaration(self) -> list[str]:
        """The lines from this one to the end of a declaration or a value, or to the brace that opens a body."""
        start = self.at
        while True:
            code = re.sub(r"/\*.*?(\*/|$)", "", self.lines[self.at]).rstrip()
            continued = code.endswith("\\")
            self.at += 1
            ends = code.startswith("#") or code.endswith((";", "{")) or self.within == "enum"
            if not continued and (ends or self.at == len(self.lines)):
                return self.lines[start : self.at]

    def read(self) -> str:
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if line.lstrip().startswith("/*"):
                self.take_comment()
            elif not line.strip():
                self.shared = None
                self.out.append(line)
                self.at += 1
            else:
                self.take_code()
        return "\n".join(self.out) + "\n"

    def take_comment(self) -> None:
        comment = self.comment()
        follows = self.lines[self.at] if self.at < len(self.lines) else ""
        if self.first:
            self.first = False
            self.out += document(comment, "@file ") if bare(comment[0]).split(":")[0].endswith(".h") else comment
            # "name.h: description" — the name is the command's argument.
            self.out[0] = re.sub(r"@file (\S+?\.h): ", r"@file \1 ", self.out[0])
            return
        heading = bare(comment[0]).startswith("---") or not follows.strip()
        if re.search(r"\S.*/\*.*\*/\s*$", follows):
            heading = True  # the following declarations have a comment of their own
        self.shared = None if heading else comment
        self.out += ["" for _ in comment] if heading else document(comment)
        self.fresh = not heading

    def take_code(self) -> None:
        declaration = self.declaration()
        first = declaration[0]
        if first.startswith("#") and not first.startswith("#define"):
            self.shared = None
        trailing = re.search(r"(\S.*?)\s*/\*\s*(.*?)\s*\*/\s*$", declaration[-1])
        if trailing:
            declaration[-1] = (
                f"{declaration[-1][: trailing.start(2)].rstrip().removesuffix('/*')} /**< {prose(trailing[2])} */"
            )
        elif not self.fresh:
            declaration[0] = self.repeated(declaration) + first
        self.out += declaration
        self.fresh = False
        self.enter(" ".join(declaration))

    def repeated(self, declaration: list[str]) -> str:
        """The standard comment of a declaration without one."""
        if self.within == "struct" and re.fullmatch(r"\s*size_t size;", declaration[0]):
            return f"/** {SIZE} */ "
        name = re.search(r"\b(sdimage_\w+?_(ref|unref))\(", declaration[0])
        if name and self.within == "":
            self.shared = None
            return f"/** {REF if name[2] == 'ref' else UNREF} */ "
        declares = re.match(r"\s*(SDIMAGE_API|typedef|#define|\w+.*;|\w.*\()", declaration[0])
        if not self.shared or self.within == "enum" or not declares:
            return ""
        return one_line(self.shared) + " "

    def enter(self, text: str) -> None:
        if re.search(r"\{\s*$", text) and "typedef" in text:
            self.within = "enum" if "typedef enum" in text else "struct"
            self.shared = None
        elif self.within and text.lstrip().startswith("}"):
            self.within = ""
            self.shared = None


print(Header(pathlib.Path(sys.argv[1]).read_text().splitlines()).read(), end="")
