/* convert.c: conversion of rows between all pixel formats, and of the color models of JPEG and WebP. Runs on any thread
   and has no state.

   - Integers are sRGB, float is linear light. Only conversions between both apply the transfer function.
   - Premultiplied formats are divided by alpha before anything else, and multiplied again at the end. */
#include "sdpx_convert.h"

#include <string.h>

#include "kernel.h"
#include "linear_light.h"
#include "rounding.h"

/* Every conversion between integers goes through straight RGBA of the destination's depth, in blocks that fit the
   first-level cache. If source or destination has that format already, its own memory is the block. */
enum { BLOCK = 256 };

/* Luma with the weights of ITU-R BT.601 in 16 bits, as in libjpeg. */
INLINE uint32_t luma(uint32_t r, uint32_t g, uint32_t b) {
    return (19595u * r + 38470u * g + 7471u * b + 32768u) >> 16;
}

/* The functions up to store16 convert `n` pixels to or from straight RGBA; `d` is the destination. */
INLINE void gray8_to_rgba8(uint8_t *d, const uint8_t *s, size_t n) {
    for (size_t i = 0; i < n; i++) {
        d[4 * i] = d[4 * i + 1] = d[4 * i + 2] = s[i];
        d[4 * i + 3] = 255;
    }
}

INLINE void rgb8_to_rgba8(uint8_t *d, const uint8_t *s, size_t n) {
    for (size_t i = 0; i < n; i++) {
        d[4 * i] = s[3 * i];
        d[4 * i + 1] = s[3 * i + 1];
        d[4 * i + 2] = s[3 * i + 2];
        d[4 * i + 3] = 255;
    }
}

/* Divides color by alpha, rounded to the nearest. `red` is the index of red: 0 in RGBA, 2 in BGRA. */
INLINE void straighten8(uint8_t *d, const uint8_t *s, size_t n, int red) {
    for (size_t i = 0; i < n; i++) {
        int32_t a = s[4 * i + 3], c[3] = {s[4 * i + red], s[4 * i + 1], s[4 * i + 2 - red]};
        /* Float division is exact here: a quotient of numbers this small is never rounded up to an integer. */
        float divisor = a ? (float)a : 1e9f;
        for (int k = 0; k < 3; k++) {
            int32_t v = (int32_t)((float)(c[k] * 255 + a / 2) / divisor);
            d[4 * i + k] = v > 255 ? 255 : (uint8_t)v;
        }
        d[4 * i + 3] = (uint8_t)a;
    }
}

typedef uint8_t byte64 __attribute__((vector_size(64)));
typedef uint16_t short64 __attribute__((vector_size(128)));

#define FOR_8_PIXELS(M, i) M(i), M(i + 4), M(i + 8), M(i + 12), M(i + 16), M(i + 20), M(i + 24), M(i + 28)
#define FOR_16_PIXELS(M) FOR_8_PIXELS(M, 0), FOR_8_PIXELS(M, 32)
#define ALPHAS(i) i + 3, i + 3, i + 3, 64
#define EXCHANGED(i) i + 2, i + 1, i, i + 3

/* Multiplies color by alpha, rounded to the nearest, 16 pixels at a time. `red` is the index of red in the output.
   Alpha is multiplied by 255 and thus unchanged. */
INLINE void premultiply8(uint8_t *d, const uint8_t *s, size_t n, int red) {
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        byte64 v, full = {0};
        full = ~full;
        memcpy(&v, s + 4 * i, sizeof v);
        /* For each byte its factor: the alpha of its pixel, and 255 for alpha itself. */
        byte64 alphas = __builtin_shufflevector(v, full, FOR_16_PIXELS(ALPHAS));
        /* The division of div255, for 64 bytes at once. */
        short64 p = __builtin_convertvector(v, short64) * __builtin_convertvector(alphas, short64) + 128;
        v = __builtin_convertvector((p + (p >> 8)) >> 8, byte64);
        if (red == 2)
            v = __builtin_shufflevector(v, v, FOR_16_PIXELS(EXCHANGED));
        memcpy(d + 4 * i, &v, sizeof v);
    }
    for (; i < n; i++) {
        uint32_t a = s[4 * i + 3], r = div255(s[4 * i] * a), g = div255(s[4 * i + 1] * a), b = div255(s[4 * i + 2] * a);
        d[4 * i + red] = (uint8_t)r;
        d[4 * i + 1] = (uint8_t)g;
        d[4 * i + 2 - red] = (uint8_t)b;
        d[4 * i + 3] = (uint8_t)a;
    }
}

