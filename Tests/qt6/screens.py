#!/usr/bin/env python3
"""Compares what widgets and items look like with the pictures in `expected`: light, dark, and at two device pixels a point.

    screens.py PROGRAM IMPORT-PATH [--update]"""

import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import report  # noqa: E402

try:
    import numpy
    from PIL import Image
except ImportError as error:
    report.skip("screens", str(error))
    raise SystemExit(0) from None

EXPECTED = pathlib.Path(__file__).parent / "expected"
#: Levels by which a channel may differ, and the share of the pixels that may differ more.
LEVELS, SHARE = 24, 0.01


def pixels(path: pathlib.Path) -> numpy.ndarray:
    return numpy.asarray(Image.open(path).convert("RGB"), int)


def main() -> None:
    program, imports = sys.argv[1:3]
    for name, colors, scale in (("light", "light", "1"), ("dark", "dark", "1"), ("scale-2", "light", "2")):
        with tempfile.TemporaryDirectory() as folder:
            paths = [pathlib.Path(folder) / f"{kind}-{name}.png" for kind in ("widgets", "quick")]
            environment = {**os.environ, "QT_SCALE_FACTOR": scale}
            command = [program, colors, imports, *map(str, paths)]
            done = subprocess.run(command, env=environment, capture_output=True, text=True)
            if not report.check(f"screens: {name} is drawn", done.returncode == 0, done.stderr):
                continue
            for path in paths:
                if "--update" in sys.argv:
                    Image.open(path).convert("RGB").quantize(256).save(EXPECTED / path.name, optimize=True)
                    continue
                found, expected = pixels(path), pixels(EXPECTED / path.name)
                same = found.shape == expected.shape
                share = (abs(found - expected).max(axis=2) > LEVELS).mean() if same else 1
                report.check(f"screens: {path.stem} looks as expected", share <= SHARE, f"{share:.1%} of the pixels differ")
    report.finish()


if __name__ == "__main__":
    main()
