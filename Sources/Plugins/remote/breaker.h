/* breaker.h: a circuit breaker: after a number of consecutive failures no requests are sent for a while.
 *
 * A plain value; its owner locks it. Times are nanoseconds of the monotonic clock. */
#ifndef SDREMOTE_BREAKER_H
#define SDREMOTE_BREAKER_H

#include <stdbool.h>
#include <stdint.h>

/* A circuit breaker. `limit`: consecutive failures that open it. `pause_ms`: first pause. `next_pause_ms` doubles
 * whenever the breaker opens or a probe fails, up to 30 seconds. */
typedef struct sdremote_breaker {
    uint64_t limit, pause_ms, next_pause_ms;
    uint64_t failures, open_until, opened; /* consecutive failures; end of the pause; number of openings */
    bool is_open;
    /* A probe without a waiter is in flight, to find out if the servers are back. */
    bool is_probing;
} sdremote_breaker;

/* Results of sdremote_breaker_permit. */
typedef enum sdremote_permit { SDREMOTE_ALLOW, SDREMOTE_REFUSE, SDREMOTE_PROBE } sdremote_permit;

/* Returns if a request may be sent now. PROBE: no, but the caller must send a probe. */
sdremote_permit sdremote_breaker_permit(sdremote_breaker *breaker, uint64_t now);

/* Record the outcome of a request or probe. A success closes the breaker and restores the first pause. */
void sdremote_breaker_succeed(sdremote_breaker *breaker);
void sdremote_breaker_fail(sdremote_breaker *breaker, uint64_t now);

#endif
