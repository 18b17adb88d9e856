"""Every prototype of the photo library plug-in that :mod:`sdimage.photos` calls; a test compares it with its headers."""

from __future__ import annotations

import ctypes
import os
from ctypes import CFUNCTYPE, c_bool, c_char_p, c_int, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any

from ._ffi import DESTROY, HANDLE_OUT, Size, function
from ._library import candidates

SONAME = "libsdimage-photos.so.1"

FILTER = CFUNCTYPE(c_bool, c_void_p, c_void_p)
SCAN = CFUNCTYPE(c_bool, c_void_p, c_uint64, c_uint64)

_GET_TEXT = (c_char_p, (c_void_p,))
_GET_INT = (c_int, (c_void_p,))
_GET_INT64 = (c_int64, (c_void_p,))
_SET_INT = (None, (c_void_p, c_int))
_SET_BOOL = (None, (c_void_p, c_bool))
_SET_BITS = (None, (c_void_p, c_uint32))
_SET_OBJECT = (None, (c_void_p, c_void_p))
_NEW = (c_void_p, ())
_UNREF = (None, (c_void_p,))
_OPEN = (c_int, (c_char_p, HANDLE_OUT, HANDLE_OUT))

PROTOTYPES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "sdimage_photos_asset_album": (c_char_p, (c_void_p, c_size_t)),
    "sdimage_photos_asset_file_size": (c_uint64, (c_void_p,)),
    "sdimage_photos_asset_format": _GET_INT,
    "sdimage_photos_asset_identifier": _GET_TEXT,
    "sdimage_photos_asset_media": _GET_INT,
    "sdimage_photos_asset_modified_ns": _GET_INT64,
    "sdimage_photos_asset_name": _GET_TEXT,
    "sdimage_photos_asset_orientation": _GET_INT,
    "sdimage_photos_asset_origin": _GET_INT,
    "sdimage_photos_asset_path": _GET_TEXT,
    "sdimage_photos_asset_pixel_size": (Size, (c_void_p,)),
    "sdimage_photos_asset_playback": _GET_INT,
    "sdimage_photos_asset_rating": (c_int32, (c_void_p,)),
    "sdimage_photos_asset_ref": (c_void_p, (c_void_p,)),
    "sdimage_photos_asset_taken_ns": _GET_INT64,
    "sdimage_photos_asset_type": _GET_TEXT,
    "sdimage_photos_asset_unref": _UNREF,
    "sdimage_photos_asset_write_thumbnail": (c_int, (c_void_p, c_uint32, HANDLE_OUT)),
    "sdimage_photos_fetch_options_new": _NEW,
    "sdimage_photos_fetch_options_set_album": (None, (c_void_p, c_char_p, c_bool)),
    "sdimage_photos_fetch_options_set_filter": (None, (c_void_p, FILTER, c_void_p, DESTROY)),
    "sdimage_photos_fetch_options_set_media": _SET_BITS,
    "sdimage_photos_fetch_options_set_order": (None, (c_void_p, c_int, c_bool)),
    "sdimage_photos_fetch_options_set_origins": _SET_BITS,
    "sdimage_photos_fetch_options_set_page": (None, (c_void_p, c_size_t, c_size_t)),
    "sdimage_photos_fetch_options_set_rating": (None, (c_void_p, c_int32)),
    "sdimage_photos_fetch_options_set_taken": (None, (c_void_p, c_int64, c_int64)),
    "sdimage_photos_fetch_options_unref": _UNREF,
    "sdimage_photos_library_cancel_loads": _UNREF,
    "sdimage_photos_library_config_new": _NEW,
    "sdimage_photos_library_config_set_index_folder": (None, (c_void_p, c_char_p)),
    "sdimage_photos_library_config_set_watch": _SET_BOOL,
    "sdimage_photos_library_config_unref": _UNREF,
    "sdimage_photos_library_fetch": (c_int, (c_void_p, c_void_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_photos_library_find": (c_int, (c_void_p, c_char_p, c_void_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_photos_library_is_watching": (c_bool, (c_void_p,)),
    "sdimage_photos_library_name": _GET_TEXT,
    "sdimage_photos_library_note": _GET_TEXT,
    "sdimage_photos_library_open": (c_int, (c_char_p, c_void_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_photos_library_open_digikam": _OPEN,
    "sdimage_photos_library_open_shotwell": _OPEN,
    "sdimage_photos_library_scan": (c_int, (c_void_p, SCAN, c_void_p, HANDLE_OUT)),
    "sdimage_photos_library_unref": _UNREF,
    "sdimage_photos_list_asset": (c_void_p, (c_void_p, c_size_t)),
    "sdimage_photos_list_count": (c_size_t, (c_void_p,)),
    "sdimage_photos_list_unref": _UNREF,
    "sdimage_photos_loader_config_add_library": (c_bool, (c_void_p, c_void_p)),
    "sdimage_photos_loader_config_new": _NEW,
    "sdimage_photos_loader_config_set_images_only": _SET_BOOL,
    "sdimage_photos_loader_config_set_request_options": _SET_OBJECT,
    "sdimage_photos_loader_config_unref": _UNREF,
    "sdimage_photos_loader_new": (c_int, (c_void_p, HANDLE_OUT, HANDLE_OUT)),
    "sdimage_photos_request_options_new": _NEW,
    "sdimage_photos_request_options_set_content": _SET_INT,
    "sdimage_photos_request_options_set_delivery": _SET_INT,
    "sdimage_photos_request_options_set_target": (None, (c_void_p, c_uint32, c_uint32)),
    "sdimage_photos_request_options_set_target_pixel_size": _UNREF,
    "sdimage_photos_request_options_set_target_point_size": _UNREF,
    "sdimage_photos_request_options_unref": _UNREF,
}

#: Results that the plug-in frees: ``char *`` as a pointer, not as text.
TEXTS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "sdimage_photos_free": (None, (c_void_p,)),
    "sdimage_photos_identifier_of_url": (c_void_p, (c_char_p, c_size_t)),
    "sdimage_photos_url_of_identifier": (c_void_p, (c_char_p,)),
}


def _open() -> ctypes.CDLL:
    """The plug-in beside the library, or the system's own."""
    beside = [os.path.join(os.path.dirname(name), SONAME) for name in candidates() if os.sep in name]
    for name in [place for place in beside if os.path.exists(place)] + [SONAME]:
        try:
            return ctypes.CDLL(name)
        except OSError as error:
            if name != SONAME:
                raise ImportError(f"the plug-in {name} cannot be opened: {error}") from None
    raise ImportError(f"the photo library plug-in, {SONAME}, is not installed")


lib = _open()
for _name, _prototype in {**PROTOTYPES, **TEXTS}.items():
    setattr(lib, _name, function(lib, _name, *_prototype))
