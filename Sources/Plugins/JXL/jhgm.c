/* jhgm.c: parsing of the box `jhgm` (see jhgm.h). Its fields, in order:
 *
 * - version (1 byte)
 * - length of the parameters (2 bytes), and the parameters
 * - length of a color encoding (1 byte), and the encoding
 * - length of a compressed ICC profile (4 bytes), and the profile
 * - a codestream, which is the rest */
#include "jhgm.h"

#include "fail.h"

/* The bit of the flags, the fifth byte of the parameters, for gains that apply to the colors of the base image. */
enum { FLAGS = 4, USES_BASE_COLORS = 0x40 };

/* Takes a block whose length is a number of `size` bytes. */
static bool take_block(sdcs_span *span, size_t size, sdcs_span *block) {
    uint64_t length;
    if (!sdcs_take(span, size, &length) || length > span->length)
        return false;
    *block = (sdcs_span){span->bytes, (size_t)length};
    return sdcs_skip(span, (size_t)length);
}

sdimage_status sdjxl_find_gain_map(const void *bytes, size_t length, sdjxl_gain_map *map, sdimage_error **error) {
    sdcs_span file = {bytes, length}, bundle, colors, profile;
    uint64_t version;
    if (!sdcs_find_box(file, SDCS_FOURCC('j', 'h', 'g', 'm'), &bundle))
        return SDIMAGE_STATUS_END;
    if (!sdcs_take(&bundle, 1, &version) || version != 0 || !take_block(&bundle, 2, &map->parameters) ||
        !take_block(&bundle, 1, &colors) || !take_block(&bundle, 4, &profile))
        return sdcs_fail(error, SDIMAGE_STATUS_BAD_DATA, "jxl: box of the gain map is damaged, or of a later version");
    /* Colors and profile describe the other rendition, and matter only to gains that apply to it. */
    if (map->parameters.length > FLAGS && !(map->parameters.bytes[FLAGS] & USES_BASE_COLORS))
        return sdcs_fail(error, SDIMAGE_STATUS_UNSUPPORTED, "jxl: gains apply to colors that are not read");
    map->samples = bundle;
    return SDIMAGE_STATUS_OK;
}
