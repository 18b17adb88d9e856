"""Loads images from URLs, files and bytes through memory and disk caches.

>>> import sdimage
>>> with sdimage.Manager() as manager:
...     image = manager.load("https://example.org/cat.jpg", thumbnail_size=(320, 320)).image

Calls may be made on any thread. ``Manager.load`` waits, ``Manager.start`` returns a task, and ``Manager.load_async`` is
for asyncio. Create managers after a fork: the child of a process that has one can decode and encode only.
"""

from __future__ import annotations

from . import placeholders, transforms
from .animated_view import AnimatedView
from .animation import Animation
from .cache import ImageCache
from .caches import Cache, CacheChain, LayeredCache, TieredCache
from .coder import (
    Coder,
    CoderInstance,
    LibraryCoder,
    WorkBudget,
    can_decode,
    can_encode,
    coders,
    register_coder,
    unregister_coder,
)
from .defaults import set_default_cache, set_default_loader
from .doctor import doctor, frame_memory, metrics, trim_memory, version, watch_memory_pressure
from .encoding import EncodeOptions
from .entries import Entry
from .errors import Error
from .events import EventQueue
from .gain_map import GainMap, GainMapChannel
from .header import info, read_metadata, sniff
from .helpers import (
    color_from_hex,
    color_to_hex,
    format_extension,
    format_mime_type,
    format_of_mime_type,
    size_scaled,
)
from .hooks import DownloadEvent, DownloadHooks, DownloadRequest, DownloadResponse
from .image import Image, decode
from .isolation import isolation, isolation_statistics, set_isolation
from .load_hooks import LoadHooks, RequestDraft
from .loader import Downloader, Loader, LoaderChain, LoadRequest
from .manager import Manager
from .metadata import ImageMetadata, MetadataChanges
from .options import DecodeOptions
from .player import Player
from .plugins import Plugin, load_plugins
from .batch import Batch
from .prefetch import PrefetchGroup
from .prefetcher import Prefetcher
from .remote import MemcachedCache, RedisCache, RemoteCache
from .request import RequestOptions
from .resources import Resources
from .result import Response, Result, Transaction
from .target import Target, TargetOptions
from .task import Task
from .transport import Transport, TransportRequest

__version__ = version()

__all__ = [
    "AnimatedView",
    "Animation",
    "Cache",
    "CacheChain",
    "Coder",
    "CoderInstance",
    "DecodeOptions",
    "DownloadEvent",
    "DownloadHooks",
    "DownloadRequest",
    "DownloadResponse",
    "Downloader",
    "EncodeOptions",
    "Entry",
    "Error",
    "EventQueue",
    "GainMap",
    "GainMapChannel",
    "Image",
    "ImageCache",
    "ImageMetadata",
    "LayeredCache",
    "LibraryCoder",
    "LoadHooks",
    "LoadRequest",
    "Loader",
    "LoaderChain",
    "Manager",
    "MemcachedCache",
    "MetadataChanges",
    "Player",
    "Plugin",
    "Batch",
    "PrefetchGroup",
    "Prefetcher",
    "RedisCache",
    "RemoteCache",
    "RequestDraft",
    "RequestOptions",
    "Resources",
    "Response",
    "Result",
    "Target",
    "TargetOptions",
    "Task",
    "TieredCache",
    "Transaction",
    "Transport",
    "TransportRequest",
    "WorkBudget",
    "can_decode",
    "can_encode",
    "coders",
    "color_from_hex",
    "color_to_hex",
    "decode",
    "doctor",
    "format_extension",
    "format_mime_type",
    "format_of_mime_type",
    "frame_memory",
    "info",
    "isolation",
    "isolation_statistics",
    "load_plugins",
    "metrics",
    "placeholders",
    "read_metadata",
    "register_coder",
    "set_default_cache",
    "set_default_loader",
    "set_isolation",
    "size_scaled",
    "sniff",
    "transforms",
    "trim_memory",
    "unregister_coder",
    "version",
    "watch_memory_pressure",
]
