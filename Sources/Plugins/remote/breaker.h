/* breaker.h: whether servers are worth asking: after some failures in a row they are left alone for a while.
 *
 * A value; whoever holds it locks it. Times are nanoseconds of the monotonic clock. */
#ifndef SDREMOTE_BREAKER_H
#define SDREMOTE_BREAKER_H

#include <stdbool.h>
#include <stdint.h>

typedef struct sdremote_breaker {
    uint64_t limit, pause_ms, next_pause_ms;
    uint64_t failures, open_until, opened;
    bool is_open;
    /* A question that nobody waits for is under way, to know whether the servers are back. */
    bool is_probing;
} sdremote_breaker;

typedef enum sdremote_permit { SDREMOTE_ASK, SDREMOTE_REFUSE, SDREMOTE_PROBE } sdremote_permit;

/* Whether somebody may ask now. PROBE: no, but it is time for a probe, which the caller has to send. */
sdremote_permit sdremote_breaker_permit(sdremote_breaker *breaker, uint64_t now);

void sdremote_breaker_succeed(sdremote_breaker *breaker);
void sdremote_breaker_fail(sdremote_breaker *breaker, uint64_t now);

#endif
