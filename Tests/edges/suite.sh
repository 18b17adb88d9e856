# Suite of Tests/run.
ABOUT='every fixture, truncated and changed, before an inaccessible page: no read past the end of the input'
BUDGET=60
NEEDS=library
HAS_PARTS=1

suite() {
    local folder=build/edges fixtures=() one
    for one in Tests/fixtures/*/; do ! selected "$(basename "$one")" || fixtures+=("$one"); done
    compile $folder/page_edges Tests/edges/page_edges.c $HARNESS && $folder/page_edges "${fixtures[@]}"
}
