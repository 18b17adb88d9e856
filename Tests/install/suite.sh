# Suite of Tests/run.
ABOUT='CMake build; the installed library; external programs'
BUDGET=180
NEEDS=swift

suite() {
    {
        cmake -S . -B build/cmake -DCMAKE_INSTALL_LIBDIR=lib && cmake --build build/cmake &&
            rm -rf "$PREFIX" && cmake --install build/cmake --prefix "$PREFIX"
    } >&2 || { echo "not ok cmake builds and installs: see build/logs/install.log"; return 1; }
    echo "ok cmake builds and installs"
    script Tests/install/library.py "the built library" .build/release/libsdimage.so
    script Tests/install/library.py "the installed library" "$PREFIX/lib/libsdimage.so.1" --stripped
    script Tests/install/installed.py "$PREFIX" "$(PKG_CONFIG_PATH=$PREFIX/lib/pkgconfig pkg-config --modversion sdimage)"
    script Tests/install/modules.py "$PREFIX"
}
