# Suite of Tests/run.
ABOUT='the gallery in windows of SDL, its pixels compared'
BUDGET=90
NEEDS=library
HAS_PARTS=1
PACKAGES="$SDIMAGE_WINDOW_PACKAGES python3-numpy python3-pil"

suite() {
    local folder=build/gallery shared="examples/gallery/cell.c examples/gallery/list.c examples/gallery/script.c examples/gallery/wall.c"
    command -v Xvfb >/dev/null || { echo "skip the gallery: there is no Xvfb"; return 0; }
    rm -rf $folder
    if pkg-config --exists sdl2; then
        compile $folder/gallery-sdl examples/gallery/sdl.c examples/gallery/paint.c $shared $(pkg-config --cflags --libs sdl2)
    else
        echo "skip gallery-sdl: libsdl2-dev is not installed"
    fi
    export SDIMAGE_LIBRARY=$PREFIX/lib/libsdimage.so.1
    # The programs mostly wait for clocks.
    "$SDIMAGE_PYTHON" Tests/gallery/gallery.py $folder
}
