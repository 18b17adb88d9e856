/* yuv.h: one-pass conversion of the planes of a video decoder to pixels, shared by the HEIF and AVIF modules. */
#ifndef SDYUV_H
#define SDYUV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decoded planes. Samples deeper than 8 bits are native 16-bit words. */
typedef struct sdyuv_planes {
    uint32_t width, height;
    int depth;            /* 8 to 12 */
    int shift_x, shift_y; /* 1 if chroma has half the columns, half the rows */
    const uint8_t *luma;
    const uint8_t *cb, *cr; /* NULL for a monochrome image */
    const uint8_t *alpha;   /* NULL for an opaque image; full range, as large as luma */
    size_t luma_stride, cb_stride, cr_stride, alpha_stride;
    int alpha_depth;
    bool premultiplied; /* the colors are multiplied by alpha, and the output is straight */
} sdyuv_planes;

/* The color encoding of the samples: codes of ITU-T H.273, as in `nclx` boxes and in the video stream. */
typedef struct sdyuv_color {
    uint16_t primaries, matrix;
    bool full_range;
} sdyuv_color;

/* The pixels to write: 1 (gray), 3 or 4 channels of 8 or 16 bits. */
typedef struct sdyuv_pixels {
    uint8_t *bytes;
    size_t stride;
    int channels;
    bool wide;
} sdyuv_pixels;

/* A matrix in fixed point: red, green and blue from luma and from both chroma samples minus their middle. */
typedef struct sdyuv_matrix {
    int32_t from_luma[3], from_cb[3], from_cr[3], offset[3];
    int shift;
} sdyuv_matrix;

/* Returns false if the matrix is not linear, or not for such planes (constant luminance, ICtCp, reserved). */
bool sdyuv_matrix_make(sdyuv_matrix *matrix, const sdyuv_planes *planes, sdyuv_color color, bool wide);

/* Writes all rows. Halved chroma is upsampled linearly, with its samples centered between the pixels that share them.
 * Gray output uses only luma. */
void sdyuv_convert(const sdyuv_planes *planes, const sdyuv_matrix *matrix, const sdyuv_pixels *pixels);

#endif
