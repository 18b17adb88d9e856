/* boxes.h: parsing of the boxes of ISO/IEC 14496-12 in untrusted bytes. */
#ifndef SDCS_BOXES_H
#define SDCS_BOXES_H

#include "span.h"

typedef struct sdcs_box {
    uint32_t type;
    sdcs_span body;
} sdcs_box;

#define SDCS_FOURCC(a, b, c, d) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))

/* Takes the next box; false at the end, and for a box that exceeds it. */
bool sdcs_next_box(sdcs_span *span, sdcs_box *box);

/* Finds the body of the first box of a type. */
bool sdcs_find_box(sdcs_span span, uint32_t type, sdcs_span *body);

/* Takes the version and the flags at the beginning of a full box. */
bool sdcs_take_version(sdcs_span *span, uint32_t *version, uint32_t *flags);

#endif
