#include "embedded.h"

#include <stdlib.h>
#include <string.h>

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

bool sdsvg_accepts_format(sdimage_format format) {
    return format == SDIMAGE_FORMAT_JPEG || format == SDIMAGE_FORMAT_PNG || format == SDIMAGE_FORMAT_GIF ||
           format == SDIMAGE_FORMAT_WEBP || format == SDIMAGE_FORMAT_BMP;
}
