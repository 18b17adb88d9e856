# Suite of Tests/run.
ABOUT='every fixture, truncated and changed, before an inaccessible page: no read past the end of the input'
BUDGET=60
NEEDS=library

suite() {
    local folder=build/edges
    compile $folder/page_edges Tests/edges/page_edges.c $HARNESS && $folder/page_edges Tests/fixtures
}
