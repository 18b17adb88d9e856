/* gain_map.c: gain maps in float, row by row. Interpolates the map, finds the light of base pixels, applies gains, and
   measures them for encoding. GainMapRenderer and GainMapMeasurement call it. The steps are those of sdpx_gain_map.

   Tables replace the transfer function and the exponential of the gain: a sample of 8 bits has 16 entries up to the
   next one. */
#include "sdpx_gain_map.h"

#include <math.h>

#include "curve.h"
#include "kernel.h"

/* Pixels whose intermediate values fit the first-level cache. */
enum { BLOCK = 256 };

/* Interpolates between two rows of the map. */
LOCAL_KERNEL(void, blend, (to, upper, lower, lower_weight, samples), float *to, const uint8_t *upper,
             const uint8_t *lower, float lower_weight, size_t samples) {
    for (size_t i = 0; i < samples; i++)
        to[i] = (float)upper[i] + lower_weight * (float)(lower[i] - upper[i]);
}

/* Interpolates along a row. Samples lie in the centers of their areas; beyond the outermost centers they repeat. */
INLINE void interpolate_as(float *restrict to, size_t pixels, const float *restrict from, size_t width,
                           size_t channels) {
    const float step = (float)width / (float)pixels, last = (float)(width - 1);
    for (size_t x = 0; x < pixels; x++) {
        float at = ((float)x + 0.5f) * step - 0.5f;
        /* Rows end with half a sample on both sides, where the outermost sample counts alone. */
        at = at < 0 ? 0 : at > last ? last : at;
        size_t left = (size_t)(int32_t)at, right = left + 1 < width ? left + 1 : left;
        float weight = at - (float)(int32_t)at;
        for (size_t k = 0; k < channels; k++) {
            float v = from[channels * left + k];
            to[channels * x + k] = v + weight * (from[channels * right + k] - v);
        }
    }
}

LOCAL_KERNEL(void, interpolate, (to, pixels, from, width, channels), float *to, size_t pixels, const float *from,
             size_t width, size_t channels) {
    if (channels == 1)
        interpolate_as(to, pixels, from, width, 1);
    else
        interpolate_as(to, pixels, from, width, 3);
}

void sdpx_interpolate_gains(float *to, size_t pixels, float *blended, const uint8_t *upper, const uint8_t *lower,
                            float lower_weight, size_t width, size_t channels) {
    /* No enlargement along the row: the blend is the result. */
    if (width == pixels) {
        blend(to, upper, lower, lower_weight, pixels * channels);
        return;
    }
    blend(blended, upper, lower, lower_weight, width * channels);
    interpolate(to, pixels, blended, width, channels);
}

/* Multiplies a row of a matrix by a color. */
INLINE float product(const float *row, float r, float g, float b) {
    return row[0] * r + row[1] * g + row[2] * b;
}

/* Step 4 for one channel; negative results become 0. */
INLINE float multiplied(float light, float gain, float base_offset, float alternate_offset) {
    float v = (light + base_offset) * gain - alternate_offset;
    return v > 0 ? v : 0;
}

/* Entries between two samples. */
static const float SCALE = (float)(SDPX_GAIN_ENTRIES - 1) / 255.0f;

/* Returns the entry of a sample of 0 ... 255, clamped and rounded. NaN becomes 0. */
INLINE int32_t entry(float sample) {
    sample = sample > 0 ? sample : 0;
    return (int32_t)((sample < 255 ? sample : 255) * SCALE + 0.5f);
}

/* Stores the entries of red, green and blue of each pixel: step 1, and the scale of samples. */
INLINE void find_entries(int32_t entries[3][BLOCK], const void *row, size_t pixels, int format) {
    const uint8_t *from = row;
    const uint16_t *deep = row;
    for (size_t i = 0; i < pixels; i++) {
        float a, b, c;
        if (format == SDPX_GAIN_RGBA_16) {
            /* 16 bits in the scale of 8 bits: the tables have entries between those. */
            a = (float)deep[4 * i] / 257, b = (float)deep[4 * i + 1] / 257, c = (float)deep[4 * i + 2] / 257;
        } else {
            a = from[3 * i], b = from[3 * i + 1], c = from[3 * i + 2];
        }
        if (format == SDPX_GAIN_YCC) {
            float y = a, cb = b - 128, cr = c - 128;
            a = y + 1.402f * cr;
            b = y - 0.344136f * cb - 0.714136f * cr;
            c = y + 1.772f * cb;
        }
        entries[0][i] = entry(a);
        entries[1][i] = entry(b);
        entries[2][i] = entry(c);
    }
}

/* Steps 1 and 2: the light of each pixel, in planes. */
INLINE void find_light(float light[3][BLOCK], const void *from, size_t pixels, const sdpx_gain_map *map) {
    int32_t entries[3][BLOCK];
    if (map->format == SDPX_GAIN_YCC)
        find_entries(entries, from, pixels, SDPX_GAIN_YCC);
    else if (map->format == SDPX_GAIN_RGB)
        find_entries(entries, from, pixels, SDPX_GAIN_RGB);
    else
        find_entries(entries, from, pixels, SDPX_GAIN_RGBA_16);
    for (size_t k = 0; k < 3; k++) {
        for (size_t i = 0; i < pixels; i++)
            light[k][i] = map->light[entries[k][i]];
    }
}

