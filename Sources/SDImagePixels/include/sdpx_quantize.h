/* sdpx_quantize.h: color quantization: palettes computed from pixels (sdpx_dither.h maps the pixels to them). Works on
   plain memory. */
#ifndef SDPX_QUANTIZE_H
#define SDPX_QUANTIZE_H

#include <stddef.h>
#include <stdint.h>

/* Weights of the color distance, a sum of squared differences. They approximate the eye's sensitivity, as far as a sum
   of squares of encoded samples can. */
enum { SDPX_WEIGHT_RED = 3, SDPX_WEIGHT_GREEN = 4, SDPX_WEIGHT_BLUE = 2 };

typedef struct sdpx_quantizer sdpx_quantizer;

/* Returns the size of a quantizer in bytes, aligned to 16: about 2.1 MB. */
size_t sdpx_quantizer_size(void);

/* Counting. The first function restarts it. The second adds straight RGBA pixels of at least this alpha, of all rows
   and frames that share the palette. The third ends it with a palette of at most `colors` (1 ... 256) RGB entries and
   returns their number, 0 if nothing was counted. Pixels with no more colors than that get exactly these. `rounds` is
   the number of improvements of the palette: 0 is the fastest, more than 8 change little. */
void sdpx_quantizer_start(sdpx_quantizer *quantizer);
void sdpx_quantizer_add(sdpx_quantizer *quantizer, const uint8_t *rgba, size_t pixels, unsigned least_alpha);
size_t sdpx_quantizer_palette(sdpx_quantizer *quantizer, uint8_t *rgb, size_t colors, int rounds);

#endif
