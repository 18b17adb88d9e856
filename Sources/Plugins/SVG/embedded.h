/* embedded.h: images embedded in an SVG as data: URLs (RFC 2397). */
#ifndef SDSVG_EMBEDDED_H
#define SDSVG_EMBEDDED_H

#include "image.h"

/* Returns the number of pixels of an encoded image; 0 if unknown. */
uint64_t sdsvg_pixels_of(const uint8_t *bytes, size_t length);

/* Reports that embedded images of a format are accepted. */
bool sdsvg_accepts_format(sdimage_format format);

#endif
