/* Between stored samples and light, for the kernels themselves. */
#ifndef SDPX_LIGHT_H
#define SDPX_LIGHT_H

#include <stddef.h>
#include <stdint.h>

/* Straight RGBA of 16 bits in sRGB to light and back, and to 8 bits. What lies outside 0 ... 1 is cut off, and a number
   that is not one becomes 0. */
void sdpx_light_from_rgba16(float *to, const uint16_t *from, size_t pixels);
void sdpx_light_to_rgba16(uint16_t *to, const float *from, size_t pixels);
void sdpx_light_to_rgba8(uint8_t *to, const float *from, size_t pixels);

/* Samples of 0 ... 1 in place; `samples` is a multiple of 4, and of four the last is left alone if it is alpha. */
void sdpx_samples_to_light(float *v, size_t samples, int has_alpha);
void sdpx_light_to_samples(float *v, size_t samples, int has_alpha);

#endif
