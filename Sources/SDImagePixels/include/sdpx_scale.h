/* sdpx_scale.h: resampling row by row, while an image is decoded. */
#ifndef SDPX_SCALE_H
#define SDPX_SCALE_H

#include <stddef.h>
#include <stdint.h>

/* Adds a row to `count` rows of column sums, each with its own weight. `channels` 4 means straight alpha: the color is
   multiplied by alpha first. `samples` counts channels, not pixels. */
void sdpx_accumulate_u8(float *const *sums, const float *weights, size_t count, const uint8_t *row, size_t samples,
                        int channels);
void sdpx_accumulate_u16(float *const *sums, const float *weights, size_t count, const uint16_t *row, size_t samples,
                         int channels);
void sdpx_accumulate_f32(float *const *sums, const float *weights, size_t count, const float *row, size_t samples);

/* Filters a row of sums along x: output pixel i is the sum of its `counts[i]` source pixels from `starts[i]` on, times
   the weights at `weights + i * taps`. Source and destination have room for 4 floats more than their pixels. */
void sdpx_filter_row(float *to, size_t pixels, const float *from, const int32_t *starts, const int32_t *counts,
                     const float *weights, size_t taps, int channels);

/* Round and clamp filtered pixels. With 4 channels the input is premultiplied; the output is straight unless
   `keep_premultiplied`. Float has four channels, of which only alpha is clamped. */
void sdpx_pack_u8(uint8_t *to, const float *from, size_t pixels, int channels, int keep_premultiplied);
void sdpx_pack_u16(uint16_t *to, const float *from, size_t pixels, int channels);
void sdpx_pack_f32(float *to, const float *from, size_t pixels);

/* Computes rounded means of boxes of samples: `factor` samples wide, 1 ... 128, and `rows` rows high, at most `factor`,
   which are `stride` bytes apart. `samples` is the length of a row; the last box may be narrower. */
void sdpx_box_row(uint8_t *to, const uint8_t *from, size_t stride, size_t rows, size_t samples, size_t factor);

#endif
