/* Base 64 for images that are embedded in SVG as data URLs (docs/decisions.md, "Small formats are implemented in Swift
 * and in C"). */
#include "base64.h"

/* Returns the value of a digit, 0 to 63, of the standard or of the URL-safe alphabet; -1 for other characters. */
static int digit64(uint8_t c) {
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

/* In place: the output never overtakes the input, because four digits make three bytes. */
size_t sdcs_base64_decode(uint8_t *bytes, size_t length) {
    size_t made = 0;
    uint32_t held = 0; /* its lowest `have` bits are not yet written */
    int have = 0;      /* below 8 between two digits */
    for (size_t i = 0; i < length; i++) {
        int digit = digit64(bytes[i]);
        if (digit < 0)
            continue;
        held = held << 6 | (uint32_t)digit;
        have += 6;
        if (have >= 8) {
            have -= 8;
            bytes[made++] = (uint8_t)(held >> have);
        }
    }
    return made;
}
