/* sdpx_scale.h: resampling row by row, while an image is decoded. */
#ifndef SDPX_SCALE_H
#define SDPX_SCALE_H

#include <stddef.h>
#include <stdint.h>

#include "sdpx_resize.h"

/* Rows that are added, or filtered, at a time. */
enum { SDPX_SCALE_ROWS = 4 };

/* Adds a row to `count` rows of column sums, each with its own weight. `channels` 4 means straight alpha: the color is
   multiplied by alpha first. `samples` counts channels, not pixels. */
void sdpx_accumulate_u8(float *const *sums, const float *weights, size_t count, const uint8_t *row, size_t samples,
                        int channels);
void sdpx_accumulate_u16(float *const *sums, const float *weights, size_t count, const uint16_t *row, size_t samples,
                         int channels);
void sdpx_accumulate_f32(float *const *sums, const float *weights, size_t count, const float *row, size_t samples);

/* The same for SDPX_SCALE_ROWS rows, with as many weights for each row of sums. The first `begun` rows of sums are
   added to, the others replaced. A source row of weight 0 may have any contents. Sums have room for whole vectors of
   16. */
void sdpx_accumulate_rows_u8(float *const *sums, const float *weights, size_t count, size_t begun,
                             const uint8_t *const *rows, size_t samples, int channels);

/* Interleaves SDPX_SCALE_ROWS rows pixel by pixel: 16 floats for each pixel, four of each row, or with one channel four
   floats, one of each row. Rows have room for 4 floats more than their pixels. */
void sdpx_interleave_rows(float *to, const float *const *rows, size_t pixels, int channels);

/* Filters SDPX_SCALE_ROWS interleaved rows along x into rows of their own, which have room for 4 floats more than their
   pixels. */
void sdpx_filter_rows(float *const *to, const float *from, const sdpx_axis *axis, int channels);

/* Round and clamp filtered pixels. With 4 channels the input is premultiplied; the output is straight unless
   `keep_premultiplied`. Float has four channels, of which only alpha is clamped. */
void sdpx_pack_u8(uint8_t *to, const float *from, size_t pixels, int channels, int keep_premultiplied);
void sdpx_pack_u16(uint16_t *to, const float *from, size_t pixels, int channels);
void sdpx_pack_f32(float *to, const float *from, size_t pixels);

/* Computes rounded means of boxes of samples: `factor` samples wide, 1 ... 128, and `rows` rows high, at most `factor`,
   which are `stride` bytes apart. `samples` is the length of a row; the last box may be narrower. */
void sdpx_box_row(uint8_t *to, const uint8_t *from, size_t stride, size_t rows, size_t samples, size_t factor);

#endif
