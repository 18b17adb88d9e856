#include "base64.h"

static int digit64(uint8_t c) {
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

size_t sdcs_base64_decode(uint8_t *bytes, size_t length) {
    size_t made = 0;
    uint32_t held = 0;
    int have = 0;
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
