# Suite of Tests/run.
ABOUT='examples/demo: its output, its files, and that each scene can fail'
BUDGET=120
NEEDS='library swift'
PACKAGES="$SDIMAGE_PLUGIN_PACKAGES python3-numpy python3-pil"

suite() {
    local before
    before=$(stat -c '%i %y' "$PREFIX")
    if examples/demo --ci >&2; then
        echo "ok examples/demo and every figure it prints"
    else
        echo "not ok examples/demo: exit status $?"
    fi
    # Other suites use it at the same time.
    [ "$(stat -c '%i %y' "$PREFIX")" = "$before" ] && echo "ok examples/demo leaves the installed library alone" ||
        echo "not ok examples/demo leaves the installed library alone: it is another folder"
    "$SDIMAGE_PYTHON" Tests/demo/show.py build/demo
}
