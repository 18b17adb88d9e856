"""Helpers of the generators of calls: the kind of a parameter, and a sensible argument for it."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import declarations  # noqa: E402
from declarations import Parameter  # noqa: E402

# The kinds of objects.
OBJECTS = {function.name.removeprefix("sdimage_").removesuffix("_unref") for function in declarations.functions()
           if function.name.endswith("_unref")} | {"download_event", "work_budget"}

# Sensible numbers if the other arguments are valid, by the name of the parameter.
NUMBERS = {"width": "2", "height": "2", "stride": "8", "pixel_format": "SDIMAGE_PIXEL_FORMAT_RGBA8", "length": "8",
           "timeout_ms": "1", "layers": "SDIMAGE_CACHE_LAYERS_ALL", "status": "SDIMAGE_STATUS_BAD_DATA"}
# Structs of plain numbers, passed by value.
VALUES = {"sdimage_color": "1, 1, 1, 1", "sdimage_rect": "1, 1, 1, 1", "sdimage_size": "1, 1"}


def noun(parameter: Parameter) -> str | None:
    """The kind of object a parameter takes: "cache" for `const sdimage_cache *`."""
    match = re.fullmatch(r"(?:const )?sdimage_(\w+) \*", parameter.type)
    return match[1] if match and match[1] in OBJECTS else None


def is_pointer(parameter: Parameter) -> bool:
    return "*" in parameter.type or parameter.type.endswith("_fn")


def good(parameter: Parameter) -> str:
    if noun(parameter):
        return f"good.{noun(parameter)}"
    if re.fullmatch(r"sdimage_\w+ \*\*", parameter.type):
        return f"&out.{parameter.type[len('sdimage_'):-len(' **')]}"
    if parameter.type == "void **":
        return "&out.pointer"
    if parameter.type == "const char *":
        return "text"
    if parameter.type == "const void *":
        return "bytes"
    if parameter.type == "void *" and parameter.name in ("pixels", "buffer"):
        return "bytes"
    if table := re.fullmatch(r"const (sdimage_\w+_(?:vtable|handler|observer)) \*", parameter.type):
        return f"&(const {table[1]}){{.size = sizeof(const {table[1]})}}"
    if parameter.type == "char *":  # an output of a fixed size
        return "(char[SDIMAGE_COLOR_HEX_SIZE]){0}"
    if re.fullmatch(r"(?!const|void)\w+ \*", parameter.type):  # an output
        return f"&({parameter.type[:-2]}){{0}}"
    if is_pointer(parameter):
        return "NULL"
    if parameter.type in VALUES:
        return f"({parameter.type}){{{VALUES[parameter.type]}}}"
    return f"({parameter.type}){NUMBERS.get(parameter.name, '1')}"
