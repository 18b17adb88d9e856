# Suite of Tests/run.
ABOUT='the photo library plug-in: its rules, index, sources and parsers, under the sanitizers'
BUDGET=60
NEEDS=library
HAS_PARTS=1

# The plug-in's sources are compiled into the tests, to be sanitized and to reach its parsers. The rules then run again on the
# installed file.
suite() {
    local folder=build/photos test sources="Tests/photos/album.c $HARNESS"
    local with="-ISources/Plugins/photos -ISources/CoderSupport -ISources/SDImagePixels/include -lsqlite3 -lm"
    rm -rf $folder && mkdir -p $folder
    [ -f "$PREFIX/lib/libsdimage-photos.so.1" ] || { echo "skip the photo library: the plug-in is not built"; return 0; }
    for test in Sources/Plugins/photos/*.c Sources/CoderSupport/{clock,fail,fnv,hex,ifd,md5,percent}.c Sources/SDImagePixels/{cpu,crc,hash}.c; do
        gcc -std=c11 -g -O1 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Werror -fsanitize=address,undefined \
            -fno-sanitize-recover=undefined -I"$PREFIX/include" -ISources/CoderSupport -ISources/SDImagePixels/include -c -o "$folder/$(basename "$test" .c).o" "$test" >&2 ||
            { echo "not ok $test compiles: see the log"; return 1; }
    done
    for test in rules library waiting sources thumbnails getters; do
        selected $test || continue
        compile $folder/$test Tests/photos/$test.c $sources $folder/*.o $with -fsanitize=address,undefined \
            -fno-sanitize-recover=undefined &&
            LSAN_OPTIONS=suppressions=Tests/photos/leaks.supp:print_suppressions=0 $folder/$test
    done
    selected installed || return 0
    compile $folder/installed Tests/photos/rules.c $sources -lsdimage-photos && $folder/installed >$folder/installed.txt
    sed 's/^\(ok\|not ok\|skip\) /\1 installed /' $folder/installed.txt
}
