# Suite of Tests/run.
ABOUT='examples/demo: its output, its files, and that each scene can fail'
BUDGET=120
NEEDS='library swift'
PACKAGES="$SDIMAGE_PLUGIN_PACKAGES python3-numpy python3-pil"

suite() {
    if examples/demo --ci >&2; then
        echo "ok examples/demo and every figure it prints"
    else
        echo "not ok examples/demo: exit status $?"
    fi
    SDIMAGE_LIBRARY=$PREFIX/lib/libsdimage.so.1 "$SDIMAGE_PYTHON" Tests/demo/show.py build/demo
}
