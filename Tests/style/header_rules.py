"""The conventions of the public headers: one function for each rule, which yields the violations in parsed headers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from generators import headers
from generators.headers import Function, Parameter, Struct

PREDICATE = re.compile(r"(?:is|has|can|should)_")
ERROR = "sdimage_error **"

# --- Exceptions, each with its reason.

#: Functions of the process, which have no object.
PROCESS_WIDE = set("""
    sdimage_version sdimage_version_number sdimage_sniff sdimage_decode sdimage_decode_file sdimage_encode sdimage_encode_file
    sdimage_can_decode sdimage_can_encode sdimage_default_limit_bytes
    sdimage_set_isolation sdimage_get_isolation sdimage_set_isolation_fallback sdimage_has_isolation_fallback
    sdimage_is_sandboxed
    sdimage_set_default_limit_bytes sdimage_set_default_cache sdimage_get_default_cache sdimage_set_default_loader
    sdimage_get_default_loader sdimage_log_set_handler sdimage_log_write sdimage_metrics sdimage_trim_memory
    sdimage_watch_memory_pressure sdimage_plugins_load_all sdimage_url_escape
""".split())
#: Nouns of groups of functions of the process, and of objects whose class has a shorter name.
NOUNS = set("""
    sdimage_downloader sdimage_cache_chain sdimage_loader_chain sdimage_blurhash sdimage_thumbhash sdimage_filter
    sdimage_frame_budget sdimage_color sdimage_size sdimage_format
