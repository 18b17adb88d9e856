#!/usr/bin/env bash
# The module for LuaJIT: its tests, and the examples of its README.
set -uo pipefail
source "$(dirname "$0")/common.sh"
need luajit
serve
export FOLDER LUA_PATH="$ROOT/bindings/lua/?.lua;$ROOT/bindings/lua/?/init.lua;$ROOT/bindings/lua/test/?.lua;;"
report tests luajit "$ROOT/bindings/lua/test/tests.lua"

# The examples of the README, each as a separate program.
example() {
    { echo "$3"; "$ROOT/Tests/bindings/snippet.py" "$ROOT/bindings/lua/README.md" lua "$1" | sed "s#/tmp/pictures#$FOLDER/pictures#"; } >"$FOLDER/example.lua"
    local shown
    shown=$(luajit "$FOLDER/example.lua" 2>&1 | sort | tr '\n' ' ')
    if [ "$shown" = "$2 " ]; then echo "ok lua: example $1 of the README"; else echo "not ok lua: example $1 of the README: $shown"; fi
}
example 0 256 'local url = os.getenv("ORIGIN") .. "badge.png"'
example 1 "320 400" 'local sdimage = require("sdimage")
    local manager = assert(sdimage.manager({ cache = false }))
    local first, second = os.getenv("ORIGIN") .. "badge.png", os.getenv("ORIGIN") .. "orbits.gif"
    local function show(result) print(result.image.width) end'
