/* css.c: normalization of CSS, so that checks find URLs and names however they are escaped (see css.h). */
#include "css.h"

#include <stdbool.h>
#include <string.h>

#include "hex.h"

/* Reports an escaped character that would end a URL or a name here, but not in librsvg, and numbers of no character. An
 * escaped "#" still begins a name for librsvg; tabs and line ends are ignored as without an escape. */
static bool would_end(uint32_t code) {
    if (code < ' ' || code > 0xFF)
        return code != '\t' && code != '\n' && code != '\r' && code != '\f';
    return strchr(")\"' ;}", (int)code) != NULL;
}

/* Writes a character above ASCII as UTF-8 (RFC 3629, section 3). Returns its length, at most that of its escape. */
static size_t put_utf8(uint8_t *text, uint32_t code) {
    size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const uint8_t lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = length - 1; i; i--, code >>= 6)
        text[i] = (uint8_t)(0x80 | (code & 0x3F));
    text[0] = (uint8_t)(lead[length] | code);
    return length;
}

size_t sdsvg_plain_css(uint8_t *text, size_t length) {
    size_t made = 0;
    for (size_t i = 0; i < length; i++) {
        uint32_t code = text[i];
        /* An escape: up to six hexadecimal digits and one space that ends them, or the character itself. */
        if (code == '\\' && length - i > 1) {
            size_t digits = 0;
            for (code = 0; digits < 6 && i + 1 < length && sdcs_hex_digit(text[i + 1]) >= 0; digits++)
                code = code << 4 | (uint32_t)sdcs_hex_digit(text[++i]);
            if (!digits)
                code = text[++i];
            else if (i + 1 < length && (text[i + 1] == ' ' || text[i + 1] == '\n' || text[i + 1] == '\t'))
                i++;
            if (digits && code > 127 && code < 0x110000 && (code < 0xD800 || code > 0xDFFF)) {
                made += put_utf8(text + made, code);
                continue;
            }
            if (would_end(code))
                code = '?';
        }
        if (code != '\t' && code != '\n' && code != '\r' && code != '\f')
            text[made++] = (uint8_t)code;
    }
    return made;
}

bool sdsvg_is_in_name(uint8_t c) {
    bool is_letter = (c | 32) >= 'a' && (c | 32) <= 'z', is_digit = c >= '0' && c <= '9';
    return is_letter || is_digit || c == '-' || c == '_' || c > 127;
}
