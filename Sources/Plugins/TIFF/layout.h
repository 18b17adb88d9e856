/* layout.h: the layout of an image's samples, from the tags of its directory. */
#ifndef SDTIFF_LAYOUT_H
#define SDTIFF_LAYOUT_H

#include "input.h"

/* The meaning of the color samples of a pixel. */
typedef enum sdtiff_kind {
    SDTIFF_GRAY,      /* one sample */
    SDTIFF_RGB,       /* three samples */
    SDTIFF_PALETTE,   /* one sample, an index */
    SDTIFF_CMYK,      /* four samples, inks */
    SDTIFF_BY_LIBRARY /* subsampled YCbCr, CIE L*a*b*, LogLuv, old JPEG: libtiff converts to 8-bit RGBA */
} sdtiff_kind;

/* The layout of one directory. Spans and the palette belong to libtiff, until it reads another directory. */
typedef struct sdtiff_layout {
    sdtiff_kind kind;
    uint32_t width, height;
    uint16_t bits, samples, colors; /* `colors`: the number of color samples, which come first */
    int alpha;                      /* the index of the alpha sample; -1 for none */
    bool premultiplied, inverted, is_float, is_separate, is_tiled; /* `inverted`: 0 is white */
    bool is_by_strips;                                             /* libtiff decodes JBIG only in whole strips */
    uint32_t tile_width, tile_height, rows_per_strip;              /* pixels */
    const uint16_t *palette[3];                                    /* owned by libtiff; 1 << bits entries each */
    int palette_shift;                                             /* 8 if the entries have 16 bits */
    sdimage_orientation orientation;
    sdcs_span profile, xmp; /* empty for none */
} sdtiff_layout;

/* Reads the layout of the current directory. Errors: BAD_DATA, UNSUPPORTED (samples or a compression without a
 * decoder). */
sdimage_status sdtiff_layout_read(sdtiff_input *input, sdtiff_layout *layout, sdimage_error **error);

/* Returns the pixel format of the decoded image, the best available one: GRAY8 to RGBA16, or RGBA_FLOAT. */
sdimage_pixel_format sdtiff_pixel_format(const sdtiff_layout *layout, const sdcs_request *request);

#endif
