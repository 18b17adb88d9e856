/* measure.h: measures durations by repetition. */
#ifndef SDIMAGE_CLI_MEASURE_H
#define SDIMAGE_CLI_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

/* The result of a measurement. Times are nanoseconds. */
typedef struct measure {
    uint64_t runs;      /* counted runs; 0: not measured */
    uint64_t median_ns; /* time of one run; for runs too short for the clock, means of many runs */
    uint64_t least_ns;
} measure;

/* The extent of a measurement. */
typedef struct measure_plan {
    double seconds; /* measuring time, but at least `least` and at most `most` runs */
    uint32_t least, most;
    bool is_warmed; /* one run before the others is not counted */
} measure_plan;

/* Measures runs of a function, which returns false on failure. Returns false as soon as a run does, or when memory is
 * refused. */
bool measure_runs(bool (*run)(void *subject), void *subject, const measure_plan *plan, measure *result);

/* The throughput of all threads per second. */
typedef struct throughput {
    double runs, amount; /* number of runs, and the sum of their results */
} throughput;

/* Runs a function on threads numbered from 0 for about `seconds` seconds, and at least once on each. A run returns the
 * amount of its work, 0 on failure. Returns false if a run failed or a thread could not be created; there are at most
 * 256. */
bool measure_threads(uint64_t (*run)(void *subject, unsigned thread, unsigned round), void *subject, unsigned threads,
                     double seconds, throughput *throughput);

/* Number of processors that this process may use. */
unsigned processor_count(void);

/* Peak memory of the process so far, in bytes. */
uint64_t peak_memory(void);

/* Returns the time of the monotonic clock in nanoseconds. */
uint64_t now_ns(void);

#endif
