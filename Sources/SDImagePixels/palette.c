#include "sdpixels.h"

#include <string.h>

void sdpx_palette_row(uint32_t *to, const uint8_t *from, size_t pixels, const uint32_t *palette) {
    size_t i = 0;
    for (; i + 8 <= pixels; i += 8) {
        uint64_t indices;
        memcpy(&indices, from + i, 8);
        for (int k = 0; k < 8; k++)
            to[i + (size_t)k] = palette[indices >> 8 * k & 255];
    }
    for (; i < pixels; i++)
        to[i] = palette[from[i]];
}

void sdpx_palette_row_over(uint32_t *to, const uint32_t *below, const uint8_t *from, size_t pixels,
                           const uint32_t *palette) {
    for (size_t i = 0; i < pixels; i++) {
        uint32_t color = palette[from[i]];
        to[i] = color ? color : below[i];
    }
}

void sdpx_palette_row_rgb(uint8_t *to, const uint8_t *from, size_t pixels, const uint32_t *palette) {
    /* Four bytes at once: the fourth is overwritten by the next pixel, which the last does not have. */
    for (size_t i = 0; i + 1 < pixels; i++)
        memcpy(to + 3 * i, &palette[from[i]], 4);
    if (pixels)
        memcpy(to + 3 * (pixels - 1), &palette[from[pixels - 1]], 3);
}
