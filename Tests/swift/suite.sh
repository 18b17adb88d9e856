# Suite of Tests/run.
ABOUT='the Swift unit tests in a debug build, which is built again in less time'
BUDGET=800
NEEDS=swift
HAS_PARTS=1
COVERED_BY=sanitized

suite() {
    scripts/swift-build --build-tests >&2 || { echo "not ok the debug build: see build/logs/swift.log"; return 1; }
    TMPDIR=$SDIMAGE_TEMPORARY "$SDIMAGE_PYTHON" Tests/support/lines.py swift swift test --skip-build ${SDIMAGE_ONLY:+--filter "$SDIMAGE_ONLY"}
}
