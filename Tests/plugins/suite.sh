# Suite of Tests/run.
ABOUT='the plug-ins: their exports, dependencies and decodes'
BUDGET=90
NEEDS=library
HAS_PARTS=1

# For a test of one format, the libraries of its plug-in.
packages() {
    local chosen=
    if [ -n "${SDIMAGE_ONLY:-}" ] && ! selected exports && ! selected test_exits && ! selected test_isolation &&
        ! selected test_limits && ! selected test_loading; then
        ! selected test_av || chosen+=" libavformat-dev libavcodec-dev libswscale-dev"
        ! selected test_jxl || chosen+=" libjxl-dev"
        ! selected test_pdf || chosen+=" libpoppler-glib-dev libcairo2-dev"
        ! selected test_svg || chosen+=" librsvg2-dev libcairo2-dev libxml2-dev"
        ! selected test_tiff || chosen+=" libtiff-dev"
    fi
    echo ${chosen:-$SDIMAGE_PLUGIN_PACKAGES}
}

# shared_c NAME SOURCE…: tests what modules and plug-ins share, built with the sanitizers.
shared_c() {
    local name=$1
    shift
    mkdir -p build/plugins
    if gcc -std=gnu11 -g -O1 -Wall -Wextra -Werror -Wno-psabi -Wno-sign-compare -fsanitize=address,undefined \
        -fno-sanitize-recover=all -Iinclude -ISources/CoderSupport -ISources/SDImagePixels -ISources/SDImagePixels/include \
        -o "build/plugins/$name" "Tests/plugins/$name.c" "$@" -pthread -lm >&2; then
        "build/plugins/$name" || echo "not ok $name: see the log"
    else
        echo "not ok $name compiles: see the log"
    fi
}

suite() {
    ! selected exports || script Tests/plugins/exports.py "$PREFIX"
    ! selected support || shared_c support Sources/CoderSupport/{base64,boxes,fnv,hex,ifd,md5,percent,span}.c \
        Sources/SDImagePixels/{cpu,crc,hash,sha256}.c
    ! selected yuv || shared_c yuv Sources/CoderSupport/{matrix,yuv}.c Sources/SDImagePixels/cpu.c
    SDIMAGE_LIBRARY=$PREFIX/lib/libsdimage.so.1 PYTHONPATH=bindings/python "$SDIMAGE_PYTHON" Tests/support/lines.py unittest Tests/plugins
}
