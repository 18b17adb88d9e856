/* heif_gain_map.h: the gain map of an image in a HEIF file. */
#ifndef SDHEIF_GAIN_MAP_H
#define SDHEIF_GAIN_MAP_H

#include "gain_map.h"
#include "heif_container.h"

typedef struct sdheif_gain_map {
    uint32_t base;               /* the number of the base image */
    const sdheif_item *samples;  /* the image of the map; NULL for none */
    const sdheif_item *tone_map; /* the derived image with the parameters; NULL for Apple's format */
} sdheif_gain_map;

/* Finds the map of an image: an input of a derived image of type `tmap` (ISO/IEC 23008-12, 6.6.2.4), or an auxiliary
 * image of Apple's. */
sdheif_gain_map sdheif_find_gain_map(const sdheif_container *container, uint32_t image);

/* Makes a map of its decoded samples. Apple's format needs the EXIF block of the base image, whose maker note has the
 * headroom. The caller owns *map. */
sdimage_status sdheif_make_gain_map(const sdheif_container *container, const sdheif_gain_map *found,
                                    const sdimage_image *samples, sdimage_gain_map **map, sdimage_error **error);

/* Returns a copy of the file, to be freed, whose primary item is another one; NULL if memory is exhausted, if the file
 * exceeds the limit of working memory, or if the number of the item does not fit. */
uint8_t *sdheif_copy_with_primary(const sdheif_container *container, uint32_t item);

#endif
