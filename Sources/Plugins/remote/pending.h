/* pending.h: stores that the servers have not confirmed: look-ups find their entries here. All functions require the
 * lock. */
#ifndef SDREMOTE_PENDING_H
#define SDREMOTE_PENDING_H

#include "tier_state.h"

/* Register a store as pending, and remove it. */
void sdremote_note_pending(tier *self, job *job);
void sdremote_forget_pending(tier *self, job *job);
/* Hides the pending stores of a key that is being removed, including those in an exchange. */
void sdremote_hide_pending(tier *self, const job *removal);
/* Returns the latest entry of a key, borrowed, or NULL. */
sdimage_cache_entry *sdremote_pending(tier *self, const job *job);

#endif
