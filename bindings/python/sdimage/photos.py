"""The photos of the user: an index with identifiers that stay valid when files move, and a loader for ``ph:`` URLs.

>>> import sdimage
>>> from sdimage.photos import PhotoLibrary
>>> with PhotoLibrary() as library, sdimage.Manager(loader=library.loader()) as manager:
...     for photo in library.photos(limit=10):
...         image = manager.load(photo.url, thumbnail_size=(320, 320)).image

Importing this module requires the plug-in ``libsdimage-photos.so.1``; it raises ``ImportError`` without it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from ctypes import byref, c_void_p, sizeof, string_at
from datetime import datetime, timedelta, timezone
from types import MappingProxyType
from typing import Any, cast

from . import _bytes, _enums, _words
from ._check import flag
from ._closing import Closing
from ._handle import Handle, Shared
from ._photos import lib
from ._prototypes import (
    DESTROY,
    PHOTOS_FILTER_TABLE_SHOULD_INCLUDE,
    PHOTOS_SCAN_HANDLER_PROGRESS,
    PhotosFilterTable,
    PhotosScanHandler,
)
from .errors import Error, call, text
from .loader import Loader
from .options import U32, U64, box, unsigned

__all__ = ["Photo", "PhotoLibrary", "identifier_of_url", "url_of_identifier"]

_NO_DESTROY = DESTROY()
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_Path = str | bytes | os.PathLike[str] | os.PathLike[bytes]


def _taken_over(pointer: int | None) -> str | None:
    """Text that the plug-in allocated, which is freed."""
    if not pointer:
        return None
    try:
        return string_at(pointer).decode("utf-8", "surrogateescape")
    finally:
        lib.sdimage_photos_free(pointer)


def url_of_identifier(identifier: str) -> str:
    """``ph://IDENTIFIER``, with percent-encoding of characters that a URL cannot contain."""
    url = _taken_over(lib.sdimage_photos_url_of_identifier(identifier.encode("utf-8", "surrogateescape")))
    if url is None:
        raise Error("INVALID_ARGUMENT", "photos: empty identifier")
    return url


def identifier_of_url(url: str) -> str | None:
    """The identifier in a ``ph:`` URL; ``None`` for other URLs."""
    data = url.encode("utf-8", "surrogateescape")
    return _taken_over(lib.sdimage_photos_identifier_of_url(data, len(data)))