/* All steps for a map of 1 or 3 channels, at most BLOCK pixels. */
INLINE void apply_as(float *restrict to, const void *from, size_t pixels, const float *restrict samples,
                     size_t channels, const sdpx_gain_map *map) {
    float light[3][BLOCK], gain[3][BLOCK];
    find_light(light, from, pixels, map);
    for (size_t k = 0; k < channels; k++) {
        for (size_t i = 0; i < pixels; i++)
            gain[k][i] = map->gains[k][entry(samples[channels * i + k])];
    }
    const float *before = map->to_gain_primaries, *after = map->to_srgb;
    const float *base_offset = map->base_offset, *alternate_offset = map->alternate_offset;
    /* A map of one channel has the same gain for all three. */
    const size_t green = channels == 3 ? 1 : 0, blue = channels == 3 ? 2 : 0;
    for (size_t i = 0; i < pixels; i++) {
        float r = light[0][i], g = light[1][i], b = light[2][i];
        float red = multiplied(product(before, r, g, b), gain[0][i], base_offset[0], alternate_offset[0]);
        float grn = multiplied(product(before + 3, r, g, b), gain[green][i], base_offset[1], alternate_offset[1]);
        float blu = multiplied(product(before + 6, r, g, b), gain[blue][i], base_offset[2], alternate_offset[2]);
        to[4 * i] = product(after, red, grn, blu);
        to[4 * i + 1] = product(after + 3, red, grn, blu);
        to[4 * i + 2] = product(after + 6, red, grn, blu);
        to[4 * i + 3] = 1;
    }
    if (map->format == SDPX_GAIN_RGBA_16) {
        const uint16_t *deep = from;
        for (size_t i = 0; i < pixels; i++)
            to[4 * i + 3] = (float)deep[4 * i + 3] / 65535;
    }
}

LOCAL_KERNEL(void, apply_block, (to, from, pixels, samples, channels, map), float *to, const void *from, size_t pixels,
             const float *samples, size_t channels, const sdpx_gain_map *map) {
    if (channels == 1)
        apply_as(to, from, pixels, samples, 1, map);
    else
        apply_as(to, from, pixels, samples, 3, map);
}

/* The bytes of a base pixel. */
INLINE size_t pixel_bytes(const sdpx_gain_map *map) {
    return map->format == SDPX_GAIN_RGBA_16 ? 8 : 3;
}

void sdpx_apply_gains(float *to, const void *from, size_t pixels, const float *samples, size_t channels,
                      const sdpx_gain_map *map) {
    for (size_t at = 0; at < pixels; at += BLOCK) {
        size_t n = pixels - at < BLOCK ? pixels - at : BLOCK;
        const uint8_t *block = (const uint8_t *)from + pixel_bytes(map) * at;
        apply_block(to + 4 * at, block, n, samples + channels * at, channels, map);
    }
}

/* Steps 1 to 3, at most BLOCK pixels. */
LOCAL_KERNEL(void, light_block, (to, from, pixels, map), float *to, const void *from, size_t pixels,
             const sdpx_gain_map *map) {
    float light[3][BLOCK];
    const float *before = map->to_gain_primaries;
    find_light(light, from, pixels, map);
    for (size_t i = 0; i < pixels; i++) {
        for (size_t k = 0; k < 3; k++)
            to[3 * i + k] = product(before + 3 * k, light[0][i], light[1][i], light[2][i]);
    }
}

void sdpx_gain_light(float *to, const void *from, size_t pixels, const sdpx_gain_map *map) {
    for (size_t at = 0; at < pixels; at += BLOCK) {
        size_t n = pixels - at < BLOCK ? pixels - at : BLOCK;
        light_block(to + 3 * at, (const uint8_t *)from + pixel_bytes(map) * at, n, map);
    }
}

/* Clamps to 0 and above; NaN becomes 0. */
INLINE float positive(float v) {
    return v > 0 ? v : 0;
}

void sdpx_measure_gains(float *to, const float *base, const float *other, size_t pixels, sdpx_matrix from_srgb,
                        float offset) {
    for (size_t i = 0; i < pixels; i++) {
        const float *light = other + 4 * i;
        for (size_t k = 0; k < 3; k++) {
            float bright = positive(product(from_srgb.rows + 3 * k, light[0], light[1], light[2])) + offset;
            /* A stop is a factor of two. */
            float gain = log2f(bright / (positive(base[3 * i + k]) + offset));
            /* False for NaN. */
            gain = gain > -SDPX_GAIN_LIMIT ? gain : -SDPX_GAIN_LIMIT;
            to[3 * i + k] = (gain < SDPX_GAIN_LIMIT ? gain : SDPX_GAIN_LIMIT) * unit(light[3]);
        }
    }
}

float sdpx_brightest(const float *row, size_t pixels) {
    float highest = 0;
    for (size_t i = 0; i < pixels; i++) {
        for (size_t k = 0; k < 3; k++)
            highest = row[4 * i + k] > highest ? row[4 * i + k] : highest;
    }
    return highest;
}
