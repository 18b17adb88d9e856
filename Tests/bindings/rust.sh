#!/usr/bin/env bash
# The crate for Rust: built by cargo without the network, its prototypes compared with the C headers; its tests, documentation and
# example run.
set -uo pipefail
source "$(dirname "$0")/common.sh"
need cargo rustc gcc pkg-config
CRATE=$ROOT/bindings/rust
HERE=$ROOT/Tests/bindings/rust
PYTHON=${SDIMAGE_PYTHON:-/usr/bin/python3}
WANTED=$(sed -n 's/^rust-version = "1\.\([0-9]*\)"/\1/p' "$CRATE/Cargo.toml")
MINOR=$(rustc --version | sed -n 's/^rustc 1\.\([0-9]*\).*/\1/p')
[ "${MINOR:-0}" -ge "$WANTED" ] || { echo "skip the binding for rust: rustc is older than 1.$WANTED"; exit 0; }
# Build products are reused between runs, unless the library has moved.
export CARGO_TARGET_DIR=$ROOT/build/bindings/rust-target LD_LIBRARY_PATH=$SDIMAGE_PREFIX/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
# Panics that a test expects need no backtrace.
export RUST_BACKTRACE=0

report compare "$PYTHON" "$HERE/compare.py" "$FOLDER"

# step NAME COMMAND…: reports ok if the command succeeds; its output is in a file.
step() {
    local name=$1 log=$FOLDER/steps.log
    shift
    if "$@" >>"$log" 2>&1; then echo "ok $LANGUAGE: $name"; else echo "not ok $LANGUAGE: $name: see $log"; fi
}

serve
cd "$CRATE" || exit 1
# By pkg-config, as set up by common.sh; and once by the variable.
if ! cargo build --offline --quiet --examples >&2; then
    echo "not ok $LANGUAGE: the crate builds: see the log"
    exit 1
fi
echo "ok $LANGUAGE: the crate builds by pkg-config"
step "the crate is found by SDIMAGE_LIB_DIR" env -u PKG_CONFIG_PATH SDIMAGE_LIB_DIR="$SDIMAGE_PREFIX/lib" cargo check --offline --quiet
if cargo clippy --version >/dev/null 2>&1; then
    step "clippy has nothing to say" cargo clippy --offline --quiet --all-targets -- -D warnings
else
    echo "skip $LANGUAGE: clippy: it is not installed"
fi
step "the documentation is made without a warning" env RUSTDOCFLAGS="-D warnings" cargo doc --offline --quiet --no-deps

# Converts `test NAME ... ok` of Rust's runner to the lines of Tests/run.
timeout --kill-after=5 1800 cargo test --offline >"$FOLDER/test.txt" 2>"$FOLDER/test.err" </dev/null
status=$?
cat "$FOLDER/test.err" >&2
sed -n -E "s/^test (.*) \.\.\. ok$/ok $LANGUAGE: \1/p; s/^test (.*) \.\.\. FAILED$/not ok $LANGUAGE: \1: see ${FOLDER//\//\\/}\/test.txt/p" "$FOLDER/test.txt"
[ $status -eq 0 ] || grep -q 'FAILED$' "$FOLDER/test.txt" || echo "not ok $LANGUAGE: cargo test: status $status, see $FOLDER/test.err"

# Simulates that there is no memory for an error.
echo 'void *sdimage_error_new(int code, const char *message) { (void)code, (void)message; return 0; }' |
    gcc -shared -fPIC -xc -o "$FOLDER/noerrors.so" - || echo "not ok $LANGUAGE: what refuses errors is built"
step "a loader fails also without memory for the error" env LD_PRELOAD="$FOLDER/noerrors.so" \
    cargo test --offline --quiet --test loader -- --ignored --exact a_loader_fails_also_without_memory_for_the_error

report example "$PYTHON" "$HERE/example.py" "$CARGO_TARGET_DIR/debug/examples/thumbnails" "$FOLDER" "$ORIGIN"
