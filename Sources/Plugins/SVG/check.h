/* check.h: whether the text of an SVG is harmless. */
#ifndef SDSVG_CHECK_H
#define SDSVG_CHECK_H

#include "text.h"

/* Once, before any other: the first use of libxml2 must not be by several threads at once. */
void sdsvg_prepare(void);

/* Refuses text whose pictures inside are too large or of a kind that is not taken, and what is no XML. librsvg would
 * decode them without a limit. Errors: TOO_LARGE, UNSUPPORTED, BAD_DATA, NO_MEMORY. */
sdimage_status sdsvg_check(const sdsvg_text *text, sdimage_error **error);

#endif
