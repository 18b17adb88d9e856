# Suite of Tests/run.
ABOUT='compatibility with the interface of the last release; a program of the first release runs'
BUDGET=60
NEEDS=library
HAS_PARTS=1
PACKAGES="$SDIMAGE_ABI_PACKAGES xz-utils"

# The program sees only the headers of the first release, not the current ones.
run_first_client() {
    local folder=build/stability
    rm -rf $folder && mkdir -p $folder/include && tar -xJf Tests/stability/first/headers.tar.xz -C $folder/include ||
        { echo "not ok the headers of the first release are unpacked: see the log"; return 1; }
    if gcc -std=c11 -g -O1 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Werror -ITests/support -I$folder/include -o $folder/client \
        Tests/stability/first/client.c $HARNESS -L"$PREFIX/lib" -lsdimage \
        -Wl,-rpath,"$PREFIX/lib" -pthread >&2; then
        $folder/client
    else
        echo "not ok the program of the first release compiles with its headers: see the log"
    fi
}

suite() {
    ! selected client || run_first_client
    ! selected compatibility || "$SDIMAGE_PYTHON" Tests/stability/compatibility.py "$PREFIX"
}
