#!/usr/bin/env python3
"""The public headers follow the conventions that base.h states: rules and exceptions are in header_rules.py.

Each rule must also find the mistakes in the headers below; a rule that finds nothing there would prove nothing."""

from __future__ import annotations

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "Tests/support"), str(ROOT / "scripts")]
import header_rules  # noqa: E402
import report  # noqa: E402
from generators import headers  # noqa: E402

CLASSES = """
/* Immutable: may be shared. */
typedef struct sdimage_image sdimage_image; /* pixels */

/* Synchronized: any thread. */
typedef struct sdimage_cache sdimage_cache; /* images */

/* Single-owner: one thread. */
typedef struct sdimage_request sdimage_request; /* a load */

/* Releases. */
SDIMAGE_API void sdimage_image_unref(sdimage_image *image);
/* Releases. */
SDIMAGE_API void sdimage_cache_unref(sdimage_cache *cache);
/* Releases. */
SDIMAGE_API void sdimage_request_unref(sdimage_request *request);
"""
#: By rule, headers with one mistake each, and a part of the message that reports it.
MISTAKES = {
    "documentation": [
        ("/* Sets a and b. */\nSDIMAGE_API void sdimage_image_a(void);\nSDIMAGE_API void sdimage_image_b(void);", "image_b"),
        ("/* A point. */\ntypedef struct sdimage_point {\n    int x; /* right */\n    int y;\n} sdimage_point;", "point.y"),
        ("/* Kinds. */\ntypedef enum SDIMAGE_ENUM sdimage_kind {\n    SDIMAGE_KIND_NONE = 0\n} sdimage_kind;", "KIND_NONE"),
        ("typedef struct sdimage_other sdimage_other;", "sdimage_other"),
        ("\n#define SDIMAGE_LIMIT 5\n", "SDIMAGE_LIMIT"),
    ],
    "ownership": [
        ("/* Makes. */\nSDIMAGE_API const sdimage_image *sdimage_image_new(void);", "no object that the caller owns"),
        ("/* Returns it. */\nSDIMAGE_API void sdimage_cache_copy_image(sdimage_cache *cache, sdimage_image **image);", "a copy"),
        ("/* Returns it. */\nSDIMAGE_API sdimage_image *sdimage_cache_image(const sdimage_cache *cache);", "lends an object"),
        ("/* Borrowed. */\nSDIMAGE_API void sdimage_cache_get_image(const sdimage_cache *cache, sdimage_image **image);",
         "borrowed object"),
        ("/* Returns it. */\nSDIMAGE_API int sdimage_cache_get_count(const sdimage_cache *cache);", "no out parameter"),
        ("/* Returns it. */\nSDIMAGE_API const char *sdimage_cache_path(const sdimage_cache *cache);", "lends a text"),
    ],
    "predicates": [("/* True. */\nSDIMAGE_API bool sdimage_image_animated(const sdimage_image *image);", "image_animated")],
    "setters": [
        ("/* Sets. */\nSDIMAGE_API void sdimage_request_set_a(sdimage_request *request, int a);", "set_a has no getter"),
        ("/* Sets. */\nSDIMAGE_API void sdimage_request_set_a(sdimage_request *request, int a);\n"
         "/* Returns. */\nSDIMAGE_API double sdimage_request_a(const sdimage_request *request);", "set_a has no getter"),
        ("/* Sets. */\nSDIMAGE_API void sdimage_request_set_a(sdimage_request *request, int a, int b);\n"
         "/* Returns. */\nSDIMAGE_API int sdimage_request_a(const sdimage_request *request);", "set_a has no getter"),
        ("/* Sets. */\nSDIMAGE_API void sdimage_request_set_user(sdimage_request *request, const char *user,\n"
         "const char *password);\n/* Returns. */\n"
         "SDIMAGE_API const char *sdimage_request_user(const sdimage_request *request);", "set_user has no getter"),
        ("/* Adds. */\nSDIMAGE_API void sdimage_request_add_tag(sdimage_request *request, const char *tag);",
         "add_tag has no getter"),
        ("/* Restores. */\nSDIMAGE_API void sdimage_request_reset_a(sdimage_request *request);\n"
         "/* Returns. */\nSDIMAGE_API int sdimage_request_a(const sdimage_request *request);", "tells if the property is set"),
        ("/* Returns. */\nSDIMAGE_API int sdimage_request_b(const sdimage_request *request);", "request_b has no setter"),
    ],
    "neutral zeros": [
        ("/* Kinds. */\ntypedef enum SDIMAGE_ENUM sdimage_kind {\n    SDIMAGE_KIND_A = 0 /* a */\n} sdimage_kind;",
         "KIND_A is 0"),
        ("/* Kinds. */\ntypedef enum SDIMAGE_ENUM sdimage_kind {\n    SDIMAGE_KIND_NONE = 1 /* a */\n} sdimage_kind;",
         "no value of 0"),
    ],
    "callbacks": [
        ("/* T. */\ntypedef struct sdimage_t {\n    size_t size;\n    /* F. */\n    void (*f)(void *user_data);\n} sdimage_t;\n"
         "/* Makes. */\nSDIMAGE_API void sdimage_cache_start(sdimage_cache *cache, const sdimage_t *t, void *user_data);",
         "a table without"),
        ("/* T. */\ntypedef struct sdimage_t {\n    /* F. */\n    void (*f)(void *user_data);\n} sdimage_t;",
         "does not begin with"),
        ("/* F. */\ntypedef void (*sdimage_fn)(void *user_data);", "pointer to a function"),
    ],
    "errors": [
        ("/* Runs. */\nSDIMAGE_API sdimage_status sdimage_cache_run(sdimage_cache *cache);", "does not end with"),
        ("/* Runs. */\nSDIMAGE_API void sdimage_cache_run(sdimage_cache *cache, sdimage_error **error);", "but no status"),
    ],
    "names": [
        ('#include "sys/cache.h"', "includes one for implementers"),
        ("/* Runs. */\nSDIMAGE_API void sdimage_run(void);", "sdimage_run does not start"),
    ],
}


def found(rule: str, texts: dict[str, str]) -> list[str]:
    return list(header_rules.RULES[rule](header_rules.Headers(texts)))


def unproved(rule: str) -> list[str]:
    """The mistakes that a rule misses, and its complaints about correct declarations."""
    missed = [f"{rule}: the mistake {part!r} is not found" for text, part in MISTAKES[rule]
              if not any(part in each for each in found(rule, {"base.h": CLASSES, "a.h": text}))]
    return missed + [f"{rule}: {each}" for each in found(rule, {"base.h": CLASSES})]


def main() -> int:
    texts = {str(path.relative_to(headers.INCLUDE)): path.read_text() for path in headers.headers()}
    for rule in header_rules.RULES:
        wrong = found(rule, texts)
        for each in wrong + unproved(rule):
            print(each, file=sys.stderr)
        report.check(f"headers: {rule}", not wrong)
        report.check(f"headers: the rule for {rule} finds mistakes", not unproved(rule))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
