/* sdpx_write.h: kernels of encoders, on plain memory. */
#ifndef SDPX_WRITE_H
#define SDPX_WRITE_H

#include <stddef.h>
#include <stdint.h>

/* Applies a PNG filter (SDPX_FILTER_…) to a row whose pixels have `pixel` bytes, 1 to 8. `to` must not overlap and has
   no filter byte; `above` is the previous row, zeros for the first. */
void sdpx_filter_scanline(uint8_t *to, const uint8_t *row, const uint8_t *above, size_t bytes, int filter,
                          size_t pixel);

/* Returns the filter that yields the smallest sum of absolute signed values in the row after its first pixel. */
int sdpx_cheapest_filter(const uint8_t *row, const uint8_t *above, size_t bytes, size_t pixel);

/* The colors of an image, up to 256: red, green, blue, alpha from the lowest byte on, in the order of their first
   occurrence. */
typedef struct sdpx_colors sdpx_colors;

/* Returns the size of the table in bytes, aligned to 4. */
size_t sdpx_colors_size(void);
void sdpx_colors_start(sdpx_colors *colors);
uint32_t sdpx_colors_count(const sdpx_colors *colors);
const uint32_t *sdpx_colors_values(const sdpx_colors *colors);

/* Adds those of a row of straight RGB or RGBA, 3 or 4 `channels`. 0 if there are more than 256. */
int sdpx_colors_add(sdpx_colors *colors, const uint8_t *row, size_t pixels, int channels);

/* Adds the colors of a row of four-byte pixels and writes their indices. 0 if there are more than 256. */
int sdpx_colors_index(sdpx_colors *colors, uint8_t *to, const uint8_t *row, size_t pixels);

/* Writes `replacements[index]` for each pixel of a row, by the index of its color; 0 for a color that was not added. */
void sdpx_colors_find(const sdpx_colors *colors, uint8_t *to, const uint8_t *row, size_t pixels, int channels,
                      const uint8_t *replacements);

/* Packs indices below 1 << `bits`, which is 1, 2 or 4, the leftmost in the highest bits. */
void sdpx_pack_indices(uint8_t *to, const uint8_t *from, size_t pixels, int bits);

/* The LZW encoder of GIF (GIF89a, appendix F): the table is cleared when it is full. */
typedef struct sdpx_lzw_writer sdpx_lzw_writer;

/* Return the size of a writer in bytes, aligned to 8, and the maximum output for that many pixels, or for the end. */
size_t sdpx_lzw_writer_size(void);
size_t sdpx_lzw_writer_bound(size_t pixels);

/* The first begins: `minimum_size` is 2 to 8, and indices have no more bits. Then rows are passed in order; each call
   returns the number of bytes of sub-blocks, lengths included, that it wrote. */
void sdpx_lzw_writer_start(sdpx_lzw_writer *lzw, unsigned minimum_size);
size_t sdpx_lzw_write(sdpx_lzw_writer *lzw, uint8_t *to, const uint8_t *indices, size_t pixels);
size_t sdpx_lzw_writer_finish(sdpx_lzw_writer *lzw, uint8_t *to);

/* Reports that a row differs from the previous one; extends the range by the pixels that differ. */
int sdpx_changed_span(const uint8_t *row, const uint8_t *before, size_t pixels, size_t pixel, size_t *first,
                      size_t *end);

/* Writes the pixels that changed, of 4 or 8 bytes, and transparent black for the others. Reports that all changed
   pixels are opaque: alpha is the highest byte, or the highest two. */
int sdpx_only_changed(uint8_t *to, const uint8_t *row, const uint8_t *before, size_t pixels, size_t pixel);

/* Converts straight RGBA to opaque pixels, and to 0 for pixels less than half opaque. */
void sdpx_threshold_alpha(uint32_t *to, const uint8_t *rgba, size_t pixels);

/* Reports pixels of such a row that have become 0; extends the range by them. */
int sdpx_has_cleared(const uint32_t *row, const uint32_t *before, size_t pixels, size_t *first, size_t *end);

#endif
