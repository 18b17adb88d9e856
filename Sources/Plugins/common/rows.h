/* rows.h: where decoded rows go: straight into the picture or, of a thumbnail, through means of blocks of pixels, so
 * that the whole bitmap is never held. */
#ifndef SDPLUG_ROWS_H
#define SDPLUG_ROWS_H

#include "../../Modules/common/picture.h"

typedef struct sdplug_rows {
    sdimage_image *image;
    uint8_t *pixels;
    size_t stride;
    uint32_t width, height; /* of the rows that come */
    sdimage_pixel_format format;
    uint32_t factor; /* each pixel of the image is the mean of so many by so many; 1: they are copied */
    uint8_t *band;   /* rows that were not taken into the means yet */
    size_t band_stride;
    uint32_t band_rows, first; /* `first` is the row at the beginning of the band */
    uint64_t *sums;            /* of a row of the image; its weights lie behind the samples of each pixel */
    uint32_t summed;           /* rows in the sums */
    uint64_t held;             /* bytes of the band and the sums */
} sdplug_rows;

/* Pixels that a picture whose rows are streamed may have, where nothing else was asked for. */
uint64_t sdplug_most_streamed(const sdmod_wish *wish);

/* By how much a picture can be shrunk before the library brings it to the wanted size; at least 1. */
uint32_t sdplug_factor(uint32_t width, uint32_t height, sdimage_orientation orientation, const sdmod_wish *wish);

/* Refuses pictures over the limits, and makes an image for rows of that size and format, of which `band_rows` come at
 * once. Integer formats, straight, only; RGBA_FLOAT is never shrunk. To be closed, also after a failure. */
sdimage_status sdplug_rows_open(sdplug_rows *rows, uint32_t width, uint32_t height, sdimage_pixel_format format,
                                uint32_t factor, uint32_t band_rows, const sdmod_wish *wish, sdimage_error **error);
void sdplug_rows_close(sdplug_rows *rows);

/* Where row `y` is to be written: one of the `band_rows` from the first that was not handed on. */
uint8_t *sdplug_row(const sdplug_rows *rows, uint32_t y);

/* Hands on all rows before `end`. Rows that never come are transparent or black. */
void sdplug_rows_done(sdplug_rows *rows, uint32_t end);

#endif
