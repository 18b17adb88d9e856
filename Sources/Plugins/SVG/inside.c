#include "inside.h"

#include <stdlib.h>
#include <string.h>

static int digit64(uint8_t c) {
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

int sdsvg_digit16(uint8_t c) {
    return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

size_t sdsvg_unescape(uint8_t *bytes, size_t length) {
    size_t made = 0;
    for (size_t i = 0; i < length; i++) {
        bool escaped =
            bytes[i] == '%' && length - i > 2 && sdsvg_digit16(bytes[i + 1]) >= 0 && sdsvg_digit16(bytes[i + 2]) >= 0;
        bytes[made++] = escaped ? (uint8_t)(sdsvg_digit16(bytes[i + 1]) << 4 | sdsvg_digit16(bytes[i + 2])) : bytes[i];
        i += escaped ? 2 : 0;
    }
    return made;
}

size_t sdsvg_decode64(uint8_t *bytes, size_t length) {
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

uint64_t sdsvg_pixels_of(const uint8_t *bytes, size_t length) {
    sdimage_data *json = NULL;
    uint64_t sides[2] = {0, 0};
    static const char *const names[] = {"\"stored_width\":", "\"stored_height\":"};
    char text[512];
    if (sdimage_info(bytes, length, &json, NULL) < 0)
        return 0;
    size_t size = sdimage_data_length(json) < sizeof text ? sdimage_data_length(json) : sizeof text - 1;
    memcpy(text, sdimage_data_bytes(json), size);
    text[size] = 0;
    for (int i = 0; i < 2; i++) {
        const char *found = strstr(text, names[i]);
        sides[i] = found ? strtoull(found + strlen(names[i]), NULL, 10) : 0;
    }
    sdimage_data_unref(json);
    return sides[0] && sides[1] > UINT32_MAX / sides[0] ? UINT32_MAX : sides[0] * sides[1];
}

bool sdsvg_is_taken(sdimage_format format) {
    return format == SDIMAGE_FORMAT_JPEG || format == SDIMAGE_FORMAT_PNG || format == SDIMAGE_FORMAT_GIF ||
           format == SDIMAGE_FORMAT_WEBP || format == SDIMAGE_FORMAT_BMP;
}
