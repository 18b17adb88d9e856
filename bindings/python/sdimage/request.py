"""The parameters of one load."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from ctypes import byref, c_void_p
from typing import TYPE_CHECKING, Any, cast

from . import _bytes, _enums, _words
from ._bytes import ReadableBuffer, URLLike
from ._check import flag, mapping, optional_pointer, text_bytes
from ._ffi import lib
from ._handle import Handle
from ._listener import OnResult
from .encoding import EncodeOptions, encode_options
from .loader import Loader, LoadFunction, as_loader
from .options import U32, U64, DecodeOptions, OptionValue, bag, known, set_decoding, unsigned

if TYPE_CHECKING:
    from .caches import AnyCache
    from .coder import AnyCoder
    from .hooks import DownloadHooks
    from .load_hooks import LoadHooks
    from .transforms import Transformer


class RequestOptions(DecodeOptions, total=False):
    """Keyword arguments of loads, in addition to those of decoding."""

    #: Replaces the URL as the base of the cache key.
    cache_key: str | bytes | None
    #: ``"low"``, ``"normal"`` or ``"high"``.
    priority: str
    #: ``"any"``, ``"cache_only"`` or ``"loader_only"``.
    source_policy: str
    #: The use of the cache: ``"default"``, ``"memory_only"``, ``"disk_only"``, ``"read_only"``, ``"write_only"``,
    #: ``"none"``, or a collection of exceptions, ``{"skip_disk_write", "skip_memory_read"}``; for the original of a
    #: thumbnail or transformed image ``"skip_original_read"``, ``"skip_original_write"``,
    #: ``"read_original_from_memory"`` and ``"store_original_in_memory"``.
    cache_policy: str | Collection[str]
    #: Encode options of a thumbnail or transformed image for the disk.
    encode: EncodeOptions | None
    #: Format of a thumbnail or transformed image on disk, such as ``"bmp"``; default: JPEG, or PNG for an
    #: alpha channel or an original without loss. An alpha channel is kept as PNG if ``"bmp"`` would lose it.
    encode_format: str | None
    #: Delivers the encoded bytes also for an image found in memory.
    include_data: bool
    #: ``"none"``, ``"memory_data"``, ``"disk"`` or ``"all"``: the disk reads of the starting call before it returns.
    blocking_reads: str
    #: Delivers only after the disk cache has committed.
    wait_for_store: bool
    #: Loads a URL even if it failed for good recently.
    retry_failed: bool
    #: ``"ignore"`` (cached images are always used), ``"respect"`` (as HTTP says) or ``"refresh"`` (the cached image
    #: first, then the current one of the origin); default: the manager's.
    freshness: str
    #: Header fields of the HTTP request; ``None`` removes one.
    headers: Mapping[str, str | None] | None
    #: The HTTP method, ``"GET"`` by default, and the body for other methods.
    method: str | None
    body: ReadableBuffer | None
    #: Time limit of the whole transfer in milliseconds.
    timeout_ms: int | None
    #: The largest body in decoded bytes.
    max_body_bytes: int | None
    #: The number of retries after transient failures, in place of the downloader's.
    max_retries: int | None
    #: Sends and stores cookies, in a jar in the downloader's memory.
    handle_cookies: bool
    #: Loads from servers with invalid certificates; no cache stores the result.
    accept_invalid_certificates: bool
    #: Replaces the manager's cache; ``None`` disables caching.
    cache: AnyCache | None
    #: A separate cache for originals, if the image is derived from them; ``None`` is none.
    original_cache: AnyCache | None
    #: Replaces the manager's loader.
    loader: Loader | LoadFunction
    #: Hooks for this download; each of its functions replaces that of the downloader.
    hooks: DownloadHooks | None
    #: Hooks for this load; each of its functions replaces that of the manager.
    load_hooks: LoadHooks | None
    #: Changes the decoded image; ``None`` is none, whatever the manager has.
    transformer: Transformer | None
    #: Decodes in place of the registered coders.
    coder: AnyCoder | None
    #: Delivers partial images while bytes arrive: to ``on_partial``, and in :meth:`Manager.results`.
    progressive: bool
    #: The minimum time between partial images in milliseconds; default 100.
    progressive_interval_ms: int | None
    #: Applies the transformer also to frames of animations, and to vector images.
    transform_animated: bool
    transform_vector: bool
    #: Delivers animations with all their frames decoded.
    preload_frames: bool
    #: Accepts animations only: any other image is ``UNSUPPORTED``.
    require_animation: bool


_DECODING = frozenset(DecodeOptions.__annotations__)
_FLAGS = {
    "accept_invalid_certificates": lib.sdimage_request_set_accept_invalid_certificates,
    "handle_cookies": lib.sdimage_request_set_handle_cookies,
    "include_data": lib.sdimage_request_set_include_data,
    "preload_frames": lib.sdimage_request_set_preload_frames,
    "progressive": lib.sdimage_request_set_progressive,
    "require_animation": lib.sdimage_request_set_require_animation,
    "retry_failed": lib.sdimage_request_set_retry_failed,
    "transform_animated": lib.sdimage_request_set_transform_animated,
    "transform_vector": lib.sdimage_request_set_transform_vector,
    "wait_for_store": lib.sdimage_request_set_wait_for_store,
}
_WORDS = {
    "blocking_reads": (lib.sdimage_request_set_blocking_reads, _enums.BLOCKING_READS),
    "encode_format": (lib.sdimage_request_set_encode_format, _enums.FORMATS),
    "freshness": (lib.sdimage_request_set_freshness, _enums.FRESHNESS),
    "priority": (lib.sdimage_request_set_priority, _enums.PRIORITIES),
    "source_policy": (lib.sdimage_request_set_source_policy, _enums.SOURCE_POLICIES),
}
#: Numbers and their maxima; ``None`` is the default.
_NUMBERS = {
    "max_body_bytes": (lib.sdimage_request_set_max_body_bytes, U64),
    "progressive_interval_ms": (lib.sdimage_request_set_progressive_interval_ms, U32),
    "timeout_ms": (lib.sdimage_request_set_timeout_ms, U32),
}
#: Objects; ``None`` is none.
_OBJECTS = {
    "cache": (lib.sdimage_request_set_cache, "cache"),
    "original_cache": (lib.sdimage_request_set_original_cache, "cache"),
    "hooks": (lib.sdimage_request_set_hooks, "download hooks"),
    "load_hooks": (lib.sdimage_request_set_load_hooks, "load hooks"),
    "transformer": (lib.sdimage_request_set_transformer, "transformer"),
    "coder": (lib.sdimage_request_set_coder, "coder"),
}


def new_request(url: URLLike, options: RequestOptions) -> Handle:
    """An ``sdimage_request`` with everything except the loader: see :func:`hold`."""
    address = _bytes.url_bytes(url)
    handle = Handle(lib.sdimage_request_new_bytes(address, len(address)), lib.sdimage_request_unref)
    set_options(handle.pointer, options)
    return handle


def set_options(pointer: int, options: RequestOptions) -> None:
    """Sets the given options."""
    known(options, RequestOptions)
    if not options:
        return
    if not _DECODING.isdisjoint(options):
        _set_decoding(pointer, options)
    for name, value in options.items():
        if name in _FLAGS:
            _FLAGS[name](pointer, flag(value, name))
        elif name in _OBJECTS:
            assign, kind = _OBJECTS[name]
            assign(pointer, optional_pointer(value, name, kind))
        elif name in _NUMBERS:
            setter, most = _NUMBERS[name]
            setter(pointer, unsigned(cast("int | None", value), name, most))
        elif name in _WORDS:
            if value is not None:
                setter, words = _WORDS[name]
                setter(pointer, _words.number(words, cast(str, value), name))
            elif name == "encode_format":
                lib.sdimage_request_set_encode_format(pointer, _enums.FORMATS["unknown"])
        elif name == "cache_policy":
            number = _words.bits(_enums.CACHE_POLICIES, cast("str | Collection[str]", value), name)
            lib.sdimage_request_set_cache_policy(pointer, number)
    _set_others(pointer, options)


def _set_decoding(pointer: int, options: RequestOptions) -> None:
    out = c_void_p()
    lib.sdimage_request_copy_decode_options(pointer, byref(out))
    with Handle(out.value, lib.sdimage_decode_options_unref) as wish:
        set_decoding(wish.pointer, options)
        lib.sdimage_request_set_decode_options(pointer, wish.pointer)


def _set_others(pointer: int, options: RequestOptions) -> None:
    if "cache_key" in options:
        key = options["cache_key"]
        data = None if key is None else text_bytes(key, "cache_key")
        lib.sdimage_request_set_cache_key(pointer, data, 0 if data is None else len(data))
    if "encode" in options:
        _set_encoding(pointer, cast(EncodeOptions, mapping(options["encode"], "encode")))
    for name, value in mapping(options.get("headers"), "headers").items():
        content = None if value is None else _bytes.c_text(value, f"the header field {name!r}")
        lib.sdimage_request_set_header(pointer, _bytes.c_text(name, "the name of a header field"), content)
    if "method" in options:
        method = options["method"]
        lib.sdimage_request_set_method(pointer, b"GET" if method is None else _bytes.c_text(method, "method"))
    if "body" in options:
        with _bytes.optional_data(options["body"], "body") as block:
            lib.sdimage_request_set_body(pointer, block)
    retries = options.get("max_retries")
    if retries is not None:
        lib.sdimage_request_set_max_retries(pointer, unsigned(retries, "max_retries", U32))
    if "options" in options:
        with bag(cast("Mapping[str, OptionValue] | None", options["options"])) as carried:
            lib.sdimage_request_set_options(pointer, carried.pointer)


def _set_encoding(pointer: int, options: EncodeOptions) -> None:
    known(options, EncodeOptions)
    if not options:
        lib.sdimage_request_set_encode_options(pointer, None)
        return
    with encode_options(options) as wish:
        lib.sdimage_request_set_encode_options(pointer, wish.pointer)


def hold(request: Handle, options: RequestOptions) -> list[object]:
    """Sets the loader of a request. Returns the objects that the library references by number; the caller holds them
    until the load ends."""
    named: Mapping[str, Any] = options
    objects = [named.get(name) for name in ("cache", "original_cache", "hooks", "load_hooks", "coder")]
    held: list[object] = [each for each in objects if each is not None and not getattr(each, "is_held_by_library", False)]
    if "loader" in options:
        loader = as_loader(options["loader"])
        lib.sdimage_request_set_loader(request.pointer, loader.pointer)
        held.append(loader)
    return held


def shown(options: RequestOptions, on_partial: OnResult | None) -> RequestOptions:
    """The options of a load with an observer."""
    if on_partial is None or "progressive" in options:
        return options
    watched = options.copy()
    watched["progressive"] = True
    return watched
