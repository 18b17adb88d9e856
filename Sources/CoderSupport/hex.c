#include "hex.h"

int sdcs_hex_digit(uint8_t character) {
    if (character >= '0' && character <= '9')
        return character - '0';
    /* Lower case of a letter. */
    int letter = character | 32;
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

void sdcs_hex_write(char *text, const uint8_t *bytes, size_t length) {
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < length; i++) {
        *text++ = digits[bytes[i] >> 4];
        *text++ = digits[bytes[i] & 15];
    }
    *text = 0;
}
