#!/usr/bin/env python3
"""Checks the shared library from outside: symbols, versions, dependencies, size.

    library.py LABEL PATH [--stripped]"""

import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import declarations  # noqa: E402
import report  # noqa: E402
from report import output  # noqa: E402

# Budget of the stripped file. It was 12.0 MB before decoding of HTTP content codings, work budgets and the allow list,
# which add 0.2 MB, the 250 getters of API 0.2, which add 0.2 MB, gain maps, which add 0.1 MB to be read and 0.1 MB to be
# written, frames decoded ahead, which add 0.03 MB, and worker processes, which add 0.4 MB; names of fields and cases would add
# 0.3 MB, Swift's regular expressions alone 1.4 MB.
LIMIT = 13_000_000
# The C and C++ runtime, and the libraries of the core packages.
ALLOWED = re.compile(
    r"(libc|libm|libdl|librt|libpthread|libresolv|libgcc_s|libstdc\+\+|ld-linux[-\w]*|libz|libcurl|libsqlite3|libjpeg"
    r"|libturbojpeg|libpng16|libwebp|libwebpdemux|libwebpmux|libgif|liblcms2|libdeflate)\.so[.\d]*")


def main() -> None:
    label, path = sys.argv[1:3]
    exported, local = {}, []
    for line in output("nm", "-D", "--defined-only", "--with-symbol-versions", path).splitlines():
        kind, name = line.split()[-2:]
        plain, _, version = name.partition("@@")
        if kind.islower():
            local.append(plain)
        elif kind != "A":  # the symbol of the version itself
            exported[plain] = version or "none"
    wanted = declarations.symbols()
    extra, missing = sorted(set(exported) - set(wanted)), sorted(set(wanted) - set(exported))
    report.check(f"{label} exports exactly symbols.txt", not extra and not missing, f"extra {extra}, missing {missing}")
    report.check(f"{label} has no local dynamic symbols", not local, f"{len(local)}, such as {local[:2]}")
    wrong = {n: v for n, v in exported.items() if n in wanted and v != wanted[n]}
    report.check(f"{label} gives every symbol its version", exported and not wrong, f"{wrong}")

    dynamic = output("readelf", "-d", "-W", path)
    needed = re.findall(r"\(NEEDED\).*\[(.+)\]", dynamic)
    report.check(f"{label} has the SONAME libsdimage.so.1", "[libsdimage.so.1]" in dynamic, dynamic)
    report.check(f"{label} has neither RPATH nor RUNPATH", not re.search(r"\((RPATH|RUNPATH)\)", dynamic), dynamic)
    report.check(f"{label} is never unloaded", re.search(r"Flags:.*NODELETE", dynamic), "no NODELETE flag")
    strange = [name for name in needed if not ALLOWED.fullmatch(name)]
    report.check(f"{label} needs only the listed libraries", not strange, f"{strange}")
    segments = output("readelf", "-l", "-W", path)
    report.check(f"{label} asks for no executable stack", not re.search(r"GNU_STACK.*RWE", segments), "RWE stack")
    if "--stripped" in sys.argv:
        size = os.path.getsize(path)
        report.check(f"{label} is smaller than {LIMIT / 1e6:g} MB", size < LIMIT, f"{size} bytes")
        sections = output("readelf", "-S", "-W", path)
        report.check(f"{label} is stripped", ".symtab" not in sections, "it has a .symtab")
    report.finish()


if __name__ == "__main__":
    main()
