/* scale.c: resampling while an image is decoded. RowScaler adds each row to the output rows that it contributes to
   (PixelSums), then filters finished rows along x and rounds them.

   sdpx_box_row is apart from that: it averages boxes of samples, for planes of WebP.

   Differences from resize.c: columns are filtered first, because rows arrive one after the other, and colors stay in
   their encoding. */
#include "sdpx_scale.h"

#include <string.h>

#include "kernel.h"

/* Samples converted to float at a time: whole pixels and whole vectors, which fit the first-level cache. */
enum { BLOCK = 1008 };

typedef float float4 __attribute__((vector_size(16)));
/* Four RGBA pixels; on CPUs with narrower vectors the compiler uses several. */
typedef float float16 __attribute__((vector_size(64)));

/* Adds a block to the sums of several output rows. */
INLINE void add_block(float *const *sums, const float *weights, size_t count, const float *block, size_t offset,
                      size_t n) {
    for (size_t j = 0; j < count; j++) {
        float *restrict sum = sums[j] + offset;
        /* Each output row has a weight of its own for this source row. */
        float w = weights[j];
        for (size_t i = 0; i < n; i++)
            sum[i] += w * block[i];
    }
}

/* Multiplies color by alpha. The block has room for whole vectors beyond `n`. */
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

