"""Decodes of expensive files of each format end at their time limit, by cancellation, and when their manager closes.

`Tests/plugins/measure-limits` prints the figures of an idle machine; here each may take three times as long, and longer
by the time that other processes use."""

from __future__ import annotations

import subprocess
import sys
import unittest

from . import expensive
from .support import ROOT, sdimage

sys.path[:0] = [str(ROOT / "Tests" / "plugins"), str(ROOT / "Tests" / "support")]
import limits
import machine

FACTOR = 3
#: Milliseconds that a busy machine may add to a short time limit.
LEAST = 250
#: Number of attempts until a measurement is within its bound: on an idle machine, and while another process uses the processors.
ATTEMPTS, BUSY_ATTEMPTS = 3, 20
#: Factor by which other processes prolong computations of this one on an idle machine, at most.
IDLE = 1.2


class Limits(unittest.TestCase):
    def assert_bounded(self, name: str) -> None:
        case = expensive.FORMATS[name]
        data = case.make()
        try:
            sdimage.info(data)
        except sdimage.Error as error:
            if error.code == "UNSUPPORTED":
                self.skipTest(f"no coder of {name}: {error}")
            raise
        bounds = (max(LEAST, FACTOR * 1.1 * case.limit_ms), *(FACTOR * each for each in (limits.CANCELLED, limits.FREE, limits.CLOSED)))
        before, idle = 1.0, 0
        for _ in range(BUSY_ATTEMPTS):
            result = limits.measure_apart(name, data, 1)
            after = machine.contention()
            longest = [bound * max(before, after) for bound in bounds]
            slow = {measure for measure, bound in zip(limits.MEASURES, longest) if result[measure][0] > bound}
            if not slow:
                return
            idle += max(before, after) < IDLE
            if idle == ATTEMPTS:
                break
            before = after
        self.fail(f"{name}: {', '.join(sorted(slow))} exceeds its bound: {result}")


def _test(name: str) -> object:
    return lambda self: self.assert_bounded(name)


for _name in expensive.FORMATS:
    setattr(Limits, f"test_{_name}", _test(_name))
