#include "boxes.h"

bool sdmod_take(sdmod_span *span, size_t count, uint64_t *value) {
    if (count > 8 || span->length < count)
        return false;
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum = sum << 8 | span->bytes[i];
    *value = sum;
    return sdmod_skip(span, count);
}

bool sdmod_take32(sdmod_span *span, uint32_t *value) {
    uint64_t wide;
    if (!sdmod_take(span, 4, &wide))
        return false;
    *value = (uint32_t)wide;
    return true;
}

bool sdmod_skip(sdmod_span *span, size_t count) {
    if (span->length < count)
        return false;
    span->bytes += count;
    span->length -= count;
    return true;
}

bool sdmod_next_box(sdmod_span *span, sdmod_box *box) {
    sdmod_span rest = *span;
    uint32_t type;
    uint64_t size;
    if (!sdmod_take(&rest, 4, &size) || !sdmod_take32(&rest, &type))
        return false;
    size_t header = 8;
    if (size == 1) {
        header = 16;
        if (!sdmod_take(&rest, 8, &size))
            return false;
    } else if (size == 0) {
        size = span->length;
    }
    if (size < header || size > span->length)
        return false;
    *box = (sdmod_box){type, {span->bytes + header, (size_t)size - header}};
    return sdmod_skip(span, (size_t)size);
}

bool sdmod_find_box(sdmod_span span, uint32_t type, sdmod_span *body) {
    sdmod_box box;
    while (sdmod_next_box(&span, &box))
        if (box.type == type) {
            *body = box.body;
            return true;
        }
    return false;
}

bool sdmod_take_version(sdmod_span *span, uint32_t *version, uint32_t *flags) {
    uint32_t word;
    if (!sdmod_take32(span, &word))
        return false;
    *version = word >> 24;
    *flags = word & 0xFFFFFF;
    return true;
}
