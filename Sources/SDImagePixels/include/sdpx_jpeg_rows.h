/* sdpx_jpeg_rows.h: rows of bytes, and of RGB, from the samples of sdpx_jpeg_scan.h. */
#ifndef SDPX_JPEG_ROWS_H
#define SDPX_JPEG_ROWS_H

#include <stddef.h>
#include <stdint.h>

/* Converts samples in eighths around 0, multiplied by `step`, to bytes around 128. */
void sdpx_jpeg_level_row(uint8_t *to, const int16_t *from, size_t samples, int32_t step);

/* Interpolates a part of a row of means linearly between the rows before and after it. `offset` is the distance of the
   part's center below that of the row, whose height is 1. The mean of all parts is that of the row. */
void sdpx_jpeg_part_of_row(float *to, const int16_t *before, const int16_t *row, const int16_t *after, size_t samples,
                           float offset);

/* Divides means into `factor` (1, 2 or 4) parts horizontally in the same way, multiplies by `step` and converts to
   bytes as above. */
void sdpx_jpeg_widen_row(uint8_t *to, const float *from, size_t samples, uint32_t factor, float step);

/* Converts YCbCr to RGB as libjpeg does (ITU-T T.871, 7). */
void sdpx_jpeg_rgb_row(uint8_t *to, const uint8_t *y, const uint8_t *cb, const uint8_t *cr, size_t pixels);

#endif
