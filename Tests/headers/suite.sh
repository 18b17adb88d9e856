# Suite of Tests/run.
ABOUT='each header alone, in two languages and two compilers'
BUDGET=60
NEEDS=toolchain
PACKAGES="gcc g++ libc6-dev python3"

suite() { "$SDIMAGE_PYTHON" Tests/headers/headers.py; }
