#!/usr/bin/env python3
"""Loads images from a ZIP archive through the caches: zip_loader.py ARCHIVE [NAME...]"""

import sys
import zipfile
from collections.abc import Iterator

import sdimage


class ZipLoader(sdimage.Loader):
    """Loads URLs of the form ``zip:NAME`` from one archive. In a chain with other loaders it handles only those."""

    def __init__(self, path: str) -> None:
        self.archive = zipfile.ZipFile(path)
        super().__init__(self.read, can_load=lambda url: url.startswith("zip:"), name="zip")

    def read(self, request: sdimage.LoadRequest) -> Iterator[bytes]:
        """Reads in pieces, so that a progressive load shows the bytes received so far."""
        try:
            member = self.archive.open(request.url.removeprefix("zip:"))
        except KeyError:
            raise sdimage.Error("NOT_FOUND", "no such member") from None
        with member:
            request.expect(self.archive.getinfo(member.name).file_size)
            while piece := member.read(65536):
                yield piece


def main(path: str, *names: str) -> int:
    loader, failed = ZipLoader(path), 0
    chain = sdimage.Loader.chain(sdimage.Loader.http(), loader)
    with sdimage.Manager(cache=None, loader=chain) as manager:
        for name in names or loader.archive.namelist():
            try:
                image = manager.load(f"zip:{name}", thumbnail_size=(256, 256)).image
                print(f"{name}: {image.width}x{image.height} {image.format}")
            except sdimage.Error as error:
                print(f"zip_loader: {name}: {error.code}", file=sys.stderr)
                failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
