"""Images for the widgets of a program, with any toolkit."""

from __future__ import annotations

import math
import time
import weakref
from collections.abc import Mapping
from ctypes import byref, c_void_p
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Unpack, cast

from . import _bytes, _callbacks, _enums, _words
from ._bytes import URLLike
from ._check import checked, flag, optional_function, optional_pointer, pointer_of
from ._closing import Closing, closed_at_exit
from ._config import recorded
from ._ffi import lib
from ._handle import Handle, Shared
from ._listener import OnProgress, OnResult
from ._loops import Post, loop
from ._prototypes import DESTROY
from ._widgets import EndTransition, Indicate, IndicateFraction, PrepareTransition, SetImage, Widget, widgets
from .errors import call
from .image import Image
from .manager import Manager
from .options import U32, unsigned
from .request import RequestOptions, hold, new_request
from .task import Task, readable

if TYPE_CHECKING:
    from .animated_view import AnimatedView

_NO_DESTROY = DESTROY()


class TargetOptions(RequestOptions, total=False):
    """Keyword arguments of :meth:`Target.load`, in addition to those of loads."""

    #: The name of the slot; ``"image"`` by default.
    key: str | None
    #: Replaces the target's own manager.
    manager: Manager | None
    #: Drawn as the placeholder: the text of a BlurHash, the bytes of a ThumbHash.
    blurhash: str
    thumbhash: bytes
    #: ``"now"``, or ``"on_failure"``: at the end, if there is no image.
    placeholder_time: str
    #: ``"none"``, ``"memory"`` or ``"memory_and_disk"``: cached images of the same URL that precede the placeholder.
    cached_placeholder: str
    #: ``"cancel"`` or ``"keep"``: the treatment of the previous load in the slot.
    previous_load: str
    #: ``"automatic"``, or ``"manual"``: the program shows the image itself.
    image_setting: str
    #: ``"none"``, ``"fade"``, ``"flip_from_left"``, …, or a custom number from 1000 on; and milliseconds.
    transition: str | int
    transition_ms: int
    #: ``"waited"`` (images that the user had to wait for) or ``"always"``.
    transition_rule: str
    #: Calls ``set_image`` within the transition; true by default.
    show_image_in_transition: bool
    #: Calls ``on_result`` after the transition.
    wait_for_transition: bool


class Target(Closing):
    """The loads of one widget, or of one reused cell.

    ``set_image(key, image, result)`` shows an image: `image` is ``None`` to clear, `result` is ``None`` for a
    placeholder. ``start_indicator(key)``, ``stop_indicator(key)`` and ``update_indicator(key, fraction)`` report
    activity. ``prepare_transition(key, transition, ms, image)`` and ``animate_transition`` with the same arguments are
    called around ``set_image``, and ``end_transition(key, finished)`` after the duration.

    All calls are in order. `post` runs a function on the toolkit's own thread (``root.after_idle``, ``GLib.idle_add``,
    ``loop.call_soon_threadsafe``). The target must then be created on that thread, and an image in memory is set before
    :meth:`load` returns there. Without `post` the functions run on the library's callback thread.

    Call :meth:`close` when the widget is destroyed; dropping the target has the same effect.
    """

    def __init__(
        self,
        manager: Manager,
        set_image: SetImage | None = None,
        *,
        start_indicator: Indicate | None = None,
        stop_indicator: Indicate | None = None,
        update_indicator: IndicateFraction | None = None,
        prepare_transition: PrepareTransition | None = None,
        animate_transition: PrepareTransition | None = None,
        end_transition: EndTransition | None = None,
        post: Post | None = None,
    ) -> None:
        self._config = recorded(locals())
        self._manager = manager
        self._loop = None if post is None else loop(post)
        self._shown_in: dict[str | None, AnimatedView | None] = {}
        self._widget = widget = Widget(
            set_image,
            start_indicator,
            stop_indicator,
            update_indicator,
            prepare_transition,
            animate_transition,
            end_transition,
        )
        for name in Widget.__dataclass_fields__:
            optional_function(getattr(widget, name), name)
        dispatcher = None if self._loop is None else self._loop.dispatcher.pointer
        self._token = widgets.add(widget)
        out = c_void_p()
        call(
            lib.sdimage_target_new,
            checked(manager, "manager", "manager")._handle.pointer,
            dispatcher,
            byref(widget.table()),
            self._token,
            _NO_DESTROY,
            byref(out),
        )
        self._handle = Shared(out.value, lib.sdimage_target_unref)
        _targets.add(self)

    @property
    def config(self) -> Mapping[str, Any]:
        """The manager, the functions and `post`, by the names of the arguments."""
        return MappingProxyType(self._config.copy())

    def load(
        self,
        url: URLLike | None,
        placeholder: Image | None = None,
        *,
        on_result: OnResult | None = None,
        on_partial: OnResult | None = None,
        on_progress: OnProgress | None = None,
        **options: Unpack[TargetOptions],
    ) -> Task | None:
        """Loads an image into a slot, replaces the load in progress there, and returns.

        ``on_result(result)`` is called once, with :attr:`Result.error` set when the load failed, was replaced or
        cancelled. ``on_partial`` receives images that better ones follow: cached images during a refresh, and partial
        images if the program shows the image itself. Returns ``None`` without a URL.
        """
        wish = cast(RequestOptions, {name: value for name, value in options.items() if name not in _OWN})
        for name, function in (("on_result", on_result), ("on_partial", on_partial), ("on_progress", on_progress)):
            optional_function(function, name)
        loading = options.get("manager") or self._manager
        with new_request(url or b"", wish) as request, _options(options, placeholder) as how:
            held = loading, hold(request, wish), self._loop
            plain = readable(url or b"")
            started = time.monotonic() if loading.has_functions(options) else math.inf
            load = _callbacks.Running(held, on_progress, on_partial, on_result, plain)
            out = _callbacks.begin(load, lambda handler, token: self._begin(request, how, handler, token))
        return Task(out.value, loading, plain, started, options) if out.value else None

    def _begin(self, request: Handle, options: Handle, handler: Any, token: int) -> c_void_p:
        out = c_void_p()
        call(
            lib.sdimage_target_load,
            self._handle.pointer,
            request.pointer,
            options.pointer,
            handler,
            token,
            _NO_DESTROY,
            byref(out),
        )
        return out

    def set_view(self, view: AnimatedView | None, key: str | None = None) -> None:
        """From now on also shows a slot in a view, before `set_image` is called. Animations play there, with the
        available frames if loads are progressive. ``None`` ends this."""
        lib.sdimage_target_set_view(self._handle.pointer, _key(key), optional_pointer(view, "view", "view"))
        self._shown_in[key] = view

    def cancel(self, key: str | None = None) -> None:
        """Cancels the load in a slot, by default in that of the latest load."""
        if key is None:
            lib.sdimage_target_cancel_latest(self._handle.pointer)
        else:
            lib.sdimage_target_cancel(self._handle.pointer, _bytes.c_text(key))

    def set_priority(self, priority: str, key: str = "image") -> None:
        """Changes the priority of the loads under way in a slot, as :attr:`Task.priority` does for one load."""
        number = _words.number(_enums.PRIORITIES, priority, "priority")
        lib.sdimage_target_set_priority(self._handle.pointer, _bytes.c_text(key), number)

    def task(self, key: str = "image") -> Task | None:
        """The load in progress in a slot."""
        out = c_void_p()
        lib.sdimage_target_get_task(self._handle.pointer, _bytes.c_text(key), byref(out))
        return Task(out.value, self._manager, self.url(key)) if out.value else None

    def url(self, key: str | None = None) -> str:
        """The URL of the latest load of a slot, or of all slots; empty when there was none."""
        out = c_void_p()
        lib.sdimage_target_get_url(self._handle.pointer, _key(key), byref(out))
        return _bytes.taken(out).decode("utf-8", "surrogateescape")

    @property
    def latest_key(self) -> str:
        """The key of the latest load; empty when there was none."""
        out = c_void_p()
        lib.sdimage_target_get_latest_key(self._handle.pointer, byref(out))
        return _bytes.taken(out).decode()

    def progress(self, key: str | None = None) -> tuple[int, int | None] | None:
        """Bytes received, and bytes expected if known, of the load in progress in a slot, or in that of the latest load;
        ``None`` while none is in progress."""
        task = self.task(key or self.latest_key or "image")
        return None if task is None else task.progress

    def close(self) -> None:
        """Cancels the loads; none of the functions is called any more. Repeated calls are harmless."""
        if widgets.forget(self._token) is None:
            return  # already closed
        lib.sdimage_target_close(self._handle.pointer)
        self._handle.release()
        self._loop = None
        _targets.discard(self)


