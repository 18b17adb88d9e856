# Suite of Tests/run.
ABOUT='the libraries for Qt 6: widgets and QML items in software and OpenGL, with and without the address sanitizer'
BUDGET=330
NEEDS=library
HAS_PARTS=1
PACKAGES="$SDIMAGE_QT_PACKAGES xvfb xauth libglx-mesa0 libgl1-mesa-dri python3-numpy python3-pil python3-venv python3-pip"

# build FOLDER OPTION…: builds the test programs.
build() {
    local folder=build/$1
    shift
    cmake -S Tests/qt6 -B $folder -DCMAKE_PREFIX_PATH="$PREFIX" -DCMAKE_BUILD_TYPE=Debug "$@" >&2 &&
        cmake --build $folder -j 2 >&2 || { echo "not ok $folder is built: see build/logs/qt6.log"; return 1; }
    echo "ok $folder is built"
}

# The galleries, as a separate project, make the images of the README: without a screen, and under Xvfb.
run_galleries() {
    cmake -S examples/qt -B build/qt6-gallery -DCMAKE_PREFIX_PATH="$PREFIX" -DCMAKE_CXX_FLAGS=-Werror >&2 &&
        cmake --build build/qt6-gallery -j 2 >&2 || { echo "not ok the galleries are built: see build/logs/qt6.log"; return 1; }
    SDIMAGE_LIBRARY=$PREFIX/lib/libsdimage.so.1 script Tests/qt6/galleries.py build/qt6-gallery
}

# The sample for PySide6, which Debian 12 does not have: the wheels of the version of its Qt are installed into build/pyside.
run_pyside() {
    local python=build/pyside/bin/python name="the QML module works in PySide6" lines
    lines=$(wc -l <examples/qt/pyside.py)
    if [ ! -e build/pyside/installed ]; then
        { rm -rf build/pyside && "$SDIMAGE_PYTHON" -m venv --without-pip build/pyside &&
            timeout 150 "$SDIMAGE_PYTHON" -m pip --python $python install -q 'PySide6-Essentials==6.4.*' &&
            touch build/pyside/installed; } >&2 || { echo "skip $name: pip cannot install PySide6-Essentials 6.4"; return 0; }
    fi
    QML_IMPORT_PATH=$PREFIX/lib/qt6/qml LD_LIBRARY_PATH=$PREFIX/lib timeout 300 $python Tests/qt6/pyside.py >&2 && [ "$lines" -le 20 ] &&
        echo "ok $name" || echo "not ok $name: see build/logs/qt6.log"
}

# qml: checks that qmllint knows the module.
qml() {
    "$(pkg-config --variable=bindir Qt6Core)/qmllint" -I "$PREFIX/lib/qt6/qml" Tests/qt6/item.qml >&2 &&
        echo "ok qmllint knows the types of the module" || echo "not ok qmllint knows the types of the module: see build/logs/qt6.log"
}

# permanent: checks that the libraries are never unloaded: threads of libsdimage call their functions.
permanent() {
    local file name
    for file in "$PREFIX"/lib/libsdimage-qt6*.so "$PREFIX/lib/qt6/qml/Sdimage/libsdimageplugin.so"; do
        name="${file##*/} is never unloaded"
        if readelf -d -W "$file" | grep -q 'Flags:.*NODELETE'; then echo "ok $name"; else echo "not ok $name: no NODELETE flag"; fi
    done
}

run_programs() {
    permanent
    build qt6-tests || return
    labeled widgets build/qt6-tests/widgets
    labeled quick build/qt6-tests/quick "$PREFIX/lib/qt6/qml"
    qml
    script Tests/qt6/screens.py build/qt6-tests/screens "$PREFIX/lib/qt6/qml"
    (opengl)
}

# opengl: the same on the scene graph with OpenGL, which Mesa draws on the processor, and on a thread of its own, as on a desktop.
opengl() {
    export LIBGL_ALWAYS_SOFTWARE=1 QT_QPA_PLATFORM=xcb QT_XCB_GL_INTEGRATION=xcb_glx QSG_RENDER_LOOP=threaded
    unset QT_QUICK_BACKEND
    labeled 'quick with OpenGL' on_screen build/qt6-tests/quick "$PREFIX/lib/qt6/qml"
    labeled 'with OpenGL' on_screen "$SDIMAGE_PYTHON" Tests/qt6/screens.py build/qt6-tests/screens "$PREFIX/lib/qt6/qml"
}

# on_screen PROGRAM…: runs a program in a display of its own.
on_screen() { xvfb-run -a -s '-screen 0 1280x1024x24 -nolisten tcp -noreset +extension GLX' "$@"; }

run_sanitized() {
    build qt6-asan -DWITH_SOURCES=ON \
        "-DCMAKE_CXX_FLAGS=-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer" || return
    # The library packs pointers, which the leak sanitizer does not see; the engine of QML leaks.
    printf 'leak:%s\n' libsdimage.so >build/qt6-asan/packed
    printf 'leak:%s\n' libsdimage.so libQt6 >build/qt6-asan/packed-and-qt
    LSAN_OPTIONS=print_suppressions=0:suppressions=build/qt6-asan/packed labeled 'sanitized widgets' build/qt6-asan/widgets
    LSAN_OPTIONS=print_suppressions=0:suppressions=build/qt6-asan/packed-and-qt labeled 'sanitized quick' build/qt6-asan/quick build/qt6-asan/qml
}

# The parts run side by side: two compilers, or programs that wait most of the time.
suite() {
    local missing
    missing=$(missing_packages $PACKAGES | tr '\n' ' ')
    [ -z "$missing" ] || { echo "skip qt6: apt could not install $missing"; return 0; }
    export QT_QPA_PLATFORM=offscreen QT_QUICK_BACKEND=software
    run_parts sanitized programs galleries pyside
}
