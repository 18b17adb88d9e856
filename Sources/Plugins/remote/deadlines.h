/* deadlines.h: the list of jobs that the timer completes at their deadlines. All functions require the lock. */
#ifndef SDREMOTE_DEADLINES_H
#define SDREMOTE_DEADLINES_H

#include "tier_state.h"

/* Add a job to the list until its deadline, and remove it. */
void sdremote_watch(tier *self, job *job);
void sdremote_unwatch(tier *self, job *job);

#endif
