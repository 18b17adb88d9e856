"""Records of the keyword arguments that created an object."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any


def recorded(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a function, from its ``locals()``, without the object itself."""
    return {name: value for name, value in arguments.items() if name not in ("self", "cls", "__class__")}


#: The replacement of a secret.
HIDDEN = "…"
_SECRET_FIELDS = ("authorization", "proxy-authorization", "cookie")


def without_secrets(config: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a downloader without passwords and tokens."""
    shown = dict(config)
    if shown.get("credential"):
        shown["credential"] = (shown["credential"][0], HIDDEN)
    if shown.get("bearer_token"):
        shown["bearer_token"] = HIDDEN
    if shown.get("client_certificate"):
        *files, password = shown["client_certificate"]
        shown["client_certificate"] = (*files, HIDDEN if password else None)
    if shown.get("headers"):
        fields = shown["headers"].items()
        shown["headers"] = {
            name: HIDDEN if value is not None and name.lower() in _SECRET_FIELDS else value for name, value in fields
        }
    if shown.get("proxy"):
        shown["proxy"] = re.sub(r"(?<=://)[^/@]*@", f"{HIDDEN}@", shown["proxy"])
    return shown
