/* limited.h: work that no library lets one stop, on a thread of its own that is waited for until the time is over. */
#ifndef SDPLUG_LIMITED_H
#define SDPLUG_LIMITED_H

#include "clock.h"

/* `work(job)` does it and stores what it makes in the job; `release(job)` is called once, when both sides are done with
 * it, on whichever thread is the last. */
typedef void (*sdplug_work)(void *job);

/* Takes the job over. `collect(job, error)` is called where the work ended in time, and its status returned. Otherwise
 * TIMEOUT, while the work goes on unseen; while four of the plug-in do so nothing is begun, which is TIMEOUT too. */
sdimage_status sdplug_run(void *job, sdplug_work work,
                          sdimage_status (*collect)(void *job, void *place, sdimage_error **error), void *place,
                          sdplug_work release, sdplug_deadline deadline, sdimage_error **error);

#endif
