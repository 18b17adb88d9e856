/* linear_light.h: internal conversions between stored samples and linear light. */
#ifndef SDPX_LIGHT_H
#define SDPX_LIGHT_H

#include <stddef.h>
#include <stdint.h>

/* Convert straight 16-bit RGBA in sRGB to linear light and back, and to 8 bits. Values outside 0 ... 1 are clamped, and
   NaN becomes 0. */
void sdpx_light_from_rgba16(float *to, const uint16_t *from, size_t pixels);
void sdpx_light_to_rgba16(uint16_t *to, const float *from, size_t pixels);
void sdpx_light_to_rgba8(uint8_t *to, const float *from, size_t pixels);

/* Convert samples of 0 ... 1 in place. `samples` is a multiple of 4; with alpha every fourth sample is unchanged. */
void sdpx_samples_to_light(float *v, size_t samples, int has_alpha);
void sdpx_light_to_samples(float *v, size_t samples, int has_alpha);

#endif
