/* sdpx_resize_quads.h: filtering of 8-bit samples along x in integers. */
#ifndef SDPX_RESIZE_QUADS_H
#define SDPX_RESIZE_QUADS_H

#include <stddef.h>
#include <stdint.h>

#include "sdpx_quad_axis.h"
#include "sdpx_resize.h"

/* Variants of the integer filter. All produce the same results. */
enum { SDPX_QUADS_PLAIN = 0, SDPX_QUADS_AVX2 = 1, SDPX_QUADS_VNNI = 2 };
/* Returns the best variant that this CPU supports; lower ones work too. */
int sdpx_quad_variant(void);

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

/* Filters SDPX_QUAD_UNITS units; `from` and `stride` are aligned to 64 bytes. Each unit yields four floats for each
   output position, in the scale of the samples. */
void sdpx_filter_quads(float *const *to, const uint8_t *from, size_t stride, const sdpx_quad_axis *axis,
                       const sdpx_ahead *ahead);

#endif
