/* leases.h: the leases that this process holds. All functions require the lock. */
#ifndef SDREMOTE_LEASES_H
#define SDREMOTE_LEASES_H

#include "tier_state.h"

/* Returns the lease of that name; NULL for none. */
held_lease *sdremote_find_lease(tier *self, const char *name);
/* Removes a lease from the list and frees it. The server is not contacted. */
void sdremote_forget_lease(tier *self, held_lease *held);

#endif
