"""One wish for a picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from . import _bytes, _enums
from ._bytes import ReadableBuffer
from ._ffi import lib
from ._handle import Handle
from .encoding import EncodeOptions, encode_options
from .options import U32, DecodeOptions, OptionValue, bag, decode_options, known, unsigned

if TYPE_CHECKING:
    from .caches import AnyCache
    from .hooks import DownloadHooks
    from .loader import Loader, LoadFunction
    from .transforms import Transformer

class RequestOptions(DecodeOptions, total=False):
    """Keyword arguments of loads, beside those of decoding."""

    #: Replaces the URL as base of the cache key.
    cache_key: str | bytes | None
    #: ``"low"``, ``"normal"`` or ``"high"``.
    priority: str
    #: ``"any"``, ``"cache_only"`` or ``"loader_only"``.
    source_policy: str
    #: ``"none"``, ``"disk"``, ``"memory"`` or ``"all"``: layers that are asked, and that keep the picture.
    query_layers: str
    store_layers: str
    #: The same for the original of a thumbnail.
    original_query_layers: str
    original_store_layers: str
    #: How a thumbnail or transformed picture is encoded for the disk.
    encode: EncodeOptions | None
    #: A picture found in memory brings its encoded bytes too.
    wants_data: bool
    #: ``"none"``, ``"memory_data"``, ``"disk"`` or ``"all"``: what the starting call reads from the disk before it returns.
    blocking_reads: str
    #: Deliver only after the disk cache has committed.
    wait_for_store: bool
    #: Load a URL that failed for good a moment ago all the same.
    retry_failed: bool
    #: ``"ignore"`` (what is cached is good), ``"respect"`` (as HTTP says) or ``"refresh"`` (the cached picture first, then
    #: what the origin has); left out: the manager's.
    freshness: str
    #: Header fields of the HTTP request; ``None`` removes one.
    headers: Mapping[str, str | None] | None
    #: The HTTP method, ``"GET"`` when left out, and what is sent with another.
    method: str | None
    body: ReadableBuffer | None
    #: Milliseconds for the whole transfer.
    timeout_ms: int | None
    #: Largest body in decoded bytes.
    max_body_bytes: int | None
    #: Further tries after a transient failure, in place of the downloader's.
    max_retries: int | None
    #: Sends and keeps cookies, in a jar that the downloader has in memory.
    handle_cookies: bool
    #: Loads from servers whose certificates are not valid; no cache keeps what comes.
    accept_invalid_certificates: bool
    #: In place of the manager's; ``None`` is no cache.
    cache: AnyCache | None
    #: In place of the manager's.
    loader: Loader | LoadFunction
    #: A say in this download, before that of the downloader's own hooks.
    hooks: DownloadHooks | None
    #: Changes the decoded picture; ``None`` is none, whatever the manager has.
    transformer: Transformer | None
    #: Delivers what can be shown of the picture while it arrives: to ``on_partial``, and in :meth:`Manager.results`.
    progressive: bool
    #: Milliseconds from one such part to the next, at least; 100 when left out.
    progressive_interval_ms: int | None
    #: Also frames of animations, and pictures drawn from shapes.
    transform_animated: bool
    transform_vector: bool
    #: Values for custom loaders.
    options: Mapping[str, OptionValue] | None


_LAYERS = ("query_layers", "store_layers", "original_query_layers", "original_store_layers")
_DECODING = frozenset(DecodeOptions.__annotations__)


def new_request(url: str | bytes, options: RequestOptions) -> Handle:
    """An ``sdimage_request`` with everything but the loader, whose life is the manager's business."""
    known(options, RequestOptions)
    address = url.encode("utf-8", "surrogateescape") if isinstance(url, str) else bytes(url)
    handle = Handle(lib.sdimage_request_new(address, len(address)), lib.sdimage_request_unref)
    if not options:
        return handle
    pointer = handle.pointer
    if not _DECODING.isdisjoint(options):
        with decode_options(options) as wish:
            lib.sdimage_request_set_decode_options(pointer, wish.pointer)
    if "transformer" in options:
        transformer = options["transformer"]
        lib.sdimage_request_set_transformer(pointer, None if transformer is None else transformer.pointer)
    hooks = options.get("hooks")
    if hooks is not None:
        lib.sdimage_request_set_hooks(pointer, hooks.pointer)
    lib.sdimage_request_set_transform_animated(pointer, options.get("transform_animated", False))
    lib.sdimage_request_set_transform_vector(pointer, options.get("transform_vector", False))
    lib.sdimage_request_set_progressive(pointer, options.get("progressive", False))
    interval = unsigned(options.get("progressive_interval_ms"), "progressive_interval_ms", U32)
    lib.sdimage_request_set_progressive_interval_ms(pointer, interval)
    _set_cache(pointer, options)
    _set_transfer(pointer, options)
    return handle


