#include "format.h"

size_t sdpx_pixel_size(sdpx_format format) {
    return format >= SDPX_GRAY8 && format <= SDPX_RGBA_FLOAT ? pixel_size(format) : 0;
}
