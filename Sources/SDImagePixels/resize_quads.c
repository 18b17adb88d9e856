/* resize_quads.c: the filter along x in integers, for 8-bit samples that need no conversion before. ResampledRows calls
   it. Weights are rounded to 16 bits in such a way that their sum is exact.

   Samples are ordered in groups of four pixels: four samples of each channel, then those of the next channel. The
   filter multiplies four adjacent samples by four weights, and adds the products. */
#include "sdpx_resize_quads.h"

#include <math.h>
#include <string.h>

#include "kernel.h"
#include "resize_x86.h"

typedef uint8_t byte16 __attribute__((vector_size(16)));
typedef uint8_t byte64 __attribute__((vector_size(64)));
typedef int16_t short16 __attribute__((vector_size(32)));
typedef int32_t int16x __attribute__((vector_size(64)));

int sdpx_quad_variant(void) {
#if defined(__x86_64__)
    if (sdpx_cpu_has(SDPX_HAS_VNNI))
        return SDPX_QUADS_VNNI;
    if (sdpx_cpu_has(SDPX_HAS_AVX2))
        return SDPX_QUADS_AVX2;
#endif
    return SDPX_QUADS_PLAIN;
}

/* Returns the number of vectors that cover all source positions of every output, if they begin at multiples of
   `step`. */
static size_t vectors_from(const sdpx_axis *axis, int32_t step) {
    size_t most = 1;
    for (size_t i = 0; i < axis->count; i++) {
        size_t reach = (size_t)(axis->starts[i] % step + axis->counts[i]), vectors = (reach + 15) / 16;
        most = vectors > most ? vectors : most;
    }
    return most;
}

size_t sdpx_quad_vectors(const sdpx_axis *axis) {
    return vectors_from(axis, 4);
}

/* Rounds the running sums instead of the weights: each weight is off by less than one, and their sum is exact. */
static void round_weights(int16_t *to, const float *from, int32_t count, double unit) {
    double sum = 0, total = 0;
    for (int32_t k = 0; k < count; k++)
        total += from[k];
    double factor = unit / total;
    long before = 0;
    for (int32_t k = 0; k < count; k++) {
        sum += from[k];
        long upto = k + 1 < count ? lrint(sum * factor) : (long)unit;
        to[k] = (int16_t)(upto - before);
        before = upto;
    }
}

/* Splits 16 weights into high and low parts, w = 128 * high + low, in signed bytes. */
static void split_weights(int16_t *weights) {
    int8_t parts[32];
    for (int k = 0; k < 16; k++) {
        int high = (weights[k] + 64) >> 7;
        parts[k] = (int8_t)high;
        parts[16 + k] = (int8_t)(weights[k] - 128 * high);
    }
    memcpy(weights, parts, sizeof parts);
}

void sdpx_quad_weights(sdpx_quad_axis *quads, const sdpx_axis *axis, int variant) {
    size_t vectors = sdpx_quad_vectors(axis), taps = 16 * vectors;
    /* The largest weight decides how many fractional bits fit. */
    float most = 0;
    for (size_t i = 0; i < axis->count; i++)
        for (int32_t k = 0; k < axis->counts[i]; k++)
            most = fmaxf(most, fabsf(axis->weights[i * axis->taps + (size_t)k]));
    quads->count = axis->count;
    quads->vectors = vectors;
    quads->variant = variant;
    /* The largest weight and its rounding fit 127 * 128. Sums of products stay below 2^31 with any practical filter. */
    quads->bits = 18;
    while (quads->bits > 1 && (double)most * (double)(1 << quads->bits) > 16200)
        quads->bits--;
    /* Vectors are fully aligned if that takes no more of them. */
    int32_t step = vectors_from(axis, 16) == vectors ? 16 : 4;
    memset(quads->weights, 0, taps * axis->count * sizeof *quads->weights);
    for (size_t i = 0; i < axis->count; i++) {
        int16_t *weights = quads->weights + i * taps;
        /* The vector begins at a multiple of `step`. The weights before the first source pixel are 0. */
        int32_t skipped = axis->starts[i] % step;
        quads->starts[i] = (axis->starts[i] - skipped) / 4;
        round_weights(weights + skipped, axis->weights + i * axis->taps, axis->counts[i], (double)(1 << quads->bits));
        for (size_t v = 0; variant == SDPX_QUADS_VNNI && v < vectors; v++)
            split_weights(weights + 16 * v);
    }
}

size_t sdpx_quad_row_size(size_t pixels, size_t vectors) {
    return ((pixels + 15) / 16 + vectors) * 64;
}

