/* image_item.h: the properties of one image: tiles, rotation, cropping, color, alpha. */
#ifndef SDHEIF_IMAGE_ITEM_H
#define SDHEIF_IMAGE_ITEM_H

#include "image.h"
#include "heif_container.h"
#include "hevc.h"

/* An item ready to be decoded. Owns its tables; items and colors point into the container. */
typedef struct sdheif_image {
    const sdheif_item *item;
    const sdheif_item *alpha; /* NULL if opaque */
    bool premultiplied;       /* the colors are multiplied by alpha */
    /* The tiles, row by row; one for an image without a grid. */
    uint32_t *tiles;
    /* The positions of tiles, sorted by item; an item may be at several positions. Run `i` begins at `runs[i]`, and the
     * last one ends with the tiles. */
    uint32_t *order, *runs;
    size_t run_count;
    uint32_t rows, columns, tile_width, tile_height; /* tiles of the grid, and pixels of a tile */
    uint32_t width, height;                          /* as stored, before cropping and rotation */
    /* The displayed part, in stored coordinates. */
    uint32_t left, top, displayed_width, displayed_height;
    sdimage_orientation orientation;    /* to be applied by the library */
    sdheif_configuration configuration; /* the first tile's; all have the same format */
    sdheif_colors colors;
} sdheif_image;

/* Reads the properties of an item. The caller releases them, also after a failure. Errors: UNSUPPORTED for items that
 * are neither H.265-coded images nor grids of such; BAD_DATA; TOO_LARGE for tiles of more bytes than sdheif_most_coded;
 * NO_MEMORY. */
sdimage_status sdheif_image_read(const sdheif_container *container, const sdheif_item *item, sdheif_image *image,
                                 sdimage_error **error);
/* Reads the size, rotation and cropping of an item of any kind, after sdheif_image_read has refused it. Used for the
 * header of an image that libheif decodes. False without a size, and for a region outside of the image. */
bool sdheif_read_outline(const sdheif_container *container, sdheif_image *image);

/* Frees the tables. Repeated calls have no effect. */
void sdheif_image_release(sdheif_image *image);

/* Return the bytes of the planes of the stored image, and of one tile, without alpha. */
uint64_t sdheif_stored_bytes(const sdheif_image *image);
uint64_t sdheif_tile_bytes(const sdheif_image *image);

/* Returns the image properties. The spans point into the container's file. The size is that of the displayed part
 * before rotation. */
sdcs_info sdheif_info(const sdheif_container *container, const sdheif_image *image);

/* Returns the smallest thumbnail of `image` that has at least the requested size and the same aspect ratio; NULL for
 * none. */
const sdheif_item *sdheif_thumbnail(const sdheif_container *container, const sdheif_image *image,
                                    const sdcs_request *request);

#endif
