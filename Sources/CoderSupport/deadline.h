/* deadline.h: the time limit of a decode, and its work budget.
 *
 * Plug-ins call it inside of long work, between units of it such as rows, frames or packets. The budget knows
 * cancellation; the time limit of the options also holds where there is no budget. */
#ifndef SDCS_DEADLINE_H
#define SDCS_DEADLINE_H

#include <sdimage/sys/coder.h>

/* The limit of a piece of work: a time of the monotonic clock in nanoseconds, and the budget of its operation (NULL for
 * none). Unlimited if both are 0. */
typedef struct sdcs_deadline {
    uint64_t end;
    const sdimage_work_budget *budget;
} sdcs_deadline;

/* Return the deadline of work that begins now: by the options, which may be NULL, or after a number of milliseconds. */
sdcs_deadline sdcs_deadline_of(const sdimage_decode_options *options);
sdcs_deadline sdcs_deadline_after(uint32_t milliseconds, const sdimage_work_budget *budget);

/* Reports that the work must end: cancelled, or out of time. */
bool sdcs_must_end(sdcs_deadline deadline);

/* Returns CANCELLED or TIMEOUT if the work must end. */
sdimage_status sdcs_check_deadline(sdcs_deadline deadline, sdimage_error **error);

#endif
