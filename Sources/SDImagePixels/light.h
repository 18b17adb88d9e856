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

#endif
