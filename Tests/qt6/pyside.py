"""Runs the sample examples/qt/pyside.py until its image is loaded."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURE = ROOT / "Tests/fixtures/pictures/lighthouse.jpg"

sample = subprocess.Popen([sys.executable, ROOT / "examples/qt/pyside.py", PICTURE.as_uri()], stderr=subprocess.PIPE, text=True)
try:
    for line in sample.stderr:
        print(line, end="", file=sys.stderr)
        if "QSize(600, 900)" in line:
            break
    else:
        sys.exit("the image is not shown")
finally:
    sample.kill()
    sample.wait()
