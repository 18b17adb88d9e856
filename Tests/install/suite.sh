# Suite of Tests/run.
ABOUT='CMake build; the installed library; external programs'
BUDGET=180
NEEDS=swift

# notices_headers FOLDER: succeeds if a build after the change of a header alone compiles the Swift files again, and another
# build does not.
notices_headers() {
    local folder=$1 tree number
    tree=$(mktemp -d "$SDIMAGE_TEMPORARY/tree-XXXXXX")
    mkdir -p "$tree/scripts" "$tree/$folder" "$tree/Sources/One"
    cp scripts/swift-build "$tree/scripts"
    touch -d 2000-01-01 "$tree/Sources/One/One.swift"
    for number in 1 1 2; do
        [ -z "$(find "$tree" -name One.swift -newermt 2001-01-01)" ] || return 1
        echo "$number" >"$tree/$folder/one.h"
        SWIFT=true "$tree/scripts/swift-build" || return 1
    done
    [ -n "$(find "$tree" -name One.swift -newermt 2001-01-01)" ]
}

suite() {
    local folder
    mkdir -p "$PREFIX/include/sdimage"
    touch "$PREFIX/include/sdimage/renamed.h"
    build_library >&2 || { echo "not ok cmake builds and installs: see build/logs/install.log"; return 1; }
    echo "ok cmake builds and installs"
    if [ -e "$PREFIX/include/sdimage/renamed.h" ]; then echo "not ok nothing old stays installed"; else echo "ok nothing old stays installed"; fi
    script Tests/install/library.py "the built library" .build/release/libsdimage.so
    script Tests/install/library.py "the installed library" "$PREFIX/lib/libsdimage.so.1" --stripped
    script Tests/install/installed.py "$PREFIX" "$(PKG_CONFIG_PATH=$PREFIX/lib/pkgconfig pkg-config --modversion sdimage)"
    script Tests/install/modules.py "$PREFIX"
    for folder in include Sources/CLibs/CTwo Sources/CTwo/include Tests/swift/Two/include Tests/fuzz/two/include; do
        if notices_headers "$folder"; then
            echo "ok a changed header in $folder is noticed"
        else
            echo "not ok a changed header in $folder is noticed"
        fi
    done
}
