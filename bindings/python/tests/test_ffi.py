"""The table of prototypes and the enums match the headers."""

from __future__ import annotations

import ctypes
import re
import unittest

from sdimage import _enums, _ffi

from .support import HEADERS, sdimage

PLAIN = {
    "void": None,
    "bool": ctypes.c_bool,
    "double": ctypes.c_double,
    "int": ctypes.c_int,
    "size_t": ctypes.c_size_t,
    "int32_t": ctypes.c_int32,
    "uint32_t": ctypes.c_uint32,
    "int64_t": ctypes.c_int64,
    "uint64_t": ctypes.c_uint64,
    "char *": ctypes.c_char_p,
    "char **": ctypes.POINTER(ctypes.c_char_p),
    "void *": ctypes.c_void_p,
    "void **": ctypes.POINTER(ctypes.c_void_p),
    "size_t *": ctypes.POINTER(ctypes.c_size_t),
    "double *": ctypes.POINTER(ctypes.c_double),
    "int64_t *": ctypes.POINTER(ctypes.c_int64),
    "uint64_t *": ctypes.POINTER(ctypes.c_uint64),
    "uint32_t *": ctypes.POINTER(ctypes.c_uint32),
    "sdimage_size": _ffi.Size,
    "sdimage_rect": _ffi.Rect,
    "sdimage_color": _ffi.Color,
    "sdimage_color *": ctypes.POINTER(_ffi.Color),
    "sdimage_destroy_fn": _ffi.DESTROY,
    "sdimage_cache_done_fn": _ffi.CACHE_DONE,
    "sdimage_cache_data_fn": _ffi.CACHE_DATA,
    "sdimage_cache_contains_fn": _ffi.CACHE_CONTAINS,
    "sdimage_cache_totals_fn": _ffi.CACHE_TOTALS,
    "sdimage_cache_path_fn": _ffi.CACHE_PATH,
    "sdimage_log_fn": _ffi.LOG,
    "sdimage_load_observer_fn": _ffi.OBSERVER,
    "sdimage_load_handler *": ctypes.POINTER(_ffi.LoadHandler),
    "sdimage_loader_vtable *": ctypes.POINTER(_ffi.LoaderTable),
    "sdimage_cache_vtable *": ctypes.POINTER(_ffi.CacheTable),
    "sdimage_coder_vtable *": ctypes.POINTER(_ffi.CoderTable),
    "sdimage_transformer_vtable *": ctypes.POINTER(_ffi.TransformerTable),
    "sdimage_download_hooks_vtable *": ctypes.POINTER(_ffi.HooksTable),
    "sdimage_transport_vtable *": ctypes.POINTER(_ffi.TransportTable),
    "sdimage_load_hooks_vtable *": ctypes.POINTER(_ffi.LoadHooksTable),
    "sdimage_source_vtable *": ctypes.POINTER(_ffi.SourceTable),
    "sdimage_host_vtable *": ctypes.POINTER(_ffi.HostTable),
    "sdimage_prefetch_handler *": ctypes.POINTER(_ffi.PrefetchHandler),
    "sdimage_prefetch_observer_vtable *": ctypes.POINTER(_ffi.PrefetchObserverTable),
    "sdimage_target_vtable *": ctypes.POINTER(_ffi.TargetTable),
    "sdimage_progress_fn": _ffi.ON_PROGRESS_CHANGED,
    "char **": ctypes.POINTER(ctypes.c_char_p),
    "sdimage_frame_vtable *": ctypes.POINTER(_ffi.FrameTable),
    "sdimage_player_handler *": ctypes.POINTER(_ffi.PlayerHandler),
    "sdimage_animated_view_handler *": ctypes.POINTER(_ffi.ViewHandler),
}


def text() -> str:
    """All headers without comments."""
    joined = "\n".join(path.read_text() for path in sorted(HEADERS.glob("*.h")))
    return re.sub(r"/\*.*?\*/", "", joined, flags=re.DOTALL)