def _set_cache(pointer: int, options: RequestOptions) -> None:
    key = options.get("cache_key")
    if key is not None:
        data = _bytes.key_bytes(key)
        lib.sdimage_request_set_cache_key(pointer, data, len(data))
    for name in _LAYERS:
        layers = options.get(name)
        if layers is not None:
            number = _enums.number(_enums.CACHE_LAYERS, str(layers), name)
            getattr(lib, f"sdimage_request_set_{name}")(pointer, number)
    if "cache" in options:
        cache = options["cache"]
        lib.sdimage_request_set_cache(pointer, cache.pointer if cache is not None else None)
    encode = options.get("encode")
    if encode:
        with encode_options(encode) as wish:
            lib.sdimage_request_set_encode_options(pointer, wish.pointer)
    lib.sdimage_request_set_wants_data(pointer, options.get("wants_data", False))
    reads = _enums.number(_enums.BLOCKING_READS, options.get("blocking_reads", "none"), "blocking_reads")
    lib.sdimage_request_set_blocking_reads(pointer, reads)
    lib.sdimage_request_set_wait_for_store(pointer, options.get("wait_for_store", False))


def _set_transfer(pointer: int, options: RequestOptions) -> None:
    priority = _enums.number(_enums.PRIORITIES, options.get("priority", "normal"), "priority")
    policy = _enums.number(_enums.SOURCE_POLICIES, options.get("source_policy", "any"), "source_policy")
    lib.sdimage_request_set_priority(pointer, priority)
    lib.sdimage_request_set_source_policy(pointer, policy)
    lib.sdimage_request_set_retry_failed(pointer, options.get("retry_failed", False))
    freshness = options.get("freshness")
    if freshness is not None:
        lib.sdimage_request_set_freshness(pointer, _enums.number(_enums.FRESHNESS, freshness, "freshness"))
    for name, value in (options.get("headers") or {}).items():
        lib.sdimage_request_set_header(pointer, name.encode(), None if value is None else value.encode())
    method = options.get("method")
    if method is not None:
        lib.sdimage_request_set_method(pointer, method.encode())
    body = options.get("body")
    if body is not None:
        with _bytes.new_data(body) as data:
            lib.sdimage_request_set_body(pointer, data.pointer)
    lib.sdimage_request_set_timeout_ms(pointer, unsigned(options.get("timeout_ms"), "timeout_ms", U32))
    lib.sdimage_request_set_max_body_bytes(pointer, unsigned(options.get("max_body_bytes"), "max_body_bytes"))
    retries = options.get("max_retries")
    if retries is not None:
        lib.sdimage_request_set_max_retries(pointer, unsigned(retries, "max_retries", U32))
    lib.sdimage_request_set_handle_cookies(pointer, options.get("handle_cookies", False))
    lib.sdimage_request_set_accept_invalid_certificates(pointer, options.get("accept_invalid_certificates", False))
    values = options.get("options")
    if values:
        with bag(values) as carried:
            lib.sdimage_request_set_options(pointer, carried.pointer)
