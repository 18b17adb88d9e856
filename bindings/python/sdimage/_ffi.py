"""The prototypes of all libsdimage functions in one table; a test compares it with the headers.

Objects are ``c_void_p``, enums ``c_int``. ctypes releases the interpreter lock during each call.
"""

from __future__ import annotations

from collections.abc import Callable
from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    c_bool,
    c_char_p,
    c_double,
    c_int,
    c_int32,
    c_int64,
    c_size_t,
    c_uint32,
    c_uint64,
    c_void_p,
    sizeof,
)
from typing import Any, cast

from ._library import open_library

#: ``object **`` and ``sdimage_error **``.
HANDLE_OUT = POINTER(c_void_p)

DESTROY = CFUNCTYPE(None, c_void_p)
CACHE_DONE = CFUNCTYPE(None, c_void_p, c_void_p)
CACHE_DATA = CFUNCTYPE(None, c_void_p, c_void_p, c_void_p)
CACHE_CONTAINS = CFUNCTYPE(None, c_void_p, c_int, c_void_p)
CACHE_TOTALS = CFUNCTYPE(None, c_void_p, c_uint64, c_uint64, c_void_p)
CACHE_PATH = CFUNCTYPE(c_size_t, c_void_p, c_void_p, c_size_t, c_void_p, c_size_t)
LOG = CFUNCTYPE(None, c_void_p, c_int, c_char_p)
ON_RESULT = CFUNCTYPE(None, c_void_p, c_void_p, c_void_p)
ON_PROGRESS = CFUNCTYPE(None, c_void_p, c_void_p, c_int64, c_int64)
CAN_LOAD = CFUNCTYPE(c_bool, c_void_p, c_void_p)
LOAD = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p)
OBSERVER = CFUNCTYPE(None, c_void_p, c_void_p)
START = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p)
CANCEL = CFUNCTYPE(None, c_void_p, c_void_p)
CAN_DECODE = CFUNCTYPE(c_bool, c_void_p, c_void_p, c_size_t)
DECODE = CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t, c_void_p, c_void_p, HANDLE_OUT, HANDLE_OUT)
CAN_ENCODE = CFUNCTYPE(c_bool, c_void_p, c_int)
ENCODE = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int, c_void_p, c_void_p, HANDLE_OUT, HANDLE_OUT)
TRANSFORM = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_size_t, HANDLE_OUT, HANDLE_OUT)
PRESERVES_METADATA = CFUNCTYPE(c_bool, c_void_p)
CACHE_IMAGE = CFUNCTYPE(c_void_p, c_void_p, c_void_p, c_size_t)
CACHE_SET_IMAGE = CFUNCTYPE(None, c_void_p, c_void_p, c_size_t, c_void_p)
CACHE_QUERY = CFUNCTYPE(None, c_void_p, c_void_p, c_size_t, c_void_p, c_void_p)
CACHE_STORE = CFUNCTYPE(None, c_void_p, c_void_p, c_size_t, c_void_p, c_void_p, c_void_p)
CACHE_CONTAINS_KEY = CFUNCTYPE(None, c_void_p, c_void_p, c_size_t, c_void_p)
CACHE_REMOVE = CFUNCTYPE(None, c_void_p, c_void_p, c_size_t, c_int, c_void_p)
CACHE_CLEAR = CFUNCTYPE(None, c_void_p, c_int, c_void_p)
CACHE_LEASE = CFUNCTYPE(None, c_void_p, c_void_p, c_size_t, c_uint64, c_void_p, c_void_p)
CACHE_REPLACE = CFUNCTYPE(None, c_void_p, c_void_p, c_size_t, c_void_p, c_void_p, c_void_p)
CACHE_END_LEASE = CFUNCTYPE(None, c_void_p, c_void_p, c_size_t)
MODIFY = CFUNCTYPE(None, c_void_p, c_void_p, c_void_p)
DECRYPT = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, HANDLE_OUT, HANDLE_OUT)
REDIRECT = CFUNCTYPE(None, c_void_p, c_char_p, c_char_p, c_int32, c_void_p)
EVENT = CFUNCTYPE(None, c_void_p, c_void_p)
PROCESS_REQUEST = CFUNCTYPE(None, c_void_p, c_void_p)
CACHE_KEY = CFUNCTYPE(c_void_p, c_void_p, c_void_p)
SERIALIZE = CFUNCTYPE(c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)
SHOULD_LOAD = CFUNCTYPE(c_bool, c_void_p, c_void_p)
SHOULD_REMEMBER = CFUNCTYPE(c_bool, c_void_p, c_void_p, c_void_p)
INFO = CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t, c_void_p, HANDLE_OUT)
DESCRIBE = CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t, c_void_p, c_void_p, HANDLE_OUT)
ON_PROGRESS_CHANGED = CFUNCTYPE(None, c_void_p, c_void_p)
ON_FETCHED = CFUNCTYPE(None, c_void_p, c_void_p, c_size_t, c_void_p)
ON_GROUP_PROGRESS = CFUNCTYPE(None, c_void_p, c_void_p, c_size_t, c_size_t)
ON_COMPLETED = CFUNCTYPE(None, c_void_p, c_void_p, c_size_t, c_size_t, c_void_p)
SHOW_VIEW = CFUNCTYPE(None, c_void_p, c_void_p, c_void_p)
VIEW_LOOP = CFUNCTYPE(None, c_void_p, c_void_p, c_uint32)
SET_IMAGE = CFUNCTYPE(None, c_void_p, c_char_p, c_void_p, c_void_p)
INDICATE = CFUNCTYPE(None, c_void_p, c_char_p)
INDICATE_FRACTION = CFUNCTYPE(None, c_void_p, c_char_p, c_double)
PREPARE_TRANSITION = CFUNCTYPE(None, c_void_p, c_char_p, c_int, c_uint32, c_void_p, c_void_p)
ANIMATE_TRANSITION = CFUNCTYPE(None, c_void_p, c_char_p, c_int, c_uint32, c_void_p)
END_TRANSITION = CFUNCTYPE(None, c_void_p, c_char_p, c_bool)
HOST_POST = CFUNCTYPE(None, c_void_p, c_void_p, c_void_p)
HOST_IS_CURRENT = CFUNCTYPE(c_bool, c_void_p)


class Size(Structure):
    """``sdimage_size``."""

    _fields_ = [("width", c_uint32), ("height", c_uint32)]


class Rect(Structure):
    """``sdimage_rect``."""

    _fields_ = [("x", c_double), ("y", c_double), ("width", c_double), ("height", c_double)]


class Color(Structure):
    """``sdimage_color``."""

    _fields_ = [("red", c_double), ("green", c_double), ("blue", c_double), ("alpha", c_double)]


class LoadHandler(Structure):
    """``sdimage_load_handler``."""

    _fields_ = [("size", c_size_t), ("result", ON_RESULT), ("progress", ON_PROGRESS)]


class LoaderTable(Structure):
    """``sdimage_loader_vtable``."""

    _fields_ = [("size", c_size_t), ("can_load", CAN_LOAD), ("load", LOAD), ("cancel", CANCEL), ("can_share", CAN_LOAD)]


class CoderTable(Structure):
    """``sdimage_coder_vtable``; the functions that this package omits are NULL."""

    _fields_ = [
        ("size", c_size_t),
        ("can_decode", CAN_DECODE),
        ("decode", DECODE),
        ("can_encode", CAN_ENCODE),
        ("encode", ENCODE),
        ("open", c_void_p),
        ("instance_update", c_void_p),
        ("instance_image", c_void_p),
        ("instance_frame_count", c_void_p),
        ("instance_loop_count", c_void_p),
        ("instance_duration_ms", c_void_p),
        ("instance_frame", c_void_p),
        ("instance_bytes", c_void_p),
        ("instance_destroy", c_void_p),
        ("render", c_void_p),
        ("open_source", c_void_p),
        ("info", INFO),
        ("describe", DESCRIBE),
        ("detached_stack", c_size_t),
    ]


class TransformerTable(Structure):
    """``sdimage_transformer_vtable``."""

    _fields_ = [("size", c_size_t), ("transform", TRANSFORM), ("preserves_metadata", PRESERVES_METADATA)]


class CacheTable(Structure):
    """``sdimage_cache_vtable``."""

    _fields_ = [
        ("size", c_size_t),
        ("memory_image", CACHE_IMAGE),
        ("set_memory_image", CACHE_SET_IMAGE),
        ("query", CACHE_QUERY),
        ("store", CACHE_STORE),
        ("remove", CACHE_REMOVE),
        ("contains", CACHE_CONTAINS_KEY),
        ("clear", CACHE_CLEAR),
        ("store_entry", CACHE_STORE),
        ("lease", CACHE_LEASE),
        ("end_lease", CACHE_END_LEASE),
        ("replace_entry", CACHE_REPLACE),
        ("is_shared", c_bool),
    ]


class TransportTable(Structure):
    """``sdimage_transport_vtable``."""

    _fields_ = [("size", c_size_t), ("start", START), ("cancel", CANCEL)]


class HooksTable(Structure):
    """``sdimage_download_hooks_vtable``."""

    _fields_ = [
        ("size", c_size_t),
        ("modify_request", MODIFY),
        ("modify_response", MODIFY),
        ("decrypt", DECRYPT),
        ("redirect", REDIRECT),
        ("event", EVENT),
    ]


class HostTable(Structure):
    """``sdimage_host_vtable``."""

    _fields_ = [("size", c_size_t), ("post", HOST_POST), ("is_current", HOST_IS_CURRENT)]


class PrefetchHandler(Structure):
    """``sdimage_prefetch_handler``."""

    _fields_ = [
        ("size", c_size_t),
        ("fetched", ON_FETCHED),
        ("progress", ON_GROUP_PROGRESS),
        ("completed", ON_COMPLETED),
    ]


