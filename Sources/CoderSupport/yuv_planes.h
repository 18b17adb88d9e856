/* yuv_planes.h: the planes of a decoded frame. */
#ifndef SDYUV_PLANES_H
#define SDYUV_PLANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decoded planes, borrowed from the decoder. Samples deeper than 8 bits are native 16-bit words. Strides are in
 * bytes. */
typedef struct sdyuv_planes {
    uint32_t width, height; /* size of luma, in pixels */
    int depth;              /* 8 to 12 */
    int shift_x, shift_y;   /* 1 if chroma has half the columns, half the rows */
    const uint8_t *luma;
    const uint8_t *cb, *cr; /* NULL for a monochrome image */
    const uint8_t *alpha;   /* NULL for an opaque image; full range, as large as luma */
    size_t luma_stride, cb_stride, cr_stride, alpha_stride;
    int alpha_depth;    /* bits of a sample of alpha */
    bool premultiplied; /* the colors are multiplied by alpha, and the output is straight */
} sdyuv_planes;

#endif
