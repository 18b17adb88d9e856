"""Pictures for the widgets of a program, whatever its toolkit."""

from __future__ import annotations

import atexit
import itertools
import threading
import weakref
from collections.abc import Callable
from ctypes import CFUNCTYPE, byref, c_void_p, sizeof
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeAlias, Unpack, cast

from . import _bytes, _enums
from . import manager as _manager
from ._ffi import (
    ANIMATE_TRANSITION,
    DESTROY,
    END_TRANSITION,
    HOST_IS_CURRENT,
    HOST_POST,
    INDICATE,
    INDICATE_FRACTION,
    PREPARE_TRANSITION,
    SET_IMAGE,
    HostTable,
    TargetTable,
    lib,
)
from ._handle import Handle
from ._listener import OnProgress, OnResult
from .errors import Error, call
from .image import Image
from .manager import Manager
from .options import U32, unsigned
from .request import RequestOptions, new_request
from .result import Result
from .task import Task

if TYPE_CHECKING:
    from .animated_view import AnimatedView

SetImage: TypeAlias = Callable[[str, "Image | None", "Result | None"], object]
Indicate: TypeAlias = Callable[[str], object]
IndicateFraction: TypeAlias = Callable[[str, float], object]
PrepareTransition: TypeAlias = Callable[[str, "str | int", int, "Image | None"], object]
EndTransition: TypeAlias = Callable[[str, bool], object]
Post: TypeAlias = Callable[[Callable[[], None]], object]


class TargetOptions(RequestOptions, total=False):
    """Keyword arguments of :meth:`Target.load`, beside those of loads."""

    #: Names the slot; ``"image"`` when left out.
    key: str | None
    #: Loads in place of the target's own.
    manager: Manager | None
    #: Drawn in place of the placeholder: the text of a BlurHash, the bytes of a ThumbHash.
    blurhash: str
    thumbhash: bytes
    #: ``"now"``, or ``"on_failure"``: at the end, where there is no picture.
    placeholder_time: str
    #: ``"none"``, ``"memory"`` or ``"memory_and_disk"``: cached pictures of the same URL that go before the placeholder.
    cached_placeholder: str
    #: ``"cancel"`` or ``"keep"``: what becomes of the load before it in the slot.
    previous_load: str
    #: ``"automatic"``, or ``"manual"``: the program shows the picture itself.
    image_setting: str
    #: ``"none"``, ``"fade"``, ``"flip_from_left"``, …, or a number of the program's own from 1000 on; and milliseconds.
    transition: str | int
    transition_ms: int
    #: ``"waited"`` (what somebody had to wait for) or ``"always"``.
    transition_rule: str
    #: Whether ``set_image`` is called within the transition; true when left out.
    transition_sets_image: bool
    #: ``on_result`` is called when the transition has ended.
    wait_for_transition: bool


class Progress:
    """How far something is; may be shared by several targets."""

    __slots__ = ("_handle",)

    def __init__(self, pointer: int | None = None) -> None:
        """One of its own, or one that takes over a reference of the library."""
        self._handle = Handle(pointer or lib.sdimage_progress_new(), lib.sdimage_progress_unref)

    @property
    def completed(self) -> int:
        """Units that are done."""
        return cast(int, lib.sdimage_progress_completed(self._handle.pointer))

    @property
    def total(self) -> int:
        """All units; 0 or less while that is unknown."""
        return cast(int, lib.sdimage_progress_total(self._handle.pointer))

    @property
    def fraction(self) -> float:
        """0 to 1; 0 while the total is unknown."""
        return cast(float, lib.sdimage_progress_fraction(self._handle.pointer))

    def set(self, completed: int, total: int) -> None:
        """Both numbers in one step."""
        lib.sdimage_progress_set(self._handle.pointer, completed, total)

    @property
    def pointer(self) -> int:
        """The address, for a call."""
        return self._handle.pointer