""".split())
#: Words of a value of 0 that changes or tells nothing.
NEUTRAL = set("NONE UNKNOWN DEFAULT AUTOMATIC ANY ALL OFF NORMAL OK".split())
#: Enums without a neutral value, because every value selects a measure: 0 is the first of an array.
MEASURES = {"sdimage_stage", "sdimage_transaction_phase", "sdimage_remote_statistic"}
#: Functions whose status is the answer itself, called too often for an error object.
STATUS_ONLY = {"sdimage_work_budget_check", "sdimage_work_budget_spend"}
#: Getters of single-owner objects without a setter: computed, or given by the library.
READ_ONLY = {
    "sdimage_decode_options_work_budget": "that of the operation",
    "sdimage_encode_options_work_budget": "that of the operation",
    "sdimage_batch_options_array_size": "computed",
    "sdimage_response_url": "that of the transfer",
    "sdimage_options_count": "computed",
    "sdimage_options_has": "computed",
    "sdimage_photos_fetch_options_should_include": "a question about an asset",
}
#: Getters whose name differs from that of the setter.
OTHER_GETTER = {"sdimage_options_set_bool": "sdimage_options_is_true"}  # the getter of a bool is an assertion
#: Values that no getter returns.
SECRETS = {"password", "token", "key_password"}
#: Parameters of setters and getters that select a value instead of being one.
SELECTORS = {"bag", "key", "length", "name", "operation", "parameter"}


# --- Parsed headers.


@dataclass(frozen=True)
class Declaration:
    name: str
    doc: str
    kind: str
    header: str


@dataclass
class Headers:
    """The declarations of some headers, by name of the header."""

    texts: dict[str, str]
    functions: list[Function] = field(default_factory=list)
    structs: list[Struct] = field(default_factory=list)
    enums: list[headers.Enum] = field(default_factory=list)
    declarations: list[Declaration] = field(default_factory=list)
    #: Class by name of the type: "immutable", "synchronized" or "single-owner".
    classes: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for header, text in self.texts.items():
            code = headers.declared(text)
            self.functions += headers.exported(code, header)
            self.structs += headers.structs(code, header)
            self.enums += headers.enums(text, header)
            self.declarations += documented(text, header)
            self.classes.update(classes(text))
        self.by_name = {each.name: each for each in self.functions}
        self.docs = {each.name: each.doc for each in self.declarations}
        self.counted = {each.name.removesuffix("_unref") for each in self.functions if each.name.endswith("_unref")}
        self.tables = {each.name for each in self.structs if each.is_table}


def plain(kind: str) -> str:
    """The name of the type that a pointer points to."""
    return re.sub(r"\bconst\b|\*", "", kind).strip()


def documented(text: str, header: str) -> Iterator[Declaration]:
    """Every declaration with its own documentation: the comment that ends right before it or follows on its line."""
    code, comments = headers.blank(text, r"/\*.*?\*/|//[^\n]*"), headers.Comments(text)
    for match in re.finditer(r"^SDIMAGE_API\s[^;]*?\b(sdimage_\w+)\s*\([^;]*;", code, re.M):
        yield Declaration(match[1], comments.before(match.start()), "function", header)
    for match in re.finditer(r"^typedef\s+(?:struct|enum)\s+[\w\s]*?\{([^}]*)\}\s*(\w+)\s*;", code, re.M):
        yield Declaration(match[2], comments.before(match.start()), "type", header)
        if not re.match(r"typedef\s+enum", match[0]):
            yield from fields(match, comments, header)
    for match in re.finditer(r"^typedef\s+(?!enum)[^{};]*?\(?\*?\b(\w+)\)?\s*(?:\([^;{}]*\))?\s*;", code, re.M):
        yield Declaration(match[1], comments.before(match.start()) if comments.after(match.end()) == "" else
                          comments.after(match.end()), "type", header)
    for enum in headers.enums(text, header):
        yield from (Declaration(value.name, value.doc, "enum value", header) for value in enum.values)
    yield from (Declaration(each.name, each.doc, "constant", header) for each in headers.constants(text, header))


def fields(struct: re.Match[str], comments: headers.Comments, header: str) -> Iterator[Declaration]:
    """The fields of a struct, without the size of a table, which base.h describes for all tables."""
    start = struct.start(1)
    for match in re.finditer(r"\S[^;]*;", struct[1]):
        called = re.search(r"\(\s*\*\s*(\w+)\s*\)\s*\(", match[0])
        name = called[1] if called else re.findall(r"\w+", match[0])[-1]
        if name != "size":
            doc = comments.before(start + match.start()) or comments.after(start + match.end())
            yield Declaration(f"{struct[2]}.{name}", doc, "field", header)


def classes(text: str) -> dict[str, str]:
    """The class of each type: that of its section in base.h, or of its own documentation."""
    found, current, comments = {}, "", headers.Comments(text)
    for match in re.finditer(r"/\* (Immutable|Synchronized|Single-owner):|typedef struct (\w+) \2;", text):
        if match[1]:
            current = match[1].lower()
        else:
            own = re.search(r"Class: (immutable|synchronized|single-owner)", comments.before(match.start()))
            found[match[2]] = own[1] if own else current
    return found


# --- 1. Documentation.


def documentation(all_of: Headers) -> Iterator[str]:
    yield from (f"{each.header}: {each.kind} {each.name} has no documentation of its own"
                for each in all_of.declarations if not each.doc or each.doc.startswith("---"))


# --- 2. Ownership.


def outputs(function: Function, all_of: Headers) -> list[Parameter]:
    """The parameters through which a function returns a counted object."""
    stored = [each for each in function.parameters if each.type.endswith("**") and "const" not in each.type]
    return [each for each in stored if plain(each.type) in all_of.counted and each.type != ERROR]


def ownership(all_of: Headers) -> Iterator[str]:
    for each in all_of.functions:
        result = plain(each.result)
        returns = each.result.endswith("*") and (result in all_of.counted or result in all_of.classes)
        makes = re.search(r"_(?:new|copy)(?:_|$)", each.name)
        out = outputs(each, all_of)
        if makes and not out and not (returns and "const" not in each.result):
            yield f"{each.header}: {each.name} returns no object that the caller owns"
        if "_copy" in each.name and "cop" not in all_of.docs.get(each.name, "").lower():
            yield f"{each.header}: {each.name} is not documented as making a copy"
        if each.name.endswith("_ref") and not each.parameters[0].type.startswith("const "):
            yield f"{each.header}: {each.name} does not take a borrowed constant object"
        if returns and not makes and not each.name.endswith("_ref"):
            owner = plain(each.parameters[0].type) if each.parameters else ""
            if all_of.classes.get(owner) not in ("immutable", "single-owner"):
                yield f"{each.header}: {each.name} lends an object, but not of an immutable or single-owner object"
        if out and re.search(r"\bborrowed\b", all_of.docs.get(each.name, ""), re.I):
            yield f"{each.header}: {each.name} stores a borrowed object, expected a reference"
        if re.search(r"_get_", each.name) and not each.name.endswith("_async"):
            values = [parameter for parameter in each.parameters if plain(parameter.type) not in all_of.classes or "**" in parameter.type]
            if not any(parameter.type.endswith("*") and not parameter.type.startswith("const") and parameter.name != "error"
                       for parameter in values):
                yield f"{each.header}: {each.name} has no out parameter"
        if each.result == "const char *" and each.parameters:
            is_shared = all_of.classes.get(plain(each.parameters[0].type)) == "synchronized"
            if is_shared and not each.name.endswith("_name") and "Static" not in all_of.docs.get(each.name, ""):
                yield f"{each.header}: {each.name} lends a text of a synchronized object, which may change"


# --- 3. Predicates.


def noun(function: Function, all_of: Headers) -> str:
    """The longest name of a class that a function's name starts with; "" for none."""
    nouns = [each for each in [*all_of.classes, *NOUNS] if function.name.startswith(each + "_")]
    return max(nouns, key=len, default="")


