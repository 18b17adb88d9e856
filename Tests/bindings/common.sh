# Set-up shared by the tests of the bindings. To be sourced by bash. SDIMAGE_PREFIX is the installed library. Sets:
#
#   ROOT     the checkout            FOLDER   an empty folder for build products and output
#   ORIGIN   the URL of the test origin, which serves Tests/fixtures/pictures, with a slash at its end
#
# need COMMAND…         skips everything, with a message, if one of them is missing
# serve                 starts the origin; it ends with the script
# report NAME COMMAND…  runs a program that prints `ok NAME` and `not ok NAME: WHY`; a crash and no output are failures

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
LANGUAGE=$(basename "$0" .sh)
export SDIMAGE_PREFIX=${SDIMAGE_PREFIX:-$ROOT/build/install}
FOLDER=$ROOT/build/bindings/$LANGUAGE
rm -rf "$FOLDER"
mkdir -p "$FOLDER"
export XDG_CACHE_HOME=$FOLDER/cache
export PKG_CONFIG_PATH=$SDIMAGE_PREFIX/lib/pkgconfig:${PKG_CONFIG_PATH:-}
PICTURES=$ROOT/Tests/fixtures/pictures
export PICTURES

need() {
    local command
    for command in "$@"; do
        command -v "$command" >/dev/null && continue
        echo "skip the binding for $LANGUAGE: there is no $command"
        exit 0
    done
}

serve() {
    local python=${SDIMAGE_PYTHON:-/usr/bin/python3} server
    "$python" "$ROOT/Tests/origin" --folder "$PICTURES" >"$FOLDER/origin.txt" 2>"$FOLDER/origin.log" &
    server=$!
    trap "kill $server 2>/dev/null" EXIT
    until [ -s "$FOLDER/origin.txt" ]; do
        kill -0 $server 2>/dev/null || { echo "not ok the origin of $LANGUAGE starts: see $FOLDER/origin.log"; exit 1; }
        sleep 0.05
    done
    ORIGIN=$(head -n 1 "$FOLDER/origin.txt")
    export ORIGIN
}

report() {
    local name=$1 lines=$FOLDER/$1.txt status
    shift
    timeout --kill-after=5 1200 "$@" >"$lines" 2>"$lines.err" </dev/null
    status=$?
    grep -E '^(ok|not ok|skip) ' "$lines" | sed -E "s/^(ok|not ok|skip) /\1 $LANGUAGE: /"
    cat "$lines.err" >&2
    if ! grep -q '^not ok ' "$lines" && { [ $status -ne 0 ] || ! grep -q '^ok ' "$lines"; }; then
        echo "not ok $LANGUAGE: $name runs to its end: status $status, see $lines.err"
    fi
}
