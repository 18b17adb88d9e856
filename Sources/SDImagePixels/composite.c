/* composite.c: pixels over others. The painters of APNG and WebP compose frames with it, each with the arithmetic of
   its format; flattening serves output without alpha. */
#include "sdpx_composite.h"

#include <string.h>

#include "kernel.h"
#include "rounding.h"

INLINE uint32_t load(const uint8_t *p) {
    uint32_t v;
    memcpy(&v, p, 4);
    return v;
}

INLINE void store(uint8_t *p, uint32_t v) {
    memcpy(p, &v, 4);
}

/* The shift of a pixel's byte at a memory position, in native byte order. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define SHIFT(k) (8 * (k))
#else
#define SHIFT(k) (24 - 8 * (k))
#endif

/* Returns a channel by its position in memory. */
INLINE uint32_t channel(uint32_t pixel, int k) {
    return pixel >> SHIFT(k) & 255;
}

/* Divides exactly in float: numerators have 24 bits, and a quotient below 256 of numbers this small is never rounded up
   to an integer. */
INLINE uint32_t divide(uint32_t n, float d) {
    return (uint32_t)(int32_t)((float)(int32_t)n / d);
}

/* Opaque source pixels, and the backdrop under transparent ones, are kept exactly. Other pixels have an alpha of
   sum / 255. */
KERNEL(void, sdpx_over_row, (to, from, pixels), uint8_t *to, const uint8_t *from, size_t pixels) {
    for (size_t i = 0; i < pixels; i++) {
        uint32_t s = load(from + 4 * i), d = load(to + 4 * i), a = channel(s, 3);
        /* Alpha of the part of the backdrop that shows, and of the result, both times 255. */
        uint32_t below = channel(d, 3) * (255 - a), sum = a * 255 + below;
        float divisor = sum ? (float)(int32_t)sum : 1;
        uint32_t v = (sum + 127) / 255 << SHIFT(3);
        for (int k = 0; k < 3; k++) {
            uint32_t n = channel(s, k) * a * 255 + channel(d, k) * below + sum / 2;
            v |= divide(n, divisor) << SHIFT(k);
        }
        store(to + 4 * i, a == 255 ? s : a ? v : d);
    }
}

/* 256 - alpha and the shift by 8 stand for a division by 255, as in libwebp. */
KERNEL(void, sdpx_webp_over_row, (to, from, pixels), uint8_t *to, const uint8_t *from, size_t pixels) {
    for (size_t i = 0; i < pixels; i++) {
        uint32_t s = load(from + 4 * i), d = load(to + 4 * i), a = channel(s, 3);
        uint32_t below = channel(d, 3) * (256 - a) >> 8, sum = a + below;
        uint32_t scale = divide(1u << 24, sum ? (float)(int32_t)sum : 1), v = sum << SHIFT(3);
        for (int k = 0; k < 3; k++) {
            v |= (channel(s, k) * a + channel(d, k) * below) * scale >> 24 << SHIFT(k);
        }
        store(to + 4 * i, a == 255 ? s : a ? v : d);
    }
}

/* Adds the source, whose color is multiplied already, to the rest of the backdrop. */
KERNEL(void, sdpx_webp_over_row_premultiplied, (to, from, pixels), uint8_t *to, const uint8_t *from, size_t pixels) {
    for (size_t i = 0; i < pixels; i++) {
        uint32_t s = load(from + 4 * i), d = load(to + 4 * i), rest = 256 - channel(s, 3), v = 0;
        for (int k = 0; k < 4; k++)
            v |= ((channel(d, k) * rest >> 8) & 255) << SHIFT(k);
        store(to + 4 * i, rest == 1 ? s : s + v);
    }
}

KERNEL(void, sdpx_flatten_row, (to, from, pixels, background, is_premultiplied), uint8_t *to, const uint8_t *from,
       size_t pixels, const uint8_t *background, int is_premultiplied) {
    for (size_t i = 0; i < pixels; i++) {
        uint32_t a = from[4 * i + 3];
        for (int k = 0; k < 3; k++) {
            uint32_t c = from[4 * i + k] * (is_premultiplied ? 255u : a) + background[k] * (255 - a);
            /* A premultiplied color brighter than its alpha is invalid input: it is clamped. */
            to[4 * i + k] = (uint8_t)div255(c < 255 * 255 ? c : 255 * 255);
        }
        to[4 * i + 3] = 255;
    }
}
