/* planes.h: the planes of a whole picture, its tiles put together and its alpha added. */
#ifndef SDHEIF_PLANES_H
#define SDHEIF_PLANES_H

#include "picture_item.h"

typedef struct sdheif_planes {
    sdyuv_planes planes;
    sdyuv_color color; /* the stream's */
    uint16_t transfer;
    sdheif_frame frame; /* whose planes they are, or */
    uint8_t *owned;     /* the memory they were put together in */
} sdheif_planes;

/* Decodes each item of the tiles once, several at a time where there are processors; to be released. `held` is the
 * number of bytes that are held meanwhile: with them the planes, and those of the tiles being decoded, stay within the
 * working memory. Checks the container's budget before each tile. */
sdimage_status sdheif_decode_planes(const sdheif_container *container, const sdheif_picture *picture, uint64_t held,
                                    sdheif_planes *planes, sdimage_error **error);
void sdheif_release_planes(sdheif_planes *planes);

#endif
