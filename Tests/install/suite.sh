# Suite of Tests/run.
ABOUT='CMake build; the installed library; external programs'
BUDGET=180
NEEDS=swift

# Succeeds if a build after the change of a header alone compiles the Swift files again, and another build does not.
notices_headers() {
    local tree=$SDIMAGE_TEMPORARY/tree number
    mkdir -p "$tree/scripts" "$tree/include" "$tree/Sources/CLibs" "$tree/Sources/One"
    cp scripts/swift-build "$tree/scripts"
    touch -d 2000-01-01 "$tree/Sources/One/One.swift"
    for number in 1 1 2; do
        [ -z "$(find "$tree" -name One.swift -newermt 2001-01-01)" ] || return 1
        echo "$number" >"$tree/include/one.h"
        SWIFT=true "$tree/scripts/swift-build" || return 1
    done
    [ -n "$(find "$tree" -name One.swift -newermt 2001-01-01)" ]
}

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
    if notices_headers; then echo "ok a changed header is noticed"; else echo "not ok a changed header is noticed"; fi
}
