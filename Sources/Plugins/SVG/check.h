/* check.h: checks of SVG text before librsvg parses it. */
#ifndef SDSVG_CHECK_H
#define SDSVG_CHECK_H

#include "text.h"

/* Must be called once before any other function: the first use of libxml2 must not be concurrent. */
void sdsvg_prepare(void);

/* Refuses text that is not XML, and embedded images that are too large or of an unsupported format: librsvg would
 * decode them without a limit. *surfaces is the largest number of surfaces of the size of the drawing that librsvg may
 * have at once, beside the one of the result. Ends with the budget, NULL for none. Errors: TOO_LARGE, UNSUPPORTED,
 * BAD_DATA, NO_MEMORY, CANCELLED, TIMEOUT. */
sdimage_status sdsvg_check(const sdsvg_text *text, const sdimage_work_budget *budget, uint64_t *surfaces,
                           sdimage_error **error);

#endif