def predicates(all_of: Headers) -> Iterator[str]:
    for each in all_of.functions:
        if each.result == "bool" and len(each.parameters) == 1 and each.parameters[0].type.startswith("const"):
            rest = each.name.removeprefix(noun(each, all_of) + "_")
            if not PREDICATE.match(rest):
                yield f"{each.header}: {each.name} returns bool, expected is_, has_, can_ or should_ after the name of the object"


# --- 4. Setters and getters.


def without_object(function: Function, all_of: Headers) -> list[Parameter]:
    """The parameters after the object, without the error."""
    given = [each for each in function.parameters if each.type != ERROR]
    starts_with_object = given and plain(given[0].type) in all_of.classes and given[0].type.count("*") == 1
    is_method = starts_with_object and noun(function, all_of)
    return given[1:] if is_method else given


def is_callback(function: Function) -> bool:
    return any(each.type == "sdimage_destroy_fn" for each in function.parameters)


def split(name: str) -> tuple[str, str]:
    """The object and the property of a setter."""
    owner, _, rest = name.partition("_set_")
    return owner, rest


def same(one: str, other: str) -> bool:
    return one.replace("const ", "") == other.replace("const ", "")


def returns(getter: Function, selectors: list[Parameter], values: list[Parameter], all_of: Headers) -> bool:
    """True if a getter returns the values, either as its result or through its parameters."""
    given = without_object(getter, all_of)
    if len(given) < len(selectors) or not all(same(one.type, other.type) for one, other in zip(given, selectors)):
        return False
    rest = given[len(selectors):]
    if "_get_" in getter.name or "_copy_" in getter.name:
        stored = [each.type.removesuffix("*").strip() for each in rest]
        if values[0].type.startswith("const") and len(values) == 2 and values[1].type == "size_t" and len(rest) == 2:
            return same(rest[0].type, values[0].type)
        # A text of an object that other threads change is returned as a block of its own.
        is_shared = all_of.classes.get(plain(getter.parameters[0].type)) == "synchronized"
        pairs = list(zip(stored, (each.type for each in values)))
        return len(stored) == len(values) and all(
            same(one, other) or (is_shared and (one, other) == ("sdimage_data *", "const char *")) for one, other in pairs)
    rest = [each for each in rest if each.name not in ("fallback", "image")]
    if len(values) == 2 and values[1].name == "length" and [each.type for each in rest] == ["size_t *"]:
        return same(getter.result, values[0].type)
    if [each.name for each in values] == ["width", "height"]:
        return getter.result == "sdimage_size" and not rest
    return len(values) == 1 and same(getter.result, values[0].type) and not rest


