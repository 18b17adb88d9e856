/* Pixels of any format as planes of float, where arithmetic of colours is plain: for the kernels themselves. */
#ifndef SDPX_PLANES_H
#define SDPX_PLANES_H

#include <stddef.h>
#include <stdint.h>

/* Pixels taken together; four planes stay in the first-level cache. */
enum { SDPX_PLANE = 256 };

/* Straight colours, 0 ... 1 in the encoding of the format: sRGB for integers; light, which may lie outside, for
   float. */
typedef struct {
    float red[SDPX_PLANE], green[SDPX_PLANE], blue[SDPX_PLANE], alpha[SDPX_PLANE];
} sdpx_planes;

/* Reads up to SDPX_PLANE pixels; what a clear pixel has as its colour is read as it stands. */
void sdpx_read_planes(sdpx_planes *to, const void *from, int format, size_t pixels);

/* Writes them, rounded to the nearest; integers are held in 0 ... 1, and so is alpha. Formats without alpha ignore it;
   grey takes green. */
void sdpx_write_planes(void *to, int format, const sdpx_planes *from, size_t pixels);

/* Light to sRGB and back, in place, colours only; what is negative keeps its sign, what exceeds white is continued. */
void sdpx_encode_planes(sdpx_planes *planes, size_t pixels);
void sdpx_decode_planes(sdpx_planes *planes, size_t pixels);

#endif
