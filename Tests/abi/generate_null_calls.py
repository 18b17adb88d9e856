#!/usr/bin/env python3
"""Writes a C test that calls every function of the headers incorrectly: all arguments NULL or 0; each pointer NULL
in turn with the others valid; each object replaced by one of another kind.

    generate_null_calls.py > null_calls.c

No call may crash. If the object of the function is NULL, a fallible function returns INVALID_ARGUMENT and a
getter its neutral value. If it is of another kind, a fallible function returns BAD_HANDLE."""

import re

from calls import VALUES, good, is_pointer, noun  # first
import declarations
from declarations import Function, Parameter

# Values besides zero that a getter may return if its object is missing.
NEUTRAL = {"sdimage_format": "SDIMAGE_FORMAT_UNKNOWN", "sdimage_orientation": "SDIMAGE_ORIENTATION_UP",
           "double": "1", "int": "-1", "int64_t": "-1", "uint32_t": "1",
           "sdimage_scale_mode": "SDIMAGE_SCALE_MODE_ASPECT_FIT", "sdimage_delivery_kind": "SDIMAGE_DELIVERY_KIND_FINAL", "sdimage_callback_kind": "SDIMAGE_CALLBACK_KIND_RESULT",
           "sdimage_transfer_stage": "SDIMAGE_TRANSFER_STAGE_STOPPED"}
# Getters with a documented result without an object: the fallback, the default, "no error".
OWN_ANSWER = re.compile(r"sdimage_(options_(string|int64|double|is_true)|decode_options_(should|max)_\w+"
                        r"|\w+_options_background_color|cache_page_is_last|error_code|work_budget_remaining_ms)$")
# Functions without mandatory pointers.
NEEDS_NOTHING = re.compile(r"sdimage_(plugins_load_all|log_set_handler)$")
# Functions that document NULL as a valid object.
TAKE_NULL = re.compile(r"sdimage_work_budget_\w+$")
# Functions that end an object that later calls need.
ENDING = re.compile(r"_(unref|close|finish\w*|complete\w*)$")


def nothing(parameter: Parameter) -> str:
    if parameter.type in VALUES:
        return f"({parameter.type}){{0}}"
    return "NULL" if is_pointer(parameter) else f"({parameter.type})0"


def is_object(function: Function) -> bool:
    """True if the first parameter is the object of the function."""
    first = noun(function.parameters[0]) if function.parameters else None
    return bool(first) and function.name.startswith(f"sdimage_{first}_")


def has_static_answer(function: Function) -> bool:
    return not any(is_pointer(p) for p in function.parameters)


def call(function: Function, arguments: list[str], expected: str) -> str:
    """One call with a check of its result and its release."""
    text = f"{function.name}({', '.join(arguments)})"
    where = f'"{text}"'.replace("&", "")
    lines = [f"    doing = {where};"]
    if function.result == "void":
        lines.append(f"    {text};")
    elif OWN_ANSWER.match(function.name):
        lines.append(f"    (void){text};")
    elif function.result == "sdimage_status":
        lines.append(f"    expect_status({text}, {expected});")
    elif function.result == "sdimage_size":
        lines.append(f"    {{ sdimage_size size = {text}; expect(size.width == 0 && size.height == 0); }}"
                     if expected == "NEUTRAL" else f"    {text};")
    elif function.result == "const char *":
        lines.append(f"    {{ const char *answer = {text}; expect(!answer || !*answer); }}"
                     if expected == "NEUTRAL" else f"    (void){text};")
    elif function.result.endswith("*"):
        owned = re.fullmatch(r"sdimage_(\w+) \*", function.result)
        is_new = owned and (function.name.endswith(("_new", "_ref", "_copy", "_copy_options", "_memory_image")))
        if expected == "NEUTRAL":
            lines.append(f"    expect({text} == NULL);")
        elif is_new:
            lines.append(f"    sdimage_{owned[1]}_unref({text});")
        else:
            lines.append(f"    (void){text};")
    elif expected == "NEUTRAL":
        other = NEUTRAL.get(function.result, "0")
        lines.append(f"    {{ {function.result} answer = {text}; expect(answer == 0 || answer == {other}); }}")
    else:
        lines.append(f"    (void){text};")
    lines += [f"    release_outputs();"] if any("**" in p.type for p in function.parameters) else []
    return "\n".join(lines)


def missing_object(function: Function) -> str:
    """The status of a fallible function whose object is NULL."""
    return "SDIMAGE_STATUS_OK" if TAKE_NULL.match(function.name) else "SDIMAGE_STATUS_INVALID_ARGUMENT"


def calls_with_nothing(function: Function) -> list[str]:
    neutral = is_object(function) or (function.parameters and noun(function.parameters[0]))
    if function.result == "sdimage_status":
        is_fine = not function.parameters or NEEDS_NOTHING.match(function.name)
        expected = "ANY" if is_fine else missing_object(function)
    else:
        expected = "NEUTRAL" if neutral else "ANY"
    return [call(function, [nothing(p) for p in function.parameters], expected)]


def calls_with_one_missing(function: Function) -> list[str]:
    calls = []
    for index, missing in enumerate(function.parameters):
        is_self = index == 0 and is_object(function)
        if not is_pointer(missing) or (ENDING.search(function.name) and not is_self):
            continue
        arguments = ["NULL" if i == index else good(p) for i, p in enumerate(function.parameters)]
        if function.result == "sdimage_status":
            expected = missing_object(function) if is_self else "ANY"
        else:
            expected = "NEUTRAL" if is_self else "ANY"
        calls.append(call(function, arguments, expected))
    return calls


def calls_with_a_stranger(function: Function) -> list[str]:
    calls = []
    for index, stranger in enumerate(function.parameters):
        is_self = index == 0 and is_object(function)
        if not noun(stranger) or function.name.endswith(("_unref", "_ref")):
            continue
        if ENDING.search(function.name) and not is_self:
            continue
        other = "(void *)good.image" if noun(stranger) != "image" else "(void *)good.data"
        arguments = [other if i == index else good(p) for i, p in enumerate(function.parameters)]
        if function.result == "sdimage_status":
            expected = "SDIMAGE_STATUS_BAD_HANDLE" if is_self else "ANY_ERROR"
        else:
            expected = "NEUTRAL" if is_self else "ANY"
        calls.append(call(function, arguments, expected))
    return calls


def block(name: str, calls: list[str]) -> str:
    return f"static void {name}(void) {{\n    make_good_objects();\n" + "\n".join(calls) + "\n    finish_calls();\n}\n"


def main() -> None:
    found = declarations.functions()
    tests = []
    print('/* Written by generate_null_calls.py. */\n#include "null_calls.h"\n')
    for label, maker in (("AllNothing", calls_with_nothing), ("OneMissing", calls_with_one_missing),
                         ("AStranger", calls_with_a_stranger)):
        for header in dict.fromkeys(f.header for f in found):
            calls = [text for f in found if f.header == header for text in maker(f)]
            if calls:
                tests.append(f"{header.removeprefix('sdimage/').removesuffix('.h').replace('/', '_')}With{label}")
                print(block(tests[-1], calls))
    rows = "\n".join(f"        TEST({name})," for name in tests)
    print("int main(void) {\n    static const test tests[] = {\n" + rows
          + "\n    };\n    return run_tests(tests, sizeof tests / sizeof *tests);\n}")


main()
