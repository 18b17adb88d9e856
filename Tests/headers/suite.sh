# Suite of Tests/run.
ABOUT='each header alone, in two languages and two compilers'
BUDGET=60
NEEDS=swift

suite() { "$SDIMAGE_PYTHON" Tests/headers/headers.py; }
