"""Records of the keyword arguments that created an object."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def recorded(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a function, from its ``locals()``, without the object itself."""
    return {name: value for name, value in arguments.items() if name not in ("self", "cls", "__class__")}
