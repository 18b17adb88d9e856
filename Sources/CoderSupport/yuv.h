/* yuv.h: one-pass conversion of the planes of a video decoder to pixels, shared by the HEIF and AVIF modules. */
#ifndef SDYUV_H
#define SDYUV_H

#include "matrix.h"

/* The pixels to write: 1 (gray), 3 or 4 channels of 8 or 16 bits. */
typedef struct sdyuv_pixels {
    uint8_t *bytes;
    size_t stride; /* bytes from one row to the next */
    int channels;
    bool wide; /* 16 bits a channel, native words */
} sdyuv_pixels;

/* Writes all rows. Halved chroma is upsampled linearly, with its samples centered between the pixels that share them.
 * Gray output uses only luma. `matrix` was made for these planes and the same width of channels. */
void sdyuv_convert(const sdyuv_planes *planes, const sdyuv_matrix *matrix, const sdyuv_pixels *pixels);

#endif
