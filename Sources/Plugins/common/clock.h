/* clock.h: the time that a decode may take, and its work budget. */
#ifndef SDPLUG_CLOCK_H
#define SDPLUG_CLOCK_H

#include <sdimage/coder.h>

/* The end of a piece of work: a moment of the monotonic clock in nanoseconds, and the budget of its operation, NULL for
 * none. Without an end where both are 0. */
typedef struct sdplug_deadline {
    uint64_t end;
    const sdimage_work_budget *budget;
} sdplug_deadline;

/* For work that begins now: by the options, which may be NULL; and after a number of milliseconds. */
sdplug_deadline sdplug_deadline_of(const sdimage_decode_options *options);
sdplug_deadline sdplug_deadline_after(uint32_t milliseconds, const sdimage_work_budget *budget);

/* True when the work must end: cancelled, or out of time. */
bool sdplug_is_over(sdplug_deadline deadline);

/* CANCELLED or TIMEOUT when it must end. */
sdimage_status sdplug_check_time(sdplug_deadline deadline, sdimage_error **error);

#endif
