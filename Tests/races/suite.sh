# Suite of Tests/run.
ABOUT='data races under ThreadSanitizer: C programs, the network and two minutes of random calls; longer: Tests/races/run'
BUDGET=420
NEEDS=swift
PACKAGES="$SDIMAGE_PLUGIN_PACKAGES"

# Before a release: Tests/races/run 3600 with another seed.
suite() { Tests/races/run 120 | sed -E 's/^(ok|not ok|skip) /\1 races: /'; }
