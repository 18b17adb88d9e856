/* limited.h: uninterruptible library work, on a thread of its own that the caller awaits until the deadline.
 *
 * The PDF plug-in counts pages with it, outside of the coder's functions. Within those, the library detaches calls
 * itself (coder.h, detached_stack). */
#ifndef SDCS_LIMITED_H
#define SDCS_LIMITED_H

#include "deadline.h"

/* `work(job)` performs the work and stores its results in the job. `release(job)` is called once when both threads are
 * done with the job, on the later of the two. */
typedef void (*sdcs_work)(void *job);

/* Takes ownership of the job. If the work ended in time, calls `collect(job, result, error)` and returns its status.
 * Otherwise returns TIMEOUT while the work continues in the background. While four jobs of the plug-in do so, no work
 * begins and TIMEOUT is returned. */
sdimage_status sdcs_run_limited(void *job, sdcs_work work,
                                sdimage_status (*collect)(void *job, void *result, sdimage_error **error), void *result,
                                sdcs_work release, sdcs_deadline deadline, sdimage_error **error);

#endif
