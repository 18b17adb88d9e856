/* sdpx_quantize.h: color quantization: palettes computed from pixels, and pixels mapped to their indices. Works on
   plain memory. */
#ifndef SDPX_QUANTIZE_H
#define SDPX_QUANTIZE_H

#include <stddef.h>
#include <stdint.h>

/* Weights of the color distance, a sum of squared differences. They approximate the eye's sensitivity, as far as a sum
   of squares of encoded samples can. */
enum { SDPX_WEIGHT_RED = 3, SDPX_WEIGHT_GREEN = 4, SDPX_WEIGHT_BLUE = 2 };

/* Dithering: none; error diffusion (Floyd and Steinberg, every second row from the right); an ordered 8 by 8 pattern,
   which is stable in an animation. */
enum { SDPX_DITHER_NONE = 0, SDPX_DITHER_DIFFUSION = 1, SDPX_DITHER_ORDERED = 2 };

typedef struct sdpx_quantizer sdpx_quantizer;

/* Returns the size of a quantizer in bytes, aligned to 16: about 1.5 MB. */
size_t sdpx_quantizer_size(void);

/* Counting. The first function restarts it. The second adds straight RGBA pixels of at least this alpha, of all rows
   and frames that share the palette. The third ends it with a palette of at most `colors` (1 ... 256) RGB entries and
   returns their number, 0 if nothing was counted. Pixels with no more colors than that get exactly these. `rounds` is
   the number of improvements of the palette: 0 is the fastest, more than 8 change little. */
void sdpx_quantizer_start(sdpx_quantizer *quantizer);
void sdpx_quantizer_add(sdpx_quantizer *quantizer, const uint8_t *rgba, size_t pixels, unsigned least_alpha);
size_t sdpx_quantizer_palette(sdpx_quantizer *quantizer, uint8_t *rgb, size_t colors, int rounds);

/* Mapping: prepares a palette of 1 ... 256 RGB entries, its own or one of the caller; discards the counts. */
void sdpx_quantizer_use(sdpx_quantizer *quantizer, const uint8_t *rgb, size_t colors);

/* Sets the part of the errors that is diffused, 0 to 1. It is 1 after a palette was prepared. */
void sdpx_quantizer_diffuse(sdpx_quantizer *quantizer, double amount);

/* Returns the number of 16-bit elements of `errors` for an image of this width; they must be zero before the first
   row. */
size_t sdpx_quantizer_errors(size_t width);

/* Writes the nearest palette indices of row `y`; `clear_index` for pixels of less alpha. Error diffusion requires rows
   in order; for other kinds `errors` may be null. */
void sdpx_quantizer_map(sdpx_quantizer *quantizer, uint8_t *indices, const uint8_t *rgba, size_t width, size_t y,
                        unsigned least_alpha, uint8_t clear_index, int dither, int16_t *errors);

#endif
