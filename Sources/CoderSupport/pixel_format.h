/* pixel_format.h: properties of pixel formats and orientations. The functions are inline, because they are called for
 * each sample. */
#ifndef SDCS_PIXEL_FORMAT_H
#define SDCS_PIXEL_FORMAT_H

#include <sdimage/image.h>
#include <stdbool.h>

/* The default limit of the pixels of an image that is held as a whole. */
#define SDCS_STANDARD_PIXELS ((uint64_t)64 << 20)

/* Reports that a format has integer samples of 16 bits. */
static inline bool sdcs_is_16_bit(sdimage_pixel_format format) {
    return format == SDIMAGE_PIXEL_FORMAT_GRAY16 || format == SDIMAGE_PIXEL_FORMAT_RGB16 ||
           format == SDIMAGE_PIXEL_FORMAT_RGBA16;
}

/* Reports that width and height change places. */
static inline bool sdcs_swaps_sides(sdimage_orientation orientation) {
    return orientation >= SDIMAGE_ORIENTATION_LEFT_MIRRORED;
}

#endif
