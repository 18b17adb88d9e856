#include "exif_block.h"

#include <stdlib.h>
#include <string.h>

#include "ifd.h"

/* Overwrites the orientation tag of the first directory (EXIF 2.32, 4.6.4 A). It then agrees with the orientation that
 * the encoder stores in the container. Readers accept other types than that of the standard, which it then has. */
static void replace_orientation(uint8_t *bytes, size_t length, uint8_t orientation) {
    enum { ORIENTATION = 0x0112 };
    /* Type and number of values before the field, and a value of 2 bytes at its start. */
    const uint8_t little[] = {SDCS_IFD_SHORT, 0, 1, 0, 0, 0, orientation, 0, 0, 0};
    const uint8_t big[] = {0, SDCS_IFD_SHORT, 0, 0, 0, 1, 0, orientation, 0, 0};
    sdcs_tiff tiff;
    sdcs_ifd_entry entry;
    /* Entries of BigTIFF, which EXIF does not use, have another layout. */
    if (!sdcs_tiff_open(&tiff, bytes, length) || tiff.is_bigtiff ||
        !sdcs_ifd_find(&tiff, sdcs_ifd_first(&tiff), ORIENTATION, &entry))
        return;
    memcpy(bytes + entry.field - 6, tiff.is_big_endian ? big : little, sizeof little);
}

static sdimage_status fail_large(sdimage_error **error) {
    return sdcs_fail(error, SDIMAGE_STATUS_TOO_LARGE, "metadata: block exceeds the limit of 1 MiB");
}

sdimage_status sdcs_exif_block_make(const sdimage_encode_options *options, sdimage_orientation orientation,
                                    sdcs_exif_block *exif, sdimage_error **error) {
    sdcs_tiff tiff;
    const sdimage_data *data = sdimage_encode_options_exif(options);
    *exif = (sdcs_exif_block){NULL, 0};
    if (!data)
        return SDIMAGE_STATUS_OK;
    /* A block of JPEG begins with "Exif" and two NULs; the copy begins after them. */
    if (!sdcs_tiff_open_exif(&tiff, sdimage_data_bytes(data), sdimage_data_length(data)))
        return sdcs_fail(error, SDIMAGE_STATUS_INVALID_ARGUMENT, "metadata: invalid EXIF block");
    if (tiff.length > SDCS_BLOCK_LIMIT)
        return fail_large(error);
    exif->bytes = malloc(tiff.length);
    if (!exif->bytes)
        return sdcs_fail(error, SDIMAGE_STATUS_NO_MEMORY, "metadata: no memory for a block");
    exif->length = tiff.length;
    memcpy(exif->bytes, tiff.bytes, tiff.length);
    replace_orientation(exif->bytes, exif->length, (uint8_t)orientation);
    return SDIMAGE_STATUS_OK;
}

void sdcs_exif_block_release(sdcs_exif_block *block) {
    free(block->bytes);
    *block = (sdcs_exif_block){NULL, 0};
}

sdimage_status sdcs_xmp_packet(const sdimage_encode_options *options, const sdimage_data **xmp, sdimage_error **error) {
    *xmp = sdimage_encode_options_xmp(options);
    return sdimage_data_length(*xmp) > SDCS_BLOCK_LIMIT ? fail_large(error) : SDIMAGE_STATUS_OK;
}
