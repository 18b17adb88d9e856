#!/usr/bin/env python3
"""Completeness of the C++ headers: every exported function is called in them, every enum has its values, and no
header is longer than 400 lines."""

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


def code() -> str:
    return "\n".join(re.sub(r"//[^\n]*", "", header.read_text()) for header in HEADERS)


def plugin_functions() -> set[str]:
    texts = (declarations.without_comments(path.read_text()) for path in (declarations.INCLUDE / "sdimage/plugins").glob("*.h"))
    return {name for text in texts for name in re.findall(r"\b(sdimage_\w+)\s*\(", text)}


def constants() -> set[str]:
    found = set()
    for header in declarations.HEADERS:
        text = re.sub(r"^\s*#.*$", "", declarations.without_comments(header.read_text()), flags=re.M)
        for body in re.findall(r"typedef enum SDIMAGE_ENUM \w+\s*\{(.*?)\}", text, flags=re.S):
            found |= set(re.findall(r"\b(SDIMAGE_\w+)\s*=", body))
    return found


def main() -> None:
    text = code()
    used = set(re.findall(r"\bsdimage_\w+", text))
    missing = set(declarations.symbols()) - used - MOVED
    report.check("every exported function is used by the C++ headers", not missing, f"missing {sorted(missing)}")
    missing = plugin_functions() - used - MOVED
    report.check("every function of the plug-ins is used by the C++ headers", not missing, f"missing {sorted(missing)}")
    values = set(re.findall(r"= (SDIMAGE_\w+),", text))
    report.check("every value of an enum has its C++ name", constants() <= values, f"missing {sorted(constants() - values)}")
    stale = MOVED & used
    report.check("the list of what is left out is true", not stale, f"used after all: {sorted(stale)}")
    long = {header.name: count for header in HEADERS if (count := len(header.read_text().splitlines())) > 400}
    report.check("no C++ header is longer than 400 lines", not long, f"{long}")
    report.finish()


main()
