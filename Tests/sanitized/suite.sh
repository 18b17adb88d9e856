# Suite of Tests/run.
ABOUT='the Swift unit tests under the address and undefined-behavior sanitizers, with assertions, the build included'
BUDGET=1000
NEEDS=swift
HAS_PARTS=1
PACKAGES="$SDIMAGE_PLUGIN_PACKAGES"

# Leaks are searched for in these tests only, by the names of their suites: objects of the others outlive them, also in a process of
# their own that ends, or are referenced by packed pointers, which the sanitizer does not see. The programs of `abi`, `bindings` and
# `races` count what is left.
DECODES='CodecTests|APITests\.[^/]*(Decoder|Coder|Encod|Finding|Image|GainMap|Animation|HDR|Color)'

# tests OPTION…: runs the tests that `swift test` selects by the options. The findings go to the log by way of files: the output of
# tests that run in a process of their own is discarded.
tests() {
    local status findings=$SDIMAGE_TEMPORARY/finding
    ASAN_OPTIONS=$ASAN_OPTIONS:log_path=$findings TMPDIR=$SDIMAGE_TEMPORARY \
        "$SDIMAGE_PYTHON" Tests/support/lines.py swift swift test --skip-build $SDIMAGE_SANITIZED_FLAGS "$@"
    status=$?
    ! ls "$findings".* >/dev/null 2>&1 || cat "$findings".* >&2
    rm -f "$findings".*
    return $status
}

suite() {
    local status=0
    build_sanitized --build-tests || { echo "not ok the build with sanitizers: see build/logs/sanitized-build.log"; return 1; }
    if [ -n "${SDIMAGE_ONLY:-}" ]; then
        ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 tests --filter "$SDIMAGE_ONLY"
        return
    fi
    tests --filter "$DECODES" || status=1
    ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 tests --skip "$DECODES" || status=1
    # The baseline is what the suite `kernels` compares all others with.
    SDIMAGE_CPU=baseline tests --filter KernelTests | sed 's/^\(ok\|not ok\|skip\) /\1 baseline: /' || status=1
    return $status
}
