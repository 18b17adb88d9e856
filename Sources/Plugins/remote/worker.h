/* worker.h: the threads that exchange jobs with the servers. */
#ifndef SDREMOTE_WORKER_H
#define SDREMOTE_WORKER_H

#include "tier_state.h"

/* The body of a thread. */
void *sdremote_work(void *worker);

#endif
