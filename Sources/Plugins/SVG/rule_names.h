/* rule_names.h: the names in style sheets. No rule selects an element of which none is the type, the id or a class. */
#ifndef SDSVG_RULE_NAMES_H
#define SDSVG_RULE_NAMES_H

#include <stdbool.h>

#include "names.h"

/* All names in style sheets, those of properties included. */
typedef struct sdsvg_rule_names {
    sdsvg_names names;
    bool may_select_all; /* a selector may be without a name of a type, class or id, or in another spelling */
} sdsvg_rule_names;

/* Adds CSS as it is in the document. */
void sdsvg_rule_names_add(sdsvg_rule_names *rules, const uint8_t *css, size_t length);

/* Reports that the names, which must be sorted, may include one in `text`: the type, the id or the classes of an
 * element. */
bool sdsvg_rule_names_have(const sdsvg_rule_names *rules, const uint8_t *text, size_t length);

#endif
