#!/usr/bin/env python3
"""One cache entry for all tokens of a URL, nothing private in caches, thumbnails for all: load_hooks.py URL..."""

import sys

import sdimage


def small(request: sdimage.RequestDraft) -> None:
    request.set(thumbnail_size=(32, 32))


def without_query(request: sdimage.LoadRequest) -> str | None:
    """The cache key consists of scheme, host and path; private images are not stored."""
    return None if "/private/" in request.url else request.url.partition("?")[0]


def is_gone(_request: sdimage.LoadRequest, error: sdimage.Error) -> bool:
    """Remembers only 404. A failure with an expired token must not be remembered: the next token may be valid."""
    return error.http_status == 404


def main(*urls: str) -> int:
    hooks = sdimage.LoadHooks(process_request=small, cache_key=without_query, should_remember_failure=is_gone)
    failed = 0
    with sdimage.Manager(cache=sdimage.ImageCache(memory_only=True), load_hooks=hooks) as manager:
        for url in urls:
            try:
                result = manager.load(url)
                print(f"{result.image.width} x {result.image.height} from {result.source}")
            except sdimage.Error as error:
                print(f"load_hooks: {error}", file=sys.stderr)
                failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
