# Suite of Tests/run.
ABOUT='the Swift unit tests in a debug build, which is built again in less time'
BUDGET=800
NEEDS=toolchain
PACKAGES=$SDIMAGE_ENGINE_PACKAGES
HAS_PARTS=1
COVERED_BY=sanitized

# Prints the test targets whose sources match SDIMAGE_ONLY: the others are not built. None: all are.
matching_targets() {
    local target
    [ -n "${SDIMAGE_ONLY:-}" ] || return 0
    for target in Tests/swift/*Tests; do
        if grep -qrE -e "$SDIMAGE_ONLY" "$target"; then basename "$target"; fi
    done
}

suite() {
    export SDIMAGE_TEST_TARGETS=$(matching_targets)
    scripts/swift-build --build-tests >&2 || { echo "not ok the debug build: see build/logs/swift.log"; return 1; }
    TMPDIR=$SDIMAGE_TEMPORARY "$SDIMAGE_PYTHON" Tests/support/lines.py swift swift test --skip-build ${SDIMAGE_ONLY:+--filter "$SDIMAGE_ONLY"}
}
