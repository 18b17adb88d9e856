/* css.c: normalization of CSS, so that checks find URLs and names however they are escaped (see css.h). */
#include "css.h"

#include <string.h>

#include "hex.h"

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
            /* An escaped "#" still begins a name for librsvg. The others would end a URL here, but not in librsvg. */
            if (code > 126 || code < ' ' || strchr(")\"' #", (int)code))
                code = code == '#' ? '#' : '?';
        }
        if (code != '\t' && code != '\n' && code != '\r' && code != '\f')
            text[made++] = (uint8_t)code;
    }
    return made;
}
