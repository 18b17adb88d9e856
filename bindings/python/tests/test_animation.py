"""Animation playback, and notebook previews."""

from __future__ import annotations

import base64
import re
import time
import unittest
from pathlib import Path
from typing import Any

from sdimage._ffi import lib
from sdimage.errors import call

from .support import sdimage

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]

SIDE = 6


def frame(gray: int) -> Any:
    return sdimage.Image.from_pixels(bytes((gray, gray, gray, 255)) * SIDE * SIDE, SIDE, SIDE, "rgba8")


def moving(count: int = 3, durations: list[int] | None = None, loops: int = 0) -> bytes:
    """A GIF whose frame n is of one gray, 10 n."""
    frames = [frame(10 * index) for index in range(count)]
    image = sdimage.Image.animation(frames, durations or [100] * count, loops)
    return image.encode("gif")


def gray(image: Any) -> int:
    return image.tobytes()[0]


class Playing(unittest.TestCase):
    def test_frames_come_in_their_time(self) -> None:
        player = sdimage.Animation(moving(3, [50, 100, 30])).player()
        found = player.advance(0)
        self.assertEqual((found[0], gray(found[1])), (0, 0))
        self.assertIsNone(player.advance(49))
        self.assertEqual(player.advance(1)[0], 1)
        self.assertIsNone(player.advance(99))
        index, image = player.advance(1)
        self.assertEqual((index, gray(image)), (2, 20))
        self.assertEqual(player.advance(30)[0], 0)
        self.assertEqual((player.loop_count, player.index, gray(player.frame)), (1, 0, 0))

    def test_frames_that_are_made_on_access_are_held(self) -> None:
        animation = sdimage.Animation(moving(6))
        image = sdimage.Image.animation(animation, animation.durations_ms)
        self.assertEqual([gray(image.frame(index)) for index in range(6)], [0, 10, 20, 30, 40, 50])

    def test_rates_and_modes(self) -> None:
        player = sdimage.Animation(moving()).player(rate=2, mode="reverse")
        self.assertEqual([player.advance(step)[0] for step in (0, 50, 50, 50)], [2, 1, 0, 2])
        self.assertEqual((player.rate, player.mode), (2.0, "reverse"))
        player.mode = "bounce"
        player.rate = 1
        self.assertIsNone(player.advance(99))
        with self.assertRaises(sdimage.Error):
            sdimage.Animation(moving()).player(mode="sideways")

    def test_the_last_loop_ends_it(self) -> None:
        animation = sdimage.Animation(moving(loops=2))
        self.assertEqual([index for index, _ in animation.player()], [0, 1, 2] * 2)
        player = animation.player(loops=1)
        self.assertEqual([gray(image) for _, image in player], [0, 10, 20])
        self.assertFalse(player.playing)
        self.assertIsNone(player.advance(1000))
        player.start()
        self.assertEqual(player.advance(0)[0], 0)

    def test_iteration_of_a_growing_animation_ends_after_what_has_arrived(self) -> None:
        data = moving(3, loops=2)
        animation = sdimage.Animation(b"")
        for rate in (1, 3, 0):
            player = animation.player(rate)
            self.assertEqual(list(player), [])
        player = animation.player(3)
        animation.update(data[:-20])
        first = [index for index, _ in player]
        self.assertIn(first, ([0, 1], [0, 1, 2]))
        self.assertEqual(list(player), [])
        animation.update(data[-20:], finished=True)
        self.assertEqual(first + [index for index, _ in player], [0, 1, 2] * 2)

    def test_iteration_goes_on_for_ever_where_there_is_no_last_loop(self) -> None:
        iterator = iter(sdimage.Animation(moving(2)).player())
        self.assertEqual([next(iterator)[0] for _ in range(5)], [0, 1, 0, 1, 0])

    def test_a_clock_of_the_caller(self) -> None:
        now = [100.0]
        player = sdimage.Animation(moving()).player(clock=lambda: now[0])
        self.assertEqual(player.advance()[0], 0)
        self.assertIsNone(player.advance())
        now[0] += 0.1
        self.assertEqual(player.advance()[0], 1)

    def test_no_frame_is_skipped_unless_asked_for(self) -> None:
        player = sdimage.Animation(moving(5)).player()
        player.advance(0)
        self.assertEqual(player.advance(350)[0], 1)
        player = sdimage.Animation(moving(5)).player(drop_late_frames=True)
        player.advance(0)
        self.assertEqual(player.advance(350)[0], 3)

    def test_seek_pause_and_stop(self) -> None:
        player = sdimage.Animation(moving()).player()
        self.assertEqual(gray(player.seek(2)), 20)
        player.pause()
        self.assertIsNone(player.advance(1000))
        player.start()
        self.assertEqual(player.advance(100)[0], 0)
        player.stop()
        self.assertIsNone(player.frame)
        with self.assertRaises(sdimage.Error) as caught:
            player.seek(3)
        self.assertEqual(caught.exception.code, "INVALID_ARGUMENT")

    def test_a_still_has_no_player(self) -> None:
        with self.assertRaises(sdimage.Error) as caught:
            sdimage.Animation(frame(7).encode("png")).player()
        self.assertEqual(caught.exception.code, "INVALID_ARGUMENT")

    def test_an_animation_plays_while_it_grows(self) -> None:
        file = moving(4)
        animation = sdimage.Animation(b"")
        animation.update(file[: len(file) // 2])
        player = animation.player()
        seen = [found[0] for found in (player.advance(100) for _ in range(9)) if found]
        self.assertEqual(seen, list(range(len(seen))))
        self.assertTrue(player.playing)
        animation.update(file[len(file) // 2 :], finished=True)
        rest = [found[0] for found in (player.advance(100) for _ in range(9)) if found]
        self.assertIn(3, rest)

    def test_an_image_plays_too(self) -> None:
        image = sdimage.decode(moving())
        with sdimage.Player.of(image, loops=1) as player:
            self.assertEqual([index for index, _ in player], [0, 1, 2])

    def test_nonsense_is_refused(self) -> None:
        player = sdimage.Animation(moving()).player()
        for step in (-1, 1e300, float("inf"), float("nan")):
            with self.assertRaises(sdimage.Error):
                player.advance(step)
        player.close()
        with self.assertRaises(sdimage.Error) as caught:
            player.advance(1)
        self.assertEqual(caught.exception.code, "SHUTDOWN")

    def test_players_share_one_memory(self) -> None:
        player = sdimage.Animation(moving()).player()
        player.advance(0)
        used = sdimage.frame_memory()
        self.assertGreaterEqual(used["frames"], 1)
        self.assertLessEqual(used["bytes"], used["limit"])
        self.assertEqual(sdimage.frame_memory(limit=1 << 20)["limit"], 1 << 20)
        sdimage.frame_memory(limit=64 << 20)


class Clocks(unittest.TestCase):
    """The time at which the descriptor of a player becomes readable."""

    MS = 60_000

    def setUp(self) -> None:
        self.player = sdimage.Animation(moving(3, [Clocks.MS] * 3)).player()
        self.pointer = self.player._handle.pointer
        call(lib.sdimage_player_set_clock, self.pointer, 1, None)
        self.assertTrue(lib.sdimage_player_advance(self.pointer))

    def due(self) -> tuple[int, int]:
        """The earliest and the latest value of the time, in nanoseconds."""
        before = time.monotonic_ns()
        text = Path(f"/proc/self/fdinfo/{lib.sdimage_player_descriptor(self.pointer)}").read_text()
        after = time.monotonic_ns()
        found = re.search(r"it_value: \((\d+), (\d+)\)", text)
        assert found
        left = int(found[1]) * 10**9 + int(found[2])
        return before + left, after + left

    def pass_time(self) -> int:
        end = time.monotonic_ns() + 20_000_000
        while (now := time.monotonic_ns()) < end:
            pass
        return now

    def test_changes_do_not_delay_the_next_frame(self) -> None:
        first = self.due()
        self.pass_time()
        self.player.update()
        self.assertLessEqual(self.due()[0], first[1])
        self.pass_time()
        self.player.mode = "bounce"
        self.assertLessEqual(self.due()[0], first[1])

    def test_time_before_a_pause_counts(self) -> None:
        first = self.due()
        paused = self.pass_time()
        for _ in range(2):
            self.player.pause()
            self.player.start()
        self.assertLessEqual(self.due()[0], first[1] + time.monotonic_ns() - paused)

    def test_a_frame_after_a_seek_has_its_whole_duration(self) -> None:
        sought = self.pass_time()
        self.player.seek(1)
        self.assertFalse(lib.sdimage_player_advance(self.pointer))
        self.assertGreaterEqual(self.due()[1], sought + Clocks.MS * 1_000_000)


class Pictures(unittest.TestCase):
    @unittest.skipUnless(numpy, "numpy is not installed")
    def test_frames_are_arrays_without_a_copy(self) -> None:
        _, image = sdimage.Animation(moving()).player().advance(0)
        array = numpy.asarray(image)
        self.assertEqual(array.shape, (SIDE, SIDE, 4))
        self.assertFalse(array.flags.owndata or array.flags.writeable)

    def test_notebooks_see_a_moving_png(self) -> None:
        animation = sdimage.Animation(moving(3, [50, 60, 70]))
        bundle = animation._repr_mimebundle_()
        shown = sdimage.Animation(base64.b64decode(bundle["image/png"]))
        self.assertEqual((len(shown), shown.durations_ms), (3, [50, 60, 70]))
        self.assertIn("3 frames", bundle["text/plain"])
        self.assertEqual(set(animation._repr_mimebundle_(include={"text/plain"})), {"text/plain"})
        self.assertNotIn("image/png", animation._repr_mimebundle_(exclude={"image/png"}))
        self.assertNotIn("image/png", sdimage.Animation(b"")._repr_mimebundle_())

    def test_an_animation_becomes_an_image(self) -> None:
        image = sdimage.Animation(moving()).to_image()
        self.assertEqual((image.frame_count, image.durations_ms), (3, [100] * 3))
        self.assertEqual(len(sdimage.Animation(image.encode("webp"))), 3)


if __name__ == "__main__":
    unittest.main()
