"""``python -m sdimage``: the command line: the C program if available, else a small one."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import Error, Manager, __version__, _command, doctor, info
from .image import Image


def _box(value: str) -> tuple[int, int]:
    width, _, height = value.partition("x")
    return int(width), int(height)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m sdimage", description="Loads images from URLs and files.")
    parser.add_argument("--version", action="version", version=f"sdimage {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    get = commands.add_parser("get", help="load images from files and URLs through the caches")
    get.add_argument("url", nargs="+", metavar="FILE|URL")
    get.add_argument("-o", "--output", help="write the original bytes, or a thumbnail as PNG, to this file")
    get.add_argument("--thumbnail", type=_box, metavar="WxH", help="decode into a box of W by H pixels")
    show = commands.add_parser("info", help="print the header information of files")
    show.add_argument("file", nargs="+")
    show.add_argument("--json", action="store_true", help="print one JSON object per line")
    report = commands.add_parser("doctor", help="print a diagnostic report for a bug report, as JSON")
    report.add_argument("--json", action="store_true", help="no effect: the report is JSON")
    return parser


def _url(argument: str) -> str | Path:
    """The URL of an argument, or the file of which it is the name."""
    is_url = "://" in argument or argument.startswith(("data:", "file:"))
    return argument if is_url else Path(argument)


def _bytes_to_write(image: Image, data: bytes | None) -> bytes:
    if data is not None and not image.is_thumbnail:
        return data
    return image.convert("rgba8").encode("png", first_frame_only=True)


def _get(options: argparse.Namespace) -> int:
    if options.output and len(options.url) > 1:
        print("sdimage get: -o takes one URL", file=sys.stderr)
        return 2
    failed = 0
    with Manager() as manager:
        tasks = [(url, manager.start(_url(url), thumbnail_size=options.thumbnail)) for url in options.url]
        for url, task in tasks:
            try:
                result = task.wait()
            except Error as error:
                print(f"sdimage get: {error}", file=sys.stderr)
                failed = 1
                continue
            image = result.image
            if image is None:
                failed = 1
                continue
            print(f"{url}: {image.width}x{image.height} {image.format} from {result.source}")
            if options.output:
                Path(options.output).write_bytes(_bytes_to_write(image, result.data))
    return failed


def _beside(known: dict[str, Any]) -> Iterator[str]:
    """The metadata of a file besides its pixels, one line each."""
    if known["dpi_x"] is not None:
        yield f"{known['dpi_x']:g} x {known['dpi_y']:g} dpi"
    for name in ("exif", "xmp", "color_profile"):
        if known[f"{name}_bytes"]:
            yield f"{name.replace('_', ' ')}: {known[f'{name}_bytes']} bytes"
    for key, value in known["text"].items():
        # Escaped as a literal: a terminal may obey control characters from an attacker.
        yield f"{ascii(key)[1:-1]}: {ascii(value)[1:-1]}"


def _info(options: argparse.Namespace) -> int:
    failed = 0
    for file in options.file:
        try:
            known = info(Path(file))
        except Error as error:
            print(f"sdimage info: {file}: {error}", file=sys.stderr)
            failed = 1
            continue
        if options.json:
            print(json.dumps({"file": file, **known}))
        else:
            print(f"{file}: {known['format']} {known['width']}x{known['height']}, {known['frame_count']} frame(s)")
            for line in _beside(known):
                print(f"  {line}")
    return failed


def main() -> int:
    """Exit status 0; 1 for an image that cannot be loaded; 2 for wrong usage."""
    command = _command.path()
    if command:
        os.execv(command, ["sdimage", *sys.argv[1:]])
    options = _parser().parse_args()
    if options.command == "get":
        return _get(options)
    if options.command == "info":
        return _info(options)
    print(json.dumps(doctor(), indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
