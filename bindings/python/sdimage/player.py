"""Animation playback."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from ctypes import byref, c_void_p
from typing import Self, cast

from . import _enums, _words
from ._check import flag, pointer_of, real
from ._closing import Closing
from ._ffi import lib
from ._handle import Handle, Shared
from ._prototypes import DESTROY
from .errors import Error, call
from .image import Image
from .options import U32, nanoseconds, unsigned

_NO_DESTROY = DESTROY()


class Player(Closing):
    """Selects the frame of an animation to draw as time passes.

    >>> player = sdimage.Animation("cat.gif").player(rate=2)
    >>> player.advance(0)        # (0, <sdimage.Image …>)
    >>> player.advance(10)       # None: the same frame is still on show

    Time is passed to :meth:`advance`, so that every run is the same; a frame is decoded when it is due. No frame is
    skipped, however long a step is, unless `drop_late_frames` is set. ``numpy.asarray(frame)`` of a returned frame is
    no copy.
    """

    __slots__ = ("_clock", "_handle", "_last", "_loops", "_provider")

    def __init__(
        self,
        provider: Handle,
        rate: float = 1.0,
        mode: str = "normal",
        clock: Callable[[], float] | None = None,
        loops: int | None = None,
        drop_late_frames: bool = False,
    ) -> None:
        """For internal use: call :meth:`sdimage.Animation.player`, or :meth:`of`."""
        number = _words.number(_enums.PLAYBACK_MODES, mode, "mode")
        out = c_void_p()
        call(lib.sdimage_player_new_provider, provider.pointer, None, None, _NO_DESTROY, byref(out))
        self._provider: Handle | None = provider
        self._loops = loops
        self._handle = Shared(out.value, lib.sdimage_player_unref)
        self._clock = clock or time.monotonic
        self._last: float | None = None
        pointer = self._handle.pointer
        lib.sdimage_player_set_decode_when_due(pointer, True)
        lib.sdimage_player_set_drop_late_frames(pointer, flag(drop_late_frames, "drop_late_frames"))
        lib.sdimage_player_set_mode(pointer, number)
        lib.sdimage_player_set_rate(pointer, real(rate, "rate"))
        if loops is not None:
            lib.sdimage_player_set_loop_limit(pointer, unsigned(loops, "loops", U32))
        lib.sdimage_player_start(pointer)

    @classmethod
    def adopted(cls, pointer: int) -> Self:
        """Takes over a reference of the library to the player of a view."""
        player = cls.__new__(cls)
        player._provider = None
        player._handle = Shared(pointer, lib.sdimage_player_unref)
        player._clock, player._last = time.monotonic, None
        player._loops = None
        return player

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
        """A player of an animated image from any source."""
        out = c_void_p()
        call(lib.sdimage_frame_provider_new_image, pointer_of(image, "image", "image"), byref(out))
        provider = Shared(out.value, lib.sdimage_frame_provider_unref)
        return cls(provider, rate, mode, clock, loops, drop_late_frames)

    def advance(self, ms: float | None = None) -> tuple[int, Image] | None:
        """Advances the time by milliseconds; returns the frame to draw then, or ``None`` when it is unchanged.

        Without a number, advances by the clock time since the last call. After the last loop it always returns
        ``None``.
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
        """The frames in order, as fast as they are requested, to the end of the last loop; endless without one.

        While the animation is growing, it ends after the frames that have arrived; another iteration continues there.
        """
        step, missing = 0.0, 0
        while self.playing:
            found = self.advance(step)
            missing = 0 if found else missing + 1
            if found:
                yield found
            if self._provider is None:
                raise Error("UNSUPPORTED", "player: driven by a view")
            # One step may be a fraction of a nanosecond too short.
            if missing > 1 and (step == 0 or lib.sdimage_frame_provider_is_growing(self._provider.pointer)):
                return
            duration = lib.sdimage_frame_provider_duration_ms(self._provider.pointer, self.index)
            step = duration / self.rate if self.rate > 0 else 0

    def start(self) -> None:
        """Resumes after :meth:`pause`, or starts again."""
        lib.sdimage_player_start(self._handle.pointer)

    def update(self) -> None:
        """Reads the number of frames again, after an animation has grown; :meth:`advance` does it itself."""
        lib.sdimage_player_update(self._handle.pointer)

    def pause(self) -> None:
        """Stops the time and preserves everything else."""
        lib.sdimage_player_pause(self._handle.pointer)

    def stop(self) -> None:
        """Stops, and returns to the first frame."""
        lib.sdimage_player_stop(self._handle.pointer)

    def seek(self, index: int, loop_count: int = 0) -> Image:
        """Shows a frame now, and continues from there."""
        number, loops = unsigned(index, "index", U32), unsigned(loop_count, "loop_count", U32)
        call(lib.sdimage_player_seek, self._handle.pointer, number, loops)
        frame = self.frame
        assert frame
        return frame

    @property
    def frame(self) -> Image | None:
        """The current frame."""
        out = c_void_p()
        lib.sdimage_player_get_frame(self._handle.pointer, byref(out))
        return Image.owned(out.value) if out.value else None

    @property
    def index(self) -> int:
        """The index of the current frame."""
        return cast(int, lib.sdimage_player_frame_index(self._handle.pointer))

    @property
    def frame_count(self) -> int:
        """The number of frames, which grows with a growing animation."""
        return cast(int, lib.sdimage_player_frame_count(self._handle.pointer))

    @property
    def loop_count(self) -> int:
        """The number of finished loops."""
        return cast(int, lib.sdimage_player_loop_count(self._handle.pointer))

    @property
    def loops(self) -> int | None:
        """The loop count that replaces that of the animation, as given; ``None``: that of the animation."""
        return self._loops

    @property
    def drop_late_frames(self) -> bool:
        """True if late frames are skipped; may be set."""
        return cast(bool, lib.sdimage_player_should_drop_late_frames(self._handle.pointer))

    @drop_late_frames.setter
    def drop_late_frames(self, drop: bool) -> None:
        lib.sdimage_player_set_drop_late_frames(self._handle.pointer, flag(drop, "drop_late_frames"))

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
        lib.sdimage_player_set_rate(self._handle.pointer, real(rate, "rate"))

    @property
    def mode(self) -> str:
        """``"normal"``, ``"reverse"``, ``"bounce"`` or ``"reversed_bounce"``."""
        return _words.word(_enums.PLAYBACK_MODES, lib.sdimage_player_mode(self._handle.pointer))

    @mode.setter
    def mode(self, mode: str) -> None:
        number = _words.number(_enums.PLAYBACK_MODES, mode, "mode")
        lib.sdimage_player_set_mode(self._handle.pointer, number)

    def close(self) -> None:
        """Releases the memory; repeated calls are harmless."""
        self._handle.release()
        if self._provider is not None:
            self._provider.release()