class Photo:
    """One photo, video or sound in the state of the library at the time of the fetch."""

    __slots__ = ("_handle",)

    def __init__(self, handle: Handle) -> None:
        self._handle = handle

    @property
    def identifier(self) -> str:
        """The identifier, which is stable while the file moves inside the library."""
        return text(lib.sdimage_photos_asset_identifier(self._handle.pointer))

    @property
    def url(self) -> str:
        """The ``ph:`` URL, for a manager with the loader of the library."""
        return url_of_identifier(self.identifier)

    @property
    def cache_key(self) -> str:
        """A cache key that includes the time of the file: an edited photo is loaded again under a new key."""
        return f"{self.url}#{lib.sdimage_photos_asset_modified_ns(self._handle.pointer)}"

    @property
    def path(self) -> str:
        """The last known path of the file; ``os.fsencode`` returns its bytes."""
        return os.fsdecode(lib.sdimage_photos_asset_path(self._handle.pointer))

    @property
    def name(self) -> str:
        return os.fsdecode(lib.sdimage_photos_asset_name(self._handle.pointer))

    @property
    def media(self) -> str:
        """``"image"``, ``"video"`` or ``"audio"``."""
        return _word(_enums.PHOTOS_MEDIA, lib.sdimage_photos_asset_media(self._handle.pointer))

    @property
    def origin(self) -> str:
        """``"own"``, ``"shared"`` (a file of another user) or ``"synced"``."""
        return _word(_enums.PHOTOS_ORIGINS, lib.sdimage_photos_asset_origin(self._handle.pointer))

    @property
    def playback(self) -> str:
        """``"still"``, ``"animated"``, ``"video"`` or ``"none"``."""
        return _word(_enums.PHOTOS_PLAYBACKS, lib.sdimage_photos_asset_playback(self._handle.pointer))

    @property
    def type(self) -> str:
        """The media type, such as ``"image/jpeg"``."""
        return text(lib.sdimage_photos_asset_type(self._handle.pointer))

    @property
    def size(self) -> tuple[int, int]:
        """``(width, height)`` in pixels as displayed; ``(0, 0)`` if unknown."""
        size = lib.sdimage_photos_asset_pixel_size(self._handle.pointer)
        return size.width, size.height

    @property
    def orientation(self) -> str:
        """The orientation of the stored pixels: ``"up"``, ``"right"`` …"""
        return _words.word(_enums.ORIENTATIONS, lib.sdimage_photos_asset_orientation(self._handle.pointer))

    @property
    def taken(self) -> datetime:
        """The capture time in UTC; the time of the file if it has none."""
        return _date(lib.sdimage_photos_asset_taken_ns(self._handle.pointer))

    @property
    def modified(self) -> datetime:
        """The last modification of the file, in UTC."""
        return _date(lib.sdimage_photos_asset_modified_ns(self._handle.pointer))

    @property
    def file_size(self) -> int:
        """The size of the file in bytes."""
        return cast(int, lib.sdimage_photos_asset_file_size(self._handle.pointer))

    @property
    def rating(self) -> int:
        """1 to 5; 0: unrated; -1: rejected."""
        return cast(int, lib.sdimage_photos_asset_rating(self._handle.pointer))

    @property
    def albums(self) -> list[str]:
        """For a tree the folder, ``""`` for the library itself; for a database events, albums and tags."""
        albums: list[str] = []
        while (album := lib.sdimage_photos_asset_album(self._handle.pointer, len(albums))) is not None:
            albums.append(os.fsdecode(album))
        return albums

    def write_thumbnail(self, side: int = 256) -> None:
        """Writes a freedesktop thumbnail of the file, for all programs of the user."""
        call(lib.sdimage_photos_asset_write_thumbnail, self._handle.pointer, unsigned(side, "side", U32))

    def __repr__(self) -> str:
        return f"<Photo {self.identifier} {self.name!r}>"


