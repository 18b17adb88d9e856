/* sdpx_png.h: rows of PNG. */
#ifndef SDPX_PNG_H
#define SDPX_PNG_H

#include <stddef.h>
#include <stdint.h>

/* Rows of PNG (third edition, section 9.2). Reverses a filter: `from` is without its filter byte, `above` is the
   decoded previous row, zeros for the first. The three rows must not overlap. Returns 0, without writing, for an
   unknown filter or pixel size. */
enum { SDPX_FILTER_NONE = 0, SDPX_FILTER_SUB = 1, SDPX_FILTER_UP = 2, SDPX_FILTER_AVERAGE = 3, SDPX_FILTER_PAETH = 4 };
int sdpx_unfilter_row(uint8_t *to, const uint8_t *from, const uint8_t *above, size_t bytes, int filter,
                      int pixel_bytes);

/* Converts big-endian samples to native byte order. */
void sdpx_swap_samples(uint16_t *to, const uint8_t *from, size_t samples);

/* Convert gray with alpha to RGBA; 16-bit sources are big-endian. */
void sdpx_expand_gray_alpha8(uint8_t *to, const uint8_t *from, size_t pixels);
void sdpx_expand_gray_alpha16(uint16_t *to, const uint8_t *from, size_t pixels);

/* Convert RGB, or big-endian gray or RGB, to RGBA: transparent if all channels equal `key`, opaque elsewhere. */
void sdpx_expand_keyed8(uint8_t *to, const uint8_t *from, size_t pixels, const uint16_t *key);
void sdpx_expand_keyed16(uint16_t *to, const uint8_t *from, size_t pixels, const uint16_t *key, int channels);

/* Writes pixel i at i * step and at the `spread` - 1 positions after it, none beyond `width`. */
void sdpx_scatter_pixels(uint8_t *to, const uint8_t *from, size_t count, size_t step, size_t spread, size_t width,
                         int pixel_bytes);

#endif