def getters(owner: str, property_: str) -> list[str]:
    return [f"{owner}_{prefix}{property_}" for prefix in ("", "is_", "has_", "should_", "can_", "get_", "copy_")]


def covered(setter: Function, selectors: list[Parameter], values: list[Parameter], all_of: Headers) -> bool:
    """True if one getter returns all values, or the property is the first of them and the others have getters named after
    them."""
    owner, name = split(setter.name)
    known = [all_of.by_name[each] for each in getters(owner, name) if each in all_of.by_name]
    if any(returns(each, selectors, values, all_of) for each in known):
        return True
    stem = name.rpartition("_")[0]
    parts, left = [], list(values)
    while left:
        if left[0].name in SECRETS:
            left = left[1:]
            continue
        count = 2 if [each.name for each in left[:2]] in (["width", "height"],) or left[1:2] and left[1].name == "length" else 1
        label = "size" if left[0].name == "width" else left[0].name
        names = [] if parts else getters(owner, name)
        names += [each for base in (name, stem) for each in getters(owner, f"{base}_{label}".removeprefix("_"))]
        found = [all_of.by_name[each] for each in names if each in all_of.by_name]
        parts.append(any(returns(each, selectors, left[:count], all_of) for each in found))
        left = left[count:]
    is_secret = any(each.name in SECRETS for each in values)
    return all(parts) and (not is_secret or f"{owner}_has_{name}" in all_of.by_name)


def setters(all_of: Headers) -> Iterator[str]:
    for each in all_of.functions:
        owner, name = split(each.name)
        if not name or is_callback(each) or each.name in OTHER_GETTER:
            continue
        given = without_object(each, all_of)
        if not given:  # a choice without values: target_maximum of target
            if not any(getter in all_of.by_name for getter in getters(owner, name.split("_")[0])):
                yield f"{each.header}: {each.name} has no getter"
            continue
        counts = [count for count in range(len(given)) if all(one.name in SELECTORS for one in given[:count])]
        if not any(covered(each, given[:count], given[count:], all_of) for count in counts):
            yield f"{each.header}: {each.name} has no getter of the same name and type"
    yield from lists_and_resets(all_of)
    yield from without_setters(all_of)


def lists_and_resets(all_of: Headers) -> Iterator[str]:
    """Lists can be read, and of a property that can be reset a getter tells if it is set."""
    for each in all_of.functions:
        match = re.match(r"(\w+?)_(add|reset)_(\w+)", each.name)
        if not match or all_of.classes.get(match[1]) != "single-owner":
            continue
        known = [all_of.by_name[name] for name in getters(match[1], match[3]) if name in all_of.by_name]
        if match[2] == "add" and not known:
            yield f"{each.header}: {each.name} has no getter of the same name"
        if match[2] == "reset" and not any(one.result == "bool" and re.search(r"_(?:has|get)_", one.name) for one in known):
            yield f"{each.header}: {each.name} has no getter that tells if the property is set"


def without_setters(all_of: Headers) -> Iterator[str]:
    changes = [match for each in all_of.functions if (match := re.match(r"(\w+?)_(?:set|add)_(\w+)", each.name))]
    for each in all_of.functions:
        owner = noun(each, all_of)
        is_getter = each.parameters and each.parameters[0].type == f"const {owner} *" and not each.name.endswith(("_copy", "_ref"))
        if all_of.classes.get(owner) != "single-owner" or not is_getter or each.name in [*READ_ONLY, *OTHER_GETTER.values()]:
            continue
        name = re.sub(r"^(?:is|has|can|should|get|copy)_", "", each.name.removeprefix(owner + "_"))
        name = re.sub(r"_(?:at|count)$", "", name)
        properties = [match[2].removeprefix("has_") for match in changes if match[1] == owner]
        stems = [each.rpartition("_")[0] for each in properties if "_" in each]
        if not any(name == known or name.startswith(known + "_") for known in [*properties, *stems]) and \
                not any(known.startswith(name) for known in properties):
            yield f"{each.header}: {each.name} has no setter"