# Annotations include those of loads.
_OWN = frozenset(TargetOptions.__annotations__) - frozenset(RequestOptions.__annotations__)


def _key(key: str | None) -> bytes | None:
    return None if key is None else _bytes.c_text(key)


def _options(options: TargetOptions, placeholder: Image | None) -> Handle:
    handle = Handle(lib.sdimage_target_options_new(), lib.sdimage_target_options_unref)
    pointer = handle.pointer
    key, manager = options.get("key"), options.get("manager")
    if key is not None:
        lib.sdimage_target_options_set_key(pointer, _bytes.c_text(key))
    if manager is not None:
        lib.sdimage_target_options_set_manager(pointer, checked(manager, "manager", "manager")._handle.pointer)
    if placeholder is not None:
        lib.sdimage_target_options_set_placeholder(pointer, pointer_of(placeholder, "placeholder", "image"))
    if "blurhash" in options:
        text = _bytes.c_text(options["blurhash"], "blurhash")
        lib.sdimage_target_options_set_blurhash(pointer, text, len(text), 32, 32)
    if "thumbhash" in options:
        lib.sdimage_target_options_set_thumbhash(pointer, *_bytes.borrowed(options["thumbhash"], "thumbhash"))
    for name, (setter, words) in _CHOICES.items():
        if name in options:
            setter(pointer, _words.number(words, cast("dict[str, str]", options)[name], name))
    if "transition" in options:
        chosen = options["transition"]
        number = chosen if isinstance(chosen, int) else _words.number(_enums.TRANSITIONS, chosen, "transition")
        duration = unsigned(options.get("transition_ms"), "transition_ms", U32)
        lib.sdimage_target_options_set_transition(pointer, number, duration)
    lib.sdimage_target_options_set_show_image_in_transition(
        pointer, flag(options.get("show_image_in_transition", True), "show_image_in_transition")
    )
    lib.sdimage_target_options_set_wait_for_transition(
        pointer, flag(options.get("wait_for_transition", False), "wait_for_transition")
    )
    return handle


_CHOICES = {
    "placeholder_time": (lib.sdimage_target_options_set_placeholder_time, _enums.PLACEHOLDER_TIMES),
    "cached_placeholder": (lib.sdimage_target_options_set_cached_placeholder, _enums.CACHED_PLACEHOLDERS),
    "previous_load": (lib.sdimage_target_options_set_previous_load, _enums.PREVIOUS_LOADS),
    "image_setting": (lib.sdimage_target_options_set_image_setting, _enums.IMAGE_SETTINGS),
    "transition_rule": (lib.sdimage_target_options_set_transition_rule, _enums.TRANSITION_RULES),
}

_targets: weakref.WeakSet[Target] = closed_at_exit(Target.close)
