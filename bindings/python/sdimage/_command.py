"""Search for the command ``sdimage``, a C program, that belongs to the library in use."""

from __future__ import annotations

import os
import shutil
import sysconfig
from pathlib import Path

from . import _library

_PACKAGE = Path(__file__).resolve().parent
#: Names of folders with libraries.
_LIBRARIES = ("lib", "lib64")


def _place() -> Path | None:
    """The path of the command for a library, by the project's own layouts only. Any other folder near a library, such
    as /tmp, may be writable for every user."""
    library = _library.candidates()[0]
    if os.sep not in library:
        return Path(shutil.which("sdimage") or "/usr/bin/sdimage")
    folder = Path(os.path.abspath(library)).parent
    if folder == _PACKAGE:  # a wheel
        return folder / "bin" / "sdimage"
    if folder.name in _LIBRARIES:  # an installed tree, and a build by CMake
        return folder.parent / "bin" / "sdimage"
    if folder.parent.name in _LIBRARIES and folder.name == sysconfig.get_config_var("MULTIARCH"):  # Debian's
        return folder.parents[1] / "bin" / "sdimage"
    if folder.parts[-2:] == (".build", "release") and (folder.parents[1] / "include" / "sdimage.h").is_file():
        return folder.parents[1] / "build" / "cmake" / "bin" / "sdimage"  # a build by Swift
    return None


def path() -> Path | None:
    """The command beside the library in use; None if there is none, as after ``pip install ./bindings/python``."""
    place = _place()
    return place if place is not None and os.access(place, os.X_OK) and _is_program(place) else None


def _is_program(place: Path) -> bool:
    """Refuses scripts: the one that pip creates for this package would start itself endlessly. Also refuses folders."""
    try:
        with place.open("rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False
