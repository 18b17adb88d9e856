/* frame_difference.c: comparison of the frames of an animation, row by row, for the encoders of GIF and APNG and for
   areas that have changed. */
#include "sdpx_frame_difference.h"

#include <string.h>

#include "kernel.h"

int sdpx_changed_span(const uint8_t *row, const uint8_t *before, size_t pixels, size_t pixel, size_t *first,
                      size_t *end) {
    if (!memcmp(row, before, pixels * pixel))
        return 0;
    size_t from = 0, to = pixels;
    /* Compares only outside of the range that is known to have changed. */
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

/* Defines the kernel for one pixel size. A pixel that is equal is cleared by a mask instead of a branch. The rows may
   belong to a caller and have any alignment. */
#define ONLY_CHANGED(name, type, alpha)                                                                                \
    LOCAL_KERNEL(int, name, (to, row, before, pixels), uint8_t *restrict to, const uint8_t *row,                       \
                 const uint8_t *before, size_t pixels) {                                                               \
        type opaque = alpha;                                                                                           \
        for (size_t i = 0; i < pixels; i++) {                                                                          \
            type now, then;                                                                                            \
            memcpy(&now, row + i * sizeof now, sizeof now);                                                            \
            memcpy(&then, before + i * sizeof then, sizeof then);                                                      \
            type changed = now == then ? 0 : (type) ~(type)0;                                                          \
            opaque &= now | (type)~changed;                                                                            \
            now &= changed;                                                                                            \
            memcpy(to + i * sizeof now, &now, sizeof now);                                                             \
        }                                                                                                              \
        return opaque == alpha;                                                                                        \
    }

ONLY_CHANGED(only_changed32, uint32_t, 0xff000000u)
ONLY_CHANGED(only_changed64, uint64_t, 0xffffull << 48)

int sdpx_only_changed(uint8_t *to, const uint8_t *row, const uint8_t *before, size_t pixels, size_t pixel) {
    return pixel == 4 ? only_changed32(to, row, before, pixels) : only_changed64(to, row, before, pixels);
}

void sdpx_threshold_alpha(uint32_t *to, const uint8_t *rgba, size_t pixels) {
    for (size_t i = 0; i < pixels; i++) {
        uint32_t color;
        memcpy(&color, rgba + i * 4, 4);
        /* The highest bit of alpha: at least 128. */
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
