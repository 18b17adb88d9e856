/* breaker.c: the states of a circuit breaker (see breaker.h): closed, open until a time, and open while a probe is in
 * flight. */
#include "breaker.h"

sdremote_permit sdremote_breaker_permit(sdremote_breaker *breaker, uint64_t now) {
    if (!breaker->is_open)
        return SDREMOTE_ALLOW;
    if (breaker->is_probing || now < breaker->open_until)
        return SDREMOTE_REFUSE;
    /* One probe at a time; its outcome closes the breaker or opens it for a longer time. */
    breaker->is_probing = true;
    return SDREMOTE_PROBE;
}

void sdremote_breaker_succeed(sdremote_breaker *breaker) {
    breaker->failures = 0;
    breaker->is_open = breaker->is_probing = false;
    breaker->next_pause_ms = breaker->pause_ms;
}

void sdremote_breaker_fail(sdremote_breaker *breaker, uint64_t now) {
    breaker->failures++;
    /* Requests that were sent before the breaker opened do not extend the pause. */
    if (breaker->is_open && !breaker->is_probing)
        return;
    if (!breaker->is_open && breaker->failures < breaker->limit)
        return;
    breaker->opened += !breaker->is_open;
    breaker->is_open = true;
    breaker->is_probing = false;
    breaker->open_until = now + breaker->next_pause_ms * 1000000;
    breaker->next_pause_ms = breaker->next_pause_ms * 2 < 30000 ? breaker->next_pause_ms * 2 : 30000;
}
