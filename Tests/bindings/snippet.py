#!/usr/bin/env python3
"""Prints an example of a README, to be compiled and run.

    snippet.py README LANGUAGE [NUMBER]"""

import pathlib
import re
import sys

found = re.findall(rf"^```{sys.argv[2]}\n(.*?)^```", pathlib.Path(sys.argv[1]).read_text(), re.M | re.S)
print(found[int(sys.argv[3]) if len(sys.argv) > 3 else 0], end="")
