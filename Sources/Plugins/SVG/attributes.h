/* attributes.h: how many attributes the elements of a text have. */
#ifndef SDSVG_ATTRIBUTES_H
#define SDSVG_ATTRIBUTES_H

#include "text.h"

/* Whether a tag has more than `most` attributes. The text need not be well-formed; what looks like a tag in a comment
 * counts. */
bool sdsvg_has_more_attributes(const sdsvg_text *text, size_t most);

#endif
