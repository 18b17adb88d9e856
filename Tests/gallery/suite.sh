# Suite of Tests/run.
ABOUT='the gallery in windows of SDL and Qt Quick, its pixels compared'
BUDGET=90
NEEDS=library
PACKAGES="$SDIMAGE_WINDOW_PACKAGES python3-numpy python3-pil"

# Builds the Qt sample as a separate project on the installed library.
build_qt() {
    local sources="Tests/gallery/qt_image.cpp examples/qt/image_provider.cpp"
    if ! pkg-config --exists Qt6Quick || [ ! -e "$(pkg-config --variable=libdir Qt6Core)/qt6/qml/QtQuick/Window/qmldir" ]; then
        echo "skip gallery-qt: qt6-declarative-dev or qml6-module-qtquick-window is not installed"
        return 0
    fi
    { cmake -S examples/qt -B $1/qt -DCMAKE_PREFIX_PATH="$PREFIX" -DCMAKE_CXX_FLAGS=-Werror -DCMAKE_RUNTIME_OUTPUT_DIRECTORY="$PWD/$1" &&
        cmake --build $1/qt -j 2; } >&2 || { echo "not ok gallery-qt is built on the installed library: see the log"; return 1; }
    echo "ok gallery-qt is built on the installed library"
    # Ignores the warnings of Qt's own headers.
    g++ -std=c++17 -O1 -g -fPIC -Wall -Wextra -Wpedantic -Werror -I"$PREFIX/include" -Iexamples/qt -o $1/qt_image $sources \
        $(pkg-config --cflags --libs Qt6Quick | sed 's/-I/-isystem /g') -L"$PREFIX/lib" -lsdimage -Wl,-rpath,"$PREFIX/lib" >&2 &&
        $1/qt_image || echo "not ok qt_image: see the log"
}

suite() {
    local folder=build/gallery status=0 shared="examples/gallery/cell.c examples/gallery/list.c examples/gallery/script.c examples/gallery/wall.c"
    command -v Xvfb >/dev/null || { echo "skip the gallery: there is no Xvfb"; return 0; }
    rm -rf $folder
    if pkg-config --exists sdl2; then
        compile $folder/gallery-sdl examples/gallery/sdl.c examples/gallery/paint.c $shared $(pkg-config --cflags --libs sdl2)
    else
        echo "skip gallery-sdl: libsdl2-dev is not installed"
    fi
    build_qt $folder
    export SDIMAGE_LIBRARY=$PREFIX/lib/libsdimage.so.1
    # The programs mostly wait for clocks.
    "$SDIMAGE_PYTHON" Tests/gallery/gallery.py $folder &
    "$SDIMAGE_PYTHON" Tests/gallery/qt_gallery.py $folder || status=1
    wait $! || status=1
    return $status
}