# --- 5. Enums.


def neutral_zeros(all_of: Headers) -> Iterator[str]:
    for enum in all_of.enums:
        zero = next((value for value in enum.values if value.number == 0), None)
        if zero is None:
            yield f"{enum.header}: {enum.name} has no value of 0"
        elif enum.word(zero) not in NEUTRAL and "the default" not in zero.doc and enum.name not in MEASURES:
            yield f"{enum.header}: {zero.name} is 0 and neither neutral nor documented as the default"


# --- 6. Callbacks.


def callbacks(all_of: Headers) -> Iterator[str]:
    for each in all_of.functions:
        kinds = [parameter.type for parameter in each.parameters]
        for index, kind in enumerate(kinds):
            if plain(kind) in all_of.tables and kinds[index + 1:index + 3] != ["void *", "sdimage_destroy_fn"]:
                yield f"{each.header}: {each.name} takes a table without `void *user_data` and `destroy` after it"
            if kind == "sdimage_destroy_fn" and kinds[index - 1] != "void *":
                yield f"{each.header}: {each.name} takes a `destroy` without a pointer before it"
            if "(*)" in kind:
                yield f"{each.header}: {each.name} takes a function outside a table"
    for struct in all_of.structs:
        first = struct.fields[0]
        if struct.is_table and (first.type, first.name) != ("size_t", "size"):
            yield f"{struct.header}: {struct.name} does not begin with `size_t size`"
    for header, text in all_of.texts.items():
        for name in re.findall(r"typedef\s+[\w\s*]+?\(\s*\*\s*(\w+)\s*\)", headers.declared(text)):
            if name != "sdimage_destroy_fn":
                yield f"{header}: {name} is a pointer to a function outside a table"


# --- 7. Errors.


def errors(all_of: Headers) -> Iterator[str]:
    for each in all_of.functions:
        kinds = [parameter.type for parameter in each.parameters]
        is_getter = "_error" in noun(each, all_of)
        if each.result == "sdimage_status" and not is_getter and each.name not in STATUS_ONLY and kinds[-1:] != [ERROR]:
            yield f"{each.header}: {each.name} returns a status and does not end with `sdimage_error **error`"
        if ("error" in [parameter.name for parameter in each.parameters if parameter.type == ERROR]
                and (each.result != "sdimage_status" or kinds[-1] != ERROR)):
            yield f"{each.header}: {each.name} has `sdimage_error **error`, but no status or not at its end"


# --- 8. Headers and names.


def names(all_of: Headers) -> Iterator[str]:
    enums = {each.name for each in all_of.enums}
    for header, text in all_of.texts.items():
        is_for_users = "sys/" not in header and not header.endswith("sys.h")
        if is_for_users and re.search(r'#include "[^"]*\bsys/', text):
            yield f"{header}: a header for users includes one for implementers"
    for each in all_of.functions:
        is_of_plugin = headers.is_plugin(each.header) and each.name.startswith(
            "sdimage_" + re.split(r"[_.]", each.header.rpartition("/")[2])[0] + "_")
        is_of_enum = any(each.name.startswith(enum + "_") for enum in enums)
        if not noun(each, all_of) and not is_of_plugin and not is_of_enum and each.name not in PROCESS_WIDE:
            yield f"{each.header}: {each.name} does not start with the name of a class"


#: The rules as base.h numbers them.
RULES = {
    "documentation": documentation, "ownership": ownership, "predicates": predicates, "setters": setters,
    "neutral zeros": neutral_zeros, "callbacks": callbacks, "errors": errors, "names": names,
}
