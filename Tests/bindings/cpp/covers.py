#!/usr/bin/env python3
"""Completeness of the C++ headers: every exported function is called in them, setters have an overload for temporaries, and
no header written by hand is longer than 400 lines."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import declarations  # noqa: E402
import report  # noqa: E402

HEADERS = sorted((declarations.ROOT / "bindings/cpp/include").rglob("*.hpp"))

# Handles of single-owner objects are moved, never shared: they take no further reference.
MOVED = {f"sdimage_{noun}_ref" for noun in (
    "batch_options", "cache_config", "cache_query", "decode_options", "downloader_config", "encode_options", "manager_config", "metadata",
    "target_options", "photos_asset_config", "photos_fetch_options", "photos_library_config", "photos_loader_config",
    "photos_request_options")}
# Texts of C++ have a length; sdimage-decoder is a program in C.
LEFT_OUT = MOVED | {"sdimage_request_new", "sdimage_isolation_main"}


def code() -> str:
    return "\n".join(re.sub(r"//[^\n]*", "", header.read_text()) for header in HEADERS)


def plugin_functions() -> set[str]:
    texts = (declarations.without_comments(path.read_text()) for path in (declarations.INCLUDE / "sdimage/plugins").glob("*.h"))
    return {name for text in texts for name in re.findall(r"\b(sdimage_\w+)\s*\(", text)}


def setters(reference: str) -> set[str]:
    """The functions that return their object by the given kind of reference and are restricted to it: "request::set_url"."""
    pattern = rf"^ +(?:template <[^>]*>\s+)?(\w+) {reference}(\w+)\([^{{}}]*?\) {reference}\s*(?:noexcept)?\s*\{{"
    return {"::".join(found) for found in re.findall(pattern, code(), re.M)}


def unrestricted() -> set[str]:
    found = re.findall(r"^ +(?:template <[^>]*>\s+)?(\w+) &((?:set|reset|add|clear)_\w+)\(", code(), re.M)
    return {"::".join(each) for each in found} - setters("&")


def main() -> None:
    text = code()
    used = set(re.findall(r"\bsdimage_\w+", text))
    missing = set(declarations.symbols()) - used - LEFT_OUT
    report.check("every exported function is used by the C++ headers", not missing, f"missing {sorted(missing)}")
    missing = plugin_functions() - used - LEFT_OUT
    report.check("every function of the plug-ins is used by the C++ headers", not missing, f"missing {sorted(missing)}")
    stale = LEFT_OUT & used
    report.check("the list of what is left out is true", not stale, f"used after all: {sorted(stale)}")
    chained = setters("&")
    wrong = (chained ^ setters("&&")) | unrestricted()
    fine = chained and not wrong
    report.check("setters that return their object have an overload for temporaries", fine, f"not {sorted(wrong)}")
    texts = {header.name: header.read_text() for header in HEADERS}
    long = {name: count for name, text in texts.items() if "// Generated" not in text and (count := text.count("\n")) > 400}
    report.check("no C++ header is longer than 400 lines", not long, f"{long}")
    report.finish()


main()
