/* exif.h: the metadata of a TIFF file as the EXIF block that other formats carry. */
#ifndef SDTIFF_EXIF_H
#define SDTIFF_EXIF_H

#include "image.h"

/* A block in memory of its own; empty if `bytes` is NULL. */
typedef struct sdtiff_block {
    uint8_t *bytes;
    size_t length;
} sdtiff_block;

/* Makes a TIFF structure of the first directory's descriptive tags and of its Exif and GPS directories (EXIF 2.32,
 * 4.6). It is empty if the file has none or they are damaged. The caller frees the bytes. Errors: NO_MEMORY. */
sdimage_status sdtiff_exif(const void *bytes, size_t length, sdtiff_block *block, sdimage_error **error);

#endif
