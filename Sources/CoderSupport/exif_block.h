/* exif_block.h: the metadata blocks that an encoder writes: EXIF and XMP. */
#ifndef SDCS_EXIF_BLOCK_H
#define SDCS_EXIF_BLOCK_H

#include <sdimage/encode.h>

#include "image.h"

/* The TIFF structure of the given EXIF block, with its orientation tag updated if it has one; empty if no block was
 * given. */
typedef struct sdcs_exif_block {
    uint8_t *bytes;
    size_t length;
} sdcs_exif_block;
/* Makes the block of the options. `orientation` is the one that the encoder stores. The caller releases it, also after
 * a failure. Errors: INVALID_ARGUMENT (no TIFF structure), TOO_LARGE (more than 1 MiB), NO_MEMORY. */
sdimage_status sdcs_exif_block_make(const sdimage_encode_options *options, sdimage_orientation orientation,
                                    sdcs_exif_block *exif, sdimage_error **error);
void sdcs_exif_block_release(sdcs_exif_block *block);

/* Returns the given XMP packet, borrowed; NULL for none. One that readers would drop is TOO_LARGE. */
sdimage_status sdcs_xmp_packet(const sdimage_encode_options *options, const sdimage_data **xmp, sdimage_error **error);

#endif
