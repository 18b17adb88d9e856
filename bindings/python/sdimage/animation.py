"""Frames on demand, and progressive images."""

from __future__ import annotations

import base64
import weakref
from collections.abc import Callable, Iterator, Mapping
from ctypes import byref, c_void_p
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Unpack, cast, overload

from . import _bytes
from ._bytes import Path, ReadableBuffer
from ._check import flag, optional_pointer
from ._closing import Closing
from ._ffi import lib
from ._handle import Handle, Shared
from ._prototypes import Size
from .coder import AnyCoder
from .errors import call
from .header import contents
from .image import Image
from .options import DecodeOptions, decode_options, known
from .player import Player

if TYPE_CHECKING:
    from .animated_view import AnimatedView

#: Longest side of notebook previews in pixels.
_PREVIEW_SIDE = 1000


class Animation(Closing):
    """The frames of an animation, each decoded on demand; memory use is bounded for any number of frames.

    >>> animation = sdimage.Animation("cat.gif", thumbnail_size=(200, 200))
    >>> [frame.width for frame in animation], animation.durations_ms, animation.loop_count

    To see frames, and :attr:`image`, while bytes arrive, start with ``b""`` and pass them to :meth:`update`. Stills
    have one frame. Takes bytes or a path, and the options of :class:`sdimage.DecodeOptions`.
    """

    __slots__ = ("__weakref__", "_coder", "_finished", "_given", "_handle", "_options", "followers", "generation")

    def __init__(
        self, data: ReadableBuffer | Path, *, coder: AnyCoder | None = None, **options: Unpack[DecodeOptions]
    ) -> None:
        """`coder` decodes in place of the registered ones."""
        known(options, DecodeOptions)
        self._coder, self._given = coder, options
        #: The number of decodes that were started: one, and one for each update after the last bytes.
        self.generation = 1
        #: Views that show each part as it arrives: see :meth:`AnimatedView.set`.
        self.followers: weakref.WeakSet[AnimatedView] = weakref.WeakSet()
        self._options = decode_options(options)
        self._finished = False
        self._handle = self._new()
        first = contents(data)
        if _bytes.contents_of(first)[1]:
            self._append(first, True)

    def _new(self) -> Handle:
        out = c_void_p()
        coder = optional_pointer(self._coder, "coder", "coder")
        call(lib.sdimage_decoder_new, self._options.pointer, coder, byref(out))
        return Shared(out.value, lib.sdimage_decoder_unref)

    def _append(self, data: ReadableBuffer, finished: bool) -> None:
        call(lib.sdimage_decoder_append, self._handle.pointer, *_bytes.borrowed(data), flag(finished, "finished"))
        self._finished = finished

    def update(self, more_data: ReadableBuffer, finished: bool = False) -> None:
        """Appends bytes; `finished` marks the last ones. Raises as soon as the data is known to be bad. Views that show
        the animation (:meth:`AnimatedView.set`) show the part, too.

        Until more is appended, the data of the constructor counts as complete.
        """
        if self._finished:
            before = self.data
            self._handle.release()
            self._handle = self._new()
            self.generation += 1
            self._append(before, False)
        try:
            self._append(more_data, finished)
        finally:
            for view in list(self.followers):
                view.follow(self)

    @property
    def is_incremental(self) -> bool:
        """True until the last bytes were passed: frames, or parts of an image, may be missing."""
        return not self._finished

    @property
    def options(self) -> Mapping[str, Any]:
        """The options given, and the coder."""
        return MappingProxyType({**self._given, "coder": self._coder})

    @property
    def data(self) -> bytes:
        """All bytes so far."""
        out = c_void_p()
        call(lib.sdimage_decoder_get_data, self._handle.pointer, byref(out))
        return _bytes.taken(out)

    @property
    def image(self) -> Image | None:
        """The best image so far; the first frame of an animation; ``None`` while there is none."""
        out = c_void_p()
        call(lib.sdimage_decoder_get_image, self._handle.pointer, byref(out))
        return Image.owned(out.value) if out.value else None

    @property
    def size(self) -> tuple[int, int]:
        """``(width, height)`` of every frame in pixels; zeros until the header has arrived."""
        size = cast(Size, lib.sdimage_decoder_size(self._handle.pointer))
        return size.width, size.height

    @property
    def loop_count(self) -> int:
        """The number of loops; 0 repeats forever."""
        return cast(int, lib.sdimage_decoder_loop_count(self._handle.pointer))

    @property
    def durations_ms(self) -> list[int]:
        """The duration of each frame in milliseconds as played: less than 11 means 100, as in browsers."""
        pointer = self._handle.pointer
        return [lib.sdimage_decoder_frame_duration_ms(pointer, index) for index in range(len(self))]

    def __len__(self) -> int:
        return cast(int, lib.sdimage_decoder_frame_count(self._handle.pointer))

    @overload
    def __getitem__(self, index: int) -> Image: ...
    @overload
    def __getitem__(self, index: slice) -> list[Image]: ...
    def __getitem__(self, index: int | slice) -> Image | list[Image]:
        count = len(self)
        if isinstance(index, slice):
            return [self._frame(number) for number in range(*index.indices(count))]
        number = index + count if index < 0 else index
        if not 0 <= number < count:
            raise IndexError(f"frame {index} of {count}")
        return self._frame(number)

    def _frame(self, index: int) -> Image:
        out = c_void_p()
        call(lib.sdimage_decoder_get_frame, self._handle.pointer, index, byref(out))
        return Image.owned(out.value)

    def __iter__(self) -> Iterator[Image]:
        return (self._frame(index) for index in range(len(self)))

    def player(
        self,
        rate: float = 1.0,
        mode: str = "normal",
        clock: Callable[[], float] | None = None,
        loops: int | None = None,
        drop_late_frames: bool = False,
    ) -> Player:
        """Plays the frames over time, also while the animation is loading: see :class:`sdimage.Player`."""
        return Player(self._provider(), rate, mode, clock, loops, drop_late_frames)

    def _provider(self) -> Handle:
        out = c_void_p()
        call(lib.sdimage_frame_provider_new_decoder, self._handle.pointer, byref(out))
        return Shared(out.value, lib.sdimage_frame_provider_unref)

    def to_image(self) -> Image:
        """The available frames as one animated :class:`sdimage.Image`, for encoding, for example; each is still decoded
        on demand. While bytes are missing, it is :attr:`Image.is_incremental`, and players and views of it continue with
        the frames that arrive."""
        if not self._finished:
            part = self.image
            if part is not None and part.is_animated:
                return part
        out = c_void_p()
        with self._provider() as provider:
            call(lib.sdimage_image_new_provider, provider.pointer, byref(out))
        return Image.owned(out.value)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """For notebooks: an animated PNG of at most 1000 pixels on the longer side."""
        bundle = {"text/plain": repr(self)}
        if len(self):
            side = (_PREVIEW_SIDE, _PREVIEW_SIDE)
            encoded = self.to_image().encode("png", max_pixel_size=side)
            bundle["image/png"] = base64.b64encode(encoded).decode("ascii")
        return {kind: text for kind, text in bundle.items() if kind not in (exclude or ()) and (not include or kind in include)}

    def close(self) -> None:
        """Releases the memory; repeated calls are harmless."""
        self._handle.release()

    def __repr__(self) -> str:
        width, height = self.size
        return f"<sdimage.Animation {width}x{height}, {len(self)} frames>"
