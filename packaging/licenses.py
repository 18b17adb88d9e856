"""The licenses of the libraries in a wheel. Each was reviewed once (REVIEWED), and is verified again."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import elf

#: By Debian package: the license of the library (not of its tools), and the evidence in the package's copyright file:
#: words, or files with their license. Libraries under the GPL alone are not permitted here.
BSD = "Redistribution and use in source and binary forms, with or without modification, are permitted"
REVIEWED = {
    "libbrotli1": ("MIT", "* => MIT"),
    "libcurl": ("curl", "* => curl"),  # built by packaging/libcurl
    "libdeflate0": ("MIT", "* => Expat"),
    "libidn2-0": ("LGPL-3.0-or-later OR GPL-2.0-or-later", "*.c *.h => LGPL-3+ or GPL-2+"),
    "libjpeg62-turbo": ("IJG AND BSD-3-Clause AND Zlib", "License: BSD-3-clause"),
    "liblcms2-2": ("MIT", "* => MIT"),
    "libnghttp2-14": ("MIT", "* => Expat"),
    "libpng16-16": ("libpng-2.0", "* => libpng"),
    "libpsl5": ("MIT", "* => MIT"),
    "libsqlite3-0": ("blessing", "* => public-domain"),
    "libssl3": ("Apache-2.0", "* => Apache-2.0"),
    "libunistring2": ("LGPL-3.0-or-later OR GPL-2.0-or-later", "* => LGPL-3+ or GPL-2+"),
    "libwebp7": ("BSD-3-Clause", BSD),
    "libwebpdemux2": ("BSD-3-Clause", BSD),
    "libzstd1": ("BSD-3-Clause OR GPL-2.0-only", "* => BSD-3-clause or GPL-2"),
}
HEAD = """\
This wheel carries the libraries below, as the system on which it was built has them; the source of each is Debian's source package
of the version named. libcurl is built from that source with HTTP and HTTPS alone. All are linked dynamically: another build of the
same interface may take the place of the file.

libsdimage.so.1 itself, under the MIT license, has the Swift runtime in it: Apache-2.0 with the Runtime Library Exception.
"""


def owners(files: list[Path]) -> dict[Path, str]:
    """The Debian packages of files; the package database may list them without the /usr prefix."""
    names = {}
    for file in files:
        plain = str(file).removeprefix("/usr")
        names |= dict.fromkeys((str(file), plain, f"/usr{file}"), file)
    # Fails if a name is unknown, as one of each file is.
    done = subprocess.run(["dpkg-query", "-S", *names], capture_output=True, text=True)
    found = {}
    for line in done.stdout.splitlines():
        packages, _, name = line.rpartition(": ")
        if name in names:
            found[names[name]] = packages.partition(":")[0]
    for file in files:
        if file not in found:
            raise SystemExit(f"no Debian package has {file}: its license is not known")
    return found


def says(copyright_file: str, words: str) -> bool:
    plain = " ".join(copyright_file.split())
    stanzas = re.findall(r"^Files:\s*(.*?)^Copyright:.*?^License:\s*(.*?)$", copyright_file, flags=re.M | re.S)
    return words in plain or words in [f"{' '.join(files.split())} => {license}" for files, license in stanzas]


def text(files: dict[str, Path], libcurl: Path) -> str:
    """The licenses file for these libraries by soname; a file below `libcurl` was built by packaging/libcurl."""
    parts, by_package = [HEAD], {}
    packages = owners([file for file in files.values() if not file.is_relative_to(libcurl.resolve())])
    for file in sorted(files.values()):
        package = packages.get(file, "libcurl")
        by_package.setdefault(package, []).append(file.name)
    for package, names in sorted(by_package.items()):
        if package not in REVIEWED:
            raise SystemExit(f"the license of {package} ({', '.join(names)}) is not reviewed: see packaging/licenses.py")
        license, words = REVIEWED[package]
        if package == "libcurl":
            place, source = libcurl / "copyright", f"curl {(libcurl / 'version').read_text().splitlines()[0]}"
        else:
            place = Path(f"/usr/share/doc/{package}/copyright")
            source = elf.output("dpkg-query", "-W", "-f", "${source:Package} ${source:Version}", package)
        copyright_file = place.read_text(errors="replace")
        if not says(copyright_file, words):
            raise SystemExit(f"the copyright file of {package} no longer contains {words!r}: review it again")
        parts.append(f"{'=' * 100}\n{', '.join(names)}\nlicence: {license}\nsource: {source}\n{'=' * 100}\n{copyright_file}")
    return "\n".join(parts)
