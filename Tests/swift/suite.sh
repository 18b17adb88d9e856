# Suite of Tests/run.
ABOUT='Swift unit tests in a debug build, its time included'
BUDGET=800
NEEDS=swift
HAS_PARTS=1

suite() {
    local status=0
    scripts/swift-build --build-tests >&2 || { echo "not ok the debug build: see build/logs/swift.log"; return 1; }
    export TMPDIR=$SDIMAGE_TEMPORARY
    "$SDIMAGE_PYTHON" Tests/support/lines.py swift swift test --skip-build ${SDIMAGE_ONLY:+--filter "$SDIMAGE_ONLY"} || status=1
    # The baseline is what the suite `kernels` compares all others with.
    [ -n "${SDIMAGE_ONLY:-}" ] || SDIMAGE_CPU=baseline "$SDIMAGE_PYTHON" Tests/support/lines.py swift swift test --skip-build --filter KernelTests |
        sed 's/^\(ok\|not ok\|skip\) /\1 baseline: /' || status=1
    return $status
}