/* Reports that all pixels are opaque. Most images with alpha are opaque nearly everywhere. */
INLINE int is_opaque8(const uint8_t *row, size_t n) {
    uint8_t all = 255;
    /* The AND of all alpha bytes is 255 only if each of them is. */
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

/* Samples of four rows converted to float. */
typedef struct {
    _Alignas(64) float rows[SDPX_SCALE_ROWS][BLOCK];
} four_blocks;

/* Adds to a sum, or replaces it. */
INLINE void add_one(float *sum, const float *weights, const four_blocks *b, size_t n, int replaces) {
    /* Copies: a store to a sum could change the weights as far as the compiler knows. */
    float w0 = weights[0], w1 = weights[1], w2 = weights[2], w3 = weights[3];
    for (size_t i = 0; i < n; i += 16) {
        float16 v[SDPX_SCALE_ROWS], total = {0};
        if (!replaces)
            memcpy(&total, sum + i, sizeof total);
        for (size_t k = 0; k < SDPX_SCALE_ROWS; k++)
            memcpy(&v[k], b->rows[k] + i, sizeof v[k]);
        total += w0 * v[0];
        total += w1 * v[1];
        total += w2 * v[2];
        total += w3 * v[3];
        memcpy(sum + i, &total, sizeof total);
    }
}

/* The same for two sums, which share the reads of the rows. */
INLINE void add_two(float *sum, float *other, const float *weights, const four_blocks *b, size_t n) {
    float w0 = weights[0], w1 = weights[1], w2 = weights[2], w3 = weights[3];
    float x0 = weights[4], x1 = weights[5], x2 = weights[6], x3 = weights[7];
    for (size_t i = 0; i < n; i += 16) {
        float16 s, t, v[SDPX_SCALE_ROWS];
        memcpy(&s, sum + i, sizeof s);
        memcpy(&t, other + i, sizeof t);
        for (size_t k = 0; k < SDPX_SCALE_ROWS; k++)
            memcpy(&v[k], b->rows[k] + i, sizeof v[k]);
        s += w0 * v[0];
        t += x0 * v[0];
        s += w1 * v[1];
        t += x1 * v[1];
        s += w2 * v[2];
        t += x2 * v[2];
        s += w3 * v[3];
        t += x3 * v[3];
        memcpy(sum + i, &s, sizeof s);
        memcpy(other + i, &t, sizeof t);
    }
}

KERNEL(void, sdpx_accumulate_rows_u8, (sums, weights, count, begun, rows, samples, channels), float *const *sums,
       const float *weights, size_t count, size_t begun, const uint8_t *const *rows, size_t samples, int channels) {
    four_blocks blocks;
    for (size_t offset = 0; offset < samples; offset += BLOCK) {
        size_t n = samples - offset < BLOCK ? samples - offset : BLOCK, j = 0;
        for (size_t k = 0; k < SDPX_SCALE_ROWS; k++) {
            const uint8_t *row = rows[k] + offset;
            for (size_t i = 0; i < n; i++)
                blocks.rows[k][i] = row[i];
            /* Whole vectors are added; the rest of the last one is initialized. */
            for (size_t i = n; i % 16; i++)
                blocks.rows[k][i] = 0;
            if (channels == 4 && !is_opaque8(row, n))
                premultiply_block(blocks.rows[k], n, 1.0f / 255);
        }
        /* Sums in pairs, then one that remains, then those that are new. */
        for (; j + 2 <= begun; j += 2)
            add_two(sums[j] + offset, sums[j + 1] + offset, weights + SDPX_SCALE_ROWS * j, &blocks, n);
        for (; j < count; j++)
            add_one(sums[j] + offset, weights + SDPX_SCALE_ROWS * j, &blocks, n, j >= begun);
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

/* Loads four floats of any alignment. */
INLINE float4 load4(const float *p) {
    float4 v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* Returns the value through memory: there is no calling convention for a vector this wide. */
INLINE void load16(float16 *v, const float *p) {
    memcpy(v, p, sizeof *v);
}

/* A pixel of four rows is a vector, with the channels of a row adjacent. Of three channels, the last lane of each
   belongs to the next pixel. */
INLINE void interleave_pixels(float *to, const float *const *rows, size_t pixels, size_t channels) {
    for (size_t i = 0; i < pixels; i++)
        for (size_t r = 0; r < SDPX_SCALE_ROWS; r++) {
            float4 v = load4(rows[r] + channels * i);
            memcpy(to + 16 * i + 4 * r, &v, sizeof v);
        }
}

/* Transposes four by four samples: the four rows of a pixel become adjacent. */
INLINE void interleave_gray(float *to, const float *const *rows, size_t pixels) {
    for (size_t i = 0; i < pixels; i += 4) {
        float4 a = load4(rows[0] + i), b = load4(rows[1] + i), c = load4(rows[2] + i), d = load4(rows[3] + i);
        float4 ac = __builtin_shufflevector(a, c, 0, 4, 1, 5), bd = __builtin_shufflevector(b, d, 0, 4, 1, 5);
        float4 ac2 = __builtin_shufflevector(a, c, 2, 6, 3, 7), bd2 = __builtin_shufflevector(b, d, 2, 6, 3, 7);
        float4 quads[4] = {__builtin_shufflevector(ac, bd, 0, 4, 1, 5), __builtin_shufflevector(ac, bd, 2, 6, 3, 7),
                           __builtin_shufflevector(ac2, bd2, 0, 4, 1, 5),
                           __builtin_shufflevector(ac2, bd2, 2, 6, 3, 7)};
        memcpy(to + 4 * i, quads, sizeof quads);
    }
}

KERNEL(void, sdpx_interleave_rows, (to, rows, pixels, channels), float *to, const float *const *rows, size_t pixels,
       int channels) {
    switch (channels) {
    case 4: interleave_pixels(to, rows, pixels, 4); break;
    case 3: interleave_pixels(to, rows, pixels, 3); break;
    default: interleave_gray(to, rows, pixels);
    }
}

/* Filters rows of three or four channels, in two sums that hide the latency of an addition. The last lane of three
   channels is overwritten by the next pixel. */
INLINE void filter_vectors(float *const *to, const float *from, const sdpx_axis *axis, size_t channels) {
    for (size_t x = 0; x < axis->count; x++) {
        const float *p = from + 16 * (size_t)axis->starts[x], *w = axis->weights + x * axis->taps;
        int32_t n = axis->counts[x], k = 0;
        float16 a = {0}, b = {0}, v;
        for (; k + 1 < n; k += 2, p += 32) {
            load16(&v, p);
            a += w[k] * v;
            load16(&v, p + 16);
            b += w[k + 1] * v;
        }
        if (k < n) {
            load16(&v, p);
            a += w[k] * v;
        }
        a += b;
        float rows[16];
        memcpy(rows, &a, sizeof rows);
        for (size_t r = 0; r < SDPX_SCALE_ROWS; r++)
            memcpy(to[r] + x * channels, rows + 4 * r, 4 * sizeof *rows);
    }
}

/* With one channel a vector contains four pixels of the four rows. */
INLINE void filter_gray(float *const *to, const float *from, const sdpx_axis *axis) {
    for (size_t x = 0; x < axis->count; x++) {
        const float *p = from + 4 * (size_t)axis->starts[x], *w = axis->weights + x * axis->taps;
        int32_t n = axis->counts[x], k = 0;
        float16 sums = {0}, v;
        for (; k + 4 <= n; k += 4, p += 16) {
            /* Four pixels with their four weights, each repeated for the four rows. */
            float4 u = load4(w + k);
            load16(&v, p);
            sums += v * __builtin_shufflevector(u, u, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
        }
        float4 sum =
            __builtin_shufflevector(sums, sums, 0, 1, 2, 3) + __builtin_shufflevector(sums, sums, 4, 5, 6, 7) +
            (__builtin_shufflevector(sums, sums, 8, 9, 10, 11) + __builtin_shufflevector(sums, sums, 12, 13, 14, 15));
        for (; k < n; k++, p += 4)
            sum += w[k] * load4(p);
        for (size_t r = 0; r < SDPX_SCALE_ROWS; r++)
            to[r][x] = sum[r];
    }
}

KERNEL(void, sdpx_filter_rows, (to, from, axis, channels), float *const *to, const float *from, const sdpx_axis *axis,
       int channels) {
    switch (channels) {
    case 4: filter_vectors(to, from, axis, 4); break;
    case 3: filter_vectors(to, from, axis, 3); break;
    default: filter_gray(to, from, axis);
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
        /* Color is clamped and divided by alpha first, then rounded. */
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

/* Adds up the rows of a box, column by column. 128 rows fit 16 bits. */
LOCAL_KERNEL(void, sum_columns, (sums, from, stride, rows, samples), uint16_t *sums, const uint8_t *from, size_t stride,
             size_t rows, size_t samples) {
    for (size_t i = 0; i < samples; i++)
        sums[i] = from[i];
    for (size_t row = 1; row < rows; row++)
        for (size_t i = 0; i < samples; i++)
            sums[i] = (uint16_t)(sums[i] + from[row * stride + i]);
}

/* Adds `width` columns each, and stores the rounded means. */
INLINE void average_groups(uint8_t *to, const uint16_t *sums, size_t groups, size_t width, size_t rows) {
    /* A multiplication replaces a division for each box. */
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
    /* Columns of whole boxes. */
    size_t block = BOX_BLOCK / factor * factor;
    for (size_t start = 0; start < samples; start += block) {
        size_t count = samples - start < block ? samples - start : block;
        size_t groups = count / factor, rest = count % factor;
        sum_columns(sums, from + start, stride, rows, count);
        average_columns(to, sums, groups, factor, rows);
        to += groups;
        /* The last box has fewer columns. */
        if (rest)
            average_columns(to, sums + groups * factor, 1, rest, rows);
    }
}
