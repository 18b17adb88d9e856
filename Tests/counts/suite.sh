# Suite of Tests/run.
ABOUT='instructions, allocations and bytes of fixed workloads in their budgets, counted by valgrind; alone: Tests/counts/run'
BUDGET=60
NEEDS=library
HAS_PARTS=1
PACKAGES="valgrind"

suite() { Tests/counts/run "${SDIMAGE_ONLY:-}"; }
