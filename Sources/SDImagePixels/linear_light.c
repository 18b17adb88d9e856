/* linear_light.c: sRGB to linear light and back, for whole rows. convert.c, resize.c and resize_store.c use it. */
#include "linear_light.h"

#include "curve.h"
#include "kernel.h"

KERNEL(void, sdpx_light_from_rgba16, (to, from, pixels), float *to, const uint16_t *from, size_t pixels) {
    for (size_t i = 0; i < 4 * pixels; i++) {
        float v = (float)from[i] / 65535.0f, light = srgb_to_light(v);
        to[i] = (i & 3) == 3 ? v : light;
    }
}

/* Encodes sample `i` of straight RGBA to 0 ... `top`; alpha is linear. */
INLINE int32_t stored(float sample, size_t i, float top) {
    float v = unit(sample), encoded = light_to_srgb(v);
    return (int32_t)(((i & 3) == 3 ? v : encoded) * top + 0.5f);
}

KERNEL(void, sdpx_light_to_rgba16, (to, from, pixels), uint16_t *to, const float *from, size_t pixels) {
    for (size_t i = 0; i < 4 * pixels; i++)
        to[i] = (uint16_t)stored(from[i], i, 65535);
}

KERNEL(void, sdpx_light_to_rgba8, (to, from, pixels), uint8_t *to, const float *from, size_t pixels) {
    for (size_t i = 0; i < 4 * pixels; i++)
        to[i] = (uint8_t)stored(from[i], i, 255);
}

KERNEL(void, sdpx_samples_to_light, (v, samples, has_alpha), float *v, size_t samples, int has_alpha) {
    for (size_t i = 0; i < samples; i++) {
        /* Alpha is selected without a jump: every fourth sample. */
        float light = srgb_to_light(unit(v[i]));
        v[i] = has_alpha && (i & 3) == 3 ? v[i] : light;
    }
}

KERNEL(void, sdpx_light_to_samples, (v, samples, has_alpha), float *v, size_t samples, int has_alpha) {
    for (size_t i = 0; i < samples; i++) {
        float encoded = light_to_srgb(unit(v[i]));
        v[i] = has_alpha && (i & 3) == 3 ? v[i] : encoded;
    }
}
