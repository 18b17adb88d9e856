# Suite of Tests/run.
ABOUT='the C samples'
BUDGET=60
NEEDS=library
PACKAGES="python3-numpy python3-pil"

suite() {
    local sample plugin
    for sample in examples/c/*.c; do
        plugin=$(basename "$sample" .c)
        # A sample that is named after a plug-in is linked with it.
        [ -e "include/sdimage/plugins/$plugin.h" ] && plugin=-lsdimage-$plugin || plugin=
        [ -z "$plugin" ] || [ -e "$PREFIX/lib/lib${plugin#-l}.so" ] || continue
        compile "build/examples/$(basename "$sample" .c)" "$sample" $plugin || return 1
    done
    "$SDIMAGE_PYTHON" Tests/examples/samples.py build/examples
}
