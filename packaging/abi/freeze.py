#!/usr/bin/env python3
"""Packs the public headers without their comments; equal headers give equal files.

    freeze.py INCLUDE FILE.tar.xz"""

from __future__ import annotations

import io
import pathlib
import re
import sys
import tarfile

import describe


def main() -> None:
    include, target = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    with tarfile.open(target, "w:xz", preset=9, format=tarfile.USTAR_FORMAT) as archive:
        for header in sorted(include.rglob("*.h")):
            text = describe.declarations.without_comments(header.read_text())
            data = (re.sub(r"\s*\n\s*(?=\n)", "\n", re.sub(r"[ \t]+\n", "\n", text)).strip() + "\n").encode()
            member = tarfile.TarInfo(str(header.relative_to(include)))
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))


main()
