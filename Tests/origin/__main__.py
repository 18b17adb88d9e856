"""Serves a folder of images: prints the address as the first line and serves until Ctrl-C.

    python3 Tests/origin [--folder FOLDER] [--host ADDRESS] [--port N] [--kbps N] [--delay-ms N]"""

import argparse
import contextlib
import pathlib
import sys

sys.path[0] = str(pathlib.Path(__file__).resolve().parents[1])
from origin import Origin  # noqa: E402

parser = argparse.ArgumentParser(prog="Tests/origin", description="Serve images to tests.")
parser.add_argument("--folder", help="Serve this folder")
parser.add_argument("--host", default="127.0.0.1", help="Listen on this address (default: loopback only)")
parser.add_argument("--port", type=int, default=0, help="Listen on this port (default: a free one)")
parser.add_argument("--kbps", type=int, default=0, help="Limit each response to N kilobytes per second (default: no limit)")
parser.add_argument("--delay-ms", type=int, default=0, help="Wait N milliseconds before each response")
with Origin(**vars(parser.parse_args())) as origin, contextlib.suppress(KeyboardInterrupt):
    print(origin.url(""), flush=True)
    origin.wait()
