#include "span.h"

bool sdcs_take(sdcs_span *span, size_t count, uint64_t *value) {
    /* A failure leaves the span as it is. */
    if (count > 8 || span->length < count)
        return false;
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum = sum << 8 | span->bytes[i];
    *value = sum;
    return sdcs_skip(span, count);
}

bool sdcs_take32(sdcs_span *span, uint32_t *value) {
    uint64_t wide;
    if (!sdcs_take(span, 4, &wide))
        return false;
    *value = (uint32_t)wide;
    return true;
}

bool sdcs_skip(sdcs_span *span, size_t count) {
    if (span->length < count)
        return false;
    span->bytes += count;
    span->length -= count;
    return true;
}
