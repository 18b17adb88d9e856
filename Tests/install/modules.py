#!/usr/bin/env python3
"""Checks the modules from outside: one function each, the public headers of the library, and a codec library.

    modules.py PREFIX"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import declarations  # noqa: E402
import report  # noqa: E402
from report import output  # noqa: E402

# Each codec library: the prefix of its permitted dependencies.
CODECS = {"heif": "libde265", "avif": "libavif"}
RUNTIME = r"(libsdimage|libc|libm|libdl|libpthread|libgcc_s|ld-linux[-\w]*)\.so[.\d]*"


def check(name: str, path: pathlib.Path) -> None:
    exported = [line.split()[-1] for line in output("nm", "-D", "--defined-only", str(path)).splitlines()]
    report.check(f"the module {name} exports one function", exported == [f"sdimage_{name}_coder_new"], f"{exported}")
    dynamic = output("readelf", "-d", "-W", str(path))
    needed = re.findall(r"\(NEEDED\).*\[(.+)\]", dynamic)
    strange = [library for library in needed
               if not re.fullmatch(RUNTIME, library) and not library.startswith(CODECS[name])]
    report.check(f"the module {name} needs its codec library alone", not strange, f"{strange}")
    located = re.search(r"\((RPATH|RUNPATH)\)", dynamic)
    report.check(f"the module {name} has neither RPATH nor RUNPATH", not located, dynamic)
    used = output("nm", "-D", "--undefined-only", str(path)).split()
    foreign = sorted(set(symbol.partition("@")[0] for symbol in used if symbol.startswith("sdimage_"))
                     - set(declarations.symbols()))
    report.check(f"the module {name} uses public functions alone", not foreign, f"{foreign}")


def main() -> None:
    folder = pathlib.Path(sys.argv[1]) / "lib/sdimage/1"
    for name in CODECS:
        if (folder / f"{name}.so").exists():
            check(name, folder / f"{name}.so")
        else:
            report.skip(f"the module {name}", "its development packages are not installed")
    report.finish()


main()
