/* planes.h: pixels of any format as float planes for simple color arithmetic; internal to the kernels. */
#ifndef SDPX_PLANES_H
#define SDPX_PLANES_H

#include <stddef.h>
#include <stdint.h>

#include "sdpx_format.h"

/* Pixels processed together; four planes fit the first-level cache. */
enum { SDPX_PLANE = 256 };

/* Straight colors, 0 ... 1 in the encoding of the format: sRGB for integers; linear light, which may be outside that
   range, for float. */
typedef struct {
    float red[SDPX_PLANE], green[SDPX_PLANE], blue[SDPX_PLANE], alpha[SDPX_PLANE];
} sdpx_planes;

/* Reads up to SDPX_PLANE pixels; the color of a transparent pixel is read unchanged. */
void sdpx_read_planes(sdpx_planes *to, const void *from, sdpx_format format, size_t pixels);

/* Writes them, rounded to the nearest. Integers and alpha are clamped to 0 ... 1. Formats without alpha ignore it; gray
   takes green. */
void sdpx_write_planes(void *to, sdpx_format format, const sdpx_planes *from, size_t pixels);

/* Convert linear light to sRGB and back, in place, colors only. Negative values keep their sign, and the curve
   continues beyond white. */
void sdpx_encode_planes(sdpx_planes *planes, size_t pixels);
void sdpx_decode_planes(sdpx_planes *planes, size_t pixels);

#endif
