#!/usr/bin/env python3
"""Checks the plug-ins from outside: functions with their own prefix, the public headers of the library, and their
codec or client library; and programs that link them.

    exports.py PREFIX"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import declarations  # noqa: E402
import report  # noqa: E402
from report import output  # noqa: E402

#: The libraries of each plug-in, and the function that creates its object.
PLUGINS = {
    "av": (r"libav(format|codec|util)|libswscale", "coder"),
    "jxl": (r"libjxl|liblcms2", "coder"),
    "memcached": (r"libmemcached|libhashkit", "cache"),
    "redis": (r"libhiredis", "cache"),
    "pdf": (r"libpoppler-glib|libcairo|libg(lib|object|io)-", "coder"),
    "photos": (r"libsqlite3", "loader"),
    "svg": (r"librsvg|libcairo|libxml2|libz\.|libg(lib|object|io)-", "coder"),
    "tiff": (r"libtiff|liblcms2", "coder"),
}
RUNTIME = r"(libsdimage|libc|libm|libdl|libpthread|libgcc_s|ld-linux[-\w]*)\.so[.\d]*"


def path_of(prefix: pathlib.Path, name: str) -> pathlib.Path:
    return prefix / f"lib/libsdimage-{name}.so.1"


def declared(name: str) -> set[str]:
    folder = declarations.INCLUDE / "sdimage/plugins"
    headers = [folder / f"{name}.h", *sorted(folder.glob(f"**/{name}_*.h"))]
    text = declarations.without_comments("\n".join(header.read_text() for header in headers))
    return set(re.findall(r"SDIMAGE_API[^;(]*?(sdimage_\w+)\s*\(", text))


def symbols(prefix: pathlib.Path, name: str, path: pathlib.Path) -> None:
    exported = {line.split()[-1] for line in output("nm", "-D", "--defined-only", str(path)).splitlines()}
    report.check(f"the plug-in {name} exports what its header declares", exported == declared(name),
                 f"{exported ^ declared(name)}")
    strange = [symbol for symbol in exported if not symbol.startswith(f"sdimage_{name}_")]
    report.check(f"the plug-in {name} exports names of its own alone", not strange, f"{strange}")
    used = output("nm", "-D", "--undefined-only", str(path)).split()
    foreign = sorted({symbol.partition("@")[0] for symbol in used if symbol.startswith("sdimage_")}
                     - set(declarations.symbols()))
    report.check(f"the plug-in {name} uses public functions alone", not foreign, f"{foreign}")


def dynamic_section(name: str, path: pathlib.Path) -> None:
    dynamic = output("readelf", "-d", "-W", str(path))
    needed = re.findall(r"\(NEEDED\).*\[(.+)\]", dynamic)
    strange = [library for library in needed
               if not re.fullmatch(RUNTIME, library) and not re.match(PLUGINS[name][0], library)]
    report.check(f"the plug-in {name} needs its library alone", not strange, f"{strange}")
    report.check(f"the plug-in {name} has its SONAME", f"[libsdimage-{name}.so.1]" in dynamic, dynamic)
    located = re.search(r"\((RPATH|RUNPATH)\)", dynamic)
    report.check(f"the plug-in {name} has neither RPATH nor RUNPATH", not located, dynamic)
    hard = all(re.search(flag, dynamic) for flag in (r"Flags:.*NOW", r"Flags:.*NODELETE"))
    report.check(f"the plug-in {name} is bound at once and never unloaded", hard, dynamic)
    segments = output("readelf", "-l", "-W", str(path))
    guarded = "GNU_RELRO" in segments and not re.search(r"GNU_STACK.*RWE", segments)
    report.check(f"the plug-in {name} has a read-only table and no executable stack", guarded, segments)
    report.check(f"the plug-in {name} is stripped", ".symtab" not in output("readelf", "-S", "-W", str(path)), "a .symtab")


def linked(prefix: pathlib.Path, name: str, folder: pathlib.Path) -> None:
    """Tests a program that links the plug-in, by pkg-config alone."""
    kind = PLUGINS[name][1]
    nothing = {"coder": "0, 0", "loader": "0, 0, 0", "cache": "0, 0, 0, 0"}[kind]
    source, program = folder / f"{name}.c", folder / name
    header = f"{name}_{kind}" if kind == "loader" else name
    source.write_text(f"""#include <sdimage/plugins/{header}.h>
int main(void) {{ return sdimage_{name}_{kind}_new({nothing}) == SDIMAGE_STATUS_INVALID_ARGUMENT ? 0 : 1; }}
""")
    environment = {**os.environ, "PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")}
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", f"sdimage-{name}"], capture_output=True, text=True,
                           env=environment).stdout.split()
    built = subprocess.run(["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", str(source), "-o", str(program), *flags],
                           capture_output=True, text=True)
    if report.check(f"a program links the plug-in {name}", built.returncode == 0, built.stderr):
        report.command(f"a program uses the plug-in {name}", program,
                       env={**os.environ, "LD_LIBRARY_PATH": str(prefix / "lib")})


def main() -> None:
    prefix = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        for name in PLUGINS:
            path = path_of(prefix, name)
            if not path.exists():
                report.skip(f"the plug-in {name}", "its development packages are not installed")
                continue
            symbols(prefix, name, path)
            dynamic_section(name, path)
            link = path.with_suffix("")
            report.check(f"the plug-in {name} can be linked by name", link.is_symlink() and link.exists(), str(link))
            linked(prefix, name, pathlib.Path(folder))
    report.finish()


main()
