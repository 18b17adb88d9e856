"""Decoding in worker processes."""

from __future__ import annotations

from .support import PICTURES, TestCase, run_python, sdimage

#: Decodes a file in this process and in a worker; prints the numbers of equal images and of calls to workers.
BOTH = """
    import sys
    import sdimage
    data = open(sys.argv[1], "rb").read()
    here = sdimage.decode(data)
    isolated = sdimage.decode(data, isolation="all")
    used = sdimage.isolation_statistics()
    print(int(bytes(here.pixels) == bytes(isolated.pixels)), used["calls"], used["crashes"])
"""


class IsolationTests(TestCase):
    def test_the_process_has_an_isolation(self) -> None:
        self.assertEqual(sdimage.isolation(), "none")
        sdimage.set_isolation("risky", decode_in_process=True)
        try:
            self.assertEqual(sdimage.isolation(), "risky")
        finally:
            sdimage.set_isolation("none", decode_in_process=False)
        with self.assertRaises(sdimage.Error):
            sdimage.set_isolation("some")

    def test_statistics_name_their_counts(self) -> None:
        self.assertEqual(
            set(sdimage.isolation_statistics()),
            {"running", "started", "crashes", "kills", "timeouts", "refused", "calls", "waiting"},
        )

    def test_a_worker_decodes_the_same_pixels(self) -> None:
        self.assertEqual(run_python(BOTH, str(PICTURES / "balloons.jpg")).stdout.split(), ["1", "1", "0"])
