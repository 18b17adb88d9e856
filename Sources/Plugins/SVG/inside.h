/* inside.h: pictures inside of an SVG: data: URLs (RFC 2397). */
#ifndef SDSVG_INSIDE_H
#define SDSVG_INSIDE_H

#include "../../Modules/common/picture.h"

/* The value of a hexadecimal digit; -1 for none. */
int sdsvg_digit16(uint8_t c);

/* %xx becomes a byte, in place; returns how many there are. */
size_t sdsvg_unescape(uint8_t *bytes, size_t length);
/* Base 64 becomes bytes, in place; what is no digit is passed over. */
size_t sdsvg_decode64(uint8_t *bytes, size_t length);

/* Pixels of an encoded picture; 0 where nobody knows. */
uint64_t sdsvg_pixels_of(const uint8_t *bytes, size_t length);

/* Whether pictures of a format are taken inside. */
bool sdsvg_is_taken(sdimage_format format);

#endif
