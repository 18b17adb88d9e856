/* clock.h: the monotonic clock. */
#ifndef SDCS_CLOCK_H
#define SDCS_CLOCK_H

#include <stdint.h>

/* Returns the time in nanoseconds since an arbitrary moment; for differences only. */
uint64_t sdcs_monotonic_ns(void);

#endif
