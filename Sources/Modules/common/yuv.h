/* yuv.h: from the planes of a video decoder to pixels, in one pass. Shared by the HEIF and the AVIF module. */
#ifndef SDYUV_H
#define SDYUV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decoded planes. Samples deeper than 8 bits are 16-bit words in the machine's byte order. */
typedef struct sdyuv_planes {
    uint32_t width, height;
    int depth;            /* 8 to 12 */
    int shift_x, shift_y; /* 1 where chroma has half the columns, half the rows */
    const uint8_t *luma;
    const uint8_t *cb, *cr; /* NULL for a monochrome picture */
    const uint8_t *alpha;   /* NULL for an opaque picture; full range, as large as luma */
    size_t luma_stride, cb_stride, cr_stride, alpha_stride;
    int alpha_depth;
    bool premultiplied; /* the colours are multiplied by alpha, and are to become straight */
} sdyuv_planes;

/* How samples mean colour: ITU-T H.273, the codes of `nclx` boxes and of the video stream. */
typedef struct sdyuv_color {
    uint16_t primaries, matrix;
    bool full_range;
} sdyuv_color;

/* Pixels to be written: 1 (grey), 3 or 4 channels of 8 or of 16 bits. */
typedef struct sdyuv_pixels {
    uint8_t *bytes;
    size_t stride;
    int channels;
    bool wide;
} sdyuv_pixels;

/* A matrix in fixed point: red, green and blue from luma and from both chroma samples less their middle. */
typedef struct sdyuv_matrix {
    int32_t from_luma[3], from_cb[3], from_cr[3], offset[3];
    int shift;
} sdyuv_matrix;

/* False for a matrix, or a matrix on such planes, that is not a linear one (constant luminance, ICtCp, reserved). */
bool sdyuv_matrix_make(sdyuv_matrix *matrix, const sdyuv_planes *planes, sdyuv_color color, bool wide);

/* Writes all rows. Halved chroma is enlarged linearly, its samples lying amid the pixels that share them. Grey output
 * takes the luma alone. */
void sdyuv_convert(const sdyuv_planes *planes, const sdyuv_matrix *matrix, const sdyuv_pixels *pixels);

#endif
