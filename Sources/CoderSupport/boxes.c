/* boxes.c: the headers of boxes (ISO/IEC 14496-12, 4.2). Sizes include the header. They have 32 bits: 1 is followed by
 * 64 bits after the type, and 0 means the rest of the span. */
#include "boxes.h"

bool sdcs_next_box(sdcs_span *span, sdcs_box *box) {
    sdcs_span rest = *span;
    uint32_t type;
    uint64_t size;
    if (!sdcs_take(&rest, 4, &size) || !sdcs_take32(&rest, &type))
        return false;
    size_t header = 8;
    if (size == 1) {
        header = 16;
        if (!sdcs_take(&rest, 8, &size))
            return false;
    } else if (size == 0) {
        size = span->length;
    }
    /* A box shorter than its header would not advance, and the caller would not end. */
    if (size < header || size > span->length)
        return false;
    *box = (sdcs_box){type, {span->bytes + header, (size_t)size - header}};
    return sdcs_skip(span, (size_t)size);
}

bool sdcs_find_box(sdcs_span span, uint32_t type, sdcs_span *body) {
    sdcs_box box;
    while (sdcs_next_box(&span, &box))
        if (box.type == type) {
            *body = box.body;
            return true;
        }
    return false;
}

bool sdcs_take_version(sdcs_span *span, uint32_t *version, uint32_t *flags) {
    uint32_t word;
    if (!sdcs_take32(span, &word))
        return false;
    *version = word >> 24;
    *flags = word & 0xFFFFFF;
    return true;
}
