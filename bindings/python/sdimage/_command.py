"""Finding the command ``sdimage``, a program in C, that belongs to the library in use."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from . import _library


def _places() -> Iterator[Path]:
    library = _library.candidates()[0]
    if os.sep in library:
        folder = Path(os.path.abspath(library)).parent
        yield folder / "bin" / "sdimage"  # a wheel
        yield folder.parent / "bin" / "sdimage"  # an installed tree, and a build by CMake
        if folder.parts[-2:] == (".build", "release"):  # a build by Swift
            checkout = folder.parents[1]
            # Of a checkout alone: any other folder up there, such as /tmp, may be one into which anybody writes.
            if (checkout / "include" / "sdimage.h").is_file():
                yield checkout / "build" / "cmake" / "bin" / "sdimage"
    else:
        yield Path(shutil.which("sdimage") or "/usr/bin/sdimage")


def path() -> Path | None:
    """The command beside the library in use; None where there is none, as after ``pip install ./bindings/python``."""
    for place in _places():
        if os.access(place, os.X_OK) and _is_program(place):
            return place
    return None


def _is_program(place: Path) -> bool:
    """Not a script: the one that pip makes for this package would start itself for ever. A folder is none either."""
    try:
        with place.open("rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False
