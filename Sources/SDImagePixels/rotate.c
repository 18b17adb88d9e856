/* rotate.c: interpolated reads at any position, by the Catmull-Rom cubic over 4 x 4 pixels. RotateTransformer reads
   each output row as a line across the source.

   The center of pixel i is at i + 0.5. Colors are premultiplied while they are loaded, unless the pixels are known to
   be opaque or premultiplied. */
#include "sdpx_rotate.h"

#include <math.h>
#include <string.h>

#include "format.h"
#include "kernel.h"

typedef float float4 __attribute__((vector_size(16)));
/* Four pixels of four channels; on CPUs with narrower vectors the compiler uses several. */
typedef float float16 __attribute__((vector_size(64)));
typedef uint8_t byte16 __attribute__((vector_size(16)));
typedef uint16_t word16 __attribute__((vector_size(32)));

/* Loads four adjacent pixels unconverted; formats without alpha are opaque. */
INLINE void load4(float16 *v, const uint8_t *p, sdpx_format format) {
    byte16 b = {0};
    word16 w = {0};
    const byte16 white8 = (byte16){0} + 255;
    const word16 white16 = (word16){0} + 65535;
    switch (format) {
    case SDPX_GRAY8:
        memcpy(&b, p, 4);
        b = __builtin_shufflevector(b, white8, 0, 0, 0, 16, 1, 1, 1, 16, 2, 2, 2, 16, 3, 3, 3, 16);
        break;
    case SDPX_RGB8:
        memcpy(&b, p, 12);
        b = __builtin_shufflevector(b, white8, 0, 1, 2, 16, 3, 4, 5, 16, 6, 7, 8, 16, 9, 10, 11, 16);
        break;
    case SDPX_GRAY16:
        memcpy(&w, p, 8);
        w = __builtin_shufflevector(w, white16, 0, 0, 0, 16, 1, 1, 1, 16, 2, 2, 2, 16, 3, 3, 3, 16);
        break;
    case SDPX_RGB16:
        memcpy(&w, p, 24);
        w = __builtin_shufflevector(w, white16, 0, 1, 2, 16, 3, 4, 5, 16, 6, 7, 8, 16, 9, 10, 11, 16);
        break;
    case SDPX_RGBA16: memcpy(&w, p, sizeof w); break;
    case SDPX_RGBA_FLOAT: memcpy(v, p, sizeof *v); return;
    default: memcpy(&b, p, sizeof b); break;
    }
    /* `format` is a compile-time constant: one of the two conversions remains. */
    if (full_sample(format) > 255)
        *v = __builtin_convertvector(w, float16);
    else
        *v = __builtin_convertvector(b, float16);
}

/* Multiplies the colors of four pixels by their alpha. */
INLINE void premultiply4(float16 *v, sdpx_format format) {
    float16 s = *v * (1 / full_sample(format)), one = (float16){0} + 1;
    *v *= __builtin_shufflevector(s, one, 3, 3, 3, 16, 7, 7, 7, 16, 11, 11, 11, 16, 15, 15, 15, 16);
}

/* Clamps a position to 0 ... count - 1. */
INLINE int32_t inside(int32_t v, int32_t count) {
    return v < 0 ? 0 : v < count ? v : count - 1;
}

/* Loads four premultiplied pixels from `x` on in row `y`; positions outside are clamped to the edge. */
INLINE void pixels4(float16 *v, const sdpx_source *s, int32_t x, int32_t y, sdpx_format format, int is_straight) {
    size_t size = pixel_size(format);
    const uint8_t *row = (const uint8_t *)s->pixels + inside(y, s->height) * s->stride;
    if (x >= 0 && x <= s->width - 4) {
        load4(v, row + (size_t)x * size, format);
    } else {
        /* At an edge, pixels are copied one by one: four pixels of any format fit. */
        uint8_t copy[64] = {0};
        for (int32_t k = 0; k < 4; k++)
            memcpy(copy + (size_t)k * size, row + (size_t)inside(x + k, s->width) * size, size);
        load4(v, copy, format);
    }
    if (is_straight)
        premultiply4(v, format);
}

