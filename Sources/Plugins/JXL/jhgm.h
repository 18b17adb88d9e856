/* jhgm.h: the gain map of a JPEG XL file (ISO/IEC 18181-2, box `jhgm`). */
#ifndef SDJXL_JHGM_H
#define SDJXL_JHGM_H

#include <sdimage/error.h>

#include "boxes.h"

/* A gain map whose spans point into the file. */
typedef struct sdjxl_gain_map {
    sdcs_span parameters; /* in the binary form of ISO 21496-1 */
    sdcs_span samples;    /* a codestream */
} sdjxl_gain_map;

/* Finds the gain map; END without one. The spans point into the bytes. Errors: BAD_DATA; UNSUPPORTED for gains that
 * apply to the colors of the other rendition, which are not read: their encoding needs the decoder of JPEG XL. */
sdimage_status sdjxl_find_gain_map(const void *bytes, size_t length, sdjxl_gain_map *map, sdimage_error **error);

#endif
