/* sdpx_composite.h: rows of pixels over others and over a color. */
#ifndef SDPX_COMPOSITE_H
#define SDPX_COMPOSITE_H

#include <stddef.h>
#include <stdint.h>

/* Composites pixels of 4 bytes, of which the last is alpha, over a color, and makes them opaque; rounds to the nearest.
   `background` has the first three bytes of such a pixel. The rows may be the same memory. */
void sdpx_flatten_row(uint8_t *to, const uint8_t *from, size_t pixels, const uint8_t *background, int is_premultiplied);

/* Composite RGBA8 pixels over others. The first follows the PNG specification and rounds to the nearest. The others use
   the arithmetic of libwebp's animation decoder, which rounds down, for straight and for premultiplied colors. */
void sdpx_over_row(uint8_t *to, const uint8_t *from, size_t pixels);
void sdpx_webp_over_row(uint8_t *to, const uint8_t *from, size_t pixels);
void sdpx_webp_over_row_premultiplied(uint8_t *to, const uint8_t *from, size_t pixels);

#endif
