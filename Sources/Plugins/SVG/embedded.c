/* embedded.c: the size of embedded images, read by the coders of the library (see embedded.h). */
#include "embedded.h"

#include <sdimage/metadata.h>

uint64_t sdsvg_pixels_of(const uint8_t *bytes, size_t length) {
    sdimage_info *info = NULL;
    if (sdimage_info_new(bytes, length, NULL, &info, NULL) < 0)
        return 0;
    sdimage_size size = sdimage_info_stored_size(info);
    sdimage_info_unref(info);
    uint64_t pixels = (uint64_t)size.width * size.height;
    /* Keeps the sum over a document from overflowing. */
    return pixels > UINT32_MAX ? UINT32_MAX : pixels;
}

bool sdsvg_accepts_format(sdimage_format format) {
    return format == SDIMAGE_FORMAT_JPEG || format == SDIMAGE_FORMAT_PNG || format == SDIMAGE_FORMAT_GIF ||
           format == SDIMAGE_FORMAT_WEBP || format == SDIMAGE_FORMAT_BMP;
}
