"""The functions that all kinds of caches have."""

from __future__ import annotations

import asyncio
from ctypes import byref, c_void_p
from typing import Any, Unpack

from . import _asyncio, _bytes, _callbacks, _enums
from ._bytes import ReadableBuffer
from ._check import flag, optional_function, optional_pointer, pointer_of
from ._ffi import lib
from ._handle import Handle
from ._listener import OnResult
from ._prototypes import DESTROY
from .encoding import EncodeOptions, encode_options
from .errors import Error, call
from .events import Listener
from .image import Image
from .options import DecodeOptions, decode_options, known
from .request import RequestOptions, hold, new_request
from .result import Result
from .task import Task, readable

_NO_DESTROY = DESTROY()


class Lookups:
    """Look-ups and stores of images, common to all caches. Keys are ``str`` or their UTF-8 as ``bytes``."""

    __slots__ = ()

    @property
    def pointer(self) -> int:
        """Address of the ``sdimage_cache``, borrowed."""
        raise NotImplementedError

    def lookup(self, key: str | bytes, **options: Unpack[RequestOptions]) -> Result:
        """Looks up an image in this cache alone and waits while other threads run. :attr:`Result.source` is
        ``"memory"``, ``"disk"`` or ``"remote"``; without an entry the image is ``None``, and the source ``"none"``.

        The options are those of loads: ``thumbnail_size``, ``cache_policy``, ``include_data`` …
        """
        task = self.start_lookup(key, **options)
        try:
            return task.wait()
        except BaseException:
            task.cancel()  # Ctrl-C: no caller is waiting any longer
            raise

    def start_lookup(
        self, key: str | bytes, on_result: OnResult | None = None, **options: Unpack[RequestOptions]
    ) -> Task:
        """The same without waiting: returns a task that can be cancelled. ``on_result(result)`` is called once, on a
        thread of the library."""
        optional_function(on_result, "on_result")
        with new_request(_bytes.key_bytes(key), options) as request:
            held, plain = (self, hold(request, options)), readable(key)
            load = _callbacks.Running(held, None, None, on_result, plain)
            return _callbacks.begin(load, lambda handler, token: self._begin(request, handler, token, plain))

    async def lookup_async(self, key: str | bytes, **options: Unpack[RequestOptions]) -> Result:
        """The same on the running asyncio loop; cancelling the asyncio task cancels the look-up."""
        queue = _asyncio.queue()
        final: asyncio.Future[Result] = asyncio.get_running_loop().create_future()

        def settle(result: Result) -> None:
            if not final.done():
                final.set_result(result)

        token = queue.add(listener := Listener(None, None, settle))
        try:
            with new_request(_bytes.key_bytes(key), options) as request:
                listener.held, listener.url = (self, hold(request, options)), readable(key)
                lib.sdimage_request_set_dispatcher(request.pointer, queue.dispatcher.pointer)
                task = self._begin(request, None, token, listener.url)
            result = task.result()
            if result is None:
                try:
                    result = await final
                except asyncio.CancelledError:
                    task.cancel()
                    raise
            return task.checked(result)
        finally:
            queue.forget(token)

    def _begin(self, request: Handle, handler: Any, token: int, key: str) -> Task:
        out = c_void_p()
        call(lib.sdimage_cache_load, self.pointer, request.pointer, handler, token, _NO_DESTROY, byref(out))
        return Task(out.value, self, key)

    def image(self, key: str | bytes, **options: Unpack[DecodeOptions]) -> Image | None:
        """The image, from memory or decoded from disk; ``None`` when there is none."""
        known(options, DecodeOptions)
        name = _bytes.key_bytes(key)
        out = c_void_p()
        if not options:
            lib.sdimage_cache_get_memory_image(self.pointer, name, len(name), byref(out))
            if out.value:
                return Image.owned(out.value)
        with decode_options(options) as wish:
            found = self._found(lib.sdimage_cache_get_image, name, len(name), wish.pointer, byref(out))
        return Image.owned(out.value) if found else None

    def data(self, key: str | bytes) -> bytes | None:
        """The encoded bytes; ``None`` when there are none."""
        name = _bytes.key_bytes(key)
        out = c_void_p()
        return _bytes.taken(out) if self._found(lib.sdimage_cache_get_data, name, len(name), byref(out)) else None

    def store_image(
        self,
        key: str | bytes,
        image: Image | None = None,
        data: ReadableBuffer | None = None,
        *,
        memory: bool = True,
        disk: bool = True,
        **options: Unpack[EncodeOptions],
    ) -> None:
        """Stores `image` in memory and `data`, encoded bytes, on disk; returns when they are committed.

        Without `data` the image is encoded with `options`: in its own format if that can be written and keeps the alpha
        channel of a still, else GIF for an animation, PNG with an alpha channel, JPEG otherwise.
        """
        known(options, EncodeOptions)
        name = _bytes.key_bytes(key)
        pointer = optional_pointer(image, "image", "image")
        with encode_options(options) as wish, _bytes.optional_data(data) as bytes_pointer:
            layers = layers_of(memory, disk)
            call(lib.sdimage_cache_store, self.pointer, name, len(name), pointer, bytes_pointer, layers, wish.pointer)

    def _found(self, function: Any, *arguments: Any) -> bool:
        try:
            call(function, self.pointer, *arguments)
        except Error as error:
            if error.code == "NOT_FOUND":
                return False
            raise
        return True


