# Suite of Tests/run.
ABOUT='the Python package; the test origin'
BUDGET=180
NEEDS=library
HAS_PARTS=1
PACKAGES="$SDIMAGE_PLUGIN_PACKAGES $SDIMAGE_PYTHON_PACKAGES"

suite() {
    local folder status=0
    export SDIMAGE_LIBRARY=$PREFIX/lib/libsdimage.so.1 PYTHONPATH=bindings/python
    for folder in bindings/python Tests/origin; do
        "$SDIMAGE_PYTHON" Tests/support/lines.py unittest $folder || status=1
    done
    return $status
}