class TargetTable(Structure):
    """``sdimage_target_vtable``."""

    _fields_ = [
        ("size", c_size_t),
        ("set_image", SET_IMAGE),
        ("indicator_start", INDICATE),
        ("indicator_stop", INDICATE),
        ("indicator_update", INDICATE_FRACTION),
        ("transition_prepare", PREPARE_TRANSITION),
        ("transition_animate", ANIMATE_TRANSITION),
        ("transition_end", END_TRANSITION),
    ]


# The tables of sources, of observers of all lists, of frames and players are opaque: this package creates none.


class LoadHooksTable(Structure):
    """``sdimage_load_hooks_vtable``."""

    _fields_ = [
        ("size", c_size_t),
        ("process_request", PROCESS_REQUEST),
        ("cache_key", CACHE_KEY),
        ("serialize", SERIALIZE),
        ("should_load", SHOULD_LOAD),
        ("should_remember_failure", SHOULD_REMEMBER),
    ]


class SourceTable(Structure):
    """``sdimage_source_vtable``, opaque here."""


class PrefetchObserverTable(Structure):
    """``sdimage_prefetch_observer_vtable``, opaque here."""


class FrameTable(Structure):
    """``sdimage_frame_vtable``, opaque here."""


class PlayerHandler(Structure):
    """``sdimage_player_handler``, opaque here."""


class ViewHandler(Structure):
    """``sdimage_animated_view_handler``."""

    _fields_ = [("size", c_size_t), ("show", SHOW_VIEW), ("loop", VIEW_LOOP)]


