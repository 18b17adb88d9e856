# Suite of Tests/run.
ABOUT='a disk cache under killed processes, power cuts, failing calls, sharing, hostile keys; longer: Tests/faults/run'
BUDGET=120
NEEDS=library
HAS_PARTS=1

# Before a release: Tests/faults/run.
suite() { "$SDIMAGE_PYTHON" Tests/faults/faults.py "$PREFIX"; }
