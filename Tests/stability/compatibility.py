#!/usr/bin/env python3
"""Checks the interface against that of the last release: the headers and the built files are compatible. Also checks
that the comparison detects every incompatible change, and only those.

    compatibility.py PREFIX"""

from __future__ import annotations

import concurrent.futures
import lzma
import os
import pathlib
import re
import shutil
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Tests/support"), str(ROOT / "packaging/abi")]
import compare  # noqa: E402
import report  # noqa: E402
from report import output  # noqa: E402

STORED = ROOT / "packaging/abi/sdimage.abi.xz"
LOADER_CANCEL = "void (*cancel)(void *user_data, sdimage_load_sink *sink);"
#: Permitted changes: the header, and its text before and after, without comments and indentation.
HARMLESS = {
    "a new function": ("base.h", "SDIMAGE_API uint32_t sdimage_version_number(void);",
                       "SDIMAGE_API uint32_t sdimage_version_number(void);\nSDIMAGE_API uint32_t sdimage_version_age(void);"),
    "a new value of an enumeration": ("image.h", "SDIMAGE_ORIENTATION_LEFT = 8", "SDIMAGE_ORIENTATION_LEFT = 8, SDIMAGE_ORIENTATION_OTHER = 9"),
    "a table that grew at its end": ("sys/loader.h", "} sdimage_loader_vtable;", "void (*more)(void *user_data);\n} sdimage_loader_vtable;"),
    "taking out the comments": ("base.h", "", ""),
}
#: Changes that are not permitted.
BREAKING = {
    "a dropped function": ("base.h", "SDIMAGE_API uint32_t sdimage_version_number(void);", ""),
    "another parameter type": ("sys/loader.h", "sdimage_load_sink_set_storable(sdimage_load_sink *sink, bool storable)",
                               "sdimage_load_sink_set_storable(sdimage_load_sink *sink, uint64_t storable)"),
    "a further parameter": ("sys/loader.h", "sdimage_load_sink_set_storable(sdimage_load_sink *sink, bool storable)",
                            "sdimage_load_sink_set_storable(sdimage_load_sink *sink, bool storable, int why)"),
    "another result": ("base.h", "SDIMAGE_API uint32_t sdimage_version_number", "SDIMAGE_API uint64_t sdimage_version_number"),
    "a renumbered value": ("image.h", "SDIMAGE_ORIENTATION_LEFT = 8", "SDIMAGE_ORIENTATION_LEFT = 80"),
    "a renumbered status": ("error.h", "SDIMAGE_STATUS_TLS_FAILED = -25", "SDIMAGE_STATUS_TLS_FAILED = -250"),
    "a removed value": ("image.h", "SDIMAGE_ORIENTATION_LEFT = 8", "SDIMAGE_ORIENTATION_OTHER = 8"),
    "a frozen structure that grew": ("base.h", "} sdimage_size;", "uint32_t depth;\n} sdimage_size;"),
    "members in another order": ("base.h", "uint32_t width;\nuint32_t height;", "uint32_t height;\nuint32_t width;"),
    "a table that grew in its middle": ("sys/loader.h", LOADER_CANCEL, f"void (*more)(void *user_data);\n{LOADER_CANCEL}"),
    "a table's function with another parameter": ("sys/loader.h", LOADER_CANCEL, LOADER_CANCEL.replace("*sink", "*sink, int why")),
    "a table's functions in another order": ("sys/coder.h", "uint32_t (*instance_frame_count)(void *user_data, void *instance);\n"
                                             "uint32_t (*instance_loop_count)(void *user_data, void *instance);",
                                             "uint32_t (*instance_loop_count)(void *user_data, void *instance);\n"
                                             "uint32_t (*instance_frame_count)(void *user_data, void *instance);"),
    "another callback": ("base.h", "(*sdimage_destroy_fn)(void *user_data)", "(*sdimage_destroy_fn)(void *user_data, int why)"),
    "another constant": ("base.h", "SDIMAGE_NUL_TERMINATED ((size_t)-1)", "SDIMAGE_NUL_TERMINATED ((size_t)0)"),
    "another key of an option": ("plugins/pdf.h", '"pdf.page"', '"pdf.number"'),
    "a dropped function of a plug-in": ("plugins/pdf.h", "sdimage_pdf_coder_new(", "sdimage_pdf_coder_make("),
}


def changed(stored: pathlib.Path, change: tuple[str, str, str]) -> tuple[bool, str]:
    """True if the comparison accepts the change, and its report."""
    with tempfile.TemporaryDirectory() as name:
        include = pathlib.Path(name) / "include"
        shutil.copytree(ROOT / "include", include)
        header = include / "sdimage" / change[0]
        text = compare.describe.declarations.without_comments(header.read_text())
        text = re.sub(r"\s*\n\s*", "\n", re.sub(r"[ \t]+", " ", text))
        if change[1] not in text:
            raise LookupError(f"{change[0]} no longer has {change[1]!r}: this test needs another place")
        header.write_text(text.replace(change[1], change[2], 1))
        return compare.compare(stored, include)


def changes(folder: pathlib.Path) -> None:
    """Compares with the current headers, so that only the change counts."""
    today = folder / "today.abi.xz"
    compare.describe.describe(ROOT / "include", folder / "today.abi")
    today.write_bytes(lzma.compress((folder / "today.abi").read_bytes(), preset=0))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = {(name, kept): pool.submit(changed, today, change)
                for kept, table in ((True, HARMLESS), (False, BREAKING)) for name, change in table.items()}
        for (name, kept), job in jobs.items():
            passed, said = job.result()
            report.check(f"{name} {'passes' if kept else 'is found'}", passed == kept, said or "it passed")


def exported(prefix: pathlib.Path) -> None:
    """Checks that the exports of the last release are each in the file where programs look for them."""
    names = set(re.findall(r"<elf-symbol name='(sdimage_\w+)' type='func-type'", lzma.decompress(STORED.read_bytes()).decode()))
    files = [prefix / "lib/libsdimage.so.1", *prefix.glob("lib/libsdimage-*.so.1"), *prefix.glob("lib/sdimage/1/*.so")]
    present = {path.name.removeprefix("libsdimage-").partition(".")[0] for path in files}
    here = {line.split()[-1].partition("@")[0] for path in files for line in output("nm", "-D", "--defined-only", str(path)).splitlines()}
    plugins = {path.stem.partition("_")[0] for path in (ROOT / "include/sdimage/plugins").glob("*.h")}
    gone = sorted(name for name in names - here if not (name.split("_")[1] in plugins - present))
    report.check("the built files export what the last release did", names and not gone, f"{gone}")


def main() -> None:
    prefix = pathlib.Path(sys.argv[1])
    if not all(shutil.which(tool) for tool in ("abidw", "abidiff")):
        report.skip("the interface of the last release", "abigail-tools is not installed")
        report.finish()
    kept, said = compare.compare(STORED, ROOT / "include")
    report.check("the headers keep the interface of the last release", kept,
                 f"{said} (meant? a line of the CHANGELOG, and packaging/abi/store: docs/releasing.md)")
    exported(prefix)
    with tempfile.TemporaryDirectory() as name:
        changes(pathlib.Path(name))
    report.finish()


main()
