# Suite of Tests/run.
ABOUT='the plug-ins: their exports, dependencies and decodes'
BUDGET=60
NEEDS=library
HAS_PARTS=1
PACKAGES="$SDIMAGE_PLUGIN_PACKAGES"

# Tests what modules and plug-ins share, built with the sanitizers.
shared_c() {
    mkdir -p build/plugins
    if gcc -std=c11 -g -O1 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Werror -fsanitize=address,undefined \
        -fno-sanitize-recover=all -Iinclude -ISources/CoderSupport -ISources/SDImagePixels/include -o build/plugins/support Tests/plugins/support.c \
        Sources/CoderSupport/{base64,boxes,fnv,hex,ifd,md5,percent,sha256,span}.c Sources/SDImagePixels/{cpu,crc}.c -pthread >&2; then
        build/plugins/support || echo "not ok CoderSupport: see the log"
    else
        echo "not ok CoderSupport compiles: see the log"
    fi
}

suite() {
    ! selected exports || script Tests/plugins/exports.py "$PREFIX"
    ! selected support || shared_c
    SDIMAGE_LIBRARY=$PREFIX/lib/libsdimage.so.1 PYTHONPATH=bindings/python "$SDIMAGE_PYTHON" Tests/support/lines.py unittest Tests/plugins
}
