/* threads.h: starting and waking the threads of a tier. All functions require the lock. */
#ifndef SDREMOTE_THREADS_H
#define SDREMOTE_THREADS_H

#include "tier_state.h"

/* Wakes or starts a thread for look-ups, or for stores; false if there is none. */
bool sdremote_wake(tier *self, bool stores);
/* Makes the timer wake by `time`. */
void sdremote_wake_timer(tier *self, uint64_t time);
/* Sends a probe to servers that failed. */
void sdremote_probe(tier *self);

#endif
