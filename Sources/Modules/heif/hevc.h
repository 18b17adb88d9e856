/* hevc.h: decoding of the coded picture of an item, or of a tile of a grid, to planes by libde265. */
#ifndef SDHEIF_HEVC_H
#define SDHEIF_HEVC_H

#include "image.h"
#include "heif_container.h"

/* The decoder configuration of an item: `hvcC`, ISO/IEC 14496-15, 8.3.3.1. */
typedef struct sdheif_configuration {
    int chroma_format; /* 0 gray, 1 4:2:0, 2 4:2:2, 3 4:4:4 */
    int depth, chroma_depth;
    size_t length_size; /* bytes of the length before each unit of the item */
    sdcs_span arrays;   /* parameter sets */
} sdheif_configuration;

/* Reads the configuration; false for a box that ends early. */
bool sdheif_read_configuration(sdcs_span box, sdheif_configuration *configuration);

/* A decoded picture; owns its planes. */
typedef struct sdheif_frame {
    void *decoder; /* de265_decoder_context; its memory has the planes */
    sdyuv_planes planes;
    sdyuv_color color; /* as the stream announces it */
    uint16_t transfer; /* ITU-T H.273, table 3 */
} sdheif_frame;

/* The parameters for a coded picture: its maximum size, from the container, and the number of threads. */
typedef struct sdheif_coded {
    uint32_t width, height;
    int threads; /* 1: the calling one alone */
} sdheif_coded;

/* Decodes the first picture of an item; the caller releases it. Checks the container's budget between the units of the
 * stream. Errors: BAD_DATA (also missing slices), TRUNCATED, UNSUPPORTED, TOO_LARGE (units), CANCELLED, TIMEOUT,
 * NO_MEMORY. `threads` above 1 starts that many threads of libde265 for this picture. */
sdimage_status sdheif_decode_frame(const sdheif_container *container, const sdheif_item *item, sdheif_coded coded,
                                   sdheif_frame *frame, sdimage_error **error);
/* Checks the units of an item that libheif decodes, as it would read them, as strictly as sdheif_decode_frame does.
 * Stores the number of pictures that they begin, and that libde265 may make for missing references. Errors: BAD_DATA,
 * TRUNCATED, CANCELLED, TIMEOUT, NO_MEMORY. */
sdimage_status sdheif_check_stream(const sdheif_container *container, const sdheif_item *item, sdheif_coded coded,
                                   uint32_t *pictures, sdimage_error **error);

/* Frees the decoder and with it the planes. Repeated calls have no effect. */
void sdheif_release_frame(sdheif_frame *frame);

#endif
