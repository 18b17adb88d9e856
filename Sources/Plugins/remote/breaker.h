/* breaker.h: a circuit breaker: after a number of consecutive failures no requests are sent for a while.
 *
 * A plain value; its owner locks it. Times are nanoseconds of the monotonic clock. */
#ifndef SDREMOTE_BREAKER_H
#define SDREMOTE_BREAKER_H

#include <stdbool.h>
#include <stdint.h>

typedef struct sdremote_breaker {
    uint64_t limit, pause_ms, next_pause_ms;
    uint64_t failures, open_until, opened;
    bool is_open;
    /* A probe without a waiter is in flight, to find out if the servers are back. */
    bool is_probing;
} sdremote_breaker;

typedef enum sdremote_permit { SDREMOTE_ALLOW, SDREMOTE_REFUSE, SDREMOTE_PROBE } sdremote_permit;

/* Returns if a request may be sent now. PROBE: no, but the caller must send a probe. */
sdremote_permit sdremote_breaker_permit(sdremote_breaker *breaker, uint64_t now);

void sdremote_breaker_succeed(sdremote_breaker *breaker);
void sdremote_breaker_fail(sdremote_breaker *breaker, uint64_t now);

#endif
