/* text.h: the text of an SVG, decompressed if necessary (RFC 1952). */
#ifndef SDSVG_TEXT_H
#define SDSVG_TEXT_H

#include "image.h"

/* Text in the encoding of the file, without a NUL at its end. */
typedef struct sdsvg_text {
    uint8_t *bytes;
    size_t length;
} sdsvg_text;

/* Reports that bytes are SVG or gzip-compressed SVG. */
bool sdsvg_is_text(const void *bytes, size_t length);

/* Makes a copy of the text, decompressed if necessary; the caller frees its bytes. Errors: TOO_LARGE, TRUNCATED,
 * BAD_DATA, NO_MEMORY. */
sdimage_status sdsvg_text_of(const void *bytes, size_t length, sdsvg_text *text, sdimage_error **error);

#endif
