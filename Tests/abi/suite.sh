# Suite of Tests/run.
ABOUT='C programs on the installed library; every function with NULL, objects of wrong kinds and extreme values'
BUDGET=120
NEEDS=library
HAS_PARTS=1
PACKAGES="libglib2.0-dev"

suite() {
    local here=Tests/abi folder=build/abi test
    mkdir -p $folder
    if selected unload; then
        gcc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Werror -I"$PREFIX/include" -o $folder/unload $here/unload.c \
            Tests/support/check.c Tests/support/images.c -ITests/support -pthread >&2 ||
            { echo "not ok unload compiles: see the log"; return 1; }
        $folder/unload "$PREFIX/lib/libsdimage.so.1"
    fi
    if selected null_calls; then
        "$SDIMAGE_PYTHON" $here/generate_null_calls.py >$folder/null_calls.c
        compile $folder/null_calls -O0 -g0 -I$here $folder/null_calls.c $here/null_objects.c $HARNESS &&
            (cd $folder && XDG_CACHE_HOME=$SDIMAGE_TEMPORARY/cache ./null_calls)  # may write files of any name
    fi
    if selected extreme_calls; then
        "$SDIMAGE_PYTHON" $here/generate_extreme_calls.py >$folder/extreme_calls.c
        compile $folder/extreme_calls -O0 -g0 -I$here $folder/extreme_calls.c $here/extreme_objects.c $here/extreme_values.c \
            $here/null_objects.c $HARNESS -lm && XDG_CACHE_HOME=$SDIMAGE_TEMPORARY/cache $folder/extreme_calls
    fi
    for test in lifetime loads shared storm dispatchers custom hostile extreme_answers players crowd resources forks races; do
        ! selected $test || { compile $folder/$test $here/$test.c $HARNESS && $folder/$test; }
    done
    ! selected glib || { compile $folder/glib $here/glib.c $HARNESS $(pkg-config --cflags --libs glib-2.0) &&
        $folder/glib; }
    ! selected qoi || { compile $folder/qoi $here/qoi.c $here/qoi_coder.c $HARNESS && $folder/qoi; }
}
