#include "percent.h"

#include <string.h>

#include "hex.h"

/* Returns the byte that three characters encode; -1 if they are not "%" and two digits. */
static int byte_of(const uint8_t *bytes, size_t left) {
    int high = left > 2 && bytes[0] == '%' ? sdcs_hex_digit(bytes[1]) : -1;
    int low = high < 0 ? -1 : sdcs_hex_digit(bytes[2]);
    return low < 0 ? -1 : high << 4 | low;
}

/* In place: the output never overtakes the input. */
size_t sdcs_percent_decode(uint8_t *bytes, size_t length) {
    size_t made = 0;
    for (size_t i = 0; i < length; i++) {
        int byte = byte_of(bytes + i, length - i);
        bytes[made++] = byte < 0 ? bytes[i] : (uint8_t)byte;
        /* An encoded byte takes three characters, of which the loop passes one. */
        i += byte < 0 ? 0 : 2;
    }
    return made;
}

bool sdcs_percent_decode_text(char *text) {
    uint8_t *bytes = (uint8_t *)text;
    size_t length = strlen(text);
    for (size_t i = 0; i < length; i++) {
        /* Checks all before it changes any, so that a refused text is as before. */
        if (bytes[i] == '%' && byte_of(bytes + i, length - i) <= 0)
            return false;
        i += bytes[i] == '%' ? 2 : 0;
    }
    text[sdcs_percent_decode(bytes, length)] = 0;
    return true;
}
