/* sdpx_resize.h: resampling on plain memory: rows are filtered along x, then added to output rows. */
#ifndef SDPX_RESIZE_H
#define SDPX_RESIZE_H

#include <stddef.h>
#include <stdint.h>

#include "sdpx_format.h"

/* The number of units filtered at a time: for 8-bit samples in integers, and for float. A unit provides four floats per
   column: a row of up to four channels, or four rows of gray, which together cost as much as one row. */
enum { SDPX_QUAD_UNITS = 8, SDPX_FLOAT_UNITS = 4 };

/* The source positions of each output position along an axis: `counts[i]` of them from `starts[i]` on, times the
   weights at `weights + i * taps`. */
typedef struct {
    size_t count;
    size_t taps;
    const int32_t *starts;
    const int32_t *counts;
    const float *weights;
} sdpx_axis;

/* Variants of the integer filter. All produce the same results. */
enum { SDPX_QUADS_PLAIN = 0, SDPX_QUADS_AVX2 = 1, SDPX_QUADS_VNNI = 2 };
/* Returns the best variant that this CPU supports; lower ones work too. */
int sdpx_quad_variant(void);

/* An axis for 8-bit samples, with integer weights whose sum is exactly 1 << bits: constant images stay unchanged. */
typedef struct {
    size_t count;
    /* Vectors of 16 source positions for each output position. */
    size_t vectors;
    int variant;
    int bits;
    /* The first source position, divided by four. */
    int32_t *starts;
    /* In the order that the variant requires. */
    int16_t *weights;
} sdpx_quad_axis;

/* The first returns the number of vectors for `axis`. The second fills in the rest: `starts` has room for `count`
   values, and `weights`, aligned to 64 bytes, for 16 * vectors * count. */
size_t sdpx_quad_vectors(const sdpx_axis *axis);
void sdpx_quad_weights(sdpx_quad_axis *quads, const sdpx_axis *axis, int variant);

/* Returns the bytes of a row of `pixels` 8-bit pixels in the order of the integer filter. They include room after the
   last pixel for an axis of `vectors` vectors; its contents do not matter. */
size_t sdpx_quad_row_size(size_t pixels, size_t vectors);

/* Converts a unit to that order: four pixels at a time, with all samples of a channel adjacent. With one channel `from`
   has four rows. */
void sdpx_load_quads(uint8_t *to, const uint8_t *const *from, size_t pixels, int channels);

/* Memory that will be read next and is prefetched meanwhile: `count` rows of `bytes`. */
typedef struct {
    const uint8_t *first;
    ptrdiff_t stride;
    size_t bytes;
    size_t count;
} sdpx_ahead;

/* Filters SDPX_QUAD_UNITS units; `from` and `stride` are aligned to 64 bytes. Each unit yields four floats for each
   output position, in the scale of the samples. */
void sdpx_filter_quads(float *const *to, const uint8_t *from, size_t stride, const sdpx_quad_axis *axis,
                       const sdpx_ahead *ahead);

/* Converts a unit of any format for the float filter: premultiplied, in the scale of the samples and, if requested,
   linear light instead of sRGB. It becomes unit `index` of the SDPX_FLOAT_UNITS interleaved at `to`: four floats of
   each for a pixel. For gray `from` has four rows. */
void sdpx_load_floats(float *to, size_t index, const void *const *from, size_t pixels, sdpx_format format,
                      int is_light);

/* Filters the units interleaved at `from`. */
void sdpx_filter_floats(float *const *to, const float *from, const sdpx_axis *axis);

/* Computes sums of `count` rows, each with its weight, added to the existing values if `adds`. `samples` is a multiple
   of 16. */
void sdpx_sum_rows(float *to, const float *const *rows, const float *weights, size_t count, size_t samples, int adds);

/* Rounds a row of sums (four floats for each pixel, one for gray) to the format from which they were loaded: clamped,
   and divided by alpha if the format is straight. Linear light in float may exceed white or be negative. */
void sdpx_store_sums(void *to, const float *sums, size_t pixels, sdpx_format format, int is_light);

/* Output pixel i is source pixel `from_index[i]`. */
void sdpx_pick_pixels(void *to, const void *from, const int32_t *from_index, size_t pixels, int bytes_per_pixel);

#endif
