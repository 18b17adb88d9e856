/* rows.h: the output of decoded rows. They go directly into the image or, for a thumbnail, through means of pixel
 * blocks, so that the whole bitmap is never held. */
#ifndef SDCS_ROWS_H
#define SDCS_ROWS_H

#include "image.h"

/* The output of one image. Without means, `band` and `sums` are NULL. */
typedef struct sdcs_rows {
    sdimage_image *image; /* owned; taken with a reference of its own */
    uint8_t *pixels;      /* its first row */
    size_t stride;
    uint32_t width, height; /* size of the decoded rows */
    sdimage_pixel_format format;
    uint32_t factor; /* longest side of a block, whose mean is one pixel of the image; 1: rows are copied */
    uint8_t *band;   /* rows not yet added to the means */
    size_t band_stride;
    uint32_t band_rows, first; /* `first`: index of the row at the start of the band */
    uint64_t *sums;            /* sums for a row of the image; the weight follows the samples of each pixel */
    uint32_t block;            /* index of the row of the image whose sums these are */
    uint64_t held;             /* bytes of the band and the sums */
} sdcs_rows;

/* Returns the pixel limit of an image whose rows are streamed, unless the request sets another one. */
uint64_t sdcs_max_streamed_pixels(const sdcs_request *request);

/* Returns the factor by which an image can be shrunk before the library scales it to the requested size; at least 1. */
uint32_t sdcs_shrink_factor(uint32_t width, uint32_t height, sdimage_orientation orientation,
                            const sdcs_request *request);

/* Checks the limits and makes an image for rows of that size and format, which arrive `band_rows` at a time. Supports
 * only integer formats with straight alpha; RGBA_FLOAT is never shrunk. The caller closes it, also after a failure. */
sdimage_status sdcs_rows_open(sdcs_rows *rows, uint32_t width, uint32_t height, sdimage_pixel_format format,
                              uint32_t factor, uint32_t band_rows, const sdcs_request *request, sdimage_error **error);
void sdcs_rows_close(sdcs_rows *rows);

/* Returns the buffer of row `y`, one of the `band_rows` rows from the first unfinished one on. */
uint8_t *sdcs_row(const sdcs_rows *rows, uint32_t y);

/* Finishes all rows before `end`. Missing rows are transparent or black. */
void sdcs_rows_done(sdcs_rows *rows, uint32_t end);

#endif
