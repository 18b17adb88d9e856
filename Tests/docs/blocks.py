"""The blocks of code in a Markdown file, and their tests.

The comment before a fenced block selects its test:

    <!-- test: c -->                       a program; built and run
    <!-- test: c frame=loop pkg=glib-2.0 -->   a part of one: put into the frame of that name, built with another package
    <!-- test: python continues -->        continues the previous Python block, in the same program
    <!-- test: python needs=trio -->       skipped, with a message, if Python has no such module
    <!-- test: sh program=redis-server --> the same if there is no such program
    <!-- test: sh file=fetch.sh -->        also stored under that name, for later blocks
    <!-- test: c file=fetch.c only=build -->   built, and not run
    <!-- output -->                        output of the previous block; … matches anything
    <!-- no test: WHY -->                  not run; the tests print the reason

A frame is also a comment, so that readers do not see it: `<!-- frame: loop` and the text of a program; the block
replaces its line with SNIPPET. It may end with lines `$ ARGUMENT` for the program."""

import re
from dataclasses import dataclass, field

MARKED = re.compile(
    r"(?:<!--\s*(?P<mark>(?:test|output|no test)\b(?:(?!-->).)*)-->\s*?\n\s*)?"
    r"^```(?P<language>[\w+]*)[ \t]*\n(?P<text>.*?)^```[ \t]*$",
    re.S | re.M,
)
FRAME = re.compile(r"<!--\s*frame:\s*(\w+)\n(.*?)-->", re.S)


@dataclass
class Block:
    language: str
    text: str
    line: int
    settings: dict[str, str] = field(default_factory=dict)
    why_not: str | None = None
    unmarked: bool = False
    output: str | None = None


def indented(markdown: str) -> list[int]:
    """Lines that Markdown treats as code because of their indentation, and that no test would check."""
    plain = re.sub(r"^```.*?^```|<!--.*?-->", lambda part: "\n" * part[0].count("\n"), markdown, flags=re.S | re.M)
    return [number for number, line in enumerate(plain.splitlines(), 1) if re.match(r" {4,}\S", line)]


def settings(words: str) -> dict[str, str]:
    return {key: value for word in words.split() for key, _, value in [word.partition("=")]}


def read(markdown: str) -> tuple[list[Block], dict[str, str]]:
    """The blocks in order, and the frames by name."""
    frames = dict(FRAME.findall(markdown))
    plain = FRAME.sub(lambda frame: "\n" * frame[0].count("\n"), markdown)
    blocks: list[Block] = []
    for match in MARKED.finditer(plain):
        mark = (match["mark"] or "").strip()
        block = Block(match["language"], match["text"], plain.count("\n", 0, match.start("text")))
        if mark.startswith("output"):
            if blocks:
                blocks[-1].output = block.text
            continue
        if mark.startswith("no test:"):
            block.why_not = mark.removeprefix("no test:").strip()
        elif mark.startswith("test:"):
            language, _, words = mark.removeprefix("test:").strip().partition(" ")
            block.language, block.settings = language, settings(words)
        else:
            block.unmarked = True
        blocks.append(block)
    return blocks, frames


def chain(first: Block, found: list[Block]) -> list[Block]:
    """A Python block, and those after it that continue it; any other block alone."""
    blocks = [first]
    for block in found[found.index(first) + 1 :]:
        if block.language != "python" or block.why_not is not None:
            continue
        if first.language != "python" or "continues" not in block.settings:
            break
        blocks.append(block)
    return blocks


def framed(block: Block, frames: dict[str, str]) -> str:
    """The complete program."""
    name = block.settings.get("frame")
    if name is None:
        return block.text
    lines = []
    for line in frames[name].splitlines():
        if line.strip() in ("SNIPPET", "/* SNIPPET */", "# SNIPPET"):
            indentation = line[: len(line) - len(line.lstrip())]
            lines += [indentation + part if part else "" for part in block.text.splitlines()]
        elif not line.startswith("$ "):
            lines.append(line)
    return "\n".join(lines) + "\n"


def arguments(block: Block, frames: dict[str, str]) -> list[str]:
    frame = frames.get(block.settings.get("frame", ""), "")
    return [line[2:] for line in frame.splitlines() if line.startswith("$ ")]


def matches(expected: str, printed: str) -> bool:
    """Compares line by line; … matches anything in a line, and any lines if it is alone on its line."""
    pattern = ""
    for line in expected.rstrip().splitlines():
        if line.strip() == "…":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += (
                ".*".join(
                    re.escape(part.rstrip() if last else part)
                    for part, last in [(part, index == line.count("…")) for index, part in enumerate(line.split("…"))]
                )
                + r"[ \t]*\n"
            )
    return re.fullmatch(pattern, printed.rstrip() + "\n") is not None
