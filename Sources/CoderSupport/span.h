/* span.h: a reader of big-endian numbers in untrusted bytes. */
#ifndef SDCS_SPAN_H
#define SDCS_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes still to be read; borrowed. */
typedef struct sdcs_span {
    const uint8_t *bytes;
    size_t length;
} sdcs_span;

/* Take `count` bytes, at most 8, as a big-endian number; false, without taking any, if there are fewer. sdcs_skip takes
 * bytes without reading them. */
bool sdcs_take(sdcs_span *span, size_t count, uint64_t *value);
bool sdcs_take32(sdcs_span *span, uint32_t *value);
bool sdcs_skip(sdcs_span *span, size_t count);

#endif
