#include "exif_block.h"

#include <stdlib.h>
#include <string.h>

static uint32_t number(const uint8_t *bytes, size_t count, bool big) {
    uint32_t value = 0;
    for (size_t i = 0; i < count; i++)
        value = value << 8 | bytes[big ? i : count - 1 - i];
    return value;
}

/* Overwrites the orientation tag of the first directory (EXIF 2.32, 4.6.4 A) if it is a single 16-bit number. */
static void replace_orientation(uint8_t *tiff, size_t length, uint8_t orientation) {
    enum { TAG = 0x0112, SHORT = 3, ENTRY = 12 };
    bool big = tiff[0] == 'M';
    size_t at = number(tiff + 4, 4, big);
    if (at > length || length - at < 2)
        return;
    size_t count = number(tiff + at, 2, big), room = (length - at - 2) / ENTRY;
    for (size_t i = 0; i < count && i < room; i++) {
        uint8_t *entry = tiff + at + 2 + i * ENTRY;
        if (number(entry, 2, big) == TAG && number(entry + 2, 2, big) == SHORT && number(entry + 4, 4, big) == 1) {
            entry[8] = big ? 0 : orientation;
            entry[9] = big ? orientation : 0;
            return;
        }
    }
}

sdimage_status sdcs_exif_block_make(const sdimage_encode_options *options, sdimage_orientation orientation,
                                    sdcs_exif_block *exif, sdimage_error **error) {
    static const char prefix[6] = "Exif\0";
    const sdimage_data *data = sdimage_encode_options_exif(options);
    *exif = (sdcs_exif_block){NULL, 0};
    if (!data)
        return SDIMAGE_STATUS_OK;
    const uint8_t *bytes = sdimage_data_bytes(data);
    size_t length = sdimage_data_length(data);
    size_t skip = length >= sizeof prefix && memcmp(bytes, prefix, sizeof prefix) == 0 ? sizeof prefix : 0;
    if (length - skip < 8 || (memcmp(bytes + skip, "II*", 4) != 0 && memcmp(bytes + skip, "MM\0*", 4) != 0))
        return sdcs_fail(error, SDIMAGE_STATUS_INVALID_ARGUMENT, "metadata: invalid EXIF block");
    if (length - skip > SDCS_BLOCK_LIMIT)
        return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "metadata: block exceeds the limit of 1 MiB");
    exif->bytes = malloc(length - skip);
    if (!exif->bytes)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "metadata: no memory for a block");
    exif->length = length - skip;
    memcpy(exif->bytes, bytes + skip, exif->length);
    replace_orientation(exif->bytes, exif->length, (uint8_t)orientation);
    return SDIMAGE_STATUS_OK;
}

void sdcs_exif_block_release(sdcs_exif_block *block) {
    free(block->bytes);
    *block = (sdcs_exif_block){NULL, 0};
}
