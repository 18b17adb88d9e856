# Suite of Tests/run.
ABOUT='the plug-ins: their exports, dependencies and decodes'
BUDGET=60
NEEDS=library
HAS_PARTS=1
PACKAGES="$SDIMAGE_PLUGIN_PACKAGES"

suite() {
    ! selected exports || "$SDIMAGE_PYTHON" Tests/plugins/exports.py "$PREFIX"
    SDIMAGE_LIBRARY=$PREFIX/lib/libsdimage.so.1 PYTHONPATH=bindings/python "$SDIMAGE_PYTHON" Tests/support/lines.py unittest Tests/plugins
}
