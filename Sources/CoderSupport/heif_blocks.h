/* heif_blocks.h: the metadata blocks of an image in a HEIF file. */
#ifndef SDHEIF_BLOCKS_H
#define SDHEIF_BLOCKS_H

#include "heif_container.h"

/* The blocks of an image: the TIFF structure of EXIF, and an XMP packet. Empty for none. */
typedef struct sdheif_blocks {
    /* In the file, or in the items below if those had to be assembled from several extents. */
    sdcs_span exif, xmp;
    sdheif_bytes exif_item, xmp_item;
} sdheif_blocks;

/* Finds the blocks among the items that describe an image (`cdsc`). The caller releases them. */
sdheif_blocks sdheif_find_blocks(const sdheif_container *container, uint32_t image);
void sdheif_release_blocks(sdheif_blocks *blocks);

#endif