/* Reduces 16 bits to 8 by dropping the lower ones. */
INLINE void narrow(uint8_t *d, const uint16_t *s, size_t n, int channels) {
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < 4; k++)
            d[4 * i + k] = channels == 1 ? (k < 3 ? s[i] >> 8 : 255) : (k < channels ? s[channels * i + k] >> 8 : 255);
}

/* Expands 8 bits to 16, so that 255 becomes 65535. */
INLINE void widen(uint16_t *d, const uint8_t *s, size_t n) {
    for (size_t i = 0; i < 4 * n; i++)
        d[i] = (uint16_t)(s[i] * 257u);
}

/* Expands gray or RGB of 16 bits. */
INLINE void expand16(uint16_t *d, const uint16_t *s, size_t n, int channels) {
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < 4; k++)
            d[4 * i + k] = k == 3 ? 65535 : s[channels == 1 ? i : 3 * i + k];
}

/* Converts from any integer format to straight 8-bit RGBA. */
LOCAL_KERNEL(void, load8, (d, s, format, n), uint8_t *d, const uint8_t *s, sdpx_format format, size_t n) {
    switch (format) {
    case SDPX_GRAY8: gray8_to_rgba8(d, s, n); break;
    case SDPX_RGB8: rgb8_to_rgba8(d, s, n); break;
    case SDPX_RGBA8: memcpy(d, s, 4 * n); break;
    case SDPX_RGBA8_PREMULTIPLIED: straighten8(d, s, n, 0); break;
    case SDPX_BGRA8_PREMULTIPLIED: straighten8(d, s, n, 2); break;
    case SDPX_GRAY16: narrow(d, (const uint16_t *)(const void *)s, n, 1); break;
    case SDPX_RGB16: narrow(d, (const uint16_t *)(const void *)s, n, 3); break;
    case SDPX_RGBA16: narrow(d, (const uint16_t *)(const void *)s, n, 4); break;
    default: break;
    }
}

/* Converts from straight 8-bit RGBA to any 8-bit format. */
LOCAL_KERNEL(void, store8, (d, format, s, n), uint8_t *d, sdpx_format format, const uint8_t *s, size_t n) {
    switch (format) {
    case SDPX_GRAY8:
        for (size_t i = 0; i < n; i++)
            d[i] = (uint8_t)luma(s[4 * i], s[4 * i + 1], s[4 * i + 2]);
        break;
    case SDPX_RGB8:
        for (size_t i = 0; i < n; i++) {
            d[3 * i] = s[4 * i];
            d[3 * i + 1] = s[4 * i + 1];
            d[3 * i + 2] = s[4 * i + 2];
        }
        break;
    case SDPX_RGBA8: memcpy(d, s, 4 * n); break;
    case SDPX_RGBA8_PREMULTIPLIED: premultiply8(d, s, n, 0); break;
    case SDPX_BGRA8_PREMULTIPLIED: premultiply8(d, s, n, 2); break;
    default: break;
    }
}

/* Converts from any integer format to straight 16-bit RGBA; 8 bits by way of 8-bit RGBA. */
LOCAL_KERNEL(void, load16, (d, s, format, n), uint16_t *d, const void *s, sdpx_format format, size_t n) {
    switch (format) {
    case SDPX_GRAY16: expand16(d, s, n, 1); break;
    case SDPX_RGB16: expand16(d, s, n, 3); break;
    case SDPX_RGBA16: memcpy(d, s, 8 * n); break;
    default: {
        uint8_t narrow_block[4 * BLOCK];
        load8(narrow_block, s, format, n);
        widen(d, narrow_block, n);
    }
    }
}

/* Converts from straight 16-bit RGBA to any 16-bit format. */
LOCAL_KERNEL(void, store16, (d, format, s, n), uint16_t *d, sdpx_format format, const uint16_t *s, size_t n) {
    switch (format) {
    case SDPX_GRAY16:
        for (size_t i = 0; i < n; i++)
            d[i] = (uint16_t)luma(s[4 * i], s[4 * i + 1], s[4 * i + 2]);
        break;
    case SDPX_RGB16:
        for (size_t i = 0; i < n; i++)
            for (int k = 0; k < 3; k++)
                d[3 * i + k] = s[4 * i + k];
        break;
    case SDPX_RGBA16: memcpy(d, s, 8 * n); break;
    default: break;
    }
}

/* Converts at most BLOCK pixels, to or from float. All depths are converted to 16 bits before linear light; v * 257
   loses nothing. */