def enums() -> dict[str, dict[str, int]]:
    """``{"sdimage_priority": {"LOW": -1, …}}``"""
    found = {}
    for name, body in re.findall(r"typedef enum SDIMAGE_ENUM (\w+) \{(.*?)\}", text(), flags=re.DOTALL):
        prefix = name.upper() + "_"
        values = re.findall(r"(\w+)\s*=\s*(-?\d+)", body)
        found[name] = {value.removeprefix(prefix): int(number) for value, number in values}
    return found


def c_type(words: str, enum_names: set[str]) -> object:
    """The ctypes class of a C type."""
    plain = re.sub(r"\s*(\*+)\s*", r" \1", words.replace("const *", "*").replace("const ", "")).strip()
    plain = re.sub(r"\* \*", "**", plain)
    if plain in PLAIN:
        return PLAIN[plain]
    if plain in enum_names:
        return ctypes.c_int
    if plain.startswith("sdimage_") and plain.endswith(" **"):
        return ctypes.POINTER(ctypes.c_void_p)
    if plain.startswith("sdimage_") and plain.endswith(" *"):
        return ctypes.c_void_p
    raise AssertionError(f"unknown type {words!r}")


def declarations() -> dict[str, tuple[object, tuple[object, ...]]]:
    """Every function of the headers as a row of the table."""
    names = set(enums())
    rows = {}
    for result, name, arguments in re.findall(r"SDIMAGE_API\s+([^;{}()]*?)(\w+)\s*\(([^;]*)\)\s*;", text()):
        types = []
        for argument in "".join(arguments.split("\n")).split(","):
            if argument.strip() != "void":
                words = re.sub(r"\w+\s*$", "", " ".join(argument.split()))
                types.append(c_type(words, names))
        rows[name] = (c_type(" ".join(result.split()), names), tuple(types))
    return rows


class Table(unittest.TestCase):
    def test_the_table_names_exactly_the_functions_of_symbols_txt(self) -> None:
        lines = (HEADERS.parent / "symbols.txt").read_text().splitlines()
        symbols = {line.split()[0] for line in lines if line.strip() and not line.startswith("#")}
        self.assertEqual(set(_ffi.PROTOTYPES), symbols)

    def test_every_prototype_is_that_of_the_headers(self) -> None:
        declared = declarations()
        self.assertEqual(set(_ffi.PROTOTYPES), set(declared))
        for name, row in _ffi.PROTOTYPES.items():
            with self.subTest(name):
                self.assertEqual(row, declared[name])

    def test_callback_tables_have_the_fields_of_the_headers(self) -> None:
        tables = {
            "sdimage_load_handler": _ffi.LoadHandler,
            "sdimage_loader_vtable": _ffi.LoaderTable,
            "sdimage_coder_vtable": _ffi.CoderTable,
            "sdimage_transformer_vtable": _ffi.TransformerTable,
            "sdimage_cache_vtable": _ffi.CacheTable,
            "sdimage_download_hooks_vtable": _ffi.HooksTable,
            "sdimage_load_hooks_vtable": _ffi.LoadHooksTable,
            "sdimage_host_vtable": _ffi.HostTable,
            "sdimage_prefetch_handler": _ffi.PrefetchHandler,
            "sdimage_target_vtable": _ffi.TargetTable,
            "sdimage_transport_vtable": _ffi.TransportTable,
        }
        for name, table in tables.items():
            found = re.search(rf"typedef struct {name} \{{(.*?)\}} {name};", text(), flags=re.DOTALL)
            assert found
            fields = re.findall(r"^ +(?:size_t (\w+);|bool (\w+);|[^\n(]*\(\*(\w+)\)\()", found[1], flags=re.MULTILINE)
            self.assertEqual([field[0] for field in table._fields_], [size or flag or call for size, flag, call in fields])

    def test_the_library_has_the_version_of_the_headers(self) -> None:
        parts = [re.search(rf"SDIMAGE_VERSION_{part} (\d+)", text()) for part in ("MAJOR", "MINOR", "PATCH")]
        self.assertEqual(sdimage.version(), ".".join(part[1] for part in parts if part))


