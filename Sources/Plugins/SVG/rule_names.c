/* rule_names.c: names in CSS, without parsing it (see rule_names.h): too many elements may be found, never too few. */
#include "rule_names.h"

#include <string.h>

#include "css.h"

/* Names in longer attributes are not compared: a rule may select the element. */
enum { LONGEST = 4096 };

/* Moves past the next name, and returns its length; 0 for none. */
static size_t next_name(const uint8_t *text, size_t length, size_t *at) {
    size_t size = 0;
    while (*at < length && !sdsvg_is_in_name(text[*at]))
        ++*at;
    for (; *at < length && sdsvg_is_in_name(text[*at]); ++*at)
        size++;
    return size;
}

/* Reports that a selector without a name may be at an offset: an attribute, a pseudo-class without a type, or "*" that
 * neither begins nor ends a comment. An escape, and "<" of a comment of HTML, may hide a name. */
static bool selects_all(const uint8_t *css, size_t length, size_t at) {
    uint8_t before = at ? css[at - 1] : 0, next = at + 1 < length ? css[at + 1] : 0;
    switch (css[at]) {
    case '[':
    case '\\':
    case '<': return true;
    case ':': return !sdsvg_is_in_name(before) && before != ')';
    case '*': {
        bool begins_comment = before == '/' && (at < 2 || css[at - 2] != '*');
        bool ends_comment = next == '/' && (at + 2 >= length || css[at + 2] != '*');
        return !begins_comment && !ends_comment;
    }
    default: return false;
    }
}

void sdsvg_rule_names_add(sdsvg_rule_names *rules, const uint8_t *css, size_t length) {
    for (size_t i = 0; !rules->may_select_all && i < length; i++)
        rules->may_select_all = selects_all(css, length, i);
    for (size_t at = 0, size; !rules->may_select_all && (size = next_name(css, length, &at));)
        rules->may_select_all = sdsvg_names_add(&rules->names, sdsvg_name_hash(css + at - size, size)) < 0;
}

bool sdsvg_rule_names_have(const sdsvg_rule_names *rules, const uint8_t *text, size_t length) {
    bool found = rules->may_select_all || length > LONGEST;
    for (size_t at = 0, size; !found && (size = next_name(text, length, &at));) {
        uint64_t hash = sdsvg_name_hash(text + at - size, size);
        found = sdsvg_names_common(&rules->names, &(sdsvg_names){&hash, 1, 1}) > 0;
    }
    /* White space beyond ASCII separates classes, too. */
    for (size_t i = 0; !found && i < length; i++)
        found = text[i] > 127;
    return found;
}