class Target:
    """Stands for one widget, or one cell that is used again and again.

    ``set_image(key, image, result)`` shows a picture: `image` is ``None`` to clear, `result` is ``None`` for a
    placeholder. ``start_indicator(key)``, ``stop_indicator(key)`` and ``update_indicator(key, fraction)`` tell that
    something is under way; ``prepare_transition(key, transition, ms, image)`` and ``animate_transition`` with the same
    arguments come around ``set_image``, and ``end_transition(key, finished)`` after the time.

    Everything runs in order. `post` is how the toolkit runs a function on its own thread (``root.after_idle``,
    ``GLib.idle_add``, ``loop.call_soon_threadsafe``): the target must then be made on that thread, and a picture in
    memory is set before :meth:`load` returns there. Left out: on the library's callback thread.

    :meth:`close` is what to do when the widget goes away; so does dropping the target.
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
        self._manager = manager
        self._token = next(_tokens)
        self._loop = _loop(post) if post is not None else None
        self._shown_in: dict[str | None, AnimatedView | None] = {}
        _widgets[self._token] = _Widget(
            set_image,
            start_indicator,
            stop_indicator,
            update_indicator,
            prepare_transition,
            animate_transition,
            end_transition,
        )
        animates = prepare_transition or animate_transition or end_transition
        table = _table(bool(animates), update_indicator is not None)
        out = c_void_p()
        dispatcher = None if self._loop is None else self._loop.dispatcher.pointer
        try:
            call(
                lib.sdimage_target_new,
                manager._handle.pointer,
                dispatcher,
                byref(table),
                self._token,
                _NO_DESTROY,
                byref(out),
            )
        except BaseException:
            _widgets.pop(self._token, None)
            raise
        self._handle = Handle(out.value, lib.sdimage_target_unref)
        _targets.add(self)

    def load(
        self,
        url: str | bytes | None,
        placeholder: Image | None = None,
        *,
        on_result: OnResult | None = None,
        on_partial: OnResult | None = None,
        on_progress: OnProgress | None = None,
        **options: Unpack[TargetOptions],
    ) -> Task | None:
        """Loads a picture into a slot, in place of what is under way there, and returns.

        ``on_result(result)`` once, with :attr:`Result.error` set when it failed, was overtaken or cancelled;
        ``on_partial`` for what is followed by a better one: cached pictures that are being refreshed, and parts where
        the program sets the picture itself. ``None`` without a URL.
        """
        wish = cast(RequestOptions, {name: value for name, value in options.items() if name not in _OWN})
        loading = options.get("manager") or self._manager
        with new_request(url or b"", wish) as request, _options(options, placeholder) as how:
            held = loading._set_loader(request, wish), wish.get("cache"), wish.get("hooks"), self._loop
            token = next(_manager._tokens)
            _manager._running[token] = _manager._Running(loading, held, on_progress, on_partial, on_result)
            out = c_void_p()
            try:
                call(
                    lib.sdimage_target_load,
                    self._handle.pointer,
                    request.pointer,
                    how.pointer,
                    _manager._HANDLER,
                    token,
                    _NO_DESTROY,
                    byref(out),
                )
            except BaseException:
                _manager._running.pop(token, None)
                raise
        return Task(out.value, loading) if out.value else None

    def set_view(self, view: AnimatedView | None, key: str | None = None) -> None:
        """From now on shows a slot in a view, too, before `set_image` is called: animations play there, as far as they
        have come where loads are progressive. ``None`` ends that."""
        lib.sdimage_target_set_view(self._handle.pointer, _key(key), view.pointer if view else None)
        self._shown_in[key] = view

    def cancel(self, key: str | None = None) -> None:
        """Ends what is under way in a slot, or in that of the latest load."""
        if key is None:
            lib.sdimage_target_cancel_latest(self._handle.pointer)
        else:
            lib.sdimage_target_cancel(self._handle.pointer, key.encode())

    def task(self, key: str = "image") -> Task | None:
        """The load under way in a slot."""
        out = c_void_p()
        lib.sdimage_target_copy_task(self._handle.pointer, key.encode(), byref(out))
        return Task(out.value, self._manager) if out.value else None

    def url(self, key: str | None = None) -> str:
        """The URL of the latest load of a slot, or of all; empty when there was none."""
        out = c_void_p()
        lib.sdimage_target_copy_url(self._handle.pointer, _key(key), byref(out))
        return _bytes.taken(out).decode("utf-8", "surrogateescape")

    @property
    def latest_key(self) -> str:
        """The key of the latest load; empty when there was none."""
        out = c_void_p()
        lib.sdimage_target_copy_latest_key(self._handle.pointer, byref(out))
        return _bytes.taken(out).decode()

    def progress(self, key: str | None = None) -> Progress:
        """How far the load of a slot is, or the latest one; made when first asked for."""
        out = c_void_p()
        lib.sdimage_target_copy_progress(self._handle.pointer, _key(key), byref(out))
        return Progress(out.value)

    def set_progress(self, progress: Progress, key: str | None = None) -> None:
        """Has a slot count with this object."""
        lib.sdimage_target_set_progress(self._handle.pointer, _key(key), progress.pointer)

    def close(self) -> None:
        """Ends what is under way; none of the functions is called any more. Again is harmless."""
        try:
            lib.sdimage_target_close(self._handle.pointer)
        except Error:
            return  # closed already
        _widgets.pop(self._token, None)
        self._handle.release()
        _targets.discard(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        if hasattr(self, "_handle"):
            self.close()


_OWN = frozenset(TargetOptions.__annotations__)


def _key(key: str | None) -> bytes | None:
    return None if key is None else key.encode()


def _options(options: TargetOptions, placeholder: Image | None) -> Handle:
    handle = Handle(lib.sdimage_target_options_new(), lib.sdimage_target_options_unref)
    pointer = handle.pointer
    key, manager = options.get("key"), options.get("manager")
    if key is not None:
        lib.sdimage_target_options_set_key(pointer, key.encode())
    if manager is not None:
        lib.sdimage_target_options_set_manager(pointer, manager._handle.pointer)
    if placeholder is not None:
        lib.sdimage_target_options_set_placeholder(pointer, placeholder.pointer)
    if "blurhash" in options:
        text = options["blurhash"].encode()
        lib.sdimage_target_options_set_blurhash(pointer, text, len(text), 32, 32)
    if "thumbhash" in options:
        lib.sdimage_target_options_set_thumbhash(pointer, options["thumbhash"], len(options["thumbhash"]))
    for name, words in _CHOICES.items():
        if name in options:
            number = _enums.number(words, str(cast("dict[str, object]", options)[name]), name)
            getattr(lib, f"sdimage_target_options_set_{name}")(pointer, number)
    if "transition" in options:
        chosen = options["transition"]
        number = chosen if isinstance(chosen, int) else _enums.number(_enums.TRANSITIONS, chosen, "transition")
        duration = unsigned(options.get("transition_ms"), "transition_ms", U32)
        lib.sdimage_target_options_set_transition(pointer, number, duration)
    lib.sdimage_target_options_set_transition_sets_image(pointer, options.get("transition_sets_image", True))
    lib.sdimage_target_options_set_wait_for_transition(pointer, options.get("wait_for_transition", False))
    return handle


_CHOICES = {
    "placeholder_time": _enums.PLACEHOLDER_TIMES,
    "cached_placeholder": _enums.CACHED_PLACEHOLDERS,
    "previous_load": _enums.PREVIOUS_LOADS,
    "image_setting": _enums.IMAGE_SETTINGS,
    "transition_rule": _enums.TRANSITION_RULES,
}


@dataclass(slots=True)
class _Widget:
    """The functions of one target."""

    set_image: SetImage | None
    start_indicator: Indicate | None
    stop_indicator: Indicate | None
    update_indicator: IndicateFraction | None
    prepare_transition: PrepareTransition | None
    animate_transition: PrepareTransition | None
    end_transition: EndTransition | None

    @staticmethod
    def call(token: int | None, name: str, *arguments: object) -> None:
        """Calls a function of the target behind a number, if it has it."""
        function = getattr(_widgets.get(token or 0), name, None)
        if function is not None:
            function(*arguments)


# The library holds a number in place of a Python object, see loader.py.
_widgets: dict[int, _Widget] = {}
_targets: weakref.WeakSet[Target] = weakref.WeakSet()
_tokens = itertools.count(1)
_WORDS = {number: word for word, number in _enums.TRANSITIONS.items()}


def _image(pointer: int | None) -> Image | None:
    return Image.borrowed(pointer) if pointer else None


def _set_image(token: int | None, key: bytes, image: int | None, result: int | None) -> None:
    _Widget.call(token, "set_image", key.decode(), _image(image), Result.borrowed(result) if result else None)


def _start(token: int | None, key: bytes) -> None:
    _Widget.call(token, "start_indicator", key.decode())


def _stop(token: int | None, key: bytes) -> None:
    _Widget.call(token, "stop_indicator", key.decode())


def _update(token: int | None, key: bytes, fraction: float) -> None:
    _Widget.call(token, "update_indicator", key.decode(), fraction)


def _prepare(token: int | None, key: bytes, transition: int, ms: int, image: int | None, _result: int | None) -> None:
    _Widget.call(token, "prepare_transition", key.decode(), _WORDS.get(transition, transition), ms, _image(image))


def _animate(token: int | None, key: bytes, transition: int, ms: int, image: int | None) -> None:
    _Widget.call(token, "animate_transition", key.decode(), _WORDS.get(transition, transition), ms, _image(image))


def _end(token: int | None, key: bytes, finished: bool) -> None:
    _Widget.call(token, "end_transition", key.decode(), finished)


_FUNCTIONS = (SET_IMAGE(_set_image), INDICATE(_start), INDICATE(_stop))
_UPDATE = INDICATE_FRACTION(_update)
_TRANSITION = (PREPARE_TRANSITION(_prepare), ANIMATE_TRANSITION(_animate), END_TRANSITION(_end))
_NO_TRANSITION = (PREPARE_TRANSITION(), ANIMATE_TRANSITION(), END_TRANSITION())
_NO_DESTROY = DESTROY()


def _table(animates: bool, updates: bool) -> TargetTable:
    update = _UPDATE if updates else INDICATE_FRACTION()
    return TargetTable(sizeof(TargetTable), *_FUNCTIONS, update, *(_TRANSITION if animates else _NO_TRANSITION))


# --- Loops of toolkits.

_RUN = CFUNCTYPE(None, c_void_p)


class _Loop:
    """A toolkit's loop, and the thread that it runs on."""

    def __init__(self, post: Post, token: int) -> None:
        self.post = post
        self.thread = threading.get_ident()
        out = c_void_p()
        call(lib.sdimage_dispatcher_new_host, byref(_HOST_TABLE), token, _NO_DESTROY, byref(out))
        self.dispatcher = Handle(out.value, lib.sdimage_dispatcher_unref)


# Never forgotten: a program has few, and calls may be on their way to them at any time.
_loops: dict[tuple[Post, int], int] = {}
_by_token: dict[int, _Loop] = {}


def _loop(post: Post) -> _Loop:
    place = (post, threading.get_ident())
    token = _loops.get(place)
    if token is None:
        token = next(_tokens)
        _by_token[token] = _Loop(post, token)
        _loops[place] = token
    return _by_token[token]


def _post(token: int | None, run: int, argument: int) -> None:
    loop = _by_token.get(token or 0)
    if loop is not None:
        loop.post(lambda: cast(Any, _RUN(run))(argument))


def _is_current(token: int | None) -> bool:
    loop = _by_token.get(token or 0)
    return loop is not None and loop.thread == threading.get_ident()


_HOST_TABLE = HostTable(sizeof(HostTable), HOST_POST(_post), HOST_IS_CURRENT(_is_current))


@atexit.register
def _close_all() -> None:
    """No callback may enter an interpreter that is ending."""
    for target in list(_targets):
        target.close()
