"""Images in a widget: still, animated, or still loading."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from ctypes import byref, c_void_p, sizeof
from dataclasses import dataclass
from typing import TypeAlias, cast

from . import _enums, _failures, _words
from ._check import flag, kind, optional_function, optional_pointer, real
from ._closing import Closing, closed_at_exit
from ._ffi import lib
from ._handle import Shared
from ._loops import Loop, Post, loop
from ._prototypes import ANIMATED_VIEW_HANDLER_LOOP, ANIMATED_VIEW_HANDLER_SHOW, DESTROY, AnimatedViewHandler
from ._tokens import WeakTokens
from .animation import Animation
from .errors import call
from .image import Image
from .options import U32, U64, nanoseconds, unsigned
from .player import Player
from .result import Result
from .transforms import Transformer

Show: TypeAlias = Callable[["Image | None"], object]
OnLoop: TypeAlias = Callable[[int], object]

_LIBRARY_CLOCK = 2


@kind("view")
class AnimatedView(Closing):
    """Shows an image immediately, and plays an animation while the view is visible.

    >>> view = sdimage.AnimatedView(label.draw, post=root.after_idle)
    >>> target.set_view(view)                   # what the target loads, parts too
    >>> view.set(result)                        # or a Result, an Image, or an Animation, whose updates are shown
    >>> view.visible = False                    # scrolled away

    ``show(image)`` draws the image, ``None`` draws nothing; ``on_loop(count)`` reports the end of a loop. With `post`,
    as for :class:`sdimage.Target`, time advances on its own. Without it, :meth:`tick` advances the time and frames are
    decoded when due, so that every run is the same.
    """

    def __init__(
        self,
        show: Show | None = None,
        on_loop: OnLoop | None = None,
        *,
        post: Post | None = None,
        autoplay: bool = True,
        incremental: bool = True,
        rate: float = 1.0,
        mode: str = "normal",
        loops: int | None = None,
        max_buffer_size: int | None = None,
        transformer: Transformer | None = None,
        rewind_when_stopped: bool = False,
        clear_buffer_when_stopped: bool = False,
        drop_late_frames: bool = False,
        decode_when_due: bool | None = None,
    ) -> None:
        """The settings, which are properties of the same names. `decode_when_due` is true by default without `post`."""
        self._animation: Animation | None = None
        self._generation = 0
        #: The load of the part that is shown.
        self._part: tuple[str, str] | None = None
        self._loops: int | None = None
        self._loop: Loop | None = None
        self._transformer: Transformer | None = None
        self._functions = _Functions(optional_function(show, "show"), optional_function(on_loop, "on_loop"))
        self._token = _functions.add(self._functions)
        out = c_void_p()
        call(lib.sdimage_animated_view_new, byref(_HANDLER), self._token, _NO_DESTROY, byref(out))
        self._handle = Shared(out.value, lib.sdimage_animated_view_unref)
        _views.add(self)
        try:
            self.autoplay = autoplay
            self.incremental = incremental
            self.rate = rate
            self.mode = mode
            self.loops = loops
            self.max_buffer_size = max_buffer_size
            self.transformer = transformer
            self.rewind_when_stopped = rewind_when_stopped
            self.clear_buffer_when_stopped = clear_buffer_when_stopped
            self.drop_late_frames = drop_late_frames
            self.decode_when_due = post is None if decode_when_due is None else decode_when_due
            if post is not None:
                self._loop = loop(post)
                dispatcher = self._loop.dispatcher.pointer
                call(lib.sdimage_animated_view_set_clock, self._handle.pointer, _LIBRARY_CLOCK, dispatcher)
        except BaseException:
            self.close()
            raise

    @property
    def pointer(self) -> int:
        """The address, for a call."""
        return self._handle.pointer

    def set(self, image: Image | Result | Animation | None) -> None:
        """Shows an image, or nothing; setting the same image has no effect.

        The results of a progressive load are parts of one image: each continues the playback at the current frame, and
        the last one, too. An :class:`Animation` is followed: each :meth:`Animation.update` continues the playback with
        the frames that have arrived. Other images, ``None`` and :meth:`close` end this.
        """
        animation = image if isinstance(image, Animation) else None
        result = image if isinstance(image, Result) else None
        shown = image.image if isinstance(image, (Animation, Result)) else image
        pointer = optional_pointer(shown, "image", "image")
        self._follow(animation)
        self._generation = 0 if animation is None else animation.generation
        load = None if result is None else (result.url, result.cache_key)
        continues, self._part = load is not None and load == self._part, None
        if result is not None and result.kind == "partial":
            self._part = load
        player = self.player if continues else None
        if player is None:
            call(lib.sdimage_animated_view_set_image, self._handle.pointer, pointer)
        else:
            self._continue(player, pointer)

    def _continue(self, before: Player, pointer: int | None) -> None:
        """Shows the next part of an image at the current frame. The library continues the playback with some parts; with
        others, and with the complete image, it shows the first frame, which is suppressed here."""
        index, loops, was_playing = before.index, before.loop_count, before.playing
        drawing = _functions.find(self._token)
        drawing.is_suppressed, drawing.has_started_again = True, False
        try:
            call(lib.sdimage_animated_view_set_image, self._handle.pointer, pointer)
        finally:
            drawing.is_suppressed = False
        if not drawing.has_started_again:
            return
        player = self.player
        if player is None or index >= player.frame_count:
            shown = self.image
            if drawing.show is not None:
                drawing.show(shown)
            return
        player.seek(index, loops)
        if not was_playing:
            self.stop()

    def _follow(self, animation: Animation | None) -> None:
        before, self._animation = self._animation, animation
        if before is not animation:
            if before is not None:
                before.followers.discard(self)
            if animation is not None:
                animation.followers.add(self)

    def follow(self, animation: Animation) -> None:
        """Shows the newest part of the animation that the view follows; :meth:`Animation.update` calls it."""
        if self._animation is not animation or _functions.get(self._token) is None:
            return
        player = self.player
        if player is not None and self._generation == animation.generation:
            # The complete image would start at its first frame; the player of the part has all frames, too.
            player.update()
            return
        shown = animation.image
        if shown is not None:
            self._generation = animation.generation
            call(lib.sdimage_animated_view_set_image, self._handle.pointer, shown.pointer)

    @property
    def image(self) -> Image | None:
        """The image to draw."""
        out = c_void_p()
        lib.sdimage_animated_view_get_image(self._handle.pointer, byref(out))
        return Image.owned(out.value) if out.value else None

    @property
    def visible(self) -> bool:
        """Visibility, as set by the program; initially true. An invisible view does not play."""
        return cast(bool, lib.sdimage_animated_view_is_visible(self._handle.pointer))

    @visible.setter
    def visible(self, visible: bool) -> None:
        lib.sdimage_animated_view_set_visible(self._handle.pointer, flag(visible, "visible"))

    def start(self) -> None:
        """Starts or resumes; no effect while invisible."""
        lib.sdimage_animated_view_start(self._handle.pointer)

    def stop(self) -> None:
        """Pauses."""
        lib.sdimage_animated_view_stop(self._handle.pointer)

    @property
    def animating(self) -> bool:
        """True while an animation plays."""
        return cast(bool, lib.sdimage_animated_view_is_animating(self._handle.pointer))

    @property
    def player(self) -> Player | None:
        """The player of the animation shown; ``None`` for a still. The next image has another player. The view passes
        the time to it: :meth:`Player.seek`, :attr:`Player.index` and the like may be used, :meth:`Player.advance` not.
        """
        out = c_void_p()
        lib.sdimage_animated_view_get_player(self._handle.pointer, byref(out))
        return Player.adopted(out.value) if out.value else None

    @property
    def frame_index(self) -> int:
        """The index of the frame shown; 0 for a still."""
        player = self.player
        return 0 if player is None else player.index

    @property
    def loop_count(self) -> int:
        """The number of finished loops."""
        player = self.player
        return 0 if player is None else player.loop_count

    @property
    def autoplay(self) -> bool:
        """Plays animations while the view is visible; true by default."""
        return cast(bool, lib.sdimage_animated_view_should_autoplay(self._handle.pointer))

    @autoplay.setter
    def autoplay(self, autoplay: bool) -> None:
        lib.sdimage_animated_view_set_autoplay(self._handle.pointer, flag(autoplay, "autoplay"))

    @property
    def incremental(self) -> bool:
        """Plays animations that are still loading; otherwise their first frame is shown. True by default."""
        return cast(bool, lib.sdimage_animated_view_is_incremental(self._handle.pointer))

    @incremental.setter
    def incremental(self, incremental: bool) -> None:
        lib.sdimage_animated_view_set_incremental(self._handle.pointer, flag(incremental, "incremental"))

    @property
    def rate(self) -> float:
        """1 is the speed of the file, 2 twice as fast."""
        return cast(float, lib.sdimage_animated_view_rate(self._handle.pointer))

    @rate.setter
    def rate(self, rate: float) -> None:
        lib.sdimage_animated_view_set_rate(self._handle.pointer, real(rate, "rate"))

    @property
    def mode(self) -> str:
        """``"normal"``, ``"reverse"``, ``"bounce"`` or ``"reversed_bounce"``."""
        return _words.word(_enums.PLAYBACK_MODES, lib.sdimage_animated_view_mode(self._handle.pointer))

    @mode.setter
    def mode(self, mode: str) -> None:
        number = _words.number(_enums.PLAYBACK_MODES, mode, "mode")
        lib.sdimage_animated_view_set_mode(self._handle.pointer, number)

    @property
    def loops(self) -> int | None:
        """The loop count of every image, 0 repeats forever; ``None``: that of each image."""
        return self._loops

    @loops.setter
    def loops(self, loops: int | None) -> None:
        if loops is None:
            lib.sdimage_animated_view_reset_loop_limit(self._handle.pointer)
        else:
            lib.sdimage_animated_view_set_loop_limit(self._handle.pointer, unsigned(loops, "loops", U32))
        self._loops = loops

    @property
    def max_buffer_size(self) -> int | None:
        """The largest number of bytes of frames that are decoded in advance; ``None``: a share of the memory of all
        animations."""
        return cast(int, lib.sdimage_animated_view_max_buffer_size(self._handle.pointer)) or None

    @max_buffer_size.setter
    def max_buffer_size(self, size: int | None) -> None:
        lib.sdimage_animated_view_set_max_buffer_size(self._handle.pointer, unsigned(size, "max_buffer_size", U64))

    @property
    def transformer(self) -> Transformer | None:
        """Changes every frame of animations that are set from now on."""
        return self._transformer

    @transformer.setter
    def transformer(self, transformer: Transformer | None) -> None:
        pointer = optional_pointer(transformer, "transformer", "transformer")
        lib.sdimage_animated_view_set_transformer(self._handle.pointer, pointer)
        self._transformer = transformer

    @property
    def rewind_when_stopped(self) -> bool:
        """Returns to the first frame when playback stops."""
        return cast(bool, lib.sdimage_animated_view_should_rewind_when_stopped(self._handle.pointer))

    @rewind_when_stopped.setter
    def rewind_when_stopped(self, rewind: bool) -> None:
        lib.sdimage_animated_view_set_rewind_when_stopped(self._handle.pointer, flag(rewind, "rewind_when_stopped"))

    @property
    def clear_buffer_when_stopped(self) -> bool:
        """Releases the frames decoded in advance when playback stops."""
        return cast(bool, lib.sdimage_animated_view_should_clear_buffer_when_stopped(self._handle.pointer))

    @clear_buffer_when_stopped.setter
    def clear_buffer_when_stopped(self, clear: bool) -> None:
        is_set = flag(clear, "clear_buffer_when_stopped")
        lib.sdimage_animated_view_set_clear_buffer_when_stopped(self._handle.pointer, is_set)

    @property
    def drop_late_frames(self) -> bool:
        """Skips frames that are late; otherwise the time stands still until a frame is available."""
        return cast(bool, lib.sdimage_animated_view_should_drop_late_frames(self._handle.pointer))

    @drop_late_frames.setter
    def drop_late_frames(self, drop: bool) -> None:
        lib.sdimage_animated_view_set_drop_late_frames(self._handle.pointer, flag(drop, "drop_late_frames"))

    @property
    def decode_when_due(self) -> bool:
        """Decodes each frame when it is due, on the thread that advances the time, so that every run is the same."""
        return cast(bool, lib.sdimage_animated_view_should_decode_when_due(self._handle.pointer))

    @decode_when_due.setter
    def decode_when_due(self, decode: bool) -> None:
        lib.sdimage_animated_view_set_decode_when_due(self._handle.pointer, flag(decode, "decode_when_due"))

    def tick(self, ms: float) -> bool:
        """Advances the time by this number of milliseconds; returns true when another frame was shown."""
        return cast(bool, lib.sdimage_animated_view_tick(self._handle.pointer, nanoseconds(ms)))

    def close(self) -> None:
        """Shows nothing from now on. Repeated calls are harmless."""
        if _functions.forget(self._token) is None:
            return  # already closed
        self._follow(None)
        self._loop = None
        lib.sdimage_animated_view_set_visible(self._handle.pointer, False)
        self._handle.release()
        _views.discard(self)


@dataclass(slots=True, weakref_slot=True)
class _Functions:
    show: Show | None
    on_loop: OnLoop | None
    #: Drops calls of `show`, and notes them.
    is_suppressed: bool = False
    has_started_again: bool = False


_functions: WeakTokens[_Functions] = WeakTokens("view")


def _show(token: int | None, _view: int | None, image: int | None) -> None:
    functions = _functions.get(token)
    if functions is not None and functions.is_suppressed:
        functions.has_started_again = True
        return
    if functions is None or functions.show is None:
        return
    try:
        functions.show(Image.borrowed(image) if image else None)
    except BaseException as error:  # no exception may leave a callback
        _failures.report("show", error)


def _looped(token: int | None, _view: int | None, count: int) -> None:
    functions = _functions.get(token)
    if functions is None or functions.on_loop is None:
        return
    try:
        functions.on_loop(count)
    except BaseException as error:  # no exception may leave a callback
        _failures.report("on_loop", error)


_HANDLER = AnimatedViewHandler(
    sizeof(AnimatedViewHandler), ANIMATED_VIEW_HANDLER_SHOW(_show), ANIMATED_VIEW_HANDLER_LOOP(_looped)
)
_NO_DESTROY = DESTROY()
_views: weakref.WeakSet[AnimatedView] = closed_at_exit(AnimatedView.close)
