#!/usr/bin/env bash
# The addon for Node: built with gcc alone, tested by node's own runner.
set -uo pipefail
source "$(dirname "$0")/common.sh"
need node gcc make pkg-config
INCLUDE=$(node -p "require('path').resolve(process.execPath, '../../include/node')")
[ -e "$INCLUDE/node_api.h" ] || { echo "skip the binding for node: there is no $INCLUDE/node_api.h"; exit 0; }
BINDING=$ROOT/bindings/node
make -s -C "$BINDING" OUT="$FOLDER/addon" >&2 || { echo "not ok node: the addon builds: see the log"; exit 1; }
export SDIMAGE_NODE_ADDON=$FOLDER/addon/sdimage.node
echo "ok node: the addon builds"
# Preloaded before the library in one test: simulates that there is no memory for an error.
export SDIMAGE_NODE_NO_ERRORS=$FOLDER/noerrors.so
echo 'void *sdimage_error_new(int code, const char *message) { (void)code, (void)message; return 0; }' |
    gcc -shared -fPIC -xc -o "$SDIMAGE_NODE_NO_ERRORS" - || exit 1
# The same for a chain of loaders.
export SDIMAGE_NODE_NO_CHAIN=$FOLDER/nochain.so
gcc -shared -fPIC -I"$SDIMAGE_PREFIX/include" -xc -o "$SDIMAGE_NODE_NO_CHAIN" - <<'END' || exit 1
#include <sdimage.h>
sdimage_status sdimage_loader_chain_add(sdimage_loader *chain, sdimage_loader *loader, sdimage_error **error) {
    (void)chain, (void)loader, (void)error;
    return SDIMAGE_STATUS_NO_MEMORY;
}
END
serve

# Converts TAP to the lines of Tests/run. Some versions of node report a file as a test of its own; the reason of a failure is
# below it.
run_tests() {
    node --expose-gc --test --test-reporter=tap "$BINDING/test/" >"$FOLDER/tap.txt"
    local status=$?
    awk '
        function flush() { if (failed != "") print failed ": see the log"; failed = "" }
        /^ *(not )?ok [0-9]+ - .*\.js$/ { next }
        /^ *ok [0-9]+ - / { flush(); sub(/^ *ok [0-9]+ - /, ""); print (sub(/ # SKIP */, ": ") ? "skip " : "ok ") $0; next }
        /^ *not ok [0-9]+ - / { flush(); sub(/^ *not ok [0-9]+ - /, "not ok "); failed = $0; next }
        /^ *error: \|-$/ { getline; sub(/^ */, "error: ") }
        /^ *error: / && failed != "" { sub(/^ *error: /, ""); print failed ": " $0; failed = "" }
        END { flush() }' "$FOLDER/tap.txt"
    cat "$FOLDER/tap.txt" >&2
    return $status
}
export -f run_tests
export BINDING FOLDER
report tests bash -c run_tests

# The example of the README, as a separate program.
{
    echo "(async () => { const url = process.env.ORIGIN + 'badge.png', signal = new AbortController().signal;"
    "$ROOT/Tests/bindings/snippet.py" "$BINDING/README.md" js | sed "s#/tmp/pictures#$FOLDER/pictures#"
    echo "})();"
} >"$FOLDER/example.js"
shown=$(cd "$ROOT" && node -e "$(cat "$FOLDER/example.js")")
if [ "$shown" = "256 256 network 0" ]; then echo "ok node: the example of the README"; else echo "not ok node: the example of the README: $shown"; fi
