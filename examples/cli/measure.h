/* measure.h: how long something takes, by doing it again and again. */
#ifndef SDIMAGE_CLI_MEASURE_H
#define SDIMAGE_CLI_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct measure {
    uint64_t runs;      /* that were counted; 0: it was not measured */
    uint64_t median_ns; /* of one run; of what takes less than the clock can tell, means of many runs */
    uint64_t least_ns;
} measure;

typedef struct measure_plan {
    double seconds; /* to go on for, but at least `least` runs and at most `most` */
    uint32_t least, most;
    bool is_warmed; /* a run before the others is not counted */
} measure_plan;

/* False as soon as a run says so, or memory is refused. */
bool measure_runs(bool (*run)(void *subject), void *subject, const measure_plan *plan, measure *result);

/* What threads together did in a second. */
typedef struct pace {
    double runs, amount; /* how often, and the sum of what the runs gave back */
} pace;

/* Has threads do something for about so many seconds, each with its own number from 0 on; a run gives back how much it
 * did, and 0 where it failed. False where one did, or where no thread could be made. */
bool measure_threads(uint64_t (*run)(void *subject, unsigned thread, unsigned round), void *subject, unsigned threads,
                     double seconds, pace *pace);

/* Processors that this process may use. */
unsigned processor_count(void);

/* The most memory that the process has had so far, in bytes. */
uint64_t peak_memory(void);

uint64_t now_ns(void);

#endif
