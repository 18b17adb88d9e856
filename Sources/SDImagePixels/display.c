/* display.c: from samples to the light of a display, with tone mapping, and from linear light back to PQ and HLG.
   ToneMapping, LightTransform, HDRTransfer and ICCLightTransform call it for each row. */
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

/* Computes the factors of at most BLOCK pixels. Loops over plain arrays, which are vectorized. */
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

/* Selects the loop for a format; other formats than the straight integer ones are left out. */
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

/* Steps 2 and 3 of sdpx_light, in place. */
LOCAL_KERNEL(void, display, (rgba, pixels, light), float *rgba, size_t pixels, const sdpx_light *light) {
    const float *m = light->matrix, *w = light->luminance;
    for (size_t i = 0; i < pixels; i++) {
        float *p = rgba + 4 * i, r = p[0], g = p[1], b = p[2];
        /* The OOTF of HLG: a power of the luminance, by which all channels are multiplied. */
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
    /* For a format that look_up leaves out. */
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

/* Converts 16-bit samples to 0 ... 1. */
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

/* The inverse EOTF of SMPTE ST 2084 (ITU-R BT.2100, table 4), for 0 ... 1 of 10,000 cd/m2. */
INLINE float pq_signal(float light) {
    float root = power(light, 2610 / 16384.0f);
    return power((3424 / 4096.0f + 2413 / 128.0f * root) / (1 + 2392 / 128.0f * root), 2523 / 32.0f);
}

/* The OETF of HLG (ITU-R BT.2100, table 5), for scene light of 0 ... 1. */
INLINE float hlg_signal(float light) {
    const float a = 0.17883277f, b = 0.28466892f, c = 0.55991073f;
    float root = SQUARE_ROOT(3 * light), curve = a * 0.69314718f * log2_of(12 * light - b) + c;
    return light <= 1 / 12.0f ? root : curve;
}

/* Converts the primaries, and for HLG the light of the display to that of the scene. */
LOCAL_KERNEL_UP_TO_AVX2(void, scene_light, (to, rgba, pixels, m, is_hlg), float *to, const float *rgba, size_t pixels,
                        const float *m, int is_hlg) {
    for (size_t i = 0; i < pixels; i++) {
        const float *p = rgba + 4 * i;
        float r = unit(m[0] * p[0] + m[1] * p[1] + m[2] * p[2]), g = unit(m[3] * p[0] + m[4] * p[1] + m[5] * p[2]);
        float b = unit(m[6] * p[0] + m[7] * p[1] + m[8] * p[2]), y = 0.2627f * r + 0.6780f * g + 0.0593f * b;
        /* The inverse OOTF, for a system gamma of 1.2. Darker light than this is less than four steps of 16 bits. */
        float factor = !is_hlg ? 1 : y > 1e-11f ? power(y, 1 / 1.2f - 1) : 0;
        to[4 * i] = r * factor;
        to[4 * i + 1] = g * factor;
        to[4 * i + 2] = b * factor;
        to[4 * i + 3] = p[3];
    }
}

/* Encodes and rounds samples; alpha, every fourth one, stays linear. */
LOCAL_KERNEL_UP_TO_AVX2(void, quantize_signal, (to, light, samples, is_hlg), uint16_t *to, const float *light,
                        size_t samples, int is_hlg) {
    for (size_t i = 0; i < samples; i++) {
        float v = unit(light[i]), signal = unit(is_hlg ? hlg_signal(v) : pq_signal(v));
        to[i] = (uint16_t)(int32_t)(((i & 3) == 3 ? v : signal) * 65535 + 0.5f);
    }
}

void sdpx_signal_row(uint16_t *to, sdpx_format to_format, const float *rgba, size_t pixels, const float matrix[9],
                     int is_hlg) {
    size_t size = sdpx_pixel_size(to_format) / sizeof *to;
    float light[4 * BLOCK];
    uint16_t block[4 * BLOCK];
    memset(light, 0, sizeof light);
    for (size_t offset = 0; offset < pixels; offset += BLOCK) {
        size_t n = pixels - offset < BLOCK ? pixels - offset : BLOCK;
        scene_light(light, rgba + 4 * offset, n, matrix, is_hlg);
        quantize_signal(block, light, 4 * n, is_hlg);
        sdpx_convert_row(to + size * offset, to_format, block, SDPX_RGBA16, n);
    }
}
