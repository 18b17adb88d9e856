# Suite of Tests/run.
ABOUT='a few seconds of arbitrary bytes for each decoder and parser; longer: Tests/fuzz/run'
BUDGET=120
NEEDS=swift
HAS_PARTS=1
PACKAGES="$SDIMAGE_PLUGIN_PACKAGES"

# Seeds are the fixtures alone: the corpus would use up the few seconds. The inputs are the same in every run: this suite detects
# regressions, Tests/fuzz/run searches for new failures.
suite() { rm -rf build/fuzz/*/corpus; env -u SDIMAGE_CORPUS SDIMAGE_FUZZ_SEED=1 SDIMAGE_FUZZ_RUNS=600 Tests/fuzz/run "${SDIMAGE_ONLY:-all}" 8; }
