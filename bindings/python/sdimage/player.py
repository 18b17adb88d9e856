"""Animations in time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from ctypes import byref, c_void_p
from typing import Self, cast

from . import _enums
from ._closing import Closing
from ._ffi import DESTROY, lib
from ._handle import Handle, Shared
from .errors import call
from .image import Image
from .options import U32, nanoseconds, unsigned

_NO_DESTROY = DESTROY()


class Player(Closing):
    """Says which frame of an animation is to be drawn, as time passes.

    >>> player = sdimage.Animation("cat.gif").player(rate=2)
    >>> player.advance(0)        # (0, <sdimage.Image …>)
    >>> player.advance(10)       # None: the same frame is still on show

    Time is what :meth:`advance` is told, so that every run is the same; a frame is decoded when it is due. No frame is
    skipped, however long a step is, unless `drop_late_frames`. ``numpy.asarray(frame)`` of what it gives is no copy.
    """

    __slots__ = ("_clock", "_handle", "_last", "_provider")

    def __init__(
        self,
        provider: Handle,
        rate: float = 1.0,
        mode: str = "normal",
        clock: Callable[[], float] | None = None,
        loops: int | None = None,
        drop_late_frames: bool = False,
    ) -> None:
        """For this package: use :meth:`sdimage.Animation.player`, or :meth:`of`."""
        number = _enums.number(_enums.PLAYBACK_MODES, mode, "mode")
        out = c_void_p()
        call(lib.sdimage_player_new_provider, provider.pointer, None, None, _NO_DESTROY, byref(out))
        self._provider = provider
        self._handle = Shared(out.value, lib.sdimage_player_unref)
        self._clock = clock or time.monotonic
        self._last: float | None = None
        pointer = self._handle.pointer
        lib.sdimage_player_set_decodes_when_due(pointer, True)
        lib.sdimage_player_set_drops_late_frames(pointer, drop_late_frames)
        lib.sdimage_player_set_mode(pointer, number)
        lib.sdimage_player_set_rate(pointer, rate)
        if loops is not None:
            lib.sdimage_player_set_loop_limit(pointer, unsigned(loops, "loops", U32))
        lib.sdimage_player_start(pointer)

    @classmethod
    def of(
        cls,
        image: Image,
        rate: float = 1.0,
        mode: str = "normal",
        clock: Callable[[], float] | None = None,
        loops: int | None = None,
        drop_late_frames: bool = False,
    ) -> Self:
        """A player of an animated picture, whatever it comes from."""
        out = c_void_p()
        call(lib.sdimage_frame_provider_new_image, image.pointer, byref(out))
        provider = Shared(out.value, lib.sdimage_frame_provider_unref)
        return cls(provider, rate, mode, clock, loops, drop_late_frames)

    def advance(self, ms: float | None = None) -> tuple[int, Image] | None:
        """Lets so many milliseconds pass; the frame that is to be drawn then, or ``None`` when it is the same as before.

        Without a number, what has passed on the clock since the last call. After the last loop it is always ``None``.
        """
        if ms is None:
            now = self._clock()
            ms = 0 if self._last is None else (now - self._last) * 1000
            self._last = now
        if not lib.sdimage_player_tick(self._handle.pointer, nanoseconds(ms)):
            return None
        frame = self.frame
        return (self.index, frame) if frame else None

    def __iter__(self) -> Iterator[tuple[int, Image]]:
        """Each frame in its turn, as fast as they are asked for, to the end of the last loop; for ever where there is none."""
        step = 0.0
        while self.playing:
            found = self.advance(step)
            if found:
                yield found
            duration = lib.sdimage_frame_provider_duration_ms(self._provider.pointer, self.index)
            step = duration / self.rate if self.rate > 0 else 0

    def start(self) -> None:
        """Goes on after :meth:`pause`, or begins again."""
        lib.sdimage_player_start(self._handle.pointer)

    def pause(self) -> None:
        """Stops time and keeps everything else."""
        lib.sdimage_player_pause(self._handle.pointer)

    def stop(self) -> None:
        """Stops, and goes back to the first frame."""
        lib.sdimage_player_stop(self._handle.pointer)

    def seek(self, index: int, loop_count: int = 0) -> Image:
        """Shows a frame now, and goes on from there."""
        number, loops = unsigned(index, "index", U32), unsigned(loop_count, "loop_count", U32)
        call(lib.sdimage_player_seek, self._handle.pointer, number, loops)
        frame = self.frame
        assert frame
        return frame

    @property
    def frame(self) -> Image | None:
        """The frame that is on show."""
        out = c_void_p()
        lib.sdimage_player_copy_frame(self._handle.pointer, byref(out))
        return Image.owned(out.value) if out.value else None

    @property
    def index(self) -> int:
        """Its number."""
        return cast(int, lib.sdimage_player_frame_index(self._handle.pointer))

    @property
    def loop_count(self) -> int:
        """Rounds that are over."""
        return cast(int, lib.sdimage_player_loop_count(self._handle.pointer))

    @property
    def playing(self) -> bool:
        """False when paused, stopped, or after the last loop."""
        return cast(bool, lib.sdimage_player_is_playing(self._handle.pointer))

    @property
    def rate(self) -> float:
        """1 is the speed of the file, 2 twice as fast."""
        return cast(float, lib.sdimage_player_rate(self._handle.pointer))

    @rate.setter
    def rate(self, rate: float) -> None:
        lib.sdimage_player_set_rate(self._handle.pointer, rate)

    @property
    def mode(self) -> str:
        """``"normal"``, ``"reverse"``, ``"bounce"`` or ``"reversed_bounce"``."""
        return _enums.word(_enums.PLAYBACK_MODES, lib.sdimage_player_mode(self._handle.pointer))

    @mode.setter
    def mode(self, mode: str) -> None:
        number = _enums.number(_enums.PLAYBACK_MODES, mode, "mode")
        lib.sdimage_player_set_mode(self._handle.pointer, number)

    def close(self) -> None:
        """Gives the memory back; again is harmless."""
        self._handle.release()
        self._provider.release()
