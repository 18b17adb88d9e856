"""The declarations of the public headers, parsed from their text: the basis of the other tests in this folder."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from generators.headers import INCLUDE, Function, Parameter, functions, headers, without_comments  # noqa: E402, F401

HEADERS = headers()


def symbols() -> dict[str, str]:
    """symbols.txt: each exported function and the version that introduced it."""
    lines = (INCLUDE / "symbols.txt").read_text().splitlines()
    return dict(line.split() for line in lines if line.strip() and not line.startswith("#"))