/* Returns the weights of four neighbors at the distance t after the second (Keys 1981, a = -1/2). */
INLINE float4 weights(float t) {
    const float4 a = {-0.5f, 1.5f, -1.5f, 0.5f}, b = {1, -2.5f, 2, -0.5f}, c = {-0.5f, 0, 0.5f, 0}, d = {0, 1, 0, 0};
    return ((a * t + b) * t + c) * t + d;
}

/* Returns the part of a pixel around `v` inside 0 ... `length`, if at most one edge touches it. */
INLINE float part(double v, int32_t length) {
    double begin = v + 0.5, end = (double)length - v + 0.5, least = begin < end ? begin : end;
    return (float)(least < 0 ? 0 : least < 1 ? least : 1);
}

/* Interpolates at a position: four rows, weighted and added, then four columns. */
INLINE float4 between(const sdpx_source *s, double x, double y, sdpx_format format, int is_straight) {
    double column = floor(x - 0.5), row = floor(y - 0.5);
    float4 across = weights((float)(x - 0.5 - column)), down = weights((float)(y - 0.5 - row));
    float16 sum = {0}, v;
    for (int k = 0; k < 4; k++) {
        pixels4(&v, s, (int32_t)column - 1, (int32_t)row - 1 + k, format, is_straight);
        sum += down[k] * v;
    }
    sum *= __builtin_shufflevector(across, across, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    return __builtin_shufflevector(sum, sum, 0, 1, 2, 3) + __builtin_shufflevector(sum, sum, 4, 5, 6, 7) +
           __builtin_shufflevector(sum, sum, 8, 9, 10, 11) + __builtin_shufflevector(sum, sum, 12, 13, 14, 15);
}

/* Reads the pixels of a line; those without coverage are transparent. `format` and `is_straight` are compile-time
   constants. */
INLINE void read_line(float *to, size_t pixels, const sdpx_source *s, double x0, double y0, double dx, double dy,
                      sdpx_format format, int is_straight) {
    for (size_t i = 0; i < pixels; i++) {
        double x = x0 + (double)i * dx, y = y0 + (double)i * dy;
        float covered = part(x, s->width) * part(y, s->height);
        float4 v = {0};
        if (covered > 0)
            v = between(s, x, y, format, is_straight) * covered;
        memcpy(to + 4 * i, &v, sizeof v);
    }
}

/* The format is a compile-time constant in each of these calls. */
KERNEL(void, sdpx_read_line, (to, pixels, s, x, y, dx, dy), float *to, size_t pixels, const sdpx_source *s, double x,
       double y, double dx, double dy) {
    switch (s->format) {
    case SDPX_GRAY8: read_line(to, pixels, s, x, y, dx, dy, SDPX_GRAY8, 0); break;
    case SDPX_RGB8: read_line(to, pixels, s, x, y, dx, dy, SDPX_RGB8, 0); break;
    case SDPX_GRAY16: read_line(to, pixels, s, x, y, dx, dy, SDPX_GRAY16, 0); break;
    case SDPX_RGB16: read_line(to, pixels, s, x, y, dx, dy, SDPX_RGB16, 0); break;
    case SDPX_RGBA16: read_line(to, pixels, s, x, y, dx, dy, SDPX_RGBA16, 1); break;
    case SDPX_RGBA_FLOAT: read_line(to, pixels, s, x, y, dx, dy, SDPX_RGBA_FLOAT, 1); break;
    case SDPX_RGBA8:
        if (s->is_opaque)
            read_line(to, pixels, s, x, y, dx, dy, SDPX_RGBA8, 0);
        else
            read_line(to, pixels, s, x, y, dx, dy, SDPX_RGBA8, 1);
        break;
    default: read_line(to, pixels, s, x, y, dx, dy, SDPX_RGBA8_PREMULTIPLIED, 0); break;
    }
}