#: name: (result, arguments)
PROTOTYPES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "sdimage_animated_view_advance": (c_bool, (c_void_p,)),
    "sdimage_animated_view_autoplay": (c_bool, (c_void_p,)),
    "sdimage_animated_view_clears_buffer_when_stopped": (c_bool, (c_void_p,)),
    "sdimage_animated_view_copy_image": (None, (c_void_p, HANDLE_OUT)),
    "sdimage_animated_view_copy_player": (None, (c_void_p, HANDLE_OUT)),
    "sdimage_animated_view_decodes_when_due": (c_bool, (c_void_p,)),
    "sdimage_animated_view_descriptor": (c_int, (c_void_p,)),
    "sdimage_animated_view_drops_late_frames": (c_bool, (c_void_p,)),
    "sdimage_animated_view_incremental": (c_bool, (c_void_p,)),
    "sdimage_animated_view_is_animating": (c_bool, (c_void_p,)),
    "sdimage_animated_view_is_visible": (c_bool, (c_void_p,)),
    "sdimage_animated_view_max_buffer_size": (c_size_t, (c_void_p,)),
    "sdimage_animated_view_mode": (c_int, (c_void_p,)),
    "sdimage_animated_view_new": (c_int, (POINTER(ViewHandler), c_void_p, DESTROY, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_animated_view_rate": (c_double, (c_void_p,)),
    "sdimage_animated_view_ref": (c_void_p, (c_void_p,)),
    "sdimage_animated_view_reset_loop_limit": (None, (c_void_p,)),
    "sdimage_animated_view_rewinds_when_stopped": (c_bool, (c_void_p,)),
    "sdimage_animated_view_set_autoplay": (None, (c_void_p, c_bool)),
    "sdimage_animated_view_set_clears_buffer_when_stopped": (None, (c_void_p, c_bool)),
    "sdimage_animated_view_set_clock": (c_int, (c_void_p, c_int, c_void_p, HANDLE_OUT)),
    "sdimage_animated_view_set_decodes_when_due": (None, (c_void_p, c_bool)),
    "sdimage_animated_view_set_drops_late_frames": (None, (c_void_p, c_bool)),
    "sdimage_animated_view_set_image": (c_int, (c_void_p, c_void_p, HANDLE_OUT)),
    "sdimage_animated_view_set_incremental": (None, (c_void_p, c_bool)),
    "sdimage_animated_view_set_loop_limit": (None, (c_void_p, c_uint32)),
    "sdimage_animated_view_set_max_buffer_size": (None, (c_void_p, c_size_t)),
    "sdimage_animated_view_set_mode": (None, (c_void_p, c_int)),
    "sdimage_animated_view_set_rate": (None, (c_void_p, c_double)),
    "sdimage_animated_view_set_rewinds_when_stopped": (None, (c_void_p, c_bool)),
    "sdimage_animated_view_set_transformer": (None, (c_void_p, c_void_p)),
    "sdimage_animated_view_set_visible": (None, (c_void_p, c_bool)),
    "sdimage_animated_view_start": (None, (c_void_p,)),
    "sdimage_animated_view_stop": (None, (c_void_p,)),
    "sdimage_animated_view_tick": (c_bool, (c_void_p, c_size_t)),
    "sdimage_animated_view_unref": (None, (c_void_p,)),
    "sdimage_batch_options_array_size": (c_size_t, (c_void_p, c_size_t)),
    "sdimage_batch_options_new": (c_void_p, (c_uint32, c_uint32)),
    "sdimage_batch_options_ref": (c_void_p, (c_void_p,)),
    "sdimage_batch_options_set_background_color": (None, (c_void_p, Color)),
    "sdimage_batch_options_set_dispatcher": (None, (c_void_p, c_void_p)),
    "sdimage_batch_options_set_max_concurrent": (None, (c_void_p, c_uint32)),
    "sdimage_batch_options_set_pixel_format": (None, (c_void_p, c_int)),
    "sdimage_batch_options_set_request": (None, (c_void_p, c_void_p)),
    "sdimage_batch_options_set_scale_mode": (None, (c_void_p, c_int)),
    "sdimage_batch_options_set_strides": (None, (c_void_p, c_size_t, c_size_t)),
    "sdimage_batch_options_unref": (None, (c_void_p,)),
    "sdimage_blurhash_decode": (c_int, (c_char_p, c_size_t, c_uint32, c_uint32, c_double, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_blurhash_encode": (c_int, (c_void_p, c_uint32, c_uint32, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_cache_chain_add": (c_int, (c_void_p, c_void_p, HANDLE_OUT)),
    "sdimage_cache_chain_remove": (c_int, (c_void_p, c_void_p, HANDLE_OUT)),
    "sdimage_cache_chain_set_policy": (c_int, (c_void_p, c_int, c_int, HANDLE_OUT)),
    "sdimage_cache_chain_set_promotes": (c_int, (c_void_p, c_bool, HANDLE_OUT)),
    "sdimage_cache_clear": (c_int, (c_void_p, c_int, HANDLE_OUT)),
    "sdimage_cache_clear_async": (c_int, (c_void_p, c_int, CACHE_DONE, c_void_p, DESTROY, HANDLE_OUT)),
    "sdimage_cache_close": (c_int, (c_void_p, HANDLE_OUT)),
    "sdimage_cache_config_new": (c_void_p, ()),
    "sdimage_cache_config_ref": (c_void_p, (c_void_p,)),
    "sdimage_cache_config_set_additional_path": (None, (c_void_p, CACHE_PATH, c_void_p, DESTROY)),
    "sdimage_cache_config_set_directory": (None, (c_void_p, c_char_p)),
    "sdimage_cache_config_set_durable": (None, (c_void_p, c_bool)),
    "sdimage_cache_config_set_eviction": (None, (c_void_p, c_int)),
    "sdimage_cache_config_set_expire_rule": (None, (c_void_p, c_int)),
    "sdimage_cache_config_set_inline_entry_limit": (None, (c_void_p, c_size_t)),
    "sdimage_cache_config_set_keep_in_memory": (None, (c_void_p, c_bool)),
    "sdimage_cache_config_set_keep_weakly": (None, (c_void_p, c_bool)),
    "sdimage_cache_config_set_max_disk_age": (None, (c_void_p, c_int64)),
    "sdimage_cache_config_set_max_disk_size": (None, (c_void_p, c_size_t)),
    "sdimage_cache_config_set_max_memory_cost": (None, (c_void_p, c_size_t)),
    "sdimage_cache_config_set_max_memory_count": (None, (c_void_p, c_size_t)),
    "sdimage_cache_config_set_memory_only": (None, (c_void_p, c_bool)),
    "sdimage_cache_config_set_modes": (None, (c_void_p, c_uint32, c_uint32)),
    "sdimage_cache_config_set_namespace": (None, (c_void_p, c_char_p)),
    "sdimage_cache_config_unref": (None, (c_void_p,)),
    "sdimage_cache_contains": (c_int, (c_void_p, c_void_p, c_size_t)),
    "sdimage_cache_contains_async": (
        c_int,
        (c_void_p, c_void_p, c_size_t, CACHE_CONTAINS, c_void_p, DESTROY, HANDLE_OUT),
    ),
    "sdimage_cache_data": (c_int, (c_void_p, c_void_p, c_size_t, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_cache_data_async": (c_int, (c_void_p, c_void_p, c_size_t, CACHE_DATA, c_void_p, DESTROY, HANDLE_OUT)),
    "sdimage_cache_directory": (c_int, (c_void_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_cache_disk_totals": (c_int, (c_void_p, POINTER(c_size_t), POINTER(c_size_t), HANDLE_OUT)),
    "sdimage_cache_disk_totals_async": (c_int, (c_void_p, CACHE_TOTALS, c_void_p, DESTROY, HANDLE_OUT)),
    "sdimage_cache_extended_data": (c_int, (c_void_p, c_void_p, c_size_t, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_cache_flush": (c_int, (c_void_p, HANDLE_OUT)),
    "sdimage_cache_image": (c_int, (c_void_p, c_void_p, c_size_t, c_void_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_cache_list": (c_int, (c_void_p, c_void_p, c_void_p, c_size_t, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_cache_load": (
        c_int,
        (c_void_p, c_void_p, POINTER(LoadHandler), c_void_p, DESTROY, HANDLE_OUT, HANDLE_OUT),
    ),
    "sdimage_cache_memory_image": (c_void_p, (c_void_p, c_void_p, c_size_t)),
    "sdimage_cache_new": (c_int, (c_void_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_cache_entry_data": (c_void_p, (c_void_p,)),
    "sdimage_cache_entry_date_ns": (c_uint64, (c_void_p,)),
    "sdimage_cache_entry_expiry_ns": (c_uint64, (c_void_p,)),
    "sdimage_cache_entry_metadata": (c_void_p, (c_void_p,)),
    "sdimage_cache_entry_new": (c_int, (c_void_p, c_void_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_cache_entry_ref": (c_void_p, (c_void_p,)),
    "sdimage_cache_entry_unref": (None, (c_void_p,)),
    "sdimage_cache_new_chain": (c_int, (HANDLE_OUT, HANDLE_OUT)),
    "sdimage_cache_new_custom": (c_int, (POINTER(CacheTable), c_void_p, DESTROY, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_cache_new_layered": (c_int, (c_void_p, c_void_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_cache_new_tiered": (c_int, (c_void_p, c_void_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_cache_page_count": (c_size_t, (c_void_p,)),
    "sdimage_cache_page_expires_ns": (c_size_t, (c_void_p, c_size_t)),
    "sdimage_cache_page_is_file": (c_bool, (c_void_p, c_size_t)),
    "sdimage_cache_page_is_last": (c_bool, (c_void_p,)),
    "sdimage_cache_page_key": (c_void_p, (c_void_p, c_size_t, POINTER(c_size_t))),
    "sdimage_cache_page_length": (c_size_t, (c_void_p, c_size_t)),
    "sdimage_cache_page_ref": (c_void_p, (c_void_p,)),
    "sdimage_cache_page_stored_ns": (c_size_t, (c_void_p, c_size_t)),
    "sdimage_cache_page_unref": (None, (c_void_p,)),
    "sdimage_cache_page_used_ns": (c_size_t, (c_void_p, c_size_t)),
    "sdimage_cache_path": (c_int, (c_void_p, c_void_p, c_size_t, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_cache_query_new": (c_void_p, ()),
    "sdimage_cache_query_ref": (c_void_p, (c_void_p,)),
    "sdimage_cache_query_set_lengths": (None, (c_void_p, c_size_t, c_size_t)),
    "sdimage_cache_query_set_order": (None, (c_void_p, c_int)),
    "sdimage_cache_query_set_prefix": (None, (c_void_p, c_void_p, c_size_t)),
    "sdimage_cache_query_set_used_until": (None, (c_void_p, c_size_t)),
    "sdimage_cache_query_unref": (None, (c_void_p,)),
    "sdimage_cache_ref": (c_void_p, (c_void_p,)),
    "sdimage_cache_remove": (c_int, (c_void_p, c_void_p, c_size_t, c_int, HANDLE_OUT)),
    "sdimage_cache_remove_async": (
        c_int,
        (c_void_p, c_void_p, c_size_t, c_int, CACHE_DONE, c_void_p, DESTROY, HANDLE_OUT),
    ),
    "sdimage_cache_remove_expired": (c_int, (c_void_p, HANDLE_OUT)),
    "sdimage_cache_remove_expired_async": (c_int, (c_void_p, CACHE_DONE, c_void_p, DESTROY, HANDLE_OUT)),
    "sdimage_cache_set_disk_limits": (None, (c_void_p, c_size_t, c_int64, c_int)),
    "sdimage_cache_set_expiry": (c_int, (c_void_p, c_void_p, c_size_t, c_size_t, HANDLE_OUT)),
    "sdimage_cache_set_extended_data": (c_int, (c_void_p, c_void_p, c_size_t, c_void_p, HANDLE_OUT)),
    "sdimage_cache_set_keep_in_memory": (None, (c_void_p, c_bool)),
    "sdimage_cache_set_keep_weakly": (None, (c_void_p, c_bool)),
    "sdimage_cache_set_memory_image": (c_int, (c_void_p, c_void_p, c_size_t, c_void_p, HANDLE_OUT)),
    "sdimage_cache_set_memory_limits": (None, (c_void_p, c_size_t, c_size_t)),
    "sdimage_cache_statistics": (c_int, (c_void_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_cache_store": (c_int, (c_void_p, c_void_p, c_size_t, c_void_p, c_void_p, c_int, c_void_p, HANDLE_OUT)),
    "sdimage_cache_store_async": (
        c_int,
        (c_void_p, c_void_p, c_size_t, c_void_p, c_void_p, c_int, c_void_p, CACHE_DONE, c_void_p, DESTROY, HANDLE_OUT),
    ),
    "sdimage_cache_store_data": (c_int, (c_void_p, c_void_p, c_size_t, c_void_p, HANDLE_OUT)),
    "sdimage_cache_store_data_async": (
        c_int,
        (c_void_p, c_void_p, c_size_t, c_void_p, CACHE_DONE, c_void_p, DESTROY, HANDLE_OUT),
    ),
    "sdimage_cache_trim": (c_int, (c_void_p, c_size_t, HANDLE_OUT)),
    "sdimage_cache_unpin": (c_int, (c_void_p, c_char_p, HANDLE_OUT)),
    "sdimage_cache_unref": (None, (c_void_p,)),
    "sdimage_cache_verify": (c_int, (c_void_p, c_bool, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_can_decode": (c_bool, (c_void_p, c_size_t)),
    "sdimage_can_encode": (c_bool, (c_int,)),
    "sdimage_coder_builtin": (c_int, (c_char_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_coder_name": (c_char_p, (c_void_p,)),
    "sdimage_coder_new_custom": (c_int, (c_char_p, POINTER(CoderTable), c_void_p, DESTROY, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_coder_ref": (c_void_p, (c_void_p,)),
    "sdimage_coder_register": (c_int, (c_void_p, HANDLE_OUT)),
    "sdimage_coder_register_builtin": (None, ()),
    "sdimage_coder_registered": (c_int, (c_size_t, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_coder_registered_count": (c_size_t, ()),
    "sdimage_coder_unref": (None, (c_void_p,)),
    "sdimage_coder_unregister": (c_int, (c_void_p, HANDLE_OUT)),
    "sdimage_coder_unregister_all": (None, ()),
    "sdimage_data_bytes": (c_void_p, (c_void_p,)),
    "sdimage_data_length": (c_size_t, (c_void_p,)),
    "sdimage_data_new": (c_int, (c_void_p, c_size_t, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_data_new_adopting": (c_int, (c_void_p, c_size_t, c_void_p, DESTROY, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_data_ref": (c_void_p, (c_void_p,)),
    "sdimage_data_unref": (None, (c_void_p,)),
    "sdimage_decode": (c_int, (c_void_p, c_size_t, c_void_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_decode_file": (c_int, (c_char_p, c_void_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_decode_options_accepts_partial": (c_bool, (c_void_p,)),
    "sdimage_decode_options_applies_orientation": (c_bool, (c_void_p,)),
    "sdimage_decode_options_copy_options": (c_void_p, (c_void_p,)),
    "sdimage_decode_options_converts_to_srgb": (c_bool, (c_void_p,)),
    "sdimage_decode_options_is_first_frame_only": (c_bool, (c_void_p,)),
    "sdimage_decode_options_limit_bytes": (c_size_t, (c_void_p,)),
    "sdimage_decode_options_max_bytes": (c_size_t, (c_void_p,)),
    "sdimage_decode_options_max_pixels": (c_size_t, (c_void_p,)),
    "sdimage_decode_options_new": (c_void_p, ()),
    "sdimage_decode_options_pixel_format": (c_int, (c_void_p,)),
    "sdimage_decode_options_max_work_ms": (c_uint32, (c_void_p,)),
    "sdimage_decode_options_preserves_aspect_ratio": (c_bool, (c_void_p,)),
    "sdimage_decode_options_ref": (c_void_p, (c_void_p,)),
    "sdimage_decode_options_scale": (c_double, (c_void_p,)),
    "sdimage_decode_options_set_accept_partial": (None, (c_void_p, c_bool)),
    "sdimage_decode_options_set_apply_orientation": (None, (c_void_p, c_bool)),
    "sdimage_decode_options_set_convert_to_srgb": (None, (c_void_p, c_bool)),
    "sdimage_decode_options_set_early_thumbnail": (None, (c_void_p, c_bool)),
    "sdimage_decode_options_set_first_frame_only": (None, (c_void_p, c_bool)),
    "sdimage_decode_options_set_format_hint": (None, (c_void_p, c_int)),
    "sdimage_decode_options_set_limit_bytes": (None, (c_void_p, c_size_t)),
    "sdimage_decode_options_set_max_bytes": (None, (c_void_p, c_size_t)),
    "sdimage_decode_options_set_max_pixels": (None, (c_void_p, c_size_t)),
    "sdimage_decode_options_set_max_work_ms": (None, (c_void_p, c_uint32)),
    "sdimage_decode_options_set_options": (None, (c_void_p, c_void_p)),
    "sdimage_decode_options_set_pixel_format": (None, (c_void_p, c_int)),
    "sdimage_decode_options_set_scale": (None, (c_void_p, c_double)),
    "sdimage_decode_options_set_thumbnail_mode": (None, (c_void_p, c_int)),
    "sdimage_decode_options_set_thumbnail_size": (None, (c_void_p, c_uint32, c_uint32, c_bool)),
    "sdimage_decode_options_thumbnail_mode": (c_int, (c_void_p,)),
    "sdimage_decode_options_thumbnail_size": (Size, (c_void_p,)),
    "sdimage_decode_options_unref": (None, (c_void_p,)),
    "sdimage_decode_options_work_budget": (c_void_p, (c_void_p,)),
    "sdimage_decoder_append": (c_int, (c_void_p, c_void_p, c_size_t, c_bool, HANDLE_OUT)),
    "sdimage_decoder_copy_bytes": (c_int, (c_void_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_decoder_copy_frame": (c_int, (c_void_p, c_uint32, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_decoder_copy_image": (c_int, (c_void_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_decoder_frame_count": (c_uint32, (c_void_p,)),
    "sdimage_decoder_frame_duration_ms": (c_uint32, (c_void_p, c_uint32)),
    "sdimage_decoder_loop_count": (c_uint32, (c_void_p,)),
    "sdimage_decoder_new": (c_int, (c_void_p, c_void_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_decoder_new_with_source": (c_int, (c_void_p, c_void_p, c_void_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_decoder_ref": (c_void_p, (c_void_p,)),
    "sdimage_decoder_size": (Size, (c_void_p,)),
    "sdimage_decoder_unref": (None, (c_void_p,)),
    "sdimage_default_limit_bytes": (c_size_t, ()),
    "sdimage_dispatcher_bind_current_thread": (c_int, (c_void_p, HANDLE_OUT)),
    "sdimage_dispatcher_descriptor": (c_int, (c_void_p,)),
    "sdimage_dispatcher_drain": (c_size_t, (c_void_p,)),
    "sdimage_dispatcher_new_host": (c_int, (POINTER(HostTable), c_void_p, DESTROY, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_dispatcher_new_immediate": (c_int, (HANDLE_OUT, HANDLE_OUT)),
    "sdimage_dispatcher_new_library": (c_int, (HANDLE_OUT, HANDLE_OUT)),
    "sdimage_dispatcher_new_pollable": (c_int, (HANDLE_OUT, HANDLE_OUT)),
    "sdimage_dispatcher_next_event": (c_int, (c_void_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_dispatcher_ref": (c_void_p, (c_void_p,)),
    "sdimage_dispatcher_unref": (None, (c_void_p,)),
    "sdimage_doctor": (c_int, (HANDLE_OUT, HANDLE_OUT)),
    "sdimage_download_event_error": (c_void_p, (c_void_p,)),
    "sdimage_download_event_expected": (c_int64, (c_void_p,)),
    "sdimage_download_event_http_status": (c_int, (c_void_p,)),
    "sdimage_download_event_kind": (c_int, (c_void_p,)),
    "sdimage_download_event_received": (c_int64, (c_void_p,)),
    "sdimage_download_event_time_ns": (c_size_t, (c_void_p,)),
    "sdimage_download_event_url": (c_char_p, (c_void_p,)),
    "sdimage_download_hooks_new_base64": (c_int, (HANDLE_OUT, HANDLE_OUT)),
    "sdimage_download_hooks_new_custom": (c_int, (POINTER(HooksTable), c_void_p, DESTROY, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_download_hooks_new_fixed": (c_int, (c_void_p, c_void_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_download_hooks_ref": (c_void_p, (c_void_p,)),
    "sdimage_download_hooks_unref": (None, (c_void_p,)),
    "sdimage_downloader_cancel_all": (None, (c_void_p,)),
    "sdimage_downloader_config_add_acceptable_statuses": (None, (c_void_p, c_int, c_int)),
    "sdimage_downloader_config_add_acceptable_type": (None, (c_void_p, c_char_p)),
    "sdimage_downloader_config_add_allowed_address": (c_int, (c_void_p, c_char_p, HANDLE_OUT)),
    "sdimage_downloader_config_allowed_address": (c_char_p, (c_void_p, c_size_t)),
    "sdimage_downloader_config_clear_acceptable_statuses": (None, (c_void_p,)),
    "sdimage_downloader_config_clear_allowed_addresses": (None, (c_void_p,)),
    "sdimage_downloader_config_new": (c_void_p, ()),
    "sdimage_downloader_config_ref": (c_void_p, (c_void_p,)),
    "sdimage_downloader_config_set_address_policy": (None, (c_void_p, c_int)),
    "sdimage_downloader_config_set_bearer_token": (None, (c_void_p, c_char_p)),
    "sdimage_downloader_config_set_ca_file": (None, (c_void_p, c_char_p)),
    "sdimage_downloader_config_set_client_certificate": (None, (c_void_p, c_char_p, c_char_p, c_char_p)),
    "sdimage_downloader_config_set_connect_timeout_ms": (None, (c_void_p, c_uint32)),
    "sdimage_downloader_config_set_credential": (None, (c_void_p, c_char_p, c_char_p)),
    "sdimage_downloader_config_set_execution_order": (None, (c_void_p, c_int)),
    "sdimage_downloader_config_set_header": (None, (c_void_p, c_char_p, c_char_p)),
    "sdimage_downloader_config_set_hooks": (None, (c_void_p, c_void_p)),
    "sdimage_downloader_config_set_http_version": (None, (c_void_p, c_int)),
    "sdimage_downloader_config_set_inactivity_timeout_ms": (None, (c_void_p, c_uint32)),
    "sdimage_downloader_config_set_max_body_bytes": (None, (c_void_p, c_size_t)),
    "sdimage_downloader_config_set_max_per_host": (None, (c_void_p, c_uint32)),
    "sdimage_downloader_config_set_max_redirects": (None, (c_void_p, c_uint32)),
    "sdimage_downloader_config_set_max_retries": (None, (c_void_p, c_uint32)),
    "sdimage_downloader_config_set_max_retry_after_ms": (None, (c_void_p, c_uint32)),
    "sdimage_downloader_config_set_max_total": (None, (c_void_p, c_uint32)),
    "sdimage_downloader_config_set_min_progress_interval": (None, (c_void_p, c_double)),
    "sdimage_downloader_config_set_proxy": (None, (c_void_p, c_char_p, c_char_p)),
    "sdimage_downloader_config_set_retry_delay_ms": (None, (c_void_p, c_uint32, c_uint32)),
    "sdimage_downloader_config_set_total_timeout_ms": (None, (c_void_p, c_uint32)),
    "sdimage_downloader_config_set_transport": (None, (c_void_p, c_void_p)),
    "sdimage_downloader_config_set_unix_socket": (None, (c_void_p, c_char_p)),
    "sdimage_downloader_config_set_user_agent": (None, (c_void_p, c_char_p)),
    "sdimage_downloader_config_unref": (None, (c_void_p,)),
    "sdimage_downloader_invalidate": (None, (c_void_p, c_bool)),
    "sdimage_downloader_is_suspended": (c_bool, (c_void_p,)),
    "sdimage_downloader_new": (c_int, (c_void_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_downloader_set_execution_order": (None, (c_void_p, c_int)),
    "sdimage_downloader_set_max_per_host": (None, (c_void_p, c_uint32)),
    "sdimage_downloader_set_max_total": (None, (c_void_p, c_uint32)),
    "sdimage_downloader_set_suspended": (None, (c_void_p, c_bool)),
    "sdimage_downloader_transfer_count": (c_size_t, (c_void_p,)),
    "sdimage_encode": (c_int, (c_void_p, c_int, c_void_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_encode_file": (c_int, (c_void_p, c_char_p, c_int, c_void_p, HANDLE_OUT)),
    "sdimage_encode_options_background_color": (Color, (c_void_p,)),
    "sdimage_encode_options_effort": (c_uint32, (c_void_p,)),
    "sdimage_encode_options_embeds_thumbnail": (c_bool, (c_void_p,)),
    "sdimage_encode_options_exif": (c_void_p, (c_void_p,)),
    "sdimage_encode_options_is_first_frame_only": (c_bool, (c_void_p,)),
    "sdimage_encode_options_is_lossless": (c_bool, (c_void_p,)),
    "sdimage_encode_options_loop_count": (c_uint32, (c_void_p, c_void_p)),
    "sdimage_encode_options_new": (c_void_p, ()),
    "sdimage_encode_options_quality": (c_double, (c_void_p,)),
    "sdimage_encode_options_ref": (c_void_p, (c_void_p,)),
    "sdimage_encode_options_set_background_color": (None, (c_void_p, Color)),
    "sdimage_encode_options_set_chroma": (None, (c_void_p, c_int)),
    "sdimage_encode_options_set_dithering": (None, (c_void_p, c_double)),
    "sdimage_encode_options_set_effort": (None, (c_void_p, c_uint32)),
    "sdimage_encode_options_set_embed_thumbnail": (None, (c_void_p, c_bool)),
    "sdimage_encode_options_set_exif": (None, (c_void_p, c_void_p)),
    "sdimage_encode_options_set_first_frame_only": (None, (c_void_p, c_bool)),
    "sdimage_encode_options_set_loop_count": (None, (c_void_p, c_uint32)),
    "sdimage_encode_options_set_lossless": (None, (c_void_p, c_bool)),
    "sdimage_encode_options_set_max_colors": (None, (c_void_p, c_uint32)),
    "sdimage_encode_options_set_max_file_size": (None, (c_void_p, c_size_t)),
    "sdimage_encode_options_set_max_pixel_size": (None, (c_void_p, c_uint32, c_uint32)),
    "sdimage_encode_options_set_max_work_ms": (None, (c_void_p, c_uint32)),
    "sdimage_encode_options_set_progressive": (None, (c_void_p, c_bool)),
    "sdimage_encode_options_set_quality": (None, (c_void_p, c_double)),
    "sdimage_encode_options_set_restart_markers": (None, (c_void_p, c_bool)),
    "sdimage_encode_options_set_webp": (None, (c_void_p, c_int, c_double)),
    "sdimage_encode_options_set_xmp": (None, (c_void_p, c_void_p)),
    "sdimage_encode_options_unref": (None, (c_void_p,)),
    "sdimage_encode_options_work_budget": (c_void_p, (c_void_p,)),
    "sdimage_encode_options_xmp": (c_void_p, (c_void_p,)),
    "sdimage_error_code": (c_int, (c_void_p,)),
    "sdimage_error_http_status": (c_int, (c_void_p,)),
    "sdimage_error_is_transient": (c_bool, (c_void_p,)),
    "sdimage_error_library_code": (c_int, (c_void_p,)),
    "sdimage_error_message": (c_char_p, (c_void_p,)),
    "sdimage_error_new": (c_void_p, (c_int, c_char_p)),
    "sdimage_error_ref": (c_void_p, (c_void_p,)),
    "sdimage_error_system_error": (c_int, (c_void_p,)),
    "sdimage_error_unref": (None, (c_void_p,)),
    "sdimage_error_url": (c_char_p, (c_void_p,)),
    "sdimage_event_expected": (c_int64, (c_void_p,)),
    "sdimage_event_kind": (c_int, (c_void_p,)),
    "sdimage_event_received": (c_int64, (c_void_p,)),
    "sdimage_event_ref": (c_void_p, (c_void_p,)),
    "sdimage_event_result": (c_void_p, (c_void_p,)),
    "sdimage_event_task": (c_void_p, (c_void_p,)),
    "sdimage_event_token": (c_void_p, (c_void_p,)),
    "sdimage_event_unref": (None, (c_void_p,)),
    "sdimage_exchange_finish": (None, (c_void_p, c_void_p)),
    "sdimage_exchange_is_cancelled": (c_bool, (c_void_p,)),
    "sdimage_exchange_ref": (c_void_p, (c_void_p,)),
    "sdimage_exchange_respond": (c_int, (c_void_p, c_void_p, HANDLE_OUT)),
    "sdimage_exchange_unref": (None, (c_void_p,)),
    "sdimage_exchange_write": (c_int, (c_void_p, c_void_p, c_size_t, HANDLE_OUT)),
    "sdimage_filter_count": (c_size_t, ()),
    "sdimage_filter_describe": (c_int, (c_char_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_filter_name": (c_char_p, (c_size_t,)),
    "sdimage_format_media_type": (c_char_p, (c_int,)),
    "sdimage_format_name": (c_char_p, (c_int,)),
    "sdimage_format_of_name": (c_int, (c_char_p,)),
    "sdimage_frame_budget_limit": (c_size_t, ()),
    "sdimage_frame_budget_set_limit": (None, (c_size_t,)),
    "sdimage_frame_budget_statistics": (c_int, (HANDLE_OUT, HANDLE_OUT)),
    "sdimage_frame_provider_copy_data": (c_int, (c_void_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_frame_provider_copy_frame": (c_int, (c_void_p, c_uint32, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_frame_provider_copy_image": (c_int, (c_void_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_frame_provider_duration_ms": (c_uint32, (c_void_p, c_uint32)),
    "sdimage_frame_provider_frame_count": (c_uint32, (c_void_p,)),
    "sdimage_frame_provider_is_growing": (c_bool, (c_void_p,)),
    "sdimage_frame_provider_loop_count": (c_uint32, (c_void_p,)),
    "sdimage_frame_provider_new_custom": (c_int, (POINTER(FrameTable), c_void_p, DESTROY, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_frame_provider_new_decoder": (c_int, (c_void_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_frame_provider_new_image": (c_int, (c_void_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_frame_provider_new_transformed": (c_int, (c_void_p, c_void_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_frame_provider_ref": (c_void_p, (c_void_p,)),
    "sdimage_frame_provider_unref": (None, (c_void_p,)),
    "sdimage_freshness_rule_name": (c_char_p, (c_int,)),
    "sdimage_image_blur": (c_int, (c_void_p, c_double, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_image_color_at": (c_int, (c_void_p, c_uint32, c_uint32, POINTER(Color), HANDLE_OUT)),
    "sdimage_image_color_primaries": (c_uint32, (c_void_p,)),
    "sdimage_image_color_profile": (c_void_p, (c_void_p,)),
    "sdimage_image_consumed_bytes": (c_size_t, (c_void_p,)),
    "sdimage_image_convert": (c_int, (c_void_p, c_int, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_image_copy_frame": (c_int, (c_void_p, c_uint32, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_image_copy_metadata": (c_int, (c_void_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_image_crop": (c_int, (c_void_p, Rect, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_image_duration_ms": (c_size_t, (c_void_p,)),
    "sdimage_image_extended_data": (c_void_p, (c_void_p,)),
    "sdimage_image_filter": (c_int, (c_void_p, c_char_p, c_void_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_image_flip": (c_int, (c_void_p, c_bool, c_bool, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_image_format": (c_int, (c_void_p,)),
    "sdimage_image_frame_count": (c_uint32, (c_void_p,)),
    "sdimage_image_frame_duration_ms": (c_uint32, (c_void_p, c_uint32)),
    "sdimage_image_has_all_frames": (c_bool, (c_void_p,)),
    "sdimage_image_has_alpha": (c_bool, (c_void_p,)),
    "sdimage_image_height": (c_uint32, (c_void_p,)),
    "sdimage_image_is_animated": (c_bool, (c_void_p,)),
    "sdimage_image_is_hdr": (c_bool, (c_void_p,)),
    "sdimage_image_is_incremental": (c_bool, (c_void_p,)),
    "sdimage_image_is_thumbnail": (c_bool, (c_void_p,)),
    "sdimage_image_is_transformed": (c_bool, (c_void_p,)),
    "sdimage_image_is_vector": (c_bool, (c_void_p,)),
    "sdimage_image_loop_count": (c_uint32, (c_void_p,)),
    "sdimage_image_memory_cost": (c_size_t, (c_void_p,)),
    "sdimage_image_new": (c_int, (c_uint32, c_uint32, c_size_t, c_int, c_void_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_image_new_adopting": (
        c_int,
        (c_uint32, c_uint32, c_size_t, c_int, c_void_p, c_void_p, DESTROY, HANDLE_OUT, HANDLE_OUT),
    ),
    "sdimage_image_new_animation": (c_int, (HANDLE_OUT, POINTER(c_uint32), c_size_t, c_uint32, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_image_new_uninitialized": (
        c_int,
        (c_uint32, c_uint32, c_int, HANDLE_OUT, HANDLE_OUT, POINTER(c_size_t), HANDLE_OUT),
    ),
    "sdimage_image_orientation": (c_int, (c_void_p,)),
    "sdimage_image_pixel_format": (c_int, (c_void_p,)),
    "sdimage_image_pixels": (c_void_p, (c_void_p,)),
    "sdimage_image_preload_frames": (c_int, (c_void_p, HANDLE_OUT)),
    "sdimage_image_ref": (c_void_p, (c_void_p,)),
    "sdimage_image_render": (c_int, (c_void_p, c_uint32, c_uint32, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_image_resize": (c_int, (c_void_p, c_double, c_double, c_int, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_image_rotate": (c_int, (c_void_p, c_double, c_bool, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_image_round_corner": (
        c_int,
        (c_void_p, c_double, c_size_t, c_double, POINTER(Color), HANDLE_OUT, HANDLE_OUT),
    ),
    "sdimage_image_scale": (c_double, (c_void_p,)),
    "sdimage_image_source_name": (c_char_p, (c_int,)),
    "sdimage_image_source_size": (Size, (c_void_p,)),
    "sdimage_image_stride": (c_size_t, (c_void_p,)),
    "sdimage_image_tint": (c_int, (c_void_p, Color, c_int, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_image_transfer_characteristics": (c_uint32, (c_void_p,)),
    "sdimage_image_transform": (c_int, (c_void_p, c_void_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_image_transform_frames": (c_int, (c_void_p, c_void_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_image_unload_frames": (None, (c_void_p,)),
    "sdimage_image_unref": (None, (c_void_p,)),
    "sdimage_image_width": (c_uint32, (c_void_p,)),
    "sdimage_image_with_metadata": (c_int, (c_void_p, c_void_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_info": (c_int, (c_void_p, c_size_t, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_load_hooks_new_custom": (c_int, (POINTER(LoadHooksTable), c_void_p, DESTROY, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_load_hooks_ref": (c_void_p, (c_void_p,)),
    "sdimage_load_hooks_unref": (None, (c_void_p,)),
    "sdimage_load_sink_finish": (None, (c_void_p, c_void_p)),
    "sdimage_load_sink_finish_with_data": (None, (c_void_p, c_void_p)),
    "sdimage_load_sink_finish_with_encoded": (None, (c_void_p, c_void_p, c_void_p)),
    "sdimage_load_sink_finish_with_image": (None, (c_void_p, c_void_p)),
    "sdimage_load_sink_is_cancelled": (c_bool, (c_void_p,)),
    "sdimage_load_sink_ref": (c_void_p, (c_void_p,)),
    "sdimage_load_sink_report_progress": (None, (c_void_p, c_int64, c_int64)),
    "sdimage_load_sink_set_expected_length": (None, (c_void_p, c_size_t)),
    "sdimage_load_sink_set_storable": (None, (c_void_p, c_bool)),
    "sdimage_load_sink_show": (None, (c_void_p, c_void_p)),
    "sdimage_load_sink_start_anew": (None, (c_void_p,)),
    "sdimage_load_sink_unref": (None, (c_void_p,)),
    "sdimage_load_sink_write": (c_int, (c_void_p, c_void_p, c_size_t, HANDLE_OUT)),
    "sdimage_loader_chain_add": (c_int, (c_void_p, c_void_p, HANDLE_OUT)),
    "sdimage_loader_chain_remove": (c_int, (c_void_p, c_void_p, HANDLE_OUT)),
    "sdimage_loader_name": (c_char_p, (c_void_p,)),
    "sdimage_loader_new_chain": (c_int, (HANDLE_OUT, HANDLE_OUT)),
    "sdimage_loader_new_custom": (c_int, (c_char_p, POINTER(LoaderTable), c_void_p, DESTROY, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_loader_new_data_url": (c_int, (HANDLE_OUT, HANDLE_OUT)),
    "sdimage_loader_new_file": (c_int, (HANDLE_OUT, HANDLE_OUT)),
    "sdimage_loader_ref": (c_void_p, (c_void_p,)),
    "sdimage_loader_unref": (None, (c_void_p,)),
    "sdimage_log_set_handler": (None, (c_int, LOG, c_void_p, DESTROY)),
    "sdimage_manager_cache_key": (c_int, (c_void_p, c_void_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_manager_entry_key": (c_int, (c_void_p, c_void_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_manager_cancel_all": (None, (c_void_p,)),
    "sdimage_manager_close": (c_int, (c_void_p, c_uint32, HANDLE_OUT)),
    "sdimage_manager_config_new": (c_void_p, ()),
    "sdimage_manager_config_ref": (c_void_p, (c_void_p,)),
    "sdimage_manager_config_set_cache": (None, (c_void_p, c_void_p)),
    "sdimage_manager_config_set_dispatcher": (None, (c_void_p, c_void_p)),
    "sdimage_manager_config_set_failed_url_retry_after": (None, (c_void_p, c_int64)),
    "sdimage_manager_config_set_freshness": (None, (c_void_p, c_int)),
    "sdimage_manager_config_set_ignore_signatures": (None, (c_void_p, c_bool)),
    "sdimage_manager_config_set_load_hooks": (None, (c_void_p, c_void_p)),
    "sdimage_manager_config_set_loader": (None, (c_void_p, c_void_p)),
    "sdimage_manager_config_set_observer": (None, (c_void_p, OBSERVER, c_void_p, DESTROY)),
    "sdimage_manager_config_set_transformer": (None, (c_void_p, c_void_p)),
    "sdimage_manager_config_unref": (None, (c_void_p,)),
    "sdimage_manager_copy_cache": (None, (c_void_p, HANDLE_OUT)),
    "sdimage_manager_find": (c_int, (c_void_p, c_void_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_manager_flush": (c_int, (c_void_p, c_uint32, HANDLE_OUT)),
    "sdimage_manager_forget_failed": (None, (c_void_p, c_char_p, c_size_t)),
    "sdimage_manager_is_offline": (c_bool, (c_void_p,)),
    "sdimage_manager_load": (
        c_int,
        (c_void_p, c_void_p, POINTER(LoadHandler), c_void_p, DESTROY, HANDLE_OUT, HANDLE_OUT),
    ),
    "sdimage_manager_load_batch": (
        c_int,
        (
            c_void_p,
            c_void_p,
            POINTER(c_char_p),
            POINTER(c_size_t),
            c_size_t,
            c_void_p,
            c_size_t,
            POINTER(PrefetchHandler),
            c_void_p,
            DESTROY,
            HANDLE_OUT,
            HANDLE_OUT,
        ),
    ),
    "sdimage_manager_load_sync": (c_int, (c_void_p, c_void_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_manager_new": (c_int, (c_void_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_manager_ref": (c_void_p, (c_void_p,)),
    "sdimage_manager_running_count": (c_size_t, (c_void_p,)),
    "sdimage_manager_set_offline": (None, (c_void_p, c_bool)),
    "sdimage_manager_shared": (c_int, (HANDLE_OUT, HANDLE_OUT)),
    "sdimage_manager_unref": (None, (c_void_p,)),
    "sdimage_metadata_ref": (c_void_p, (c_void_p,)),
    "sdimage_metadata_set_bits_per_channel": (None, (c_void_p, c_uint32)),
    "sdimage_metadata_set_channels": (None, (c_void_p, c_uint32)),
    "sdimage_metadata_set_cicp": (None, (c_void_p, c_uint32, c_uint32, c_uint32, c_bool)),
    "sdimage_metadata_set_color_profile": (None, (c_void_p, c_void_p)),
    "sdimage_metadata_set_duration_ms": (None, (c_void_p, c_size_t)),
    "sdimage_metadata_set_exif": (None, (c_void_p, c_void_p)),
    "sdimage_metadata_set_extended_data": (None, (c_void_p, c_void_p)),
    "sdimage_metadata_set_format": (None, (c_void_p, c_int)),
    "sdimage_metadata_set_frame_count": (None, (c_void_p, c_uint32)),
    "sdimage_metadata_set_has_alpha": (None, (c_void_p, c_bool)),
    "sdimage_metadata_set_loop_count": (None, (c_void_p, c_uint32)),
    "sdimage_metadata_set_memory_cost": (None, (c_void_p, c_size_t)),
    "sdimage_metadata_set_orientation": (None, (c_void_p, c_int)),
    "sdimage_metadata_set_progressive": (None, (c_void_p, c_bool)),
    "sdimage_metadata_set_scale": (None, (c_void_p, c_double)),
    "sdimage_metadata_set_source_size": (None, (c_void_p, c_uint32, c_uint32)),
    "sdimage_metadata_set_xmp": (None, (c_void_p, c_void_p)),
    "sdimage_metadata_unref": (None, (c_void_p,)),
    "sdimage_metrics": (c_int, (HANDLE_OUT, HANDLE_OUT)),
    "sdimage_options_count": (c_size_t, (c_void_p,)),
    "sdimage_options_get_bool": (c_bool, (c_void_p, c_char_p, c_bool)),
    "sdimage_options_get_data": (c_void_p, (c_void_p, c_char_p)),
    "sdimage_options_get_double": (c_double, (c_void_p, c_char_p, c_double)),
    "sdimage_options_get_int64": (c_int64, (c_void_p, c_char_p, c_int64)),
    "sdimage_options_get_pointer": (c_void_p, (c_void_p, c_char_p)),
    "sdimage_options_get_string": (c_char_p, (c_void_p, c_char_p, c_char_p)),
    "sdimage_options_has": (c_bool, (c_void_p, c_char_p)),
    "sdimage_options_new": (c_void_p, ()),
    "sdimage_options_ref": (c_void_p, (c_void_p,)),
    "sdimage_options_remove": (None, (c_void_p, c_char_p)),
    "sdimage_options_set_bool": (None, (c_void_p, c_char_p, c_bool)),
    "sdimage_options_set_data": (None, (c_void_p, c_char_p, c_void_p)),
    "sdimage_options_set_double": (None, (c_void_p, c_char_p, c_double)),
    "sdimage_options_set_int64": (None, (c_void_p, c_char_p, c_int64)),
    "sdimage_options_set_pointer": (None, (c_void_p, c_char_p, c_void_p, DESTROY)),
    "sdimage_options_set_string": (None, (c_void_p, c_char_p, c_char_p)),
    "sdimage_options_unref": (None, (c_void_p,)),
    "sdimage_pixel_format_bytes": (c_size_t, (c_int,)),
    "sdimage_pixel_format_name": (c_char_p, (c_int,)),
    "sdimage_player_advance": (c_bool, (c_void_p,)),
    "sdimage_player_buffered_frames": (c_uint32, (c_void_p,)),
    "sdimage_player_clear_frame_buffer": (None, (c_void_p,)),
    "sdimage_player_copy_frame": (None, (c_void_p, HANDLE_OUT)),
    "sdimage_player_decodes_when_due": (c_bool, (c_void_p,)),
    "sdimage_player_descriptor": (c_int, (c_void_p,)),
    "sdimage_player_dropped_frames": (c_size_t, (c_void_p,)),
    "sdimage_player_drops_late_frames": (c_bool, (c_void_p,)),
    "sdimage_player_failed_frames": (c_size_t, (c_void_p,)),
    "sdimage_player_frame_count": (c_uint32, (c_void_p,)),
    "sdimage_player_frame_index": (c_uint32, (c_void_p,)),
    "sdimage_player_is_playing": (c_bool, (c_void_p,)),
    "sdimage_player_late_frames": (c_size_t, (c_void_p,)),
    "sdimage_player_loop_count": (c_uint32, (c_void_p,)),
    "sdimage_player_loop_limit": (c_uint32, (c_void_p,)),
    "sdimage_player_max_buffer_size": (c_size_t, (c_void_p,)),
    "sdimage_player_mode": (c_int, (c_void_p,)),
    "sdimage_player_new": (c_int, (c_void_p, POINTER(PlayerHandler), c_void_p, DESTROY, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_player_new_provider": (
        c_int,
        (c_void_p, POINTER(PlayerHandler), c_void_p, DESTROY, HANDLE_OUT, HANDLE_OUT),
    ),
    "sdimage_player_pause": (None, (c_void_p,)),
    "sdimage_player_rate": (c_double, (c_void_p,)),
    "sdimage_player_ref": (c_void_p, (c_void_p,)),
    "sdimage_player_reset_frame_count": (None, (c_void_p,)),
    "sdimage_player_reset_loop_limit": (None, (c_void_p,)),
    "sdimage_player_seek": (c_int, (c_void_p, c_uint32, c_uint32, HANDLE_OUT)),
    "sdimage_player_set_clock": (c_int, (c_void_p, c_int, c_void_p, HANDLE_OUT)),
    "sdimage_player_set_decodes_when_due": (None, (c_void_p, c_bool)),
    "sdimage_player_set_drops_late_frames": (None, (c_void_p, c_bool)),
    "sdimage_player_set_frame_count": (None, (c_void_p, c_uint32)),
    "sdimage_player_set_loop_limit": (None, (c_void_p, c_uint32)),
    "sdimage_player_set_max_buffer_size": (None, (c_void_p, c_size_t)),
    "sdimage_player_set_mode": (None, (c_void_p, c_int)),
    "sdimage_player_set_rate": (None, (c_void_p, c_double)),
    "sdimage_player_shown_frames": (c_size_t, (c_void_p,)),
    "sdimage_player_start": (None, (c_void_p,)),
    "sdimage_player_stop": (None, (c_void_p,)),
    "sdimage_player_tick": (c_bool, (c_void_p, c_size_t)),
    "sdimage_player_unref": (None, (c_void_p,)),
    "sdimage_player_update": (None, (c_void_p,)),
    "sdimage_plugin_list_count": (c_size_t, (c_void_p,)),
    "sdimage_plugin_list_error": (c_void_p, (c_void_p, c_size_t)),
    "sdimage_plugin_list_library": (c_char_p, (c_void_p, c_size_t)),
    "sdimage_plugin_list_name": (c_char_p, (c_void_p, c_size_t)),
    "sdimage_plugin_list_path": (c_char_p, (c_void_p, c_size_t)),
    "sdimage_plugin_list_ref": (c_void_p, (c_void_p,)),
    "sdimage_plugin_list_unref": (None, (c_void_p,)),
    "sdimage_plugins_load_all": (c_int, (HANDLE_OUT, HANDLE_OUT)),
    "sdimage_prefetch_group_cancel": (None, (c_void_p,)),
    "sdimage_prefetch_group_copy_failure": (c_int, (c_void_p, c_size_t, POINTER(c_size_t), HANDLE_OUT, HANDLE_OUT)),
    "sdimage_prefetch_group_copy_url": (c_int, (c_void_p, c_size_t, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_prefetch_group_finished_count": (c_size_t, (c_void_p,)),
    "sdimage_prefetch_group_is_cancelled": (c_bool, (c_void_p,)),
    "sdimage_prefetch_group_is_finished": (c_bool, (c_void_p,)),
    "sdimage_prefetch_group_ref": (c_void_p, (c_void_p,)),
    "sdimage_prefetch_group_skipped_count": (c_size_t, (c_void_p,)),
    "sdimage_prefetch_group_total_count": (c_size_t, (c_void_p,)),
    "sdimage_prefetch_group_unref": (None, (c_void_p,)),
    "sdimage_prefetch_group_wait": (c_int, (c_void_p, c_uint32, HANDLE_OUT)),
    "sdimage_prefetcher_cancel_all": (None, (c_void_p,)),
    "sdimage_prefetcher_max_concurrent": (c_uint32, (c_void_p,)),
    "sdimage_prefetcher_new": (c_int, (c_void_p, c_void_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_prefetcher_ref": (c_void_p, (c_void_p,)),
    "sdimage_prefetcher_set_max_concurrent": (None, (c_void_p, c_uint32)),
    "sdimage_prefetcher_set_observer": (
        c_int,
        (c_void_p, POINTER(PrefetchObserverTable), c_void_p, DESTROY, HANDLE_OUT),
    ),
    "sdimage_prefetcher_set_request": (None, (c_void_p, c_void_p)),
    "sdimage_prefetcher_shared": (c_int, (HANDLE_OUT, HANDLE_OUT)),
    "sdimage_prefetcher_start": (
        c_int,
        (
            c_void_p,
            POINTER(c_char_p),
            POINTER(c_size_t),
            c_size_t,
            c_void_p,
            POINTER(PrefetchHandler),
            c_void_p,
            DESTROY,
            HANDLE_OUT,
            HANDLE_OUT,
        ),
    ),
    "sdimage_prefetcher_unref": (None, (c_void_p,)),
    "sdimage_progress_completed": (c_int64, (c_void_p,)),
    "sdimage_progress_fraction": (c_double, (c_void_p,)),
    "sdimage_progress_new": (c_void_p, ()),
    "sdimage_progress_ref": (c_void_p, (c_void_p,)),
    "sdimage_progress_set": (None, (c_void_p, c_int64, c_int64)),
    "sdimage_progress_set_observer": (c_int, (c_void_p, CACHE_DONE, c_void_p, DESTROY, HANDLE_OUT)),
    "sdimage_progress_total": (c_int64, (c_void_p,)),
    "sdimage_progress_unref": (None, (c_void_p,)),
    "sdimage_read_metadata": (c_int, (c_void_p, c_size_t, c_int, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_reply_complete": (None, (c_void_p,)),
    "sdimage_reply_complete_with_data": (None, (c_void_p, c_void_p)),
    "sdimage_reply_complete_with_entry": (None, (c_void_p, c_void_p)),
    "sdimage_reply_complete_with_error": (None, (c_void_p, c_void_p)),
    "sdimage_reply_is_cancelled": (c_bool, (c_void_p,)),
    "sdimage_reply_ref": (c_void_p, (c_void_p,)),
    "sdimage_reply_unref": (None, (c_void_p,)),
    "sdimage_request_add_transformer": (None, (c_void_p, c_void_p)),
    "sdimage_request_body": (c_void_p, (c_void_p,)),
    "sdimage_request_copy": (c_void_p, (c_void_p,)),
    "sdimage_request_copy_decode_options": (None, (c_void_p, HANDLE_OUT)),
    "sdimage_request_header": (c_char_p, (c_void_p, c_char_p)),
    "sdimage_request_header_at": (c_char_p, (c_void_p, c_size_t, POINTER(c_char_p))),
    "sdimage_request_method": (c_char_p, (c_void_p,)),
    "sdimage_request_new": (c_void_p, (c_char_p, c_size_t)),
    "sdimage_request_options": (c_void_p, (c_void_p,)),
    "sdimage_request_ref": (c_void_p, (c_void_p,)),
    "sdimage_request_reset_cache": (None, (c_void_p,)),
    "sdimage_request_reset_dispatcher": (None, (c_void_p,)),
    "sdimage_request_reset_freshness": (None, (c_void_p,)),
    "sdimage_request_reset_loader": (None, (c_void_p,)),
    "sdimage_request_reset_max_retries": (None, (c_void_p,)),
    "sdimage_request_reset_original_cache": (None, (c_void_p,)),
    "sdimage_request_reset_transformer": (None, (c_void_p,)),
    "sdimage_request_set_accept_invalid_certificates": (None, (c_void_p, c_bool)),
    "sdimage_request_set_blocking_reads": (None, (c_void_p, c_int)),
    "sdimage_request_set_body": (None, (c_void_p, c_void_p)),
    "sdimage_request_set_cache": (None, (c_void_p, c_void_p)),
    "sdimage_request_set_cache_key": (None, (c_void_p, c_void_p, c_size_t)),
    "sdimage_request_set_coder": (None, (c_void_p, c_void_p)),
    "sdimage_request_set_decode_options": (None, (c_void_p, c_void_p)),
    "sdimage_request_set_dispatcher": (None, (c_void_p, c_void_p)),
    "sdimage_request_set_early_thumbnail": (None, (c_void_p, c_bool)),
    "sdimage_request_set_encode_options": (None, (c_void_p, c_void_p)),
    "sdimage_request_set_freshness": (None, (c_void_p, c_int)),
    "sdimage_request_set_handle_cookies": (None, (c_void_p, c_bool)),
    "sdimage_request_set_header": (None, (c_void_p, c_char_p, c_char_p)),
    "sdimage_request_set_hooks": (None, (c_void_p, c_void_p)),
    "sdimage_request_set_load_hooks": (None, (c_void_p, c_void_p)),
    "sdimage_request_set_loader": (None, (c_void_p, c_void_p)),
    "sdimage_request_set_max_body_bytes": (None, (c_void_p, c_size_t)),
    "sdimage_request_set_max_retries": (None, (c_void_p, c_uint32)),
    "sdimage_request_set_method": (None, (c_void_p, c_char_p)),
    "sdimage_request_set_options": (None, (c_void_p, c_void_p)),
    "sdimage_request_set_original_cache": (None, (c_void_p, c_void_p)),
    "sdimage_request_set_original_query_layers": (None, (c_void_p, c_int)),
    "sdimage_request_set_original_store_layers": (None, (c_void_p, c_int)),
    "sdimage_request_set_preload_frames": (None, (c_void_p, c_bool)),
    "sdimage_request_set_priority": (None, (c_void_p, c_int)),
    "sdimage_request_set_progressive": (None, (c_void_p, c_bool)),
    "sdimage_request_set_progressive_interval_ms": (None, (c_void_p, c_uint32)),
    "sdimage_request_set_query_layers": (None, (c_void_p, c_int)),
    "sdimage_request_set_require_animation": (None, (c_void_p, c_bool)),
    "sdimage_request_set_retry_failed": (None, (c_void_p, c_bool)),
    "sdimage_request_set_source_policy": (None, (c_void_p, c_int)),
    "sdimage_request_set_store_layers": (None, (c_void_p, c_int)),
    "sdimage_request_set_thumbnail_mode": (None, (c_void_p, c_int)),
    "sdimage_request_set_thumbnail_size": (None, (c_void_p, c_uint32, c_uint32, c_bool)),
    "sdimage_request_set_timeout_ms": (None, (c_void_p, c_uint32)),
    "sdimage_request_set_transform_animated": (None, (c_void_p, c_bool)),
    "sdimage_request_set_transform_vector": (None, (c_void_p, c_bool)),
    "sdimage_request_set_transformer": (None, (c_void_p, c_void_p)),
    "sdimage_request_set_url": (None, (c_void_p, c_char_p, c_size_t)),
    "sdimage_request_set_wait_for_store": (None, (c_void_p, c_bool)),
    "sdimage_request_set_wants_data": (None, (c_void_p, c_bool)),
    "sdimage_request_unref": (None, (c_void_p,)),
    "sdimage_request_url": (c_char_p, (c_void_p, POINTER(c_size_t))),
    "sdimage_resources_clear": (None, (c_void_p,)),
    "sdimage_resources_copy_image": (c_int, (c_void_p, c_char_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_resources_new": (c_int, (c_char_p, c_void_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_resources_ref": (c_void_p, (c_void_p,)),
    "sdimage_resources_set_scales": (c_int, (c_void_p, POINTER(c_double), c_size_t, HANDLE_OUT)),
    "sdimage_resources_unref": (None, (c_void_p,)),
    "sdimage_response_add_header": (None, (c_void_p, c_char_p, c_char_p)),
    "sdimage_response_header": (c_char_p, (c_void_p, c_char_p)),
    "sdimage_response_new": (c_void_p, (c_int,)),
    "sdimage_response_ref": (c_void_p, (c_void_p,)),
    "sdimage_response_set_header": (None, (c_void_p, c_char_p, c_char_p)),
    "sdimage_response_set_status": (None, (c_void_p, c_int32)),
    "sdimage_response_status": (c_int32, (c_void_p,)),
    "sdimage_response_unref": (None, (c_void_p,)),
    "sdimage_response_url": (c_char_p, (c_void_p,)),
    "sdimage_result_cache_key": (c_char_p, (c_void_p,)),
    "sdimage_result_copy_response": (None, (c_void_p, HANDLE_OUT)),
    "sdimage_result_data": (c_void_p, (c_void_p,)),
    "sdimage_result_error": (c_void_p, (c_void_p,)),
    "sdimage_result_freshness": (c_int, (c_void_p,)),
    "sdimage_result_image": (c_void_p, (c_void_p,)),
    "sdimage_result_is_changed": (c_bool, (c_void_p,)),
    "sdimage_result_is_stale": (c_bool, (c_void_p,)),
    "sdimage_result_kind": (c_int, (c_void_p,)),
    "sdimage_result_ref": (c_void_p, (c_void_p,)),
    "sdimage_result_source": (c_int, (c_void_p,)),
    "sdimage_result_time_ns": (c_size_t, (c_void_p, c_int)),
    "sdimage_result_transaction_body_bytes": (c_size_t, (c_void_p, c_size_t)),
    "sdimage_result_transaction_count": (c_size_t, (c_void_p,)),
    "sdimage_result_transaction_http_status": (c_int, (c_void_p, c_size_t)),
    "sdimage_result_transaction_is_connection_reused": (c_bool, (c_void_p, c_size_t)),
    "sdimage_result_transaction_protocol": (c_char_p, (c_void_p, c_size_t)),
    "sdimage_result_transaction_remote_address": (c_char_p, (c_void_p, c_size_t)),
    "sdimage_result_transaction_time_ns": (c_size_t, (c_void_p, c_size_t, c_int)),
    "sdimage_result_transaction_url": (c_char_p, (c_void_p, c_size_t)),
    "sdimage_result_transaction_wire_bytes": (c_size_t, (c_void_p, c_size_t)),
    "sdimage_result_unref": (None, (c_void_p,)),
    "sdimage_result_url": (c_char_p, (c_void_p,)),
    "sdimage_set_default_cache": (None, (c_void_p,)),
    "sdimage_set_default_limit_bytes": (None, (c_size_t,)),
    "sdimage_set_default_loader": (None, (c_void_p,)),
    "sdimage_sniff": (c_int, (c_void_p, c_size_t)),
    "sdimage_source_new_custom": (c_int, (POINTER(SourceTable), c_size_t, c_void_p, DESTROY, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_source_new_data": (c_int, (c_void_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_source_new_file": (c_int, (c_char_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_source_read": (c_int, (c_void_p, c_size_t, c_void_p, c_size_t, POINTER(c_size_t), HANDLE_OUT)),
    "sdimage_source_ref": (c_void_p, (c_void_p,)),
    "sdimage_source_size": (c_size_t, (c_void_p,)),
    "sdimage_source_unref": (None, (c_void_p,)),
    "sdimage_status_name": (c_char_p, (c_int,)),
    "sdimage_target_cancel": (None, (c_void_p, c_char_p)),
    "sdimage_target_cancel_latest": (None, (c_void_p,)),
    "sdimage_target_close": (None, (c_void_p,)),
    "sdimage_target_copy_latest_key": (None, (c_void_p, HANDLE_OUT)),
    "sdimage_target_copy_progress": (None, (c_void_p, c_char_p, HANDLE_OUT)),
    "sdimage_target_copy_task": (None, (c_void_p, c_char_p, HANDLE_OUT)),
    "sdimage_target_copy_url": (None, (c_void_p, c_char_p, HANDLE_OUT)),
    "sdimage_target_load": (
        c_int,
        (c_void_p, c_void_p, c_void_p, POINTER(LoadHandler), c_void_p, DESTROY, HANDLE_OUT, HANDLE_OUT),
    ),
    "sdimage_target_new": (
        c_int,
        (c_void_p, c_void_p, POINTER(TargetTable), c_void_p, DESTROY, HANDLE_OUT, HANDLE_OUT),
    ),
    "sdimage_target_options_new": (c_void_p, ()),
    "sdimage_target_options_ref": (c_void_p, (c_void_p,)),
    "sdimage_target_options_set_blurhash": (None, (c_void_p, c_char_p, c_size_t, c_uint32, c_uint32)),
    "sdimage_target_options_set_cached_placeholder": (None, (c_void_p, c_int)),
    "sdimage_target_options_set_image_setting": (None, (c_void_p, c_int)),
    "sdimage_target_options_set_key": (None, (c_void_p, c_char_p)),
    "sdimage_target_options_set_manager": (None, (c_void_p, c_void_p)),
    "sdimage_target_options_set_placeholder": (None, (c_void_p, c_void_p)),
    "sdimage_target_options_set_placeholder_time": (None, (c_void_p, c_int)),
    "sdimage_target_options_set_previous_load": (None, (c_void_p, c_int)),
    "sdimage_target_options_set_thumbhash": (None, (c_void_p, c_void_p, c_size_t)),
    "sdimage_target_options_set_transition": (None, (c_void_p, c_int, c_uint32)),
    "sdimage_target_options_set_transition_rule": (None, (c_void_p, c_int)),
    "sdimage_target_options_set_transition_sets_image": (None, (c_void_p, c_bool)),
    "sdimage_target_options_set_wait_for_transition": (None, (c_void_p, c_bool)),
    "sdimage_target_options_unref": (None, (c_void_p,)),
    "sdimage_target_ref": (c_void_p, (c_void_p,)),
    "sdimage_target_remove_task": (None, (c_void_p, c_char_p)),
    "sdimage_target_set_progress": (None, (c_void_p, c_char_p, c_void_p)),
    "sdimage_target_set_task": (None, (c_void_p, c_char_p, c_void_p)),
    "sdimage_target_set_view": (None, (c_void_p, c_char_p, c_void_p)),
    "sdimage_target_unref": (None, (c_void_p,)),
    "sdimage_task_cancel": (None, (c_void_p,)),
    "sdimage_task_cancel_and_wait": (c_int, (c_void_p, c_uint32, HANDLE_OUT)),
    "sdimage_task_copy_response": (None, (c_void_p, HANDLE_OUT)),
    "sdimage_task_copy_result": (None, (c_void_p, HANDLE_OUT)),
    "sdimage_task_is_finished": (c_bool, (c_void_p,)),
    "sdimage_task_priority": (c_int, (c_void_p,)),
    "sdimage_task_progress": (None, (c_void_p, POINTER(c_int64), POINTER(c_int64))),
    "sdimage_task_ref": (c_void_p, (c_void_p,)),
    "sdimage_task_set_priority": (None, (c_void_p, c_int)),
    "sdimage_task_token": (c_void_p, (c_void_p,)),
    "sdimage_task_unref": (None, (c_void_p,)),
    "sdimage_task_wait": (c_int, (c_void_p, c_uint32, HANDLE_OUT)),
    "sdimage_thumbhash_decode": (c_int, (c_void_p, c_size_t, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_thumbhash_encode": (c_int, (c_void_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_transformer_key": (c_char_p, (c_void_p,)),
    "sdimage_transformer_new_blur": (c_int, (c_double, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_transformer_new_crop": (c_int, (Rect, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_transformer_new_custom": (
        c_int,
        (c_char_p, POINTER(TransformerTable), c_void_p, DESTROY, HANDLE_OUT, HANDLE_OUT),
    ),
    "sdimage_transformer_new_filter": (c_int, (c_char_p, c_void_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_transformer_new_flip": (c_int, (c_bool, c_bool, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_transformer_new_pipeline": (c_int, (HANDLE_OUT, c_size_t, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_transformer_new_resample": (c_int, (c_double, c_double, c_int, c_int, c_bool, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_transformer_new_resize": (c_int, (c_double, c_double, c_int, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_transformer_new_rotate": (c_int, (c_double, c_bool, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_transformer_new_round_corner": (
        c_int,
        (c_double, c_size_t, c_double, POINTER(Color), HANDLE_OUT, HANDLE_OUT),
    ),
    "sdimage_transformer_new_tint": (c_int, (Color, c_int, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_transformer_preserves_metadata": (c_bool, (c_void_p,)),
    "sdimage_transformer_ref": (c_void_p, (c_void_p,)),
    "sdimage_transformer_unref": (None, (c_void_p,)),
    "sdimage_transport_new_custom": (c_int, (POINTER(TransportTable), c_void_p, DESTROY, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_transport_ref": (c_void_p, (c_void_p,)),
    "sdimage_transport_unref": (None, (c_void_p,)),
    "sdimage_trim_memory": (None, (c_bool,)),
    "sdimage_version": (c_char_p, ()),
    "sdimage_version_number": (c_uint32, ()),
    "sdimage_watch_memory_pressure": (None, (c_bool,)),
    "sdimage_work_budget_check": (c_int, (c_void_p,)),
    "sdimage_work_budget_remaining_ms": (c_uint32, (c_void_p,)),
    "sdimage_work_budget_spend": (c_int, (c_void_p, c_size_t)),
}

#: The integer types and their ranges: ctypes drops the upper bits of a number that does not fit.
RANGES: dict[Any, tuple[int, int]] = {
    kind: (-(1 << 8 * sizeof(kind) - 1), (1 << 8 * sizeof(kind) - 1) - 1) for kind in (c_int, c_int32, c_int64)
} | {kind: (0, (1 << 8 * sizeof(kind)) - 1) for kind in (c_size_t, c_uint32, c_uint64)}


def function(library: Any, name: str, result: Any, arguments: tuple[Any, ...]) -> Callable[..., Any]:
    """A function of a library that refuses integers out of range, and text with a NUL if no length argument follows it.
    """
    plain = getattr(library, name)
    plain.restype, plain.argtypes = result, arguments
    numbers = [(index, *RANGES[kind]) for index, kind in enumerate(arguments) if kind in RANGES]
    texts = [index for index, kind in enumerate(arguments) if kind is c_char_p and arguments[index + 1 : index + 2] != (c_size_t,)]
    if not numbers and not texts:
        return cast("Callable[..., Any]", plain)

    def checked(*values: Any) -> Any:
        for index, least, most in numbers:
            if not least <= values[index] <= most:
                raise OverflowError(f"{name}: argument {index + 1} is {values[index]}, outside of {least} to {most}")
        for index in texts:
            if values[index] is not None and 0 in values[index]:
                raise ValueError(f"{name}: argument {index + 1} contains a NUL")
        return plain(*values)

    return checked


lib, library_path = open_library()

for _name, _prototype in PROTOTYPES.items():
    try:
        setattr(lib, _name, function(lib, _name, *_prototype))
    except AttributeError:
        raise ImportError(f"{library_path} is of another version: it lacks {_name}") from None
