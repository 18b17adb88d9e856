/* curve.h: the transfer function of sRGB and its building blocks, written so that loops over them are vectorized. */
#ifndef SDPX_CURVE_H
#define SDPX_CURVE_H

#include "kernel.h"

/* Unsigned, because samples of a host may be any float: NaN and infinity wrap around instead of overflowing. */
INLINE uint32_t bits_of(float v) {
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

/* The inverse of bits_of. */
INLINE float float_of(uint32_t bits) {
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* Approximates log2 for positive normal numbers; others yield a finite number. The mantissa is scaled to 0.7 ... 1.4,
   where the series of the inverse hyperbolic tangent converges fast. */
INLINE float log2_of(float v) {
    uint32_t bits = bits_of(v);
    int32_t exponent = (int32_t)(bits - 0x3f3504f3u) >> 23;
    float m = float_of(bits - ((uint32_t)exponent << 23)), s = (m - 1) / (m + 1), q = s * s;
    float series = 1 + q * (0.33333333f + q * (0.2f + q * (0.14285714f + q * 0.11111111f)));
    return (float)exponent + 2.8853901f * s * series;
}

/* Approximates 2^v for -126 ... 127. Adding the large number rounds to an integer in the lowest bits. */
INLINE float exp2_of(float v) {
    const float rounder = 12582912.0f;
    float shifted = v + rounder, f = (v - (shifted - rounder)) * 0.69314718f;
    float high = 0.16666667f + f * (0.041666667f + f * (0.0083333333f + f * 0.0013888889f));
    float series = 1 + f * (1 + f * (0.5f + f * high));
    return float_of(bits_of(series) + ((bits_of(shifted) - bits_of(rounder)) << 23));
}

/* Raises positive normal numbers to a power. Results outside of 2^-126 ... 2^127 are clamped to these. */
INLINE float power(float v, float exponent) {
    float e = log2_of(v) * exponent;
    return exp2_of(e < -126 ? -126 : e > 127 ? 127 : e);
}

/* Clamps to 0 ... 1. Comparisons with NaN are false, so NaN becomes 0. */
INLINE float unit(float v) {
    return v > 0 ? (v < 1 ? v : 1) : 0;
}

/* Decodes sRGB (IEC 61966-2-1), for 0 ... 1. Both branches are computed, and one is selected, so that loops have no
   jumps. */
INLINE float srgb_to_light(float v) {
    float curve = power((v + 0.055f) / 1.055f, 2.4f);
    return v <= 0.04045f ? v / 12.92f : curve;
}

/* Encodes sRGB, for 0 ... 1. */
INLINE float light_to_srgb(float v) {
    float curve = 1.055f * power(v, 1 / 2.4f) - 0.055f;
    return v <= 0.0031308f ? v * 12.92f : curve;
}

#endif
