/* matrix.h: the conversion of luma and chroma to RGB by the codes of ITU-T H.273, in fixed point. */
#ifndef SDYUV_MATRIX_H
#define SDYUV_MATRIX_H

#include "yuv_planes.h"

/* The color encoding of the samples: codes of ITU-T H.273, as in `nclx` boxes and in the video stream. */
typedef struct sdyuv_color {
    uint16_t primaries, matrix; /* tables 2 and 4 */
    bool full_range;
} sdyuv_color;

/* A matrix in fixed point: red, green and blue from luma and from both chroma samples minus their middle. */
typedef struct sdyuv_matrix {
    /* A channel is (luma * from_luma + cb * from_cb + cr * from_cr + offset) >> shift. Chroma is scaled by 16, as
     * upsampling leaves it. */
    int32_t from_luma[3], from_cb[3], from_cr[3], offset[3];
    int shift; /* fractional bits of all factors */
} sdyuv_matrix;

/* Makes the matrix for output of 16 bits (`wide`) or 8 bits a channel. Returns false if the matrix is not linear, or
 * not for such planes (constant luminance, ICtCp, reserved), and for a depth outside of 8 to 12 bits. */
bool sdyuv_matrix_make(sdyuv_matrix *matrix, const sdyuv_planes *planes, sdyuv_color color, bool wide);

#endif
