/* convolve.c: convolution in float along rows, and the unsharp mask that is made of a blurred image. WeightedRows and
   ConvolutionFilter call it. */
#include "sdpx_convolve.h"

#include <string.h>

#include "curve.h"
#include "kernel.h"
#include "planes.h"

/* Sums held in registers at a time. */
enum { LANES = 64 };

/* Computes `n` sums, at most LANES. */
INLINE void convolve(float *to, const float *from, const float *weights, size_t taps, size_t channels, size_t n) {
    float sums[LANES] = {0};
    for (size_t k = 0; k < taps; k++)
        for (size_t i = 0; i < n; i++)
            sums[i] += weights[k] * from[i + k * channels];
    memcpy(to, sums, n * sizeof *to);
}

KERNEL(void, sdpx_convolve_row, (to, from, samples, weights, taps, channels), float *to, const float *from,
       size_t samples, const float *weights, size_t taps, int channels) {
    size_t i = 0;
    for (; i + LANES <= samples; i += LANES)
        convolve(to + i, from + i, weights, taps, (size_t)channels, LANES);
    convolve(to + i, from + i, weights, taps, (size_t)channels, samples - i);
}

/* Luma with the weights of ITU-R BT.709. */
INLINE float luma(float r, float g, float b) {
    return 0.2126f * r + 0.7152f * g + 0.0722f * b;
}

/* Adds to each pixel its difference from the blurred one. `scale` converts blurred samples to 0 ... 1, and `red` is the
   index of red in them. */
LOCAL_KERNEL(void, sharpen, (p, n, blurred, channels, scale, amount, luma_alone, red), sdpx_planes *p, size_t n,
             const float *blurred, size_t channels, float scale, float amount, int luma_alone, int red) {
    for (size_t i = 0; i < n; i++) {
        const float *q = blurred + channels * i;
        /* Blurred colors are premultiplied; the planes are straight. */
        float a = channels == 4 ? q[3] * scale : 1, factor = a > 0 ? scale / a : 0;
        float r = p->red[i] - q[channels > 1 ? red : 0] * factor, g = p->green[i] - q[channels > 1 ? 1 : 0] * factor;
        float b = p->blue[i] - q[channels > 1 ? 2 - red : 0] * factor, y = luma(r, g, b);
        p->red[i] += amount * (luma_alone ? y : r);
        p->green[i] += amount * (luma_alone ? y : g);
        p->blue[i] += amount * (luma_alone ? y : b);
    }
}

void sdpx_sharpen_row(void *to, const void *from, sdpx_format format, size_t pixels, const float *blurred, float amount,
                      int luma_alone) {
    size_t size = sdpx_pixel_size(format);
    float top = format == SDPX_RGBA_FLOAT ? 1 : format >= SDPX_GRAY16 ? 65535 : 255;
    size_t channels = top == 1 ? 4 : top == 255 ? size : size / 2;
    for (size_t x = 0; x < pixels; x += SDPX_PLANE) {
        size_t n = pixels - x < SDPX_PLANE ? pixels - x : SDPX_PLANE;
        sdpx_planes planes;
        sdpx_read_planes(&planes, (const uint8_t *)from + x * size, format, n);
        sharpen(&planes, n, blurred + x * channels, channels, 1 / top, amount, luma_alone,
                format == SDPX_BGRA8_PREMULTIPLIED ? 2 : 0);
        sdpx_write_planes((uint8_t *)to + x * size, format, &planes, n);
    }
}
