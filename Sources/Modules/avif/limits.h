/* limits.h: limits on the tables of a file, checked before libavif reads it. */
#ifndef SDAVIF_LIMITS_H
#define SDAVIF_LIMITS_H

#include "av1_stream.h"
#include "image.h"

/* Limits of tables with an entry for each item or frame: libavif searches them linearly for each entry. */
enum { SDAVIF_FRAME_LIMIT = 10000, SDAVIF_TRACK_LIMIT = 16, SDAVIF_REFERENCE_LIMIT = 16384 };

/* The tiles of the displayed image, and of its alpha if that is a grid. None for an image without a grid, and for a
 * sequence. libavif makes a decoder for each. */
typedef struct sdavif_tiles {
    uint64_t color, alpha;                /* counts */
    uint32_t width, height;               /* size of the largest tile, or of single alpha; 0 if there are none */
    sdcs_av1_stream stream, alpha_stream; /* the streams of all tiles, or of the images without a grid */
    bool uses_tracks;                     /* a track is shown, whose streams are not read here, and no item */
} sdavif_tiles;

/* Checks the tables in time linear in `length`, and stores the tiles. `budget` may be NULL. Errors: TOO_LARGE for more
 * items, properties, references, auxiliary images, extents, tracks or samples than the limits, and for tiles that share
 * their bytes; BAD_DATA; NO_MEMORY; CANCELLED; TIMEOUT. */
sdimage_status sdavif_check_tables(const void *bytes, size_t length, const sdimage_work_budget *budget,
                                   sdavif_tiles *tiles, sdimage_error **error);

#endif
