#include "sdpx_display.h"

#include "curve.h"
#include "kernel.h"
#include "sdpx_convert.h"

/* Float pixels converted at a time; fits the first-level cache. */
enum { BLOCK = 256 };

/* Brighter light comes from invalid samples only; the bound keeps products finite. */
#define INFINITE 1e30f
/* Darker light is within any limit. */
#define DARKEST 1e-6f

/* Luminance of linear light with the primaries of sRGB (ITU-R BT.709, item 3.2). */
INLINE float luminance_of(const float *p) {
    return 0.2126f * p[0] + 0.7152f * p[1] + 0.0722f * p[2];
}

/* The factors of at most BLOCK pixels. Loops over plain arrays, which are vectorized. */
INLINE void tone_factors(float *factors, const float *rgba, size_t pixels, const sdpx_tones *tones) {
    float index[BLOCK], bounds[BLOCK];
    for (size_t i = 0; i < pixels; i++) {
        const float *p = rgba + 4 * i;
        float brightest = p[0] > p[1] ? p[0] : p[1];
        brightest = brightest > p[2] ? brightest : p[2];
        brightest = brightest < INFINITE ? brightest : INFINITE;
        bounds[i] = brightest > DARKEST ? tones->limit / brightest : INFINITE;
        index[i] = SQUARE_ROOT(unit(luminance_of(p) * tones->scale)) * (float)SDPX_TONE_STEPS;
    }
    for (size_t i = 0; i < pixels; i++) {
        /* The table has one entry more than there are steps. */
        int32_t step = (int32_t)index[i] < SDPX_TONE_STEPS ? (int32_t)index[i] : SDPX_TONE_STEPS - 1;
        const float *entry = tones->factors + step;
        factors[i] = entry[0] + (index[i] - (float)step) * (entry[1] - entry[0]);
    }
    for (size_t i = 0; i < pixels; i++)
        factors[i] = factors[i] < bounds[i] ? factors[i] : bounds[i];
}

KERNEL(void, sdpx_tone_map, (rgba, pixels, tones), float *rgba, size_t pixels, const sdpx_tones *tones) {
    float factors[BLOCK];
    for (size_t offset = 0; offset < pixels; offset += BLOCK) {
        size_t n = pixels - offset < BLOCK ? pixels - offset : BLOCK;
        float *block = rgba + 4 * offset;
        tone_factors(factors, block, n, tones);
        /* One factor for all three channels preserves the hue. */
        for (size_t i = 0; i < n; i++) {
            for (int k = 0; k < 3; k++)
                block[4 * i + k] *= factors[i];
        }
    }
}

void sdpx_count_light(uint32_t *counts, const float *rgba, size_t pixels) {
    for (size_t i = 0; i < pixels; i++) {
        float y = luminance_of(rgba + 4 * i);
        /* The highest bits of the mantissa divide an octave. */
        uint32_t level = y >= 1 ? 1 + ((bits_of(y) - bits_of(1)) >> SDPX_LEVEL_SHIFT) : 0;
        counts[level < SDPX_LIGHT_LEVELS ? level : SDPX_LIGHT_LEVELS - 1]++;
    }
}

/* Reads one sample of a row of 8 or 16 bits. */
INLINE uint32_t sample(const void *row, size_t index, int is_deep) {
    return is_deep ? ((const uint16_t *)row)[index] : ((const uint8_t *)row)[index];
}

/* Converts samples to linear light by the table; gray becomes three equal channels, and missing alpha 1. */
INLINE void look_up_as(float *to, const void *from, size_t pixels, const float *table, size_t channels, int is_deep) {
    for (size_t i = 0; i < pixels; i++) {
        for (size_t k = 0; k < 3; k++)
            to[4 * i + k] = table[sample(from, channels * i + (channels == 1 ? 0 : k), is_deep)];
        to[4 * i + 3] = channels == 4 ? (float)sample(from, 4 * i + 3, is_deep) / (is_deep ? 65535.0f : 255.0f) : 1;
    }
}

static void look_up(float *to, const void *from, sdpx_format format, size_t pixels, const float *table) {
    switch (format) {
    case SDPX_GRAY8: look_up_as(to, from, pixels, table, 1, 0); break;
    case SDPX_RGB8: look_up_as(to, from, pixels, table, 3, 0); break;
    case SDPX_RGBA8: look_up_as(to, from, pixels, table, 4, 0); break;
    case SDPX_GRAY16: look_up_as(to, from, pixels, table, 1, 1); break;
    case SDPX_RGB16: look_up_as(to, from, pixels, table, 3, 1); break;
    case SDPX_RGBA16: look_up_as(to, from, pixels, table, 4, 1); break;
    default: break;
    }
}

LOCAL_KERNEL(void, display, (rgba, pixels, light), float *rgba, size_t pixels, const sdpx_light *light) {
    const float *m = light->matrix, *w = light->luminance;
    for (size_t i = 0; i < pixels; i++) {
        float *p = rgba + 4 * i, r = p[0], g = p[1], b = p[2];
        if (light->system_gamma != 1) {
            float y = w[0] * r + w[1] * g + w[2] * b, factor = y > 1e-9f ? power(y, light->system_gamma - 1) : 0;
            r *= factor;
            g *= factor;
            b *= factor;
        }
        p[0] = m[0] * r + m[1] * g + m[2] * b;
        p[1] = m[3] * r + m[4] * g + m[5] * b;
        p[2] = m[6] * r + m[7] * g + m[8] * b;
    }
}

void sdpx_render_row(void *to, sdpx_format to_format, const void *from, sdpx_format from_format, size_t pixels,
                     const sdpx_light *light) {
    size_t to_size = sdpx_pixel_size(to_format), from_size = sdpx_pixel_size(from_format);
    float block[4 * BLOCK];
    memset(block, 0, sizeof block);
    for (size_t offset = 0; offset < pixels; offset += BLOCK) {
        size_t n = pixels - offset < BLOCK ? pixels - offset : BLOCK;
        look_up(block, (const uint8_t *)from + offset * from_size, from_format, n, light->table);
        display(block, n, light);
        if (light->tones != NULL)
            sdpx_tone_map(block, n, light->tones);
        sdpx_convert_row((uint8_t *)to + offset * to_size, to_format, block, SDPX_RGBA_FLOAT, n);
    }
}

LOCAL_KERNEL(void, spread, (to, from, pixels), float *to, const uint16_t *from, size_t pixels) {
    for (size_t i = 0; i < 4 * pixels; i++)
        to[i] = (float)from[i] / 65535.0f;
}

void sdpx_unit_row(float *to, const void *from, sdpx_format from_format, size_t pixels) {
    size_t from_size = sdpx_pixel_size(from_format);
    for (size_t offset = 0; offset < pixels; offset += BLOCK) {
        uint16_t block[4 * BLOCK];
        size_t n = pixels - offset < BLOCK ? pixels - offset : BLOCK;
        sdpx_convert_row(block, SDPX_RGBA16, (const uint8_t *)from + offset * from_size, from_format, n);
        spread(to + 4 * offset, block, n);
    }
}
