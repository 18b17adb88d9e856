"""Images in a widget: still, animated, or still loading."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from ctypes import byref, c_void_p, sizeof
from typing import TypeAlias, cast

from . import _enums, _failures, _words
from ._check import kind, optional_function, optional_pointer, real
from ._closing import Closing, closed_at_exit
from ._ffi import lib
from ._handle import Shared
from ._loops import Post, loop
from ._prototypes import ANIMATED_VIEW_HANDLER_LOOP, ANIMATED_VIEW_HANDLER_SHOW, DESTROY, AnimatedViewHandler
from ._tokens import Tokens
from .errors import call
from .image import Image
from .options import U32, nanoseconds, unsigned

Show: TypeAlias = Callable[["Image | None"], object]
OnLoop: TypeAlias = Callable[[int], object]

_LIBRARY_CLOCK = 2


@kind("view")
class AnimatedView(Closing):
    """Shows an image immediately, and plays an animation while the view is visible.

    >>> view = sdimage.AnimatedView(label.draw, post=root.after_idle)
    >>> target.set_view(view)                   # what the target loads, parts too; or view.set(image)
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
    ) -> None:
        """`incremental`: plays an animation that is still loading; `loops`: overrides the loop count of each image, 0
        repeats forever."""
        number = _words.number(_enums.PLAYBACK_MODES, mode, "mode")
        functions = optional_function(show, "show"), optional_function(on_loop, "on_loop")
        self._token = _functions.add(functions, self)
        out = c_void_p()
        call(lib.sdimage_animated_view_new, byref(_HANDLER), self._token, _NO_DESTROY, byref(out))
        self._handle = Shared(out.value, lib.sdimage_animated_view_unref)
        _views.add(self)
        pointer = self._handle.pointer
        lib.sdimage_animated_view_set_autoplay(pointer, autoplay)
        lib.sdimage_animated_view_set_incremental(pointer, incremental)
        lib.sdimage_animated_view_set_rate(pointer, real(rate, "rate"))
        lib.sdimage_animated_view_set_mode(pointer, number)
        if loops is not None:
            lib.sdimage_animated_view_set_loop_limit(pointer, unsigned(loops, "loops", U32))
        if post is None:
            lib.sdimage_animated_view_set_decode_when_due(pointer, True)
        else:
            dispatcher = loop(post).dispatcher.pointer
            call(lib.sdimage_animated_view_set_clock, pointer, _LIBRARY_CLOCK, dispatcher)

    @property
    def pointer(self) -> int:
        """The address, for a call."""
        return self._handle.pointer

    def set(self, image: Image | None) -> None:
        """Shows an image, or nothing; setting the same image has no effect."""
        call(lib.sdimage_animated_view_set_image, self._handle.pointer, optional_pointer(image, "image", "image"))

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
        lib.sdimage_animated_view_set_visible(self._handle.pointer, visible)

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

    def tick(self, ms: float) -> bool:
        """Advances the time by this number of milliseconds; returns true when another frame was shown."""
        return cast(bool, lib.sdimage_animated_view_tick(self._handle.pointer, nanoseconds(ms)))

    def close(self) -> None:
        """Shows nothing from now on. Repeated calls are harmless."""
        if _functions.forget(self._token) is None:
            return  # already closed
        lib.sdimage_animated_view_set_visible(self._handle.pointer, False)
        self._handle.release()
        _views.discard(self)


_functions: Tokens[tuple[Show | None, OnLoop | None]] = Tokens("the view is gone")


def _show(token: int | None, _view: int | None, image: int | None) -> None:
    show, _ = _functions.get(token) or (None, None)
    if show is None:
        return
    try:
        show(Image.borrowed(image) if image else None)
    except BaseException as error:  # no exception may leave a callback
        _failures.report("show", error)


def _looped(token: int | None, _view: int | None, count: int) -> None:
    _, on_loop = _functions.get(token) or (None, None)
    if on_loop is None:
        return
    try:
        on_loop(count)
    except BaseException as error:  # no exception may leave a callback
        _failures.report("on_loop", error)


_HANDLER = AnimatedViewHandler(
    sizeof(AnimatedViewHandler), ANIMATED_VIEW_HANDLER_SHOW(_show), ANIMATED_VIEW_HANDLER_LOOP(_looped)
)
_NO_DESTROY = DESTROY()
_views: weakref.WeakSet[AnimatedView] = closed_at_exit(AnimatedView.close)
