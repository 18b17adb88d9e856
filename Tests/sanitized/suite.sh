# Suite of Tests/run.
ABOUT='codecs and decoders under the address and undefined-behaviour sanitizers, the build included'
BUDGET=800
NEEDS=swift
HAS_PARTS=1
PACKAGES="$SDIMAGE_PLUGIN_PACKAGES"

suite() {
    build_sanitized --build-tests || { echo "not ok the build with sanitizers: see build/logs/sanitized-build.log"; return 1; }
    TMPDIR=$SDIMAGE_TEMPORARY "$SDIMAGE_PYTHON" Tests/support/lines.py swift swift test --skip-build $SDIMAGE_SANITIZED_FLAGS \
        --filter "${SDIMAGE_ONLY:-CodecTests|APITests.*(Decoder|Coder|Finding|Image)}"
}
