/* sdpx_resize_store.h: output rows of resampling. */
#ifndef SDPX_RESIZE_STORE_H
#define SDPX_RESIZE_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "sdpx_format.h"

/* Rounds a row of sums (four floats for each pixel, one for gray) to the format from which they were loaded: clamped,
   and divided by alpha if the format is straight. Linear light in float may exceed white or be negative. */
void sdpx_store_sums(void *to, const float *sums, size_t pixels, sdpx_format format, int is_light);

/* Output pixel i is source pixel `from_index[i]`. */
void sdpx_pick_pixels(void *to, const void *from, const int32_t *from_index, size_t pixels, int bytes_per_pixel);

#endif
