#!/usr/bin/env bash
# Tests of the C++ headers: self-contained, free of warnings in two compilers and two language versions, clean under the
# sanitizers; and the samples.
set -uo pipefail
source "$(dirname "$0")/common.sh"
need g++ pkg-config
HERE=$ROOT/Tests/bindings/cpp
PYTHON=${SDIMAGE_PYTHON:-/usr/bin/python3}
WARNINGS="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"
# Uses the C++ headers of the checkout, and the C headers and the library of the installation.
FLAGS="-I$ROOT/bindings/cpp/include -I$SDIMAGE_PREFIX/include"
SANITIZERS="-fsanitize=address,undefined -fno-sanitize-recover=all"
JOBS=$(getconf _NPROCESSORS_ONLN)

# quiet NAME COMMAND…: reports ok if the command succeeds.
quiet() {
    local name=$1
    shift
    if "$@" >>"$FOLDER/quiet.log" 2>&1; then echo "ok $LANGUAGE: $name"; else echo "not ok $LANGUAGE: $name: see $FOLDER/quiet.log"; fi
}

# each_compiles NAME COMPILER STANDARD FILE…: compiles files in parallel, without output files.
each_compiles() {
    local name=$1 compiler=$2 standard=$3
    shift 3
    command -v "$compiler" >/dev/null || { echo "skip $LANGUAGE: $name: there is no $compiler"; return 0; }
    quiet "$name" sh -c 'printf "%s\n" "$@" | xargs -n 1 -P '"$JOBS $compiler -std=$standard $WARNINGS $FLAGS -O0 -fsyntax-only -x c++" sh "$@"
}

report covers "$PYTHON" "$HERE/covers.py"

# Each header alone; then all headers with every test, which instantiates the templates.
for header in $(cd "$ROOT/bindings/cpp/include" && find sdimage -name '*.hpp' | sort); do
    mkdir -p "$FOLDER/alone"
    printf '#include <%s>\n#include <%s>\n' "$header" "$header" >"$FOLDER/alone/$(basename "$header" .hpp).cpp"
done
printf '#include <sdimage.hpp>\n' >"$FOLDER/all.cpp"
find "$ROOT/bindings/cpp/include/sdimage/plugins" -name '*.hpp' | sed 's|.*/include/\(.*\)|#include <\1>|' >>"$FOLDER/all.cpp"
each_compiles "each header alone" "$(command -v clang++ >/dev/null && echo clang++ || echo g++)" c++17 "$FOLDER"/alone/*.cpp
each_compiles "all headers with g++ in C++20" g++ c++20 "$FOLDER/all.cpp"
each_compiles "all headers with clang++ in C++17" clang++ c++17 "$FOLDER/all.cpp"

sources=$(ls "$HERE"/*.cpp)
libraries=-lsdimage
if [ -e "$SDIMAGE_PREFIX/lib/libsdimage-photos.so" ]; then
    libraries="$libraries -lsdimage-photos"
else
    sources=$(printf '%s\n' $sources | grep -v photos.cpp)
    echo "skip $LANGUAGE: the photo library's header: the plug-in is not built"
fi
# One program from three files that include all tests: each test alone would instantiate the same templates, and in a single file no
# inline definitions could collide.
number=0
for source in $sources; do printf '#include "%s"\n' "$source" >>"$FOLDER/tests-$((number++ % 3)).cpp"; done
each_compiles "all tests with clang++ in C++20" clang++ c++20 "$FOLDER"/tests-*.cpp
# $0 holds the shell words of the flags; the file is the argument.
printf '%s\n' "$FOLDER"/tests-*.cpp | FOLDER=$FOLDER xargs -P "$JOBS" -I{} sh -c 'g++ $0 -c -o "$FOLDER/$(basename "$1" .cpp).o" "$1"' \
    "-std=c++17 -g1 -O0 $WARNINGS $FLAGS $SANITIZERS" {} >&2 || { echo "not ok $LANGUAGE: the tests compile: see the log"; exit 1; }
g++ $SANITIZERS -o "$FOLDER/tests" "$FOLDER"/tests-*.o -L"$SDIMAGE_PREFIX/lib" $libraries -Wl,-rpath,"$SDIMAGE_PREFIX/lib" -pthread >&2 ||
    { echo "not ok $LANGUAGE: the tests link: see the log"; exit 1; }
serve
FOLDER=$FOLDER LSAN_OPTIONS=suppressions=$ROOT/Tests/sanitized/leaks.supp:print_suppressions=0 report tests "$FOLDER/tests"

# The samples, built as a reader would: by pkg-config alone, where the headers are installed.
for sample in "$ROOT"/examples/cpp/*.cpp; do
    g++ -std=c++17 -O1 $WARNINGS $FLAGS -o "$FOLDER/$(basename "$sample" .cpp)" "$sample" $(pkg-config --libs sdimage) \
        -Wl,-rpath,"$SDIMAGE_PREFIX/lib" -pthread >&2 || echo "not ok $LANGUAGE: $(basename "$sample") compiles: see the log"
done
report samples "$PYTHON" "$HERE/samples.py" "$FOLDER" "$ORIGIN"
