#!/usr/bin/env python3
"""Writes a C test that calls with extreme values every function that takes a number, an enum, a bool, a small struct
or a length: each parameter alone, and all pairs of two parameters.

    generate_extreme_calls.py > extreme_calls.c

Objects are valid, and lengths never exceed the memory that they belong to; impossible lengths are tried too. No
call may crash or hang. Objects that a call changed or made are used afterwards: options decode, requests load,
transformers run. The last test makes calls in a random order, so that the values of several functions combine."""

import re

from calls import good, is_pointer, noun  # first
import declarations
from declarations import Function, Parameter

# Calls that release or end an object that later calls need, and calls for a transfer that is waiting.
SKIPPED = re.compile(r"sdimage_(exchange_\w+|cache_close|dispatcher_drain|\w+_ref|\w+_unref)$")

# Options and other single-owner objects: each call gets a new one, which is used afterwards.
NEW = ("batch_options", "cache_config", "cache_query", "decode_options", "downloader_config", "encode_options",
       "manager_config", "metadata", "options", "request", "response", "target_options")
# Objects that are used after a call that changes them.
USED = ("animated_view", "cache", "player", "prefetcher")

# The list of values of a parameter; the first value is a sensible one.
LISTS = {
    "bool": "flags", "double": "doubles", "size_t": "sizes", "uint64_t": "sizes", "int64_t": "integers",
    "uint32_t": "words", "int32_t": "short_integers",
}
# Pointers whose length follows them.
TEXT_POINTERS = ("key", "url", "prefix", "text", "hash", "bytes")


class Component:
    """One variable: `kind` is the list of its values, `label` its name in reports."""

    def __init__(self, kind: str, label: str) -> None:
        self.kind, self.label = kind, label


def components(function: Function) -> list[tuple[str, list[Component]]]:
    """For each parameter, the C text of its argument, with %d for the index of each component, and the components."""
    found: list[tuple[str, list[Component]]] = []
    parameters = function.parameters
    for index, parameter in enumerate(parameters):
        before = parameters[index - 1] if index else None
        following = parameters[index + 1] if index + 1 < len(parameters) else None
        if is_extent(parameter, following):
            kind = "contents" if parameter.type == "const void *" and parameter.name in ("bytes", "hash") else "texts"
            found.append((f"({parameter.type}){kind}[v[%d]].bytes", [Component(kind, parameter.name)]))
        elif before and is_extent(before, parameter):
            kind, component = found[-1][1][0].kind, found[-1][1][0]
            found.append((f"{kind}[v[%s]].length", [component]))
        elif special := SPECIAL.get((function.name, parameter.name)) or SPECIAL.get(("", parameter.name)):
            found.append((special[0], [Component(kind, parameter.name) for kind in special[1:]]))
        elif parameter.type == "sdimage_color":
            names = ("red", "green", "blue", "alpha")
            found.append(("(sdimage_color){" + ", ".join(["doubles[v[%d]].value"] * 4) + "}",
                          [Component("doubles", f"{parameter.name}.{name}") for name in names]))
        elif parameter.type == "sdimage_rect":
            names = ("x", "y", "width", "height")
            found.append(("(sdimage_rect){" + ", ".join(["doubles[v[%d]].value"] * 4) + "}",
                          [Component("doubles", f"{parameter.name}.{name}") for name in names]))
        elif parameter.type == "sdimage_size":
            found.append(("(sdimage_size){(uint32_t)words[v[%d]].value, (uint32_t)words[v[%d]].value}",
                          [Component("words", f"{parameter.name}.{name}") for name in ("width", "height")]))
        elif parameter.type == "const sdimage_color *":
            found.append(("&(sdimage_color){doubles[v[%d]].value, 0.5, 0.5, doubles[v[%d]].value}",
                          [Component("doubles", f"{parameter.name}.red"), Component("doubles", f"{parameter.name}.alpha")]))
        elif noun(parameter) == "image" and index == 0 and function.name.startswith("sdimage_image_"):
            found.append(("images[v[%d]].image", [Component("images", parameter.name)]))
        elif is_pointer(parameter):
            found.append((good(parameter), []))
        elif parameter.type in LISTS:
            found.append((f"({parameter.type}){LISTS[parameter.type]}[v[%d]].value",
                          [Component(LISTS[parameter.type], parameter.name)]))
        else:
            found.append((f"({parameter.type})enums[v[%d]].value", [Component("enums", parameter.name)]))
    return found


def is_extent(parameter: Parameter, following: Parameter | None) -> bool:
    """True if these two are a pointer and the length of its memory."""
    return bool(following and following.name == "length" and following.type == "size_t"
                and parameter.type in ("const void *", "const char *") and parameter.name in TEXT_POINTERS)


