/* Resampling on plain memory: rows are filtered along x, then added to output rows. */
#ifndef SDPX_RESIZE_H
#define SDPX_RESIZE_H

#include <stddef.h>
#include <stdint.h>

/* A unit is what four floats of one column stand for: a row of up to four channels, or four rows of grey, which so cost
   no more than one. So many are filtered at a time: of 8-bit samples in integers, and in float. */
enum { SDPX_QUAD_UNITS = 8, SDPX_FLOAT_UNITS = 4 };

/* Which source positions make up each output position along an axis: `counts[i]` of them from `starts[i]` on, times the
   weights at `weights + i * taps`. */
typedef struct {
    size_t count;
    size_t taps;
    const int32_t *starts;
    const int32_t *counts;
    const float *weights;
} sdpx_axis;

/* Variants of the integer filter. All give the same numbers. */
enum { SDPX_QUADS_PLAIN = 0, SDPX_QUADS_AVX2 = 1, SDPX_QUADS_VNNI = 2 };
/* The best one that this CPU has; those before it work too. */
int sdpx_quad_variant(void);

/* An axis for 8-bit samples, in integers whose sum is exactly 1 << bits: constant pictures stay what they are. */
typedef struct {
    size_t count;
    /* Vectors of 16 source positions for each output position. */
    size_t vectors;
    int variant;
    int bits;
    /* The first source position over four. */
    int32_t *starts;
    /* In the order of the variant. */
    int16_t *weights;
} sdpx_quad_axis;

/* How many vectors `axis` takes; and fills the rest in, where `starts` has room for `count` and `weights`, aligned to
   64 bytes, for 16 * vectors * count values. */
size_t sdpx_quad_vectors(const sdpx_axis *axis);
void sdpx_quad_weights(sdpx_quad_axis *quads, const sdpx_axis *axis, int variant);

/* Bytes of a row of so many 8-bit pixels in the order of the integer filter: behind the last pixels is room for an axis
   that takes so many vectors, whatever lies there. */
size_t sdpx_quad_row_size(size_t pixels, size_t vectors);

/* Puts a unit into that order: four pixels at a time, all samples of a channel side by side. With one channel `from`
   has four rows. */
void sdpx_load_quads(uint8_t *to, const uint8_t *const *from, size_t pixels, int channels);

/* Memory that will be read next, brought into the cache meanwhile: `count` rows of `bytes`. */
typedef struct {
    const uint8_t *first;
    ptrdiff_t stride;
    size_t bytes;
    size_t count;
} sdpx_ahead;

/* Filters SDPX_QUAD_UNITS units; `from` and `stride` are aligned to 64 bytes. A unit becomes four floats for each
   output position, in the scale of the samples. */
void sdpx_filter_quads(float *const *to, const uint8_t *from, size_t stride, const sdpx_quad_axis *axis,
                       const sdpx_ahead *ahead);

/* Makes a unit of any format ready for the filter in float: premultiplied, in the scale of the samples and, if wanted,
   light instead of sRGB. It becomes number `index` of the SDPX_FLOAT_UNITS that lie interleaved at `to`: four floats of
   each for a pixel. Of grey `from` has four rows. */
void sdpx_load_floats(float *to, size_t index, const void *const *from, size_t pixels, int format, int is_light);

/* Filters the units that lie interleaved at `from`. */
void sdpx_filter_floats(float *const *to, const float *from, const sdpx_axis *axis);

/* Sums of `count` rows, each with its weight, added to what is there if `adds`. `samples` is a multiple of 16. */
void sdpx_sum_rows(float *to, const float *const *rows, const float *weights, size_t count, size_t samples, int adds);

/* Rounds a row of sums (four floats for each pixel, one for grey) to the format from which they were loaded: clamped,
   and divided by alpha where the format is straight. Light of float may exceed white or be negative. */
void sdpx_store_sums(void *to, const float *sums, size_t pixels, int format, int is_light);

/* Output pixel i is source pixel `from_index[i]`. */
void sdpx_pick_pixels(void *to, const void *from, const int32_t *from_index, size_t pixels, int bytes_per_pixel);

#endif
