/* resize.c: resampling in float. ResampledRows loads a few source rows, filters them along x, and adds weighted results
   to output rows. Several rows are processed together, so that the weights are loaded once for all of them.

   Colors are premultiplied before they are filtered, so that transparent pixels do not bleed into others. Linear light
   is filtered where the caller requires it; sdpx_store_sums reverses both. */
#include "sdpx_resize.h"

#include <string.h>

#include "format.h"
#include "kernel.h"
#include "linear_light.h"

/* Pixels loaded at a time; fits the first-level cache. */
enum { BLOCK = 64 };

typedef float float16 __attribute__((vector_size(64)));

/* Returns the value through memory: there is no calling convention for a vector this wide. */
INLINE void add_weighted(float16 *sum, const float *p, float weight) {
    float16 v;
    memcpy(&v, p, sizeof v);
    *sum += weight * v;
}

KERNEL(void, sdpx_sum_rows, (to, rows, weights, count, samples, adds), float *to, const float *const *rows,
       const float *weights, size_t count, size_t samples, int adds) {
    size_t i = 0;
    /* Eight independent sums hide the latency of an addition. */
    for (; i + 128 <= samples; i += 128) {
        float16 sums[8] = {{0}};
        if (adds)
            memcpy(sums, to + i, sizeof sums);
        for (size_t k = 0; k < count; k++)
            for (size_t j = 0; j < 8; j++)
                add_weighted(&sums[j], rows[k] + i + 16 * j, weights[k]);
        memcpy(to + i, sums, sizeof sums);
    }
    for (; i + 16 <= samples; i += 16) {
        float16 sum = {0};
        if (adds)
            memcpy(&sum, to + i, sizeof sum);
        for (size_t k = 0; k < count; k++)
            add_weighted(&sum, rows[k] + i, weights[k]);
        memcpy(to + i, &sum, sizeof sum);
    }
}

KERNEL(void, sdpx_filter_floats, (to, from, axis), float *const *to, const float *from, const sdpx_axis *axis) {
    for (size_t x = 0; x < axis->count; x++) {
        const float *p = from + 16 * (size_t)axis->starts[x], *w = axis->weights + x * axis->taps;
        int32_t count = axis->counts[x], k = 0;
        float16 sums[4] = {{0}};
        /* Four sums hide the latency of an addition. */
        for (; k + 4 <= count; k += 4, p += 64)
            for (int j = 0; j < 4; j++)
                add_weighted(&sums[j], p + 16 * j, w[k + j]);
        for (; k < count; k++, p += 16)
            add_weighted(&sums[0], p, w[k]);
        sums[0] += sums[1] + (sums[2] + sums[3]);
        float units[16];
        memcpy(units, &sums[0], sizeof units);
        for (size_t u = 0; u < SDPX_FLOAT_UNITS; u++)
            memcpy(to[u] + 4 * x, units + 4 * u, 4 * sizeof *units);
    }
}

/* Loads a sample of 1, 2 or 4 bytes. */
INLINE float sample(const void *row, size_t i, size_t bytes) {
    return bytes == 1 ? ((const uint8_t *)row)[i] : bytes == 2 ? ((const uint16_t *)row)[i] : ((const float *)row)[i];
}

/* Expands `n` pixels from pixel `at` on to four floats each, unscaled; missing alpha is full. */
INLINE void spread(float *to, const void *const *from, size_t at, size_t n, size_t channels, size_t bytes, float top) {
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < 4; k++)
            to[4 * i + k] = channels == 1             ? sample(from[k], at + i, bytes)
                            : channels == 3 && k == 3 ? top
                                                      : sample(from[0], (at + i) * channels + k, bytes);
}

/* Selects the loop for a format. Formats without a case have four channels of 8 bits. */
LOCAL_KERNEL(void, spread_block, (to, from, at, n, format), float *to, const void *const *from, size_t at, size_t n,
             sdpx_format format) {
    switch (format) {
    case SDPX_GRAY8: spread(to, from, at, n, 1, 1, 255); break;
    case SDPX_RGB8: spread(to, from, at, n, 3, 1, 255); break;
    case SDPX_GRAY16: spread(to, from, at, n, 1, 2, 65535); break;
    case SDPX_RGB16: spread(to, from, at, n, 3, 2, 65535); break;
    case SDPX_RGBA16: spread(to, from, at, n, 4, 2, 65535); break;
    case SDPX_RGBA_FLOAT: spread(to, from, at, n, 4, 4, 1); break;
    default: spread(to, from, at, n, 4, 1, 255);
    }
}

#define ALPHAS 3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15
#define COLORS_AND_ONE 0, 1, 2, 16, 4, 5, 6, 16, 8, 9, 10, 16, 12, 13, 14, 16

/* Multiplies color by alpha, in a block of whole vectors. */
LOCAL_KERNEL(void, premultiply, (block, n, scale), float *block, size_t n, float scale) {
    float16 one = {0};
    one += 1;
    for (size_t i = 0; i < 4 * n; i += 16) {
        float16 v;
        memcpy(&v, block + i, sizeof v);
        float16 factor = __builtin_shufflevector(v, v, ALPHAS) * scale;
        v *= __builtin_shufflevector(factor, one, COLORS_AND_ONE);
        memcpy(block + i, &v, sizeof v);
    }
}

/* Divides color by alpha; transparent pixels have no color. */
LOCAL_KERNEL(void, straighten, (block, n, top), float *block, size_t n, float top) {
    float16 one = {0}, least = one + 1e-30f;
    one += 1;
    for (size_t i = 0; i < 4 * n; i += 16) {
        float16 v;
        memcpy(&v, block + i, sizeof v);
        float16 factor = top / LANES_MAX(__builtin_shufflevector(v, v, ALPHAS), least);
        v *= __builtin_shufflevector(factor, one, COLORS_AND_ONE);
        memcpy(block + i, &v, sizeof v);
    }
}

/* Multiplies all samples. */
LOCAL_KERNEL(void, scale_by, (v, samples, factor), float *v, size_t samples, float factor) {
    for (size_t i = 0; i < samples; i++)
        v[i] *= factor;
}

void sdpx_load_floats(float *to, size_t index, const void *const *from, size_t pixels, sdpx_format format,
                      int is_light) {
    int is_float = format == SDPX_RGBA_FLOAT, has_gray = is_gray(format);
    int has_premultiplied = is_premultiplied(format);
    int is_straight = format == SDPX_RGBA8 || format == SDPX_RGBA16 || is_float;
    float top = full_sample(format), block[4 * BLOCK] = {0};
    for (size_t at = 0; at < pixels; at += BLOCK) {
        size_t n = pixels - at < BLOCK ? pixels - at : BLOCK;
        spread_block(block, from, at, n, format);
        /* The transfer function applies to straight colors of 0 ... 1. */
        if (is_light && !is_float) {
            if (has_premultiplied)
                straighten(block, n, top);
            scale_by(block, 4 * n, 1 / top);
            sdpx_samples_to_light(block, 4 * n, !has_gray);
            scale_by(block, 4 * n, top);
        }
        if (is_straight || (is_light && has_premultiplied))
            premultiply(block, n, 1 / top);
        /* Units are interleaved: 16 floats for each pixel, four of each unit. */
        float *p = to + 16 * at + 4 * index;
        for (size_t i = 0; i < n; i++)
            memcpy(p + 16 * i, block + 4 * i, 4 * sizeof *block);
    }
}
