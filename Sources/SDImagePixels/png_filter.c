/* png_filter.c: filters of rows to be encoded as PNG (third edition, section 9.2). PNGScanlineFilter calls it. Unlike
   in decoding, the bytes of a row do not depend on each other, so that all loops are vectorized. */
#include "sdpx_png_filter.h"

#include <string.h>

#include "kernel.h"

/* Bytes whose costs are summed in 32 bits. */
enum { STRETCH = 1 << 16 };

/* Returns the absolute difference. */
INLINE uint8_t difference(uint8_t a, uint8_t b) {
    return a > b ? (uint8_t)(a - b) : (uint8_t)(b - a);
}

/* Paeth's predictor in lanes of eight bits: the one of a (left), b (above) and c (above left) nearest to a + b - c. If
   a and b are on the same side of c, or equal to it, the nearer one of them is the result; otherwise c may be nearer
   than both. */
INLINE uint8_t paeth(uint8_t a, uint8_t b, uint8_t c) {
    uint8_t to_a = difference(b, c), to_b = difference(a, c), to_c = difference(to_a, to_b);
    uint8_t nearer = to_a <= to_b ? a : b, nearest = to_a <= to_b ? to_a : to_b;
    uint8_t between = (uint8_t)((a >= c) ^ (b >= c));
    return between & (uint8_t)(to_c < nearest) ? c : nearer;
}

/* Filters one byte. x is the byte, a the one to the left, b above, c above left; `filter` is a compile-time
   constant. */
INLINE uint8_t filtered(uint8_t x, uint8_t a, uint8_t b, uint8_t c, int filter) {
    switch (filter) {
    case SDPX_FILTER_SUB: return (uint8_t)(x - a);
    case SDPX_FILTER_UP: return (uint8_t)(x - b);
    case SDPX_FILTER_AVERAGE: return (uint8_t)(x - ((a + b) >> 1));
    case SDPX_FILTER_PAETH: return (uint8_t)(x - paeth(a, b, c));
    default: return x;
    }
}

/* Filters a row. Its first pixel has zeros to the left. */
INLINE void filter_bytes(uint8_t *restrict to, const uint8_t *row, const uint8_t *above, size_t bytes, size_t pixel,
                         int filter) {
    for (size_t i = 0; i < pixel && i < bytes; i++)
        to[i] = filtered(row[i], 0, above[i], 0, filter);
    for (size_t i = pixel; i < bytes; i++)
        to[i] = filtered(row[i], row[i - pixel], above[i], above[i - pixel], filter);
}

/* One kernel for each filter, so that each loop is vectorized. */
LOCAL_KERNEL(void, filter_sub, (to, row, above, bytes, pixel), uint8_t *restrict to, const uint8_t *row,
             const uint8_t *above, size_t bytes, size_t pixel) {
    filter_bytes(to, row, above, bytes, pixel, SDPX_FILTER_SUB);
}

LOCAL_KERNEL(void, filter_up, (to, row, above, bytes, pixel), uint8_t *restrict to, const uint8_t *row,
             const uint8_t *above, size_t bytes, size_t pixel) {
    filter_bytes(to, row, above, bytes, pixel, SDPX_FILTER_UP);
}

LOCAL_KERNEL(void, filter_average, (to, row, above, bytes, pixel), uint8_t *restrict to, const uint8_t *row,
             const uint8_t *above, size_t bytes, size_t pixel) {
    filter_bytes(to, row, above, bytes, pixel, SDPX_FILTER_AVERAGE);
}

LOCAL_KERNEL(void, filter_paeth, (to, row, above, bytes, pixel), uint8_t *restrict to, const uint8_t *row,
             const uint8_t *above, size_t bytes, size_t pixel) {
    filter_bytes(to, row, above, bytes, pixel, SDPX_FILTER_PAETH);
}

void sdpx_filter_scanline(uint8_t *to, const uint8_t *row, const uint8_t *above, size_t bytes, int filter,
                          size_t pixel) {
    switch (filter) {
    case SDPX_FILTER_SUB: filter_sub(to, row, above, bytes, pixel); break;
    case SDPX_FILTER_UP: filter_up(to, row, above, bytes, pixel); break;
    case SDPX_FILTER_AVERAGE: filter_average(to, row, above, bytes, pixel); break;
    case SDPX_FILTER_PAETH: filter_paeth(to, row, above, bytes, pixel); break;
    default: memcpy(to, row, bytes); break;
    }
}

/* The absolute value of a signed byte. */
INLINE uint32_t size_of(uint8_t v) {
    return v < 128 ? v : (uint8_t)-v;
}

/* Adds the costs of all five filters for a stretch of a row. At most 128 for each byte, which fits 32 bits. */
LOCAL_KERNEL(void, add_costs, (costs, row, above, bytes, pixel), uint64_t costs[5], const uint8_t *row,
             const uint8_t *above, size_t bytes, size_t pixel) {
    /* A stretch never begins with the first pixel of the row. */
    const uint8_t *left = row - pixel, *corner = above - pixel;
    uint32_t none = 0, sub = 0, up = 0, average = 0, nearest = 0;
    for (size_t i = 0; i < bytes; i++) {
        uint8_t x = row[i], a = left[i], b = above[i], c = corner[i];
        none += size_of(x);
        sub += size_of(filtered(x, a, b, c, SDPX_FILTER_SUB));
        up += size_of(filtered(x, a, b, c, SDPX_FILTER_UP));
        average += size_of(filtered(x, a, b, c, SDPX_FILTER_AVERAGE));
        nearest += size_of(filtered(x, a, b, c, SDPX_FILTER_PAETH));
    }
    costs[SDPX_FILTER_NONE] += none;
    costs[SDPX_FILTER_SUB] += sub;
    costs[SDPX_FILTER_UP] += up;
    costs[SDPX_FILTER_AVERAGE] += average;
    costs[SDPX_FILTER_PAETH] += nearest;
}

int sdpx_cheapest_filter(const uint8_t *row, const uint8_t *above, size_t bytes, size_t pixel) {
    uint64_t costs[5] = {0};
    /* The first pixel is left out: it has no left neighbor, and would need a test for each byte. */
    for (size_t start = pixel; start < bytes; start += STRETCH)
        add_costs(costs, row + start, above + start, bytes - start < STRETCH ? bytes - start : STRETCH, pixel);
    int best = SDPX_FILTER_NONE;
    for (int filter = 1; filter < 5; filter++)
        if (costs[filter] < costs[best])
            best = filter;
    return best;
}
