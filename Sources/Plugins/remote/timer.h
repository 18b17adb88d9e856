/* timer.h: the timer thread. It fails look-ups that exceed their budget, whatever the state of their exchange, and
 * retries leases. */
#ifndef SDREMOTE_TIMER_H
#define SDREMOTE_TIMER_H

#include "tier_state.h"

/* The body of the thread. */
void *sdremote_run_timer(void *tier);

#endif
