/* jhgm.h: the gain map of a JPEG XL file (ISO/IEC 18181-2, box `jhgm`). */
#ifndef SDJXL_JHGM_H
#define SDJXL_JHGM_H

#include "boxes.h"

typedef struct sdjxl_gain_map {
    sdcs_span parameters; /* in the binary form of ISO 21496-1 */
    sdcs_span samples;    /* a codestream */
} sdjxl_gain_map;

/* Finds the gain map; false without one. The spans point into the bytes. The colors of the other rendition are not
 * read: their encoding needs the decoder of JPEG XL. */
bool sdjxl_find_gain_map(const void *bytes, size_t length, sdjxl_gain_map *map);

#endif
