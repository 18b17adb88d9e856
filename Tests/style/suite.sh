# Suite of Tests/run.
ABOUT='layers, conventions of the headers, ARCHITECTURE.md, CONTRIBUTING.md and comments true to the sources; words, formatting, lengths of files and functions'
BUDGET=60
NEEDS=toolchain
HAS_PARTS=1
PACKAGES="clang-format python3"

suite() {
    local test status=0
    for test in abi layers architecture bindings conventions includes text words messages; do
        ! selected $test || "$SDIMAGE_PYTHON" Tests/style/$test.py || status=1
    done
    selected format || return $status
    if swift format lint --strict --parallel --recursive Sources Tests/swift Tests/fuzz Package.swift >&2; then
        echo "ok style: Swift sources are as swift format writes them"
    else
        echo "not ok style: swift format lint, see the log"
    fi
    if git ls-files '*.c' '*.h' '*.hpp' '*.cpp' ':!Tests/fixtures' | xargs clang-format --dry-run --Werror >&2; then
        echo "ok style: C and C++ sources are as clang-format writes them"
    else
        echo "not ok style: clang-format, see the log"
    fi
    return $status
}
