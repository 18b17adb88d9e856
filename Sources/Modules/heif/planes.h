/* planes.h: the planes of a whole image, assembled from its tiles. */
#ifndef SDHEIF_PLANES_H
#define SDHEIF_PLANES_H

#include "image_item.h"

/* Owns the memory of its planes in one of two ways. */
typedef struct sdheif_planes {
    sdyuv_planes planes;
    sdyuv_color color;  /* color of the stream */
    uint16_t transfer;  /* ITU-T H.273, table 3 */
    sdheif_frame frame; /* the owner of the planes, or */
    uint8_t *owned;     /* the memory in which they were assembled */
} sdheif_planes;

/* Decodes each item of the tiles once, several at a time if there are processors. The caller releases the planes.
 * `held` is the number of bytes held elsewhere meanwhile: together with the planes and those of the tiles being decoded
 * they must fit the working memory. Checks the container's budget before each tile. */
sdimage_status sdheif_decode_planes(const sdheif_container *container, const sdheif_image *image, uint64_t held,
                                    sdheif_planes *planes, sdimage_error **error);
/* Frees both kinds of memory. Repeated calls have no effect. */
void sdheif_release_planes(sdheif_planes *planes);

#endif