class PhotoLibrary(Closing):
    """A folder tree with an index, or the read-only database of another program.

    ``PhotoLibrary()`` is the user's Pictures folder. With ``watch`` one thread keeps the index up to date; without it,
    each fetch scans the tree. Safe on any thread; the functions that fetch read disks and may take a while.
    """

    def __init__(self, path: _Path | None = None, *, index_folder: _Path | None = None, watch: bool = True) -> None:
        self._config = {"path": path, "index_folder": index_folder, "watch": watch}
        with Handle(lib.sdimage_photos_library_config_new(), lib.sdimage_photos_library_config_unref) as config:
            if index_folder is not None:
                lib.sdimage_photos_library_config_set_index_folder(config.pointer, _bytes_of(index_folder))
            lib.sdimage_photos_library_config_set_watch(config.pointer, flag(watch, "watch"))
            self._open(lib.sdimage_photos_library_open, _bytes_of(path), config.pointer)

    _config: dict[str, Any] = {}

    @property
    def config(self) -> Mapping[str, Any]:
        """The arguments by their names; empty for the databases of other programs."""
        return MappingProxyType(self._config.copy())

    @classmethod
    def shotwell(cls, path: _Path | None = None) -> PhotoLibrary:
        """The library of Shotwell; ``None``: the default one of the user."""
        library = cls.__new__(cls)
        library._open(lib.sdimage_photos_library_open_shotwell, _bytes_of(path))
        return library

    @classmethod
    def digikam(cls, path: _Path | None = None) -> PhotoLibrary:
        """The library of digiKam; ``None``: the one in the Pictures folder."""
        library = cls.__new__(cls)
        library._open(lib.sdimage_photos_library_open_digikam, _bytes_of(path))
        return library

    def _open(self, function: Any, *arguments: Any) -> None:
        out = c_void_p()
        call(function, *arguments, byref(out))
        self._handle = Shared(out.value, lib.sdimage_photos_library_unref)

    @property
    def name(self) -> str:
        """``"tree"``, ``"shotwell"`` or ``"digikam"``."""
        return text(lib.sdimage_photos_library_name(self._handle.pointer))

    @property
    def is_watching(self) -> bool:
        """True if changes are noticed as they happen; otherwise :attr:`note` has the reason."""
        return cast(bool, lib.sdimage_photos_library_is_watching(self._handle.pointer))

    @property
    def note(self) -> str:
        return text(lib.sdimage_photos_library_note(self._handle.pointer))

    def scan(self, progress: Callable[[int, int], object] | None = None) -> None:
        """Scans the whole tree now. ``progress(found, read)`` stops it by returning ``False``, or by an exception,
        which is raised here."""
        failure: list[BaseException] = []

        def tell(_data: int | None, found: int, read: int) -> bool:
            try:
                return progress is None or progress(found, read) is not False
            except BaseException as error:  # no exception may leave a callback
                failure.append(error)
                return False

        handler = PhotosScanHandler(sizeof(PhotosScanHandler), PHOTOS_SCAN_HANDLER_PROGRESS(tell))
        try:
            call(lib.sdimage_photos_library_scan, self._handle.pointer, byref(handler), None, _NO_DESTROY)
        except Error:
            if failure:
                raise failure[0] from None
            raise

    def photos(
        self,
        *,
        album: str | bytes | None = None,
        nested: bool = True,
        media: Iterable[str] | str = ("image", "video", "audio"),
        origins: Iterable[str] | str = ("own", "shared", "synced"),
        taken: tuple[datetime | None, datetime | None] = (None, None),
        rating: int = -1,
        filter: Callable[[Photo], object] | None = None,
        order: str = "date",
        descending: bool = True,
        offset: int = 0,
        limit: int = 0,
    ) -> list[Photo]:
        """The matching photos, newest first. ``taken`` is the start (inclusive) and the end (exclusive) of a period."""
        failure: list[BaseException] = []

        def accepts(_data: int | None, pointer: int) -> bool:
            try:
                return not failure and (filter is None or bool(filter(_photo(pointer))))
            except BaseException as error:  # no exception may leave a callback
                failure.append(error)
                return False

        # Must live until the fetch has returned.
        chosen = PhotosFilterTable(sizeof(PhotosFilterTable), PHOTOS_FILTER_TABLE_SHOULD_INCLUDE(accepts))
        with Handle(lib.sdimage_photos_fetch_options_new(), lib.sdimage_photos_fetch_options_unref) as options:
            pointer = options.pointer
            lib.sdimage_photos_fetch_options_set_media(pointer, _bits(_enums.PHOTOS_MEDIA, media, "media"))
            lib.sdimage_photos_fetch_options_set_origins(pointer, _bits(_enums.PHOTOS_ORIGINS, origins, "origins"))
            if album is not None:
                lib.sdimage_photos_fetch_options_set_album(pointer, _bytes.c_path(album), flag(nested, "nested"))
            lib.sdimage_photos_fetch_options_set_taken(pointer, *(_nanoseconds(date) for date in taken))
            lib.sdimage_photos_fetch_options_set_rating(pointer, rating)
            if filter is not None:
                call(lib.sdimage_photos_fetch_options_set_filter, pointer, byref(chosen), None, _NO_DESTROY)
            number = _words.number(_enums.PHOTOS_ORDERS, order, "order")
            lib.sdimage_photos_fetch_options_set_order(pointer, number, flag(descending, "descending"))
            lib.sdimage_photos_fetch_options_set_page(
                pointer, unsigned(offset, "offset", U64), unsigned(limit, "limit", U64)
            )
            out = c_void_p()
            call(lib.sdimage_photos_library_fetch, self._handle.pointer, pointer, byref(out))
        if failure:
            lib.sdimage_photos_list_unref(out.value)
            raise failure[0]
        with Handle(out.value, lib.sdimage_photos_list_unref) as found:
            count = lib.sdimage_photos_list_count(found.pointer)
            return [_photo(lib.sdimage_photos_list_asset(found.pointer, index)) for index in range(count)]

    def find(self, identifier: str) -> Photo:
        """The photo with this identifier; ``Error("PHOTOS_NOT_FOUND")`` when there is none."""
        out = c_void_p()
        key = identifier.encode("utf-8", "surrogateescape")
        call(lib.sdimage_photos_library_find, self._handle.pointer, key, None, byref(out))
        return Photo(Handle(out.value, lib.sdimage_photos_asset_unref))

    def loader(
        self,
        *,
        images_only: bool = True,
        delivery: str = "opportunistic",
        target: tuple[int, int] | str = "maximum",
        content: str = "fit",
    ) -> Loader:
        """A loader for the ``ph:`` URLs of this library, to be combined with others.

        ``delivery``: ``"opportunistic"`` shows a small picture at once, ``"high_quality"`` only the requested one,
        ``"fast"`` only the small one if available. ``target``: ``"maximum"``, ``"pixel_size"``,
        ``"point_size"`` or a size in pixels; ``content``: ``"fit"`` inside that size or ``"fill"`` it. A
        ``thumbnail_size`` of the load takes precedence. The option ``photosRequestImageData`` of a load
        requests the bytes of the file or, for an animation, only its picture.
        """
        out = c_void_p()
        with (
            Handle(lib.sdimage_photos_loader_config_new(), lib.sdimage_photos_loader_config_unref) as config,
            Handle(lib.sdimage_photos_request_options_new(), lib.sdimage_photos_request_options_unref) as options,
        ):
            number = _words.number(_enums.PHOTOS_DELIVERIES, delivery, "delivery")
            lib.sdimage_photos_request_options_set_delivery(options.pointer, number)
            number = _words.number(_enums.PHOTOS_CONTENTS, content, "content")
            lib.sdimage_photos_request_options_set_content(options.pointer, number)
            if not isinstance(target, str):
                lib.sdimage_photos_request_options_set_target(options.pointer, *box(target))
            elif target == "pixel_size":
                lib.sdimage_photos_request_options_set_target_pixel_size(options.pointer)
            elif target == "point_size":
                lib.sdimage_photos_request_options_set_target_point_size(options.pointer)
            elif target != "maximum":
                raise Error("INVALID_ARGUMENT", f"photos: target is {target!r}, expected maximum, pixel_size, point_size or a size")
            lib.sdimage_photos_loader_config_add_library(config.pointer, self._handle.pointer)
            lib.sdimage_photos_loader_config_set_request_options(config.pointer, options.pointer)
            lib.sdimage_photos_loader_config_set_images_only(config.pointer, flag(images_only, "images_only"))
            call(lib.sdimage_photos_loader_new, config.pointer, byref(out))
        return Loader._owned(out.value)

    def cancel_loads(self) -> None:
        """Cancels all loads of this library in progress, for programs under memory pressure."""
        lib.sdimage_photos_library_cancel_loads(self._handle.pointer)

    def close(self) -> None:
        """Releases the library; its loaders continue to use it."""
        self._handle.release()


def _photo(pointer: int) -> Photo:
    """A photo from a borrowed ``sdimage_photos_asset``."""
    return Photo(Handle(lib.sdimage_photos_asset_ref(pointer), lib.sdimage_photos_asset_unref))


def _word(words: dict[str, int], number: int) -> str:
    return next((word for word, value in words.items() if value == number), "none")


def _bits(words: dict[str, int], chosen: Iterable[str] | str, what: str) -> int:
    names = [chosen] if isinstance(chosen, str) else chosen
    return sum({_words.number(words, name, what) for name in names})


def _bytes_of(path: _Path | None) -> bytes | None:
    return None if path is None else _bytes.c_path(path)


def _date(nanoseconds: int) -> datetime:
    return _EPOCH + timedelta(microseconds=nanoseconds // 1000)


def _nanoseconds(date: datetime | None) -> int:
    """Converts a date; one without a zone is in local time. Values beyond 64 bits are clamped."""
    if date is None:
        return 0
    nanoseconds = (date.astimezone(timezone.utc) - _EPOCH) // timedelta(microseconds=1) * 1000
    return min(max(nanoseconds, -(1 << 63)), (1 << 63) - 1)
