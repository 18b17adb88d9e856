#!/usr/bin/env bash
# The module for LuaJIT: its prototypes against the headers, and its tests.
set -uo pipefail
source "$(dirname "$0")/common.sh"
need luajit
"${SDIMAGE_PYTHON:-/usr/bin/python3}" "$ROOT/Tests/BindingTests/prototypes.py" "$ROOT/bindings/lua/sdimage/prototypes.lua" "$SDIMAGE_PREFIX/include" |
    sed -E 's/^(ok|not ok) /\1 lua: /'
serve
export FOLDER LUA_PATH="$ROOT/bindings/lua/?.lua;$ROOT/bindings/lua/?/init.lua;$ROOT/bindings/lua/test/?.lua;;"
report tests luajit "$ROOT/bindings/lua/test/tests.lua"