class Enums(unittest.TestCase):
    def test_words_have_the_numbers_of_the_headers(self) -> None:
        declared = enums()
        pairs = {
            "sdimage_pixel_format": _enums.PIXEL_FORMATS,
            "sdimage_format": _enums.FORMATS,
            "sdimage_orientation": _enums.ORIENTATIONS,
            "sdimage_metadata_kind": _enums.METADATA_KINDS,
            "sdimage_chroma": _enums.CHROMA,
            "sdimage_webp_parameter": _enums.WEBP_PARAMETERS,
            "sdimage_scale_mode": _enums.SCALE_MODES,
            "sdimage_transition": _enums.TRANSITIONS,
            "sdimage_transition_rule": _enums.TRANSITION_RULES,
            "sdimage_placeholder_time": _enums.PLACEHOLDER_TIMES,
            "sdimage_cached_placeholder": _enums.CACHED_PLACEHOLDERS,
            "sdimage_previous_load": _enums.PREVIOUS_LOADS,
            "sdimage_image_setting": _enums.IMAGE_SETTINGS,
            "sdimage_playback_mode": _enums.PLAYBACK_MODES,
            "sdimage_resampling": _enums.RESAMPLINGS,
            "sdimage_corners": _enums.CORNERS,
            "sdimage_blend_mode": _enums.BLEND_MODES,
            "sdimage_priority": _enums.PRIORITIES,
            "sdimage_source_policy": _enums.SOURCE_POLICIES,
            "sdimage_cache_layers": _enums.CACHE_LAYERS,
            "sdimage_transaction_phase": _enums.TRANSACTION_PHASES,
            "sdimage_eviction": _enums.EVICTIONS,
            "sdimage_cache_order": _enums.CACHE_ORDERS,
            "sdimage_expire_rule": _enums.EXPIRE_RULES,
            "sdimage_cache_policy": _enums.CACHE_POLICIES,
            "sdimage_cache_operation": _enums.CACHE_OPERATIONS,
            "sdimage_delivery_kind": _enums.DELIVERY_KINDS,
            "sdimage_image_source": _enums.IMAGE_SOURCES,
            "sdimage_freshness": _enums.FRESHNESS,
            "sdimage_freshness_rule": _enums.FRESHNESS_RULES,
            "sdimage_stage": _enums.STAGES,
            "sdimage_address_policy": _enums.ADDRESS_POLICIES,
            "sdimage_execution_order": _enums.EXECUTION_ORDERS,
            "sdimage_event_type": _enums.EVENT_TYPES,
            "sdimage_download_event_type": _enums.DOWNLOAD_EVENT_TYPES,
        }
        for name, words in pairs.items():
            with self.subTest(name):
                self.assertEqual({word.upper(): number for word, number in words.items()}, declared[name])

    def test_the_library_uses_the_same_words(self) -> None:
        for word, number in _enums.PIXEL_FORMATS.items():
            self.assertEqual(_ffi.lib.sdimage_pixel_format_name(number).decode(), word)
        for word, number in _enums.FORMATS.items():
            self.assertEqual(_ffi.lib.sdimage_format_name(number).decode(), word)
        for word, number in _enums.IMAGE_SOURCES.items():
            self.assertEqual(_ffi.lib.sdimage_image_source_name(number).decode(), word)
        for word, (samples, size) in _enums.PIXEL_LAYOUTS.items():
            self.assertEqual(_ffi.lib.sdimage_pixel_format_bytes(_enums.PIXEL_FORMATS[word]), samples * size)

    def test_every_status_has_its_name(self) -> None:
        for name, number in enums()["sdimage_status"].items():
            self.assertEqual(_ffi.lib.sdimage_status_name(number).decode(), name)
