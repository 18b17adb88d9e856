/* attributes.c: a scan of raw text for tags with too many attributes, before any XML parser sees it (see
 * attributes.h). */
#include "attributes.h"

static bool is_space(uint8_t c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Each attribute has one quoted value after "=". A value cannot contain "<" (XML 1.0, section 3.1). So "<" always
 * begins a tag, whatever quote state was assumed before it. */
bool sdsvg_has_more_attributes(const sdsvg_text *text, size_t most) {
    bool is_tag = false, is_value = false;
    uint8_t quote = 0;
    size_t count = 0;
    for (size_t i = 0; i < text->length; i++) {
        uint8_t c = text->bytes[i];
        /* The states: outside of a tag, in a tag, and in a quoted value, whose quotation mark is `quote`. */
        if (c == '<') {
            is_tag = true, is_value = false, quote = 0, count = 0;
        } else if (!is_tag || (quote && c != quote)) {
            continue;
        } else if (c == '"' || c == '\'') {
            if (is_value && ++count > most)
                return true;
            /* A quotation mark begins a value only after "=". */
            quote = quote ? 0 : c, is_value = false;
        } else if (c == '>') {
            is_tag = false;
        } else if (!is_space(c)) {
            is_value = c == '=';
        }
    }
    return false;
}
