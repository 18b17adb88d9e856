/* layout.h: how the samples of a picture lie, by the tags of its directory. */
#ifndef SDTIFF_LAYOUT_H
#define SDTIFF_LAYOUT_H

#include "input.h"

typedef enum sdtiff_kind {
    SDTIFF_GRAY,
    SDTIFF_RGB,
    SDTIFF_PALETTE,
    SDTIFF_CMYK,
    SDTIFF_BY_LIBRARY /* subsampled YCbCr, CIE L*a*b*, LogLuv and old JPEG: libtiff makes 8-bit RGBA of them */
} sdtiff_kind;

typedef struct sdtiff_layout {
    sdtiff_kind kind;
    uint32_t width, height;
    uint16_t bits, samples, colors; /* `colors`: samples that are colour, from the first on */
    int alpha;                      /* the sample with alpha; -1 for none */
    bool premultiplied, inverted, is_float, is_separate, is_tiled;
    bool is_by_strips; /* of JBIG libtiff hands out whole strips alone */
    uint32_t tile_width, tile_height, rows_per_strip;
    const uint16_t *palette[3]; /* libtiff's own; 1 << bits entries each */
    int palette_shift;          /* 8 where the entries have 16 bits */
    sdimage_orientation orientation;
    sdmod_span profile, xmp;
} sdtiff_layout;

/* Of the current directory. Errors: BAD_DATA, UNSUPPORTED (samples or a compression that nobody decodes). */
sdimage_status sdtiff_layout_read(sdtiff_input *input, sdtiff_layout *layout, sdimage_error **error);

/* The pixels that are made of it, the best ones: GRAY8 to RGBA16, or RGBA_FLOAT. */
sdimage_pixel_format sdtiff_pixel_format(const sdtiff_layout *layout, const sdmod_wish *wish);

#endif
