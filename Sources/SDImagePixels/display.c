#include "sdpx_display.h"

#include "curve.h"
#include "kernel.h"
#include "sdpx_convert.h"

/* Float pixels converted at a time; fits the first-level cache. */
enum { BLOCK = 256 };

/* The shoulder begins at KNEE and maps PEAK, which is 10,000 cd/m2 over 203, to white. In between it applies the
   extended operator of Reinhard and others (2002) to the excess over the knee: its slope at the knee is 1. */
#define KNEE 0.75f
#define PEAK (10000.0f / 203.0f)

INLINE float shoulder(float light) {
    const float top = (PEAK - KNEE) / (1 - KNEE);
    float excess = (light - KNEE) / (1 - KNEE);
    return KNEE + (1 - KNEE) * excess * (1 + excess / (top * top)) / (1 + excess);
}

KERNEL(void, sdpx_tone_map, (rgba, pixels), float *rgba, size_t pixels) {
    for (size_t i = 0; i < pixels; i++) {
        float *p = rgba + 4 * i, brightest = p[0] > p[1] ? p[0] : p[1];
        brightest = brightest > p[2] ? brightest : p[2];
        brightest = brightest < PEAK ? brightest : PEAK;
        /* One factor for all three channels preserves the hue. */
        float factor = brightest > KNEE ? shoulder(brightest) / brightest : 1;
        for (int k = 0; k < 3; k++)
            p[k] *= factor;
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
        if (light->tone_maps)
            sdpx_tone_map(block, n);
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
