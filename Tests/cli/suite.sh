# Suite of Tests/run.
ABOUT='the sdimage command, its JSON, its completion in three shells'
BUDGET=60
NEEDS=library
HAS_PARTS=1
PACKAGES="zsh fish"

# Hostile file names are for the sanitized build of the command.
suite() {
    local test status=0
    for test in command completion; do
        ! selected "$test" || "$SDIMAGE_PYTHON" Tests/cli/$test.py "$PREFIX/bin/sdimage" || status=1
    done
    ! selected measure || { compile build/cli/measure Tests/cli/measure.c tools/sdimage/measure.c $HARNESS -Itools/sdimage \
        -Wl,--wrap=pthread_create && build/cli/measure; } || status=1
    compile build/cli/sdimage tools/sdimage/*.c -fsanitize=address,undefined -fno-sanitize-recover=undefined -lm -ldl || return 1
    for test in command_json bench_thumb; do
        # The sanitizer intercepts dlopen, which then does not search the folder of the library.
        ! selected $test || LD_LIBRARY_PATH=$PREFIX/lib "$SDIMAGE_PYTHON" Tests/cli/$test.py build/cli/sdimage || status=1
    done
    return $status
}
