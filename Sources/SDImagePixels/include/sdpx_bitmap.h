/* sdpx_bitmap.h: rows of Windows bitmaps. */
#ifndef SDPX_BITMAP_H
#define SDPX_BITMAP_H

#include <stddef.h>
#include <stdint.h>

/* Rows of Windows bitmaps. The first expands indices of 1, 2 or 4 bits to bytes; the leftmost is in the highest bits.
   The second converts indices to pixels of 1, 3 or 4 bytes by a table of 256 entries, of which the lowest byte comes
   first. */
void sdpx_unpack_indices(uint8_t *to, const uint8_t *from, size_t pixels, int bits);
void sdpx_look_up(uint8_t *to, const uint8_t *indices, size_t pixels, const uint32_t *table, int channels);

/* Converts BGR or BGRA to RGB or RGBA; alpha is 255 if the source has none. */
void sdpx_from_bgr(uint8_t *to, int to_channels, const uint8_t *from, int from_channels, size_t pixels);

/* Converts little-endian pixels of 2, 3 or 4 bytes to RGB or RGBA. Four masks locate red, green, blue and alpha; each
   is scaled to 8 bits and rounded. The bits of a mask are contiguous. A mask of 0 means 0 for a color, and 255 for
   alpha. */
void sdpx_unpack_fields(uint8_t *to, int channels, const uint8_t *from, int bytes, const uint32_t *masks,
                        size_t pixels);
/* Reports that any pixel has any bit of a mask. */
int sdpx_has_field(const uint8_t *from, int bytes, uint32_t mask, size_t pixels);

/* Clears the RGBA pixels whose bit is set; the leftmost is in the highest bit. */
void sdpx_clear_masked(uint8_t *rgba, const uint8_t *mask, size_t pixels);

#endif
