#include "attributes.h"

/* Each attribute has one "=" outside quotes. No value has a "<" (XML 1.0, section 3.1), so each begins a tag, whatever
 * was taken for a quote before it. */
bool sdsvg_has_more_attributes(const sdsvg_text *text, size_t most) {
    bool is_tag = false;
    uint8_t quote = 0;
    size_t count = 0;
    for (size_t i = 0; i < text->length; i++) {
        uint8_t c = text->bytes[i];
        if (c == '<') {
            is_tag = true, quote = 0, count = 0;
        } else if (!is_tag || (quote && c != quote)) {
            continue;
        } else if (c == '"' || c == '\'') {
            quote = quote ? 0 : c;
        } else if (c == '>') {
            is_tag = false;
        } else if (c == '=' && ++count > most) {
            return true;
        }
    }
    return false;
}