class Operations(Lookups):
    """The functions of all caches but custom ones, whose functions are methods of the program."""

    __slots__ = ()

    def store(
        self,
        key: str | bytes,
        image: Image | None = None,
        data: ReadableBuffer | None = None,
        *,
        memory: bool = True,
        disk: bool = True,
        **options: Unpack[EncodeOptions],
    ) -> None:
        """Stores `image` in memory and `data`, encoded bytes, on disk: :meth:`store_image`."""
        self.store_image(key, image, data, memory=memory, disk=disk, **options)

    def memory_image(self, key: str | bytes) -> Image | None:
        """The image in memory; never touches the disk."""
        name = _bytes.key_bytes(key)
        out = c_void_p()
        lib.sdimage_cache_get_memory_image(self.pointer, name, len(name), byref(out))
        return Image.owned(out.value) if out.value else None

    def set_memory_image(self, key: str | bytes, image: Image) -> None:
        """Stores an image in memory only, also if the cache does not keep the images of loads in memory."""
        name = _bytes.key_bytes(key)
        call(lib.sdimage_cache_set_memory_image, self.pointer, name, len(name), pointer_of(image, "image", "image"))

    def contains(self, key: str | bytes) -> str:
        """The quickest layer that holds the entry: ``"memory"``, ``"disk"`` or ``"none"``."""
        name = _bytes.key_bytes(key)
        layers = lib.sdimage_cache_contains(self.pointer, name, len(name))
        return next((word for word in ("memory", "disk") if layers & _enums.CACHE_LAYERS[word]), "none")

    def remove(self, key: str | bytes, memory: bool = True, disk: bool = True) -> None:
        """Removes an entry; a missing entry is no error."""
        name = _bytes.key_bytes(key)
        call(lib.sdimage_cache_remove, self.pointer, name, len(name), layers_of(memory, disk))

    def clear(self, memory: bool = True, disk: bool = True) -> None:
        """Removes everything; ``Error("UNSUPPORTED")`` if a part of the cache cannot be cleared."""
        call(lib.sdimage_cache_clear, self.pointer, layers_of(memory, disk))


def layers_of(memory: bool, disk: bool) -> int:
    """The number of a set of layers."""
    layers = _enums.CACHE_LAYERS["memory"] if flag(memory, "memory") else 0
    return layers | (_enums.CACHE_LAYERS["disk"] if flag(disk, "disk") else 0)
