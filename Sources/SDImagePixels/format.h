/* format.h: properties of pixel formats, inline so that loops for a constant format are compiled for it. */
#ifndef SDPX_FORMAT_INLINE_H
#define SDPX_FORMAT_INLINE_H

#include "kernel.h"
#include "sdpx_format.h"

/* The bytes of one pixel. Unlike sdpx_pixel_size it requires a valid format. */
INLINE size_t pixel_size(sdpx_format format) {
    static const uint8_t sizes[] = {0, 1, 3, 4, 4, 4, 2, 6, 8, 16};
    return sizes[format];
}

/* The value of a full sample. */
INLINE float full_sample(sdpx_format format) {
    return format == SDPX_RGBA_FLOAT ? 1 : format >= SDPX_GRAY16 ? 65535 : 255;
}

/* Reports that colors are multiplied by alpha. */
INLINE int is_premultiplied(sdpx_format format) {
    return format == SDPX_RGBA8_PREMULTIPLIED || format == SDPX_BGRA8_PREMULTIPLIED;
}

/* Reports one channel, without alpha. */
INLINE int is_gray(sdpx_format format) {
    return format == SDPX_GRAY8 || format == SDPX_GRAY16;
}

#endif
