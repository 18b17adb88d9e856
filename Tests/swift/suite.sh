# Suite of Tests/run.
ABOUT='Swift unit tests in a debug build, its time included'
BUDGET=480
NEEDS=swift
HAS_PARTS=1

suite() {
    swift build --build-tests >&2 || { echo "not ok the debug build: see build/logs/swift.log"; return 1; }
    TMPDIR=$SDIMAGE_TEMPORARY "$SDIMAGE_PYTHON" Tests/support/lines.py swift swift test --skip-build ${SDIMAGE_ONLY:+--filter "$SDIMAGE_ONLY"}
}
