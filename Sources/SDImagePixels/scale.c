#include "sdpx_scale.h"

#include <string.h>

#include "kernel.h"

/* Samples converted to float at a time: whole pixels and whole vectors, which fit the first-level cache. */
enum { BLOCK = 1008 };

typedef float float4 __attribute__((vector_size(16)));
/* Four RGBA pixels; on CPUs with narrower vectors the compiler uses several. */
typedef float float16 __attribute__((vector_size(64)));

INLINE void add_block(float *const *sums, const float *weights, size_t count, const float *block, size_t offset,
                      size_t n) {
    for (size_t j = 0; j < count; j++) {
        float *restrict sum = sums[j] + offset;
        float w = weights[j];
        for (size_t i = 0; i < n; i++)
            sum[i] += w * block[i];
    }
}

/* The block has room for whole vectors beyond `n`. */
INLINE void premultiply_block(float *block, size_t n, float scale) {
    for (size_t i = 0; i < n; i += 16) {
        float16 v;
        memcpy(&v, block + i, sizeof v);
        float16 s = v * scale, one = {0};
        one += 1;
        v *= __builtin_shufflevector(s, one, 3, 3, 3, 16, 7, 7, 7, 16, 11, 11, 11, 16, 15, 15, 15, 16);
        memcpy(block + i, &v, sizeof v);
    }
}

/* Most images with alpha are opaque nearly everywhere. */
INLINE int is_opaque8(const uint8_t *row, size_t n) {
    uint8_t all = 255;
    for (size_t i = 3; i < n; i += 4)
        all &= row[i];
    return all == 255;
}

KERNEL(void, sdpx_accumulate_u8, (sums, weights, count, row, samples, channels), float *const *sums,
       const float *weights, size_t count, const uint8_t *row, size_t samples, int channels) {
    float block[BLOCK] = {0};
    for (size_t offset = 0; offset < samples; offset += BLOCK) {
        size_t n = samples - offset < BLOCK ? samples - offset : BLOCK;
        for (size_t i = 0; i < n; i++)
            block[i] = row[offset + i];
        if (channels == 4 && !is_opaque8(row + offset, n))
            premultiply_block(block, n, 1.0f / 255);
        add_block(sums, weights, count, block, offset, n);
    }
}

KERNEL(void, sdpx_accumulate_u16, (sums, weights, count, row, samples, channels), float *const *sums,
       const float *weights, size_t count, const uint16_t *row, size_t samples, int channels) {
    float block[BLOCK] = {0};
    for (size_t offset = 0; offset < samples; offset += BLOCK) {
        size_t n = samples - offset < BLOCK ? samples - offset : BLOCK;
        for (size_t i = 0; i < n; i++)
            block[i] = row[offset + i];
        if (channels == 4)
            premultiply_block(block, n, 1.0f / 65535);
        add_block(sums, weights, count, block, offset, n);
    }
}

KERNEL(void, sdpx_accumulate_f32, (sums, weights, count, row, samples), float *const *sums, const float *weights,
       size_t count, const float *row, size_t samples) {
    float block[BLOCK] = {0};
    for (size_t offset = 0; offset < samples; offset += BLOCK) {
        size_t n = samples - offset < BLOCK ? samples - offset : BLOCK;
        memcpy(block, row + offset, n * sizeof *row);
        premultiply_block(block, n, 1);
        add_block(sums, weights, count, block, offset, n);
    }
}

