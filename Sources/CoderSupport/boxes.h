/* boxes.h: parsing of the boxes of ISO/IEC 14496-12 in untrusted bytes. */
#ifndef SDCS_BOXES_H
#define SDCS_BOXES_H

#include "span.h"

/* A box without its header. For a full box, the body begins with version and flags. */
typedef struct sdcs_box {
    uint32_t type;  /* as made by SDCS_FOURCC */
    sdcs_span body; /* borrowed from the bytes that were read */
} sdcs_box;

/* The type of a box by its four characters; a constant, also for the cases of a switch. */
#define SDCS_FOURCC(a, b, c, d) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))

/* Takes the next box; false at the end, and for a box that exceeds it. The span is then as before, so that its length
 * tells one from the other. */
bool sdcs_next_box(sdcs_span *span, sdcs_box *box);

/* Finds the body of the first box of a type at this level; does not look into boxes. False if there is none before the
 * end or a damaged box. */
bool sdcs_find_box(sdcs_span span, uint32_t type, sdcs_span *body);

/* Takes the version (1 byte) and the flags (3 bytes) at the beginning of a full box; false if it is shorter. */
bool sdcs_take_version(sdcs_span *span, uint32_t *version, uint32_t *flags);

#endif
