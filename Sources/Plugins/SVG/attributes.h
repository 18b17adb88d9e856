/* attributes.h: a limit of the attributes of each element of a text. */
#ifndef SDSVG_ATTRIBUTES_H
#define SDSVG_ATTRIBUTES_H

#include "text.h"

/* Reports a tag with more than `most` attributes. The text need not be well-formed; text in a comment that looks like a
 * tag counts. */
bool sdsvg_has_more_attributes(const sdsvg_text *text, size_t most);

#endif
