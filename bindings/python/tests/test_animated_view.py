"""Views: animated images in widgets."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator

from .support import TestCase, sdimage
from .test_target import Loop


def moving(count: int, ms: int = 20, loops: int = 0) -> bytes:
    """A GIF whose frame `n` is of the gray 10 n + 5."""
    frames = [sdimage.Image.from_pixels(bytes((10 * n + 5,)) * 64, 8, 8, "gray8") for n in range(count)]
    return sdimage.Image.animation(frames, [ms] * count, loops).encode("gif")


class Screen:
    """Records the images to draw."""

    def __init__(self) -> None:
        self.shown: list[int | None] = []
        self.loops: list[int] = []
        self.threads: set[int] = set()

    def show(self, image: sdimage.Image | None) -> None:
        self.threads.add(threading.get_ident())
        self.shown.append(image.convert("gray8").pixels[0] if image else None)


class Views(TestCase):
    def test_an_animation_plays_as_time_passes(self) -> None:
        screen = Screen()
        view = sdimage.AnimatedView(screen.show, screen.loops.append)
        view.set(sdimage.decode(moving(3)))
        self.assertEqual(screen.shown, [5])
        self.assertTrue(view.animating)
        told = [view.tick(20) for _ in range(4)]
        self.assertEqual(screen.shown, [5, 5, 15, 25, 5, 15])
        self.assertTrue(all(told))
        self.assertEqual(screen.loops, [1])
        view.set(None)
        self.assertIsNone(screen.shown[-1])
        self.assertIsNone(view.image)

    def test_after_the_end_the_last_frame_is_the_one_to_draw(self) -> None:
        screen = Screen()
        view = sdimage.AnimatedView(screen.show, loops=1)
        view.set(sdimage.decode(moving(3)))
        for _ in range(6):
            view.tick(20)
        drawn = Screen()
        drawn.show(view.image)
        self.assertEqual((screen.shown, drawn.shown), ([5, 5, 15, 25], [25]))
        view.start()
        view.tick(20)
        self.assertEqual(view.frame_index, 1)
        view.rate = 0
        self.assertFalse(view.tick(20))
        drawn.show(view.image)
        self.assertEqual(drawn.shown[1:], screen.shown[-1:])

    def test_an_invisible_view_does_not_play(self) -> None:
        screen = Screen()
        view = sdimage.AnimatedView(screen.show)
        view.visible = False
        view.set(sdimage.decode(moving(3)))
        self.assertFalse(view.animating or view.tick(20))
        view.visible = True
        self.assertTrue(view.animating and view.visible)
        view.stop()
        self.assertFalse(view.animating)
        view.start()
        self.assertTrue(view.animating)

    def test_choices_hold_for_every_picture(self) -> None:
        screen = Screen()
        view = sdimage.AnimatedView(screen.show, screen.loops.append, loops=1, mode="reverse", rate=2.0)
        for _ in range(2):
            view.set(sdimage.decode(moving(3)))
            for _ in range(20):
                view.tick(10)
        self.assertEqual(screen.loops, [1, 1])
        with self.assertRaises(sdimage.Error):
            sdimage.AnimatedView(mode="sideways")
        with self.assertRaises(sdimage.Error):
            view.tick(-1)

    def test_time_passes_by_itself_on_the_toolkits_loop(self) -> None:
        screen, loop = Screen(), Loop()
        with sdimage.AnimatedView(screen.show, post=loop.post) as view:
            view.set(sdimage.decode(moving(3)))
            loop.run_until(lambda: len(screen.shown) >= 6)
        self.assertEqual(screen.shown[:6], [5, 5, 15, 25, 5, 15])
        self.assertEqual(screen.threads, {threading.get_ident()})

    def test_a_target_shows_its_pictures_in_the_view(self) -> None:
        screen, loop, told = Screen(), Loop(), []
        manager = self.manager(loader=lambda request: moving(3))
        view = sdimage.AnimatedView(screen.show)
        target = sdimage.Target(manager, post=loop.post)
        target.set_view(view)
        gray = sdimage.Image.from_pixels(bytes((200,)) * 4, 2, 2, "gray8")
        target.load("test://a", gray, on_result=told.append)
        loop.run_until(lambda: bool(told))
        self.assertEqual(screen.shown, [200, 5])
        view.tick(20)
        self.assertTrue(view.animating)
        target.set_view(None)
        target.load("test://b", on_result=told.append)
        loop.run_until(lambda: len(told) == 2)
        self.assertNotIn(None, screen.shown)
        target.close()

    def test_a_view_that_is_dropped_shows_nothing_more(self) -> None:
        screen, loop, told = Screen(), Loop(), []
        target = sdimage.Target(self.manager(loader=lambda request: moving(3)), post=loop.post)
        view = sdimage.AnimatedView(screen.show)
        target.set_view(view)
        view.close()
        view.close()
        del view
        gc.collect()
        target.load("test://a", on_result=told.append)
        loop.run_until(lambda: bool(told))
        self.assertEqual(screen.shown, [])
        target.close()


class Settings(TestCase):
    def test_every_setting_is_an_argument_and_a_property(self) -> None:
        flip = sdimage.transforms.flip(horizontal=True)
        given = {
            "autoplay": False,
            "incremental": False,
            "rate": 2.5,
            "mode": "bounce",
            "loops": 3,
            "max_buffer_size": 1 << 20,
            "transformer": flip,
            "rewind_when_stopped": True,
            "clear_buffer_when_stopped": True,
            "drop_late_frames": True,
            "decode_when_due": False,
        }
        view, plain = sdimage.AnimatedView(**given), sdimage.AnimatedView()  # type: ignore[arg-type]
        for name, value in given.items():
            with self.subTest(name):
                self.assertEqual(getattr(view, name), value)
                self.assertNotEqual(getattr(plain, name), value)
                setattr(plain, name, value)
                self.assertEqual(getattr(plain, name), value)
        for name in ("loops", "max_buffer_size", "transformer"):
            setattr(view, name, None)
            self.assertIsNone(getattr(view, name))
        self.assertTrue(sdimage.AnimatedView().decode_when_due)
        with sdimage.AnimatedView(post=Loop().post) as waiting:
            self.assertFalse(waiting.decode_when_due)
        with self.assertRaises(TypeError):
            sdimage.AnimatedView(transformer="flip")  # type: ignore[arg-type]

    def test_the_player_of_a_view_tells_frame_and_loops(self) -> None:
        screen = Screen()
        view = sdimage.AnimatedView(screen.show, loops=0)
        self.assertEqual((view.player, view.frame_index, view.loop_count), (None, 0, 0))
        view.set(sdimage.decode(moving(3)))
        view.tick(20)
        player = view.player
        assert player is not None
        self.assertEqual((view.frame_index, player.index, view.loop_count), (1, 1, 0))
        for _ in range(3):
            view.tick(20)
        self.assertEqual((view.frame_index, view.loop_count, player.loop_count), (1, 1, 1))
        player.seek(2)
        self.assertEqual((view.frame_index, screen.shown[-1]), (2, 25))
        self.assertTrue(player.playing)
        self.assert_error("UNSUPPORTED", list, player)
        view.set(None)
        self.assertIsNone(view.player)

    def test_a_transformer_changes_every_frame(self) -> None:
        screen = Screen()
        view = sdimage.AnimatedView(screen.show, transformer=sdimage.transforms.filter("invert"))
        view.set(sdimage.decode(moving(2)))
        view.tick(20)
        view.tick(20)
        plain = [sdimage.decode(moving(2)).frame(index).convert("gray8").pixels[0] for index in range(2)]
        self.assertEqual(len(set(screen.shown)), 2)
        self.assertTrue(set(screen.shown).isdisjoint(plain))


class Growing(TestCase):
    def test_a_growing_animation_plays_on_without_starting_again(self) -> None:
        screen, file = Screen(), moving(6)
        # The bytes up to the third frame and a part of the fourth.
        cuts = [length for length in range(len(file)) if self.frames(file[:length]) == 3]
        animation, view = sdimage.Animation(b""), sdimage.AnimatedView(screen.show)
        view.set(animation)
        self.assertEqual(screen.shown, [None])
        screen.shown.clear()
        animation.update(file[: cuts[0]])
        self.assertTrue(animation.is_incremental)
        self.assertTrue(view.animating)
        for _ in range(4):
            view.tick(20)
        self.assertEqual((screen.shown[-1], view.frame_index), (25, 2))
        before = len(screen.shown)
        animation.update(file[cuts[0] :], finished=True)
        self.assertFalse(animation.is_incremental)
        self.assertEqual(len(screen.shown), before)
        for _ in range(3):
            view.tick(20)
        self.assertEqual(screen.shown[before:], [35, 45, 55])
        self.assertEqual(view.loop_count, 0)

    def test_a_part_as_an_image_is_incremental_and_plays_on(self) -> None:
        file = moving(6)
        cut = next(length for length in range(len(file)) if self.frames(file[:length]) == 3)
        animation = sdimage.Animation(b"")
        animation.update(file[:cut])
        part = animation.to_image()
        self.assertEqual((part.is_incremental, part.is_animated, part.metadata.is_incremental), (True, True, True))
        player = sdimage.Player.of(part)
        seen = [found[0] for found in (player.advance(step) for step in (0, *[20] * 7)) if found]
        self.assertEqual(seen, [0, 1, 2])
        self.assertTrue(player.playing)
        animation.update(file[cut:], finished=True)
        seen = [found[0] for found in (player.advance(20) for _ in range(3)) if found]
        self.assertEqual(seen, [3, 4, 5])
        whole = animation.to_image()
        self.assertEqual((whole.is_incremental, whole.frame_count), (False, 6))

    def test_results_of_a_progressive_load_play_on_to_the_complete_image(self) -> None:
        file, screen, gate = moving(8), Screen(), threading.Semaphore(0)
        quarter = len(file) // 4
        parts = [file[:quarter], file[quarter : 2 * quarter], file[2 * quarter : 3 * quarter], file[3 * quarter :]]

        def load(request: sdimage.LoadRequest) -> Iterator[bytes]:
            yield parts[0]
            for part in parts[1:]:
                if request.url == "x:a":
                    gate.acquire(timeout=120)
                yield part

        manager = self.manager(cache=None, loader=load)
        view = sdimage.AnimatedView(screen.show)
        kinds: list[str] = []

        def deliver(result: sdimage.Result) -> None:
            kinds.append(result.kind)
            view.set(result)
            view.tick(20)
            gate.release()

        done = threading.Event()
        gate.release()
        manager.start(
            "x:a",
            on_partial=deliver,
            on_result=lambda result: (deliver(result), done.set()),
            progressive_interval_ms=1,
        )
        # Half of the file is enough for a first part; a later one may be shown together with the next.
        while not done.wait(0.2):
            if kinds:
                gate.release()
        self.assertGreater(kinds.count("partial"), 0)
        self.assertEqual(kinds[-1], "final")
        # The frames come in their order; a new part repeats the current frame at most.
        frames = [gray for gray in screen.shown if gray is not None]
        self.assertEqual(frames, sorted(frames))
        self.assertGreater(view.frame_index, 0)
        self.assertTrue(view.animating)
        # The result of another load starts at its first frame.
        view.set(manager.load("x:b"))
        self.assertEqual((screen.shown[-1], view.frame_index), (5, 0))

    def test_a_view_follows_one_animation_at_a_time(self) -> None:
        screen, file = Screen(), moving(3)
        animation, view = sdimage.Animation(b""), sdimage.AnimatedView(screen.show)
        view.set(animation)
        view.set(sdimage.Image.from_pixels(bytes((200,)) * 4, 2, 2, "gray8"))
        animation.update(file, finished=True)
        self.assertEqual(screen.shown[-1], 200)
        view.set(animation)
        self.assertEqual(screen.shown[-1], 5)
        other = sdimage.Animation(b"")
        view.set(other)
        view.close()
        other.update(file, finished=True)
        self.assertNotIn(15, screen.shown)

    def frames(self, data: bytes) -> int:
        animation = sdimage.Animation(b"")
        animation.update(data)
        return len(animation)

