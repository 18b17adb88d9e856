/* picture_item.h: what the container says of one picture: its tiles, how it is turned and cut, its colour, its
   alpha. */
#ifndef SDHEIF_PICTURE_ITEM_H
#define SDHEIF_PICTURE_ITEM_H

#include "../common/picture.h"
#include "container.h"
#include "hevc.h"

typedef struct sdheif_picture {
    const sdheif_item *item;
    const sdheif_item *alpha; /* NULL when opaque */
    bool premultiplied;
    /* The tiles, row by row; one for a picture that is no grid. */
    uint32_t *tiles;
    /* The positions of tiles in the order of their items; an item may be at several. Run `i` begins at `runs[i]`, and
     * the last one ends where all tiles end. */
    uint32_t *order, *runs;
    size_t run_count;
    uint32_t rows, columns, tile_width, tile_height;
    uint32_t width, height; /* as stored, before it is cut and turned */
    /* The part that is shown, as stored. */
    uint32_t left, top, shown_width, shown_height;
    sdimage_orientation orientation;
    sdheif_configuration configuration;
    bool has_color;
    sdyuv_color color;
    uint16_t transfer;
    sdmod_span profile;
} sdheif_picture;

/* Reads the properties of an item; to be released, also after a failure. Errors: UNSUPPORTED for items that are neither
 * a picture of H.265 nor a grid of such; BAD_DATA; TOO_LARGE for tiles of more bytes than sdheif_most_coded;
 * NO_MEMORY. */
sdimage_status sdheif_picture_read(const sdheif_container *container, const sdheif_item *item, sdheif_picture *picture,
                                   sdimage_error **error);
/* Of an item of any kind its size and how it is turned and cut; after `sdheif_picture_read` refused it. */
bool sdheif_read_outline(const sdheif_container *container, sdheif_picture *picture);

void sdheif_picture_release(sdheif_picture *picture);

/* Bytes of the planes of the stored picture, and of one tile, without its alpha. */
uint64_t sdheif_stored_bytes(const sdheif_picture *picture);
uint64_t sdheif_tile_bytes(const sdheif_picture *picture);

/* What the picture is, for the outside. */
sdmod_facts sdheif_facts(const sdheif_container *container, const sdheif_picture *picture);

/* The smallest thumbnail of `picture` that is as large as the wish asks for and of the same shape; NULL where there is
 * none */
const sdheif_item *sdheif_thumbnail(const sdheif_container *container, const sdheif_picture *picture,
                                    const sdmod_wish *wish);

#endif