/* Reorders whole groups of four pixels with four channels. */
LOCAL_KERNEL(void, quads_from_four, (to, from, groups), uint8_t *restrict to, const uint8_t *restrict from,
             size_t groups) {
    size_t g = 0;
    for (; g + 4 <= groups; g += 4) {
        byte64 v;
        memcpy(&v, from + 16 * g, sizeof v);
        v = __builtin_shufflevector(v, v, 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15, 16, 20, 24, 28, 17, 21,
                                    25, 29, 18, 22, 26, 30, 19, 23, 27, 31, 32, 36, 40, 44, 33, 37, 41, 45, 34, 38, 42,
                                    46, 35, 39, 43, 47, 48, 52, 56, 60, 49, 53, 57, 61, 50, 54, 58, 62, 51, 55, 59, 63);
        memcpy(to + 16 * g, &v, sizeof v);
    }
    for (; g < groups; g++) {
        byte16 v;
        memcpy(&v, from + 16 * g, sizeof v);
        v = __builtin_shufflevector(v, v, 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
        memcpy(to + 16 * g, &v, sizeof v);
    }
}

/* Reorders whole groups of four pixels with three channels; the fourth is zero. */
LOCAL_KERNEL(void, quads_from_three, (to, from, groups), uint8_t *restrict to, const uint8_t *restrict from,
             size_t groups) {
    byte16 zero = {0};
    for (size_t g = 0; g < groups; g++) {
        byte16 v = zero;
        memcpy(&v, from + 12 * g, 12);
        v = __builtin_shufflevector(v, zero, 0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11, 16, 17, 18, 19);
        memcpy(to + 16 * g, &v, sizeof v);
    }
}

/* Interleaves four rows of gray, which take the positions of four channels. */
LOCAL_KERNEL(void, quads_from_rows, (to, from, groups), uint8_t *restrict to, const uint8_t *const *from,
             size_t groups) {
    for (size_t r = 0; r < 4; r++)
        for (size_t g = 0; g < groups; g++)
            memcpy(to + 16 * g + 4 * r, from[r] + 4 * g, 4);
}

void sdpx_load_quads(uint8_t *to, const uint8_t *const *from, size_t pixels, int channels) {
    size_t groups = pixels / 4, rest = pixels % 4, size = (pixels + 15) / 16 * 64, used = (groups + (rest > 0)) * 16;
    switch (channels) {
    case 4: quads_from_four(to, from[0], groups); break;
    case 3: quads_from_three(to, from[0], groups); break;
    default: quads_from_rows(to, from, groups);
    }
    /* The rest of the last vector is zero; the pixels of an incomplete group are filled in below. */
    memset(to + 16 * groups, 0, size - 16 * groups);
    uint8_t *last = to + used - 16;
    for (size_t i = 0; i < rest; i++)
        for (int c = 0; c < (channels == 1 ? 4 : channels); c++)
            last[4 * c + (int)i] =
                channels == 1 ? from[c][4 * groups + i] : from[0][(4 * groups + i) * (size_t)channels + (size_t)c];
}

/* The variant for all CPUs, with the weights in the order of the source. */
LOCAL_KERNEL(void, filter_plain, (to, from, stride, axis), float *const *to, const uint8_t *from, size_t stride,
             const sdpx_quad_axis *axis) {
    float scale = 1 / (float)(1 << axis->bits);
    for (size_t x = 0; x < axis->count; x++) {
        const int16_t *weights = axis->weights + x * axis->vectors * 16;
        for (size_t u = 0; u < SDPX_QUAD_UNITS; u++) {
            /* A group of four pixels has 16 bytes, and `starts` counts groups. */
            const uint8_t *p = from + u * stride + 16 * (size_t)axis->starts[x];
            int16x sum = {0};
            for (size_t g = 0; g < 4 * axis->vectors; g++, p += 16) {
                byte16 v;
                memcpy(&v, p, sizeof v);
                int16_t w[4];
                memcpy(w, weights + 4 * g, sizeof w);
                /* The four weights apply to the four pixels of each channel. */
                short16 ws = {w[0], w[1], w[2], w[3], w[0], w[1], w[2], w[3],
                              w[0], w[1], w[2], w[3], w[0], w[1], w[2], w[3]};
                sum += __builtin_convertvector(v, int16x) * __builtin_convertvector(ws, int16x);
            }
            for (int c = 0; c < 4; c++)
                to[u][4 * x + (size_t)c] =
                    (float)(sum[4 * c] + sum[4 * c + 1] + sum[4 * c + 2] + sum[4 * c + 3]) * scale;
        }
    }
}

void sdpx_filter_quads(float *const *to, const uint8_t *from, size_t stride, const sdpx_quad_axis *axis,
                       const sdpx_ahead *ahead) {
    (void)ahead;
    switch (axis->variant) {
#if defined(__x86_64__)
    case SDPX_QUADS_VNNI: sdpx_filter_quads_vnni(to, from, stride, axis, ahead); break;
    case SDPX_QUADS_AVX2: sdpx_filter_quads_avx2(to, from, stride, axis, ahead); break;
#endif
    default: filter_plain(to, from, stride, axis);
    }
}
