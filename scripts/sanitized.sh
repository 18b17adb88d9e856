# The build with the address and undefined-behavior sanitizers, the assertions of debug builds, and the coverage for libFuzzer. To be sourced by bash after
# setup.sh:
#
#   build_sanitized [swift build option…]          # into .build-sanitized; defines SDIMAGE_SANITIZED, where its programs are

SDIMAGE_SANITIZED=$SDIMAGE_ROOT/.build-sanitized/release

# A finding ends the process at once, with one report.
export SWIFT_BACKTRACE=enable=no
export UBSAN_OPTIONS=print_stacktrace=1
export LSAN_OPTIONS=suppressions=$SDIMAGE_ROOT/Tests/sanitized/leaks.supp:print_suppressions=0
export ASAN_OPTIONS=allocator_may_return_null=1:max_malloc_fill_size=65536

# The folders of the coder plug-ins whose libraries are installed.
sanitized_plugins() {
    local folder packages all=
    SDIMAGE_FUZZ_PLUGINS=
    while read -r folder packages; do
        pkg-config --exists $packages || continue
        SDIMAGE_FUZZ_PLUGINS="$SDIMAGE_FUZZ_PLUGINS $folder" all="$all $packages"
    done <<'LIST'
AV libavformat libavcodec libswscale libavutil
JXL libjxl libjxl_threads lcms2
PDF poppler-glib cairo gio-2.0
SVG librsvg-2.0 cairo libxml-2.0 zlib
TIFF libtiff-4 lcms2
LIST
    [ -n "$all" ] || return 0
    SDIMAGE_FUZZ_PLUGIN_CFLAGS=$(pkg-config --cflags $all) SDIMAGE_FUZZ_PLUGIN_LIBS=$(pkg-config --libs $all)
    export SDIMAGE_FUZZ_PLUGINS SDIMAGE_FUZZ_PLUGIN_CFLAGS SDIMAGE_FUZZ_PLUGIN_LIBS
}

sanitized_flags() {
    local toolchain fuzzer
    toolchain=$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")
    fuzzer=$(ls "$toolchain"/lib/clang/*/lib/*/libclang_rt.fuzzer_no_main*.a 2>/dev/null | head -n 1)
    [ -n "$fuzzer" ] || { complain "the Swift toolchain has no libFuzzer"; return 1; }
    export SDIMAGE_FUZZ=$fuzzer
    if [ -d "$SDIMAGE_ROOT/Sources/Modules" ] && pkg-config --exists libheif libde265 libavif; then
        export SDIMAGE_FUZZ_MODULES=1
        sanitized_plugins
    fi
    SDIMAGE_SANITIZED_FLAGS="--scratch-path .build-sanitized -c release --sanitize=address
        -Xswiftc -enable-testing -Xswiftc -assert-config -Xswiftc Debug -Xswiftc -gline-tables-only -Xcc -gline-tables-only
        -Xcc -fsanitize=fuzzer-no-link,undefined -Xcc -fno-sanitize-recover=undefined"
}

build_sanitized() {
    sanitized_flags || return 1
    say "Building with sanitizers (two to four minutes the first time)" >&2
    (cd "$SDIMAGE_ROOT" && quietly build/logs/sanitized-build.log scripts/swift-build $SDIMAGE_SANITIZED_FLAGS "$@")
}