INLINE float4 load4(const float *p) {
    float4 v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* For three and four channels a pixel is one vector; with three the next pixel overwrites the fourth lane. */
INLINE void filter_vectors(float *to, size_t pixels, const float *from, const int32_t *starts, const int32_t *counts,
                           const float *weights, size_t taps, size_t channels) {
    for (size_t x = 0; x < pixels; x++) {
        const float *p = from + (size_t)starts[x] * channels, *w = weights + x * taps;
        int32_t n = counts[x], k = 0;
        float4 a = {0}, b = {0};
        for (; k + 1 < n; k += 2, p += 2 * channels) {
            a += w[k] * load4(p);
            b += w[k + 1] * load4(p + channels);
        }
        if (k < n)
            a += w[k] * load4(p);
        a += b;
        memcpy(to + x * channels, &a, sizeof a);
    }
}

KERNEL(void, sdpx_filter_row, (to, pixels, from, starts, counts, weights, taps, channels), float *to, size_t pixels,
       const float *from, const int32_t *starts, const int32_t *counts, const float *weights, size_t taps,
       int channels) {
    if (channels == 4) {
        filter_vectors(to, pixels, from, starts, counts, weights, taps, 4);
    } else if (channels == 3) {
        filter_vectors(to, pixels, from, starts, counts, weights, taps, 3);
    } else {
        for (size_t x = 0; x < pixels; x++) {
            const float *p = from + starts[x], *w = weights + x * taps;
            float sum = 0;
            for (int32_t k = 0; k < counts[x]; k++)
                sum += w[k] * p[k];
            to[x] = sum;
        }
    }
}

/* Comparisons with NaN are false, so NaN becomes 0. */
INLINE float clamp(float v, float top) {
    return v > 0 ? (v < top ? v : top) : 0;
}

/* Clamps color to alpha before the division: filters with negative lobes overshoot. */
INLINE void straight_pixel(float *out, const float *p, float top, int keep_premultiplied) {
    float a = clamp(p[3], top), factor = keep_premultiplied ? 1 : (a > 0 ? top / a : 0);
    for (int k = 0; k < 3; k++)
        out[k] = clamp(p[k], a) * factor;
    out[3] = a;
}

KERNEL(void, sdpx_pack_u8, (to, from, pixels, channels, keep_premultiplied), uint8_t *to, const float *from,
       size_t pixels, int channels, int keep_premultiplied) {
    if (channels != 4) {
        size_t n = pixels * (size_t)channels;
        for (size_t i = 0; i < n; i++)
            to[i] = (uint8_t)(int32_t)(clamp(from[i], 255) + 0.5f);
        return;
    }
    for (size_t x = 0; x < pixels; x++) {
        float c[4];
        straight_pixel(c, from + 4 * x, 255, keep_premultiplied);
        for (int k = 0; k < 4; k++)
            to[4 * x + k] = (uint8_t)(int32_t)(clamp(c[k], 255) + 0.5f);
    }
}

KERNEL(void, sdpx_pack_u16, (to, from, pixels, channels), uint16_t *to, const float *from, size_t pixels,
       int channels) {
    if (channels != 4) {
        size_t n = pixels * (size_t)channels;
        for (size_t i = 0; i < n; i++)
            to[i] = (uint16_t)(int32_t)(clamp(from[i], 65535) + 0.5f);
        return;
    }
    for (size_t x = 0; x < pixels; x++) {
        float c[4];
        straight_pixel(c, from + 4 * x, 65535, 0);
        for (int k = 0; k < 4; k++)
            to[4 * x + k] = (uint16_t)(int32_t)(clamp(c[k], 65535) + 0.5f);
    }
}

/* Light is not clamped: it may be negative, outside the primaries, or exceed white, which is indistinguishable from
   overshoot of a filter. */
KERNEL(void, sdpx_pack_f32, (to, from, pixels), float *to, const float *from, size_t pixels) {
    for (size_t x = 0; x < pixels; x++) {
        float a = clamp(from[4 * x + 3], 1), factor = a > 0 ? 1 / a : 0;
        for (int k = 0; k < 3; k++)
            to[4 * x + k] = from[4 * x + k] * factor;
        to[4 * x + 3] = a;
    }
}

/* Columns summed at a time. */
enum { BOX_BLOCK = 512 };

LOCAL_KERNEL(void, sum_columns, (sums, from, stride, rows, samples), uint16_t *sums, const uint8_t *from, size_t stride,
             size_t rows, size_t samples) {
    for (size_t i = 0; i < samples; i++)
        sums[i] = from[i];
    for (size_t row = 1; row < rows; row++)
        for (size_t i = 0; i < samples; i++)
            sums[i] = (uint16_t)(sums[i] + from[row * stride + i]);
}

INLINE void average_groups(uint8_t *to, const uint16_t *sums, size_t groups, size_t width, size_t rows) {
    float scale = 1.0f / (float)(width * rows);
    for (size_t i = 0; i < groups; i++, sums += width) {
        uint32_t sum = 0;
        for (size_t k = 0; k < width; k++)
            sum += sums[k];
        to[i] = (uint8_t)(int32_t)((float)sum * scale + 0.5f);
    }
}

/* Widths of ordinary thumbnails are constants, so that the compiler unrolls their loops: with loops of variable length,
   averaging the planes of a photograph takes four times as many instructions. */
LOCAL_KERNEL(void, average_columns, (to, sums, groups, width, rows), uint8_t *to, const uint16_t *sums, size_t groups,
             size_t width, size_t rows) {
    switch (width) {
    case 2: return average_groups(to, sums, groups, 2, rows);
    case 3: return average_groups(to, sums, groups, 3, rows);
    case 4: return average_groups(to, sums, groups, 4, rows);
    case 5: return average_groups(to, sums, groups, 5, rows);
    case 6: return average_groups(to, sums, groups, 6, rows);
    case 7: return average_groups(to, sums, groups, 7, rows);
    case 8: return average_groups(to, sums, groups, 8, rows);
    default: return average_groups(to, sums, groups, width, rows);
    }
}

void sdpx_box_row(uint8_t *to, const uint8_t *from, size_t stride, size_t rows, size_t samples, size_t factor) {
    uint16_t sums[BOX_BLOCK];
    size_t block = BOX_BLOCK / factor * factor;
    for (size_t start = 0; start < samples; start += block) {
        size_t count = samples - start < block ? samples - start : block;
        size_t groups = count / factor, rest = count % factor;
        sum_columns(sums, from + start, stride, rows, count);
        average_columns(to, sums, groups, factor, rows);
        to += groups;
        if (rest)
            average_columns(to, sums + groups * factor, 1, rest, rows);
    }
}
