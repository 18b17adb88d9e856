/* resize_x86.h: the variants of the integer filter for x86-64; internal to the kernels. */
#ifndef SDPX_RESIZE_X86_H
#define SDPX_RESIZE_X86_H

#include "sdpx_quad_axis.h"

/* The number of cache lines of each row to prefetch before output position `x` of `count`. Position x - 1 fetches the
   lines from its own result up to that for x. */
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
