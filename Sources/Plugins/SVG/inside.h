/* inside.h: images embedded in an SVG as data: URLs (RFC 2397). */
#ifndef SDSVG_INSIDE_H
#define SDSVG_INSIDE_H

#include "image.h"

/* Returns the value of a hexadecimal digit; -1 for other characters. */
int sdsvg_digit16(uint8_t c);

/* Replaces %xx by bytes in place; returns the new length. */
size_t sdsvg_unescape(uint8_t *bytes, size_t length);
/* Decodes Base 64 in place and ignores other characters; returns the new length. */
size_t sdsvg_decode64(uint8_t *bytes, size_t length);

/* Returns the number of pixels of an encoded image; 0 if unknown. */
uint64_t sdsvg_pixels_of(const uint8_t *bytes, size_t length);

/* Reports that embedded images of a format are accepted. */
bool sdsvg_is_taken(sdimage_format format);

#endif
