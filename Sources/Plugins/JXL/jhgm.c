#include "jhgm.h"

/* Takes a block whose length is a number of `size` bytes. */
static bool take_block(sdcs_span *span, size_t size, sdcs_span *block) {
    uint64_t length;
    if (!sdcs_take(span, size, &length) || length > span->length)
        return false;
    *block = (sdcs_span){span->bytes, (size_t)length};
    return sdcs_skip(span, (size_t)length);
}

bool sdjxl_find_gain_map(const void *bytes, size_t length, sdjxl_gain_map *map) {
    sdcs_span file = {bytes, length}, bundle, colors, profile;
    uint64_t version;
    if (!sdcs_find_box(file, SDCS_FOURCC('j', 'h', 'g', 'm'), &bundle) || !sdcs_take(&bundle, 1, &version) ||
        version != 0 || !take_block(&bundle, 2, &map->parameters) || !take_block(&bundle, 1, &colors) ||
        !take_block(&bundle, 4, &profile))
        return false;
    map->samples = bundle;
    return true;
}
