/* The variants of the integer filter, for the kernels themselves. */
#ifndef SDPX_RESIZE_QUADS_H
#define SDPX_RESIZE_QUADS_H

#include "sdpx_resize.h"

/* The lines that are to be fetched while output position `x` of `count` is made: of each row those before the result,
   from where the result for x - 1 ended. */
static inline size_t sdpx_lines_before(const sdpx_ahead *ahead, size_t x, size_t count) {
    return ahead->bytes / 64 * x / count;
}

#if defined(__x86_64__)
void sdpx_filter_quads_avx2(float *const *to, const uint8_t *from, size_t stride, const sdpx_quad_axis *axis,
                            const sdpx_ahead *ahead);
void sdpx_filter_quads_vnni(float *const *to, const uint8_t *from, size_t stride, const sdpx_quad_axis *axis,
                            const sdpx_ahead *ahead);
#endif

#endif
