# Suite of Tests/run.
ABOUT='C++, Rust, Node, Java, Go and Lua, if their tools are installed: load, cancel, events, caches, loaders, leaks'
BUDGET=200
NEEDS=library
HAS_PARTS=1

# Prints nothing for a language whose tools are on PATH, which may be others than those of Debian.
packages() {
    ! selected node || command -v node >/dev/null || echo nodejs libnode-dev
    ! selected java || command -v javac >/dev/null || echo default-jdk-headless
    ! selected go || command -v go >/dev/null || echo golang-go
    ! selected lua || command -v luajit >/dev/null || echo luajit
}

suite() {
    local language
    for language in cpp rust node java go lua; do
        selected $language || continue
        SDIMAGE_PREFIX=$PREFIX bash Tests/bindings/$language.sh || echo "not ok the binding for $language: exit status $?"
    done
}
