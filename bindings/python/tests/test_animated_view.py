"""Views: animated images in widgets."""

from __future__ import annotations

import gc
import threading

from .support import TestCase, sdimage
from .test_target import Loop


def moving(count: int, ms: int = 20, loops: int = 0) -> bytes:
    """A GIF whose frame `n` is of the grey 10 n + 5."""
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

    def test_what_nobody_sees_does_not_play(self) -> None:
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
