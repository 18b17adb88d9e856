/* Kernels of encoders, on plain memory. */
#ifndef SDPX_WRITE_H
#define SDPX_WRITE_H

#include <stddef.h>
#include <stdint.h>

/* Puts a filter of PNG (SDPX_FILTER_…) on a row whose pixels have so many bytes, 1 to 8: `to` is apart and without the
   filter byte, `above` the row before, zeros for the first. */
void sdpx_filter_scanline(uint8_t *to, const uint8_t *row, const uint8_t *above, size_t bytes, int filter,
                          size_t pixel);

/* The filter that leaves the smallest numbers, taken as signed, in the row behind its first pixel. */
int sdpx_cheapest_filter(const uint8_t *row, const uint8_t *above, size_t bytes, size_t pixel);

/* The colours of a picture, as long as they are no more than 256: red, green, blue, alpha from the lowest byte on, in
   the order in which they are first seen. */
typedef struct sdpx_colors sdpx_colors;

/* Bytes that they take, aligned to 4. */
size_t sdpx_colors_size(void);
void sdpx_colors_start(sdpx_colors *colors);
uint32_t sdpx_colors_count(const sdpx_colors *colors);
const uint32_t *sdpx_colors_values(const sdpx_colors *colors);

/* Adds those of a row of straight RGB or RGBA, 3 or 4 `channels`. 0 when there are more than 256. */
int sdpx_colors_add(sdpx_colors *colors, const uint8_t *row, size_t pixels, int channels);

/* Both in one, for a row of four-byte pixels: writes the number of each one's colour, which is added where it is new. 0
   when there are more than 256. */
int sdpx_colors_index(sdpx_colors *colors, uint8_t *to, const uint8_t *row, size_t pixels);

/* For each pixel of a row `places` at the number of its colour; of one that was not added 0. */
void sdpx_colors_find(const sdpx_colors *colors, uint8_t *to, const uint8_t *row, size_t pixels, int channels,
                      const uint8_t *places);

/* Indices below 1 << `bits`, which is 1, 2 or 4, side by side, the leftmost in the highest bits. */
void sdpx_pack_indices(uint8_t *to, const uint8_t *from, size_t pixels, int bits);

/* The LZW writer of GIF (GIF89a, appendix F): the table is cleared when it is full. */
typedef struct sdpx_lzw_writer sdpx_lzw_writer;

/* Bytes that a writer takes, aligned to 8; and the most that so many more pixels, or the end, can become. */
size_t sdpx_lzw_writer_size(void);
size_t sdpx_lzw_writer_bound(size_t pixels);

/* `minimum_size` 2 to 8: indices have no more bits. Then rows in their order; each call returns how many bytes of
   sub-blocks, lengths included, it wrote. */
void sdpx_lzw_writer_start(sdpx_lzw_writer *lzw, unsigned minimum_size);
size_t sdpx_lzw_write(sdpx_lzw_writer *lzw, uint8_t *to, const uint8_t *indices, size_t pixels);
size_t sdpx_lzw_writer_finish(sdpx_lzw_writer *lzw, uint8_t *to);

/* Whether a row differs from the one before; the pixels in which it does are added to the range. */
int sdpx_changed_span(const uint8_t *row, const uint8_t *before, size_t pixels, size_t pixel, size_t *first,
                      size_t *end);

/* The pixels that changed, of 4 or 8 bytes, and clear black for those that did not. Whether all that changed are
   opaque: alpha is the highest byte, or the highest two. */
int sdpx_only_changed(uint8_t *to, const uint8_t *row, const uint8_t *before, size_t pixels, size_t pixel);

/* Straight RGBA to opaque pixels, and 0 for those that are less than half so. */
void sdpx_threshold_alpha(uint32_t *to, const uint8_t *rgba, size_t pixels);

/* Whether pixels of such a row are 0 that were not; they are added to the range. */
int sdpx_has_cleared(const uint32_t *row, const uint32_t *before, size_t pixels, size_t *first, size_t *end);

#endif