static void convert_float(uint8_t *to, sdpx_format to_format, const uint8_t *from, sdpx_format from_format, size_t n) {
    uint16_t deep[4 * BLOCK];
    uint8_t low[4 * BLOCK];
    if (to_format == SDPX_RGBA_FLOAT) {
        load16(deep, from, from_format, n);
        sdpx_light_from_rgba16((float *)(void *)to, deep, n);
    } else if (to_format >= SDPX_GRAY16) {
        sdpx_light_to_rgba16(deep, (const float *)(const void *)from, n);
        store16((uint16_t *)(void *)to, to_format, deep, n);
    } else {
        sdpx_light_to_rgba8(low, (const float *)(const void *)from, n);
        store8(to, to_format, low, n);
    }
}

void sdpx_convert_row(void *to, sdpx_format to_format, const void *from, sdpx_format from_format, size_t pixels) {
    size_t to_size = sdpx_pixel_size(to_format), from_size = sdpx_pixel_size(from_format);
    /* An unknown format. */
    if (to_size == 0 || from_size == 0)
        return;
    /* Without alpha there is nothing to premultiply. */
    if (to_format == SDPX_RGBA8_PREMULTIPLIED && (from_format == SDPX_GRAY8 || from_format == SDPX_RGB8))
        to_format = SDPX_RGBA8;
    if (to_format == from_format) {
        memmove(to, from, pixels * to_size);
        return;
    }
    uint8_t *d = to;
    const uint8_t *s = from;
    while (pixels > 0) {
        size_t n = pixels < BLOCK ? pixels : BLOCK;
        if (to_format == SDPX_RGBA_FLOAT || from_format == SDPX_RGBA_FLOAT) {
            convert_float(d, to_format, s, from_format, n);
        } else if (to_format >= SDPX_GRAY16) {
            /* The block has straight RGBA between the two steps. */
            uint16_t block[4 * BLOCK];
            load16(block, s, from_format, n);
            store16((uint16_t *)(void *)d, to_format, block, n);
        } else if (to_format == SDPX_RGBA8) {
            load8(d, s, from_format, n);
        } else if (from_format == SDPX_RGBA8) {
            store8(d, to_format, s, n);
        } else {
            uint8_t block[4 * BLOCK];
            load8(block, s, from_format, n);
            store8(d, to_format, block, n);
        }
        d += n * to_size;
        s += n * from_size;
        pixels -= n;
    }
}

KERNEL(void, sdpx_cmyk_to_rgb, (to, from, pixels), uint8_t *to, const uint8_t *from, size_t pixels) {
    for (size_t i = 0; i < pixels; i++) {
        uint32_t k = from[4 * i + 3], c = from[4 * i], m = from[4 * i + 1], y = from[4 * i + 2];
        to[3 * i] = (uint8_t)div255(c * k);
        to[3 * i + 1] = (uint8_t)div255(m * k);
        to[3 * i + 2] = (uint8_t)div255(y * k);
    }
}

/* Clamps to a byte. */
INLINE uint8_t clamp8(int32_t v) {
    return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
}

KERNEL(void, sdpx_video_to_rgb, (to, luma, blue, red, pixels), uint8_t *to, const uint8_t *luma, const uint8_t *blue,
       const uint8_t *red, size_t pixels) {
    /* Factors with 16 fractional bits: 255 / 219; 255 / 224 times 2 (1 - weight); and the shares of the latter that are
       subtracted from green. */
    for (size_t i = 0; i < pixels; i++) {
        int32_t y = 76309 * (luma[i] - 16) + 32768, b = blue[i] - 128, r = red[i] - 128;
        to[3 * i] = clamp8((y + 104597 * r) >> 16);
        to[3 * i + 1] = clamp8((y - 25675 * b - 53279 * r) >> 16);
        to[3 * i + 2] = clamp8((y + 132201 * b) >> 16);
    }
}

KERNEL(void, sdpx_make_opaque, (row, pixels), uint8_t *row, size_t pixels) {
    for (size_t i = 0; i < pixels; i++)
        row[4 * i + 3] = 255;
}

KERNEL(int, sdpx_is_opaque, (row, pixels), const uint8_t *row, size_t pixels) {
    /* Whole pixels, because single bytes of them would require gathers. */
    static const uint8_t opaque[4] = {0, 0, 0, 255};
    /* ANDs all pixels: alpha of the result is 255 only if it is 255 in each of them. */
    uint32_t all = UINT32_MAX, pixel, alpha;
    for (size_t i = 0; i < pixels; i++) {
        memcpy(&pixel, row + 4 * i, sizeof pixel);
        all &= pixel;
    }
    memcpy(&alpha, opaque, sizeof alpha);
    return (all & alpha) == alpha;
}
