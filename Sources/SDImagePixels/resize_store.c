/* resize_store.c: the end of resampling: sums in float are clamped, divided by alpha, encoded from linear light and
   rounded. ResampledRows calls it. Nearest-neighbor sampling (PixelPicker) picks whole pixels instead. */
#include "sdpx_resize_store.h"

#include <string.h>

#include "format.h"
#include "kernel.h"
#include "linear_light.h"

/* Pixels at a time, which fit the first-level cache: a multiple of the four pixels of a vector. */
enum { BLOCK = 64 };

typedef float float16 __attribute__((vector_size(64)));
typedef int32_t int16x __attribute__((vector_size(64)));

/* Clamps alpha to 0 ... top and, unless `is_float`, color to alpha: filters with negative lobes overshoot. Four
   pixels. */
INLINE void hold(float *v, float top, int is_float) {
    float16 p, zero = {0}, whole = zero + top;
    memcpy(&p, v, sizeof p);
    /* Each lane gets the alpha of its pixel. */
    float16 alpha = __builtin_shufflevector(p, p, 3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15);
    alpha = LANES_MIN(LANES_MAX(alpha, zero), whole);
    if (is_float)
        p = __builtin_shufflevector(p, alpha, 0, 1, 2, 19, 4, 5, 6, 23, 8, 9, 10, 27, 12, 13, 14, 31);
    else
        p = LANES_MIN(LANES_MAX(p, zero), alpha);
    memcpy(v, &p, sizeof p);
}

/* Divides color by alpha; transparent if alpha is 0. Four pixels. */
INLINE void divide(float *v, float top) {
    float16 p, zero = {0}, one = zero + 1;
    memcpy(&p, v, sizeof p);
    float16 alpha = __builtin_shufflevector(p, p, 3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15);
    /* A mask of all bits for pixels without alpha, whose factor becomes 0. */
    int16x is_clear = alpha <= zero;
    float16 factor = top / LANES_MAX(alpha, zero + 1e-30f);
    int16x bits;
    memcpy(&bits, &factor, sizeof bits);
    bits &= ~is_clear;
    memcpy(&factor, &bits, sizeof bits);
    p *= __builtin_shufflevector(factor, one, 0, 1, 2, 16, 4, 5, 6, 16, 8, 9, 10, 16, 12, 13, 14, 16);
    memcpy(v, &p, sizeof p);
}

/* The functions up to multiply_block change a block of `n` pixels of four floats in place. */
LOCAL_KERNEL(void, hold_block, (v, n, top, is_float), float *v, size_t n, float top, int is_float) {
    for (size_t i = 0; i < 4 * n; i += 16)
        hold(v + i, top, is_float);
}

LOCAL_KERNEL(void, divide_block, (v, n, top), float *v, size_t n, float top) {
    for (size_t i = 0; i < 4 * n; i += 16)
        divide(v + i, top);
}

LOCAL_KERNEL(void, multiply_block, (v, n), float *v, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < 3; k++)
            v[4 * i + k] *= v[4 * i + 3];
}

LOCAL_KERNEL(void, scale_block, (v, samples, factor), float *v, size_t samples, float factor) {
    for (size_t i = 0; i < samples; i++)
        v[i] *= factor;
}

/* Comparisons with NaN are false, so NaN becomes 0. */
INLINE float inside(float v, float top) {
    return v > 0 ? (v < top ? v : top) : 0;
}

/* Rounds the first `channels` of `from_channels` floats of each pixel. */
INLINE void round_as(void *to, const float *v, size_t pixels, size_t channels, size_t from_channels, int is_deep) {
    for (size_t i = 0; i < pixels; i++)
        for (size_t k = 0; k < channels; k++) {
            int32_t rounded = (int32_t)(inside(v[from_channels * i + k], is_deep ? 65535 : 255) + 0.5f);
            if (is_deep)
                ((uint16_t *)to)[channels * i + k] = (uint16_t)rounded;
            else
                ((uint8_t *)to)[channels * i + k] = (uint8_t)rounded;
        }
}

LOCAL_KERNEL(void, round_block, (to, v, n, format), void *to, const float *v, size_t n, sdpx_format format) {
    switch (format) {
    case SDPX_GRAY8: round_as(to, v, n, 1, 1, 0); break;
    case SDPX_RGB8: round_as(to, v, n, 3, 4, 0); break;
    case SDPX_GRAY16: round_as(to, v, n, 1, 1, 1); break;
    case SDPX_RGB16: round_as(to, v, n, 3, 4, 1); break;
    case SDPX_RGBA16: round_as(to, v, 4 * n, 1, 1, 1); break;
    case SDPX_RGBA_FLOAT: memcpy(to, v, 16 * n); break;
    default: round_as(to, v, 4 * n, 1, 1, 0);
    }
}

void sdpx_store_sums(void *to, const float *sums, size_t pixels, sdpx_format format, int is_light) {
    int is_float = format == SDPX_RGBA_FLOAT, has_gray = is_gray(format);
    int has_premultiplied = is_premultiplied(format);
    int has_alpha = has_premultiplied || is_float || format == SDPX_RGBA8 || format == SDPX_RGBA16;
    int becomes_light = is_light && !is_float;
    float top = full_sample(format);
    size_t floats = has_gray ? 1 : 4, bytes = sdpx_pixel_size(format);
    for (size_t at = 0; at < pixels; at += BLOCK) {
        float block[4 * BLOCK] = {0};
        size_t n = pixels - at < BLOCK ? pixels - at : BLOCK;
        memcpy(block, sums + floats * at, n * floats * sizeof *sums);
        if (has_alpha) {
            hold_block(block, n, top, is_float);
            if (!has_premultiplied || becomes_light)
                divide_block(block, n, top);
        }
        /* The transfer function applies to straight colors of 0 ... 1. */
        if (becomes_light) {
            scale_block(block, floats * n, 1 / top);
            sdpx_light_to_samples(block, (floats * n + 3) / 4 * 4, !has_gray);
            if (has_premultiplied)
                multiply_block(block, n);
            scale_block(block, floats * n, top);
        }
        round_block((uint8_t *)to + at * bytes, block, n, format);
    }
}

/* Copies pixels by their indices; `size` is a compile-time constant. */
INLINE void pick(uint8_t *to, const uint8_t *from, const int32_t *index, size_t pixels, size_t size) {
    for (size_t i = 0; i < pixels; i++)
        memcpy(to + i * size, from + (size_t)index[i] * size, size);
}

void sdpx_pick_pixels(void *to, const void *from, const int32_t *from_index, size_t pixels, int bytes_per_pixel) {
    switch (bytes_per_pixel) {
    case 1: pick(to, from, from_index, pixels, 1); break;
    case 2: pick(to, from, from_index, pixels, 2); break;
    case 3: pick(to, from, from_index, pixels, 3); break;
    case 4: pick(to, from, from_index, pixels, 4); break;
    case 6: pick(to, from, from_index, pixels, 6); break;
    case 8: pick(to, from, from_index, pixels, 8); break;
    case 16: pick(to, from, from_index, pixels, 16); break;
    default: break;
    }
}
