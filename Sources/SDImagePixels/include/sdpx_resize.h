/* sdpx_resize.h: resampling in float on plain memory: rows are filtered along x, then added to output rows. Rows of
   8-bit samples may be filtered in integers (sdpx_resize_quads.h). */
#ifndef SDPX_RESIZE_H
#define SDPX_RESIZE_H

#include <stddef.h>
#include <stdint.h>

#include "sdpx_format.h"

/* The number of units filtered at a time. A unit provides four floats per column: a row of up to four channels, or four
   rows of gray, which together cost as much as one row. */
enum { SDPX_FLOAT_UNITS = 4 };

/* The source positions of each output position along an axis: `counts[i]` of them from `starts[i]` on, times the
   weights at `weights + i * taps`. */
typedef struct {
    size_t count; /* output positions */
    size_t taps;  /* weights stored for each output position, at least its count */
    const int32_t *starts;
    const int32_t *counts;
    const float *weights;
} sdpx_axis;

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

#endif
