# Suite of Tests/run.
ABOUT='data races under ThreadSanitizer: C programs, the network and a minute of random calls; longer: Tests/races/run'
BUDGET=360
NEEDS=swift

# Before a release: Tests/races/run 3600 with another seed.
suite() { Tests/races/run | sed -E 's/^(ok|not ok|skip) /\1 races: /'; }
