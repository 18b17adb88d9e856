#!/usr/bin/env python3
"""Signs requests for an origin, and logs the events of the downloader: download_hooks.py URL..."""

import hashlib
import hmac
import os
import sys
import threading
import time
import urllib.parse

import sdimage

SECRET = os.environ.get("SIGNING_SECRET", "demo").encode()


def sign(request: sdimage.DownloadRequest) -> None:
    """Adds a signature that is valid for one minute. The image is cached under the original URL."""
    path, until = urllib.parse.urlsplit(request.url).path, int(time.time()) + 60
    signature = hmac.new(SECRET, f"{path} {until}".encode(), hashlib.sha256).hexdigest()
    request.url += f"{'&' if '?' in request.url else '?'}until={until}&signature={signature}"
    request.set_header("X-Signed-By", "sdimage")


told = threading.Semaphore(0)


def tell(event: sdimage.DownloadEvent) -> None:
    """Runs on a thread of the library, possibly shortly after the result."""
    milliseconds = event.seconds * 1000
    print(f"{event.kind:9} {event.http_status:3} {event.received:8} bytes {milliseconds:7.1f} ms", file=sys.stderr)
    if event.kind == "finished" or event.error:
        told.release()


def main(*urls: str) -> int:
    hooks = sdimage.DownloadHooks(modify_request=sign, event=tell)
    failed = 0
    with sdimage.Manager(cache=None, loader=sdimage.Loader.http(hooks=hooks)) as manager:
        for url in urls:
            try:
                result = manager.load(url)
                print(f"{result.url}: {result.image.width}x{result.image.height}")
                told.acquire(timeout=60)
            except sdimage.Error as error:
                print(f"download_hooks: {error}")
                failed += 1
                told.acquire(timeout=1)  # a load that is refused has no events
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
