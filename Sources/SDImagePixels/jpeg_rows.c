/* jpeg_rows.c: from the means of blocks to rows of bytes. Thumbnails of JPEG use it (DCThumbnailRows). Where a
   thumbnail needs more samples than blocks, the means are interpolated, so that the mean of each block is kept. */
#include "sdpx_jpeg_rows.h"

#include "kernel.h"

INLINE uint8_t clamp(int32_t v) {
    return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
}

KERNEL(void, sdpx_jpeg_level_row, (to, from, samples, step), uint8_t *to, const int16_t *from, size_t samples,
       int32_t step) {
    for (size_t i = 0; i < samples; i++)
        /* Divides by 8 with rounding, and reverses the level shift by 128. */
        to[i] = clamp(((from[i] * step + 4) >> 3) + 128);
}

KERNEL(void, sdpx_jpeg_part_of_row, (to, before, row, after, samples, offset), float *to, const int16_t *before,
       const int16_t *row, const int16_t *after, size_t samples, float offset) {
    /* Half the difference of the neighbors is the slope at the row in the middle. */
    float slope = offset / 2;
    for (size_t i = 0; i < samples; i++)
        to[i] = (float)row[i] + slope * (float)(after[i] - before[i]);
}

/* Comparisons with NaN are false, so NaN becomes 0. Rounds and clamps to a byte. */
INLINE uint8_t level(float v) {
    return (uint8_t)(int32_t)(v > 0 ? (v < 255 ? v + 0.5f : 255) : 0);
}

KERNEL(void, sdpx_jpeg_widen_row, (to, from, samples, factor, step), uint8_t *to, const float *from, size_t samples,
       uint32_t factor, float step) {
    float eighth = step / 8;
    for (size_t i = 0; i < samples; i++) {
        float middle = 128 + eighth * from[i];
        /* At the edges, the row continues with the outermost mean. */
        float slope = eighth / 2 * (from[i + 1 < samples ? i + 1 : i] - from[i > 0 ? i - 1 : 0]);
        if (factor == 1) {
            to[i] = level(middle);
        } else if (factor == 2) {
            to[2 * i] = level(middle - slope / 4);
            to[2 * i + 1] = level(middle + slope / 4);
        } else {
            for (uint32_t j = 0; j < 4; j++)
                to[4 * i + j] = level(middle + slope * ((float)j / 4 - 0.375f));
        }
    }
}

KERNEL(void, sdpx_jpeg_rgb_row, (to, y, cb, cr, pixels), uint8_t *to, const uint8_t *y, const uint8_t *cb,
       const uint8_t *cr, size_t pixels) {
    /* 1.402, 0.34414, 0.71414 and 1.772 in 16 bits. */
    for (size_t i = 0; i < pixels; i++) {
        int32_t blue = cb[i] - 128, red = cr[i] - 128;
        to[3 * i] = clamp(y[i] + ((91881 * red + 32768) >> 16));
        to[3 * i + 1] = clamp(y[i] + ((-22554 * blue - 46802 * red + 32768) >> 16));
        to[3 * i + 2] = clamp(y[i] + ((116130 * blue + 32768) >> 16));
    }
}
