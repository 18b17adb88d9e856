/* sdpx_rotate.h: interpolated reads along lines, for rotation by any angle. */
#ifndef SDPX_ROTATE_H
#define SDPX_ROTATE_H

#include <stddef.h>
#include <stdint.h>

#include "sdpx_format.h"

/* An image for interpolated reads: `stride` in bytes, any pixel format. */
typedef struct {
    const void *pixels;
    ptrdiff_t stride;
    int32_t width, height;
    sdpx_format format;
    /* All pixels are opaque, whatever the format. */
    int is_opaque;
} sdpx_source;

/* Reads the source along a line: pixel i at (x + i * dx, y + i * dy); the first pixel covers 0 ... 1 and its center is
   at 0.5. Interpolates with the Catmull-Rom cubic. Edge pixels are repeated outside and fade out over the pixel around
   the edge. `to` receives premultiplied RGBA floats from 0 to the maximum of the format's samples, as input for
   sdpx_pack_u8 and its variants. dx * dx + dy * dy is 1. */
void sdpx_read_line(float *to, size_t pixels, const sdpx_source *source, double x, double y, double dx, double dy);

#endif