# Arguments that must fit each other or the memory behind them: the C text and the lists of its components. An empty
# function name matches all functions.
SPECIAL = {
    ("", "downloader"): ("new_downloader()",),
    ("", "task"): ("finished_task()",),
    ("sdimage_manager_close", "manager"): ("new_closing_manager()",),
    ("sdimage_manager_wait_all", "manager"): ("new_closing_manager()",),
    ("sdimage_image_color_at", "color"): ("&out_color",),
    ("sdimage_source_read", "buffer"): ("region",),
    ("sdimage_image_new", "pixels"): ("region",),
    ("sdimage_image_new_adopting", "pixels"): ("region",),
    ("sdimage_manager_load_batch", "pixels"): ("region",),
    ("sdimage_manager_load_batch", "size"): ("array_sizes[v[%d]].value", "array_sizes"),
    ("sdimage_manager_load_batch", "count"): ("counts[v[%d]].value", "counts"),
    ("sdimage_manager_load_batch", "urls"): ("urls",),
    ("sdimage_prefetcher_start", "count"): ("counts[v[%d]].value", "counts"),
    ("sdimage_prefetcher_start", "urls"): ("urls",),
    ("sdimage_prefetcher_start", "lengths"): ("NULL",),
    ("sdimage_manager_load_batch", "lengths"): ("NULL",),
    ("sdimage_image_new_animation", "frames"): ("frames",),
    ("sdimage_image_new_animation", "durations_ms"): ("durations[v[%d]].value", "durations"),
    ("sdimage_image_new_animation", "count"): ("counts[v[%d]].value", "counts"),
    ("sdimage_transformer_new_pipeline", "transformers"): ("transformers",),
    ("sdimage_transformer_new_pipeline", "count"): ("counts[v[%d]].value", "counts"),
    ("sdimage_resources_set_scales", "scales"): ("scales[v[%d]].value", "scales"),
    ("sdimage_resources_set_scales", "count"): ("counts[v[%d]].value", "counts"),
    ("sdimage_resources_get_scales", "scales"): ("region",),
    ("sdimage_source_new_custom", "vtable"): ("&reading_table",),
    ("sdimage_options_set_int64", "name"): ("names[v[%d]].value", "names"),
    ("sdimage_options_set_double", "name"): ("names[v[%d]].value", "names"),
    ("sdimage_options_set_bool", "name"): ("names[v[%d]].value", "names"),
    ("sdimage_encode_file", "path"): ("output_path()",),
    ("sdimage_cache_config_set_modes", "folder"): ("(uint32_t)words[v[%d]].value", "words"),
}
# Functions whose arguments describe memory: the condition under which the call is permitted.
CHECKED = {
    "sdimage_image_new": "may_copy({0}, {1}, {2}, {3})",
    "sdimage_source_read": "may_read({3})",
    "sdimage_manager_load_batch": "may_load_batch({6})",
}


def body(function: Function) -> tuple[str, list[Component]]:
    parts = components(function)
    all_components: list[Component] = []
    arguments = []
    for text, own in parts:
        for component in own:
            if component not in all_components:
                all_components.append(component)
        places = [all_components.index(component) for component in own]
        arguments.append(text.replace("%s", "%d") % tuple(places) if places else text)
    call = f"{function.name}({', '.join(arguments)})"
    kind = noun(function.parameters[0]) if function.parameters else None
    lines = []
    if function.name in CHECKED:
        lines.append(f"    if (!{CHECKED[function.name].format(*arguments)})\n        return;")
    if kind in NEW:
        lines.append(f"    renew_{kind}();")
    owned = re.fullmatch(r"sdimage_(\w+) \*", function.result)
    if owned and function.name.endswith(("_new", "_copy", "_memory_image")):
        lines.append(f"    sdimage_{owned[1]} *made = {call};")
        lines.append(f"    use_{owned[1]}(made);" if owned[1] in NEW else "")
        lines.append(f"    sdimage_{owned[1]}_unref(made);")
    else:
        lines.append(f"    (void){call};" if function.result != "void" else f"    {call};")
    if kind in NEW:
        lines.append(f"    use_{kind}(good.{kind});")
    elif kind in USED and re.search("_(set|seek|tick)", function.name):
        lines.append(f"    use_{kind}(good.{kind});")
    if any("**" in p.type for p in function.parameters):
        lines.append("    use_outputs();\n    release_outputs();")
    return f"static void call_{function.name}(const size_t *v) {{\n    (void)v;\n" + "\n".join(filter(None, lines)) + "\n}\n", all_components


def main() -> None:
    print('/* Written by generate_extreme_calls.py. */\n#include "extreme_calls.h"\n')
    tests, headers, table = [], {}, []
    for function in declarations.functions():
        text, parts = body(function)
        if not parts or SKIPPED.match(function.name):
            continue
        print(text)
        lists = ", ".join(f'{{"{c.label}", &{c.kind}_count, {c.kind}_text}}' for c in parts)
        print(f"static const component {function.name}_components[] = {{{lists}}};\n")
        row = f'{{"{function.name}", call_{function.name}, {function.name}_components, {len(parts)}}}'
        headers.setdefault(function.header, []).append(row)
    for header, rows in headers.items():
        name = header.removeprefix("sdimage/").removesuffix(".h").replace("/", "_")
        table += rows
        tests.append(f"{name}WithExtremeValues")
        print(f"static const function {name}_functions[] = {{\n    " + ",\n    ".join(rows) + "};\n")
        print(f"static void {tests[-1]}(void) {{ call_pairwise({name}_functions, {len(rows)}); }}\n")
    tests.append("callsInAnyOrderWithExtremeValues")
    print("static const function all_functions[] = {\n    " + ",\n    ".join(table) + "};\n")
    print(f"static void {tests[-1]}(void) {{ call_at_random(all_functions, {len(table)}); }}\n")
    rows = "\n".join(f"        TEST({name})," for name in tests)
    print("int main(void) {\n    static const test tests[] = {\n" + rows
          + "\n    };\n    return run_tests(tests, sizeof tests / sizeof *tests);\n}")


main()
