/* sdpx_colors.h: tables of the colors of an image, and packed indices. */
#ifndef SDPX_COLORS_H
#define SDPX_COLORS_H

#include <stddef.h>
#include <stdint.h>

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

#endif
