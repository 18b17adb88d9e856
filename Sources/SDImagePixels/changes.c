#include "sdpx_write.h"

#include <string.h>

int sdpx_changed_span(const uint8_t *row, const uint8_t *before, size_t pixels, size_t pixel, size_t *first, size_t *end) {
    if (!memcmp(row, before, pixels * pixel))
        return 0;
    size_t from = 0, to = pixels;
    /* Only outside of what is known to have changed. */
    while (from < *first && !memcmp(row + from * pixel, before + from * pixel, pixel))
        from++;
    while (to > *end && !memcmp(row + (to - 1) * pixel, before + (to - 1) * pixel, pixel))
        to--;
    if (from < *first)
        *first = from;
    if (to > *end)
        *end = to;
    return 1;
}

int sdpx_only_changed32(uint32_t *to, const uint32_t *row, const uint32_t *before, size_t pixels) {
    uint32_t opaque = 0xff000000u;
    const uint32_t alpha = opaque;
    for (size_t i = 0; i < pixels; i++) {
        uint32_t keeps = row[i] == before[i] ? 0 : ~0u;
        to[i] = row[i] & keeps;
        opaque &= row[i] | ~keeps;
    }
    return (opaque & alpha) == alpha;
}

int sdpx_only_changed64(uint64_t *to, const uint64_t *row, const uint64_t *before, size_t pixels) {
    uint64_t opaque = 0xffffull << 48;
    const uint64_t alpha = opaque;
    for (size_t i = 0; i < pixels; i++) {
        uint64_t keeps = row[i] == before[i] ? 0 : ~0ull;
        to[i] = row[i] & keeps;
        opaque &= row[i] | ~keeps;
    }
    return (opaque & alpha) == alpha;
}

void sdpx_threshold_alpha(uint32_t *to, const uint8_t *rgba, size_t pixels) {
    for (size_t i = 0; i < pixels; i++) {
        uint32_t color;
        memcpy(&color, rgba + i * 4, 4);
        to[i] = color >> 31 ? color | 0xff000000u : 0;
    }
}

int sdpx_has_cleared(const uint32_t *row, const uint32_t *before, size_t pixels, size_t *first, size_t *end) {
    int found = 0;
    for (size_t i = 0; i < pixels; i++) {
        if (row[i] || !before[i])
            continue;
        found = 1;
        if (i < *first)
            *first = i;
        if (i + 1 > *end)
            *end = i + 1;
    }
    return found;
}
