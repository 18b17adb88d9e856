/* sdpx_png_filter.h: filters of a PNG encoder. */
#ifndef SDPX_PNG_FILTER_H
#define SDPX_PNG_FILTER_H

#include <stddef.h>
#include <stdint.h>

#include "sdpx_png.h"

/* Applies a PNG filter (SDPX_FILTER_…) to a row whose pixels have `pixel` bytes, 1 to 8. `to` must not overlap and has
   no filter byte; `above` is the previous row, zeros for the first. */
void sdpx_filter_scanline(uint8_t *to, const uint8_t *row, const uint8_t *above, size_t bytes, int filter,
                          size_t pixel);

/* Returns the filter that yields the smallest sum of absolute signed values in the row after its first pixel. */
int sdpx_cheapest_filter(const uint8_t *row, const uint8_t *above, size_t bytes, size_t pixel);

#endif
