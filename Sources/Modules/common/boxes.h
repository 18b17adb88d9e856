/* boxes.h: parsing of the boxes of ISO/IEC 14496-12 in untrusted bytes. */
#ifndef SDMOD_BOXES_H
#define SDMOD_BOXES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes still to be read; borrowed. */
typedef struct sdmod_span {
    const uint8_t *bytes;
    size_t length;
} sdmod_span;

typedef struct sdmod_box {
    uint32_t type;
    sdmod_span body;
} sdmod_box;

#define SDMOD_TYPE(a, b, c, d) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))

/* Take `count` bytes, at most 8, as a big-endian number; false, without taking any, if there are fewer. */
bool sdmod_take(sdmod_span *span, size_t count, uint64_t *value);
bool sdmod_take32(sdmod_span *span, uint32_t *value);
bool sdmod_skip(sdmod_span *span, size_t count);

/* Takes the next box; false at the end, and for a box that exceeds it. */
bool sdmod_next_box(sdmod_span *span, sdmod_box *box);

/* Finds the body of the first box of a type. */
bool sdmod_find_box(sdmod_span span, uint32_t type, sdmod_span *body);

/* Takes the version and the flags at the beginning of a full box. */
bool sdmod_take_version(sdmod_span *span, uint32_t *version, uint32_t *flags);

#endif
