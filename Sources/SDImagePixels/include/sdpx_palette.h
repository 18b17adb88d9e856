/* sdpx_palette.h: palette look-ups. */
#ifndef SDPX_PALETTE_H
#define SDPX_PALETTE_H

#include <stddef.h>
#include <stdint.h>

/* Look up palette indices and write 4 bytes each, or their first 3. `over`: pixels of index `clear` are taken from
   `below`, which may be the same row. */
void sdpx_palette_row(uint32_t *to, const uint8_t *from, size_t pixels, const uint32_t *palette);
void sdpx_palette_row_over(uint32_t *to, const uint32_t *below, const uint8_t *from, size_t pixels,
                           const uint32_t *palette, uint8_t clear);
void sdpx_palette_row_rgb(uint8_t *to, const uint8_t *from, size_t pixels, const uint32_t *palette);

#endif
