/* Few colours for many: palettes made of pixels, and pixels turned to their indices. Plain memory in and out. */
#ifndef SDPX_QUANTIZE_H
#define SDPX_QUANTIZE_H

#include <stddef.h>
#include <stdint.h>

/* Colours are compared by the sum of squared differences, times these weights: the eye's, as far as a sum of squares of
   encoded samples can follow it. */
enum { SDPX_WEIGHT_RED = 3, SDPX_WEIGHT_GREEN = 4, SDPX_WEIGHT_BLUE = 2 };

/* How what a palette lacks is shown by neighbours: not at all; by handing the error of each pixel on (Floyd and
   Steinberg, every second row from the right); by a fixed pattern of 8 by 8, which stands still in an animation. */
enum { SDPX_DITHER_NONE = 0, SDPX_DITHER_DIFFUSION = 1, SDPX_DITHER_ORDERED = 2 };

typedef struct sdpx_quantizer sdpx_quantizer;

/* Bytes that a quantizer takes, aligned to 16: about 1.5 MB. */
size_t sdpx_quantizer_size(void);

/* Counting: begins anew; takes straight RGBA pixels of at least this alpha, of as many rows and frames as share the
   palette; and ends with a palette of at most `colors` (1 ... 256) times RGB, of which it returns the number, 0 where
   nothing was counted. Pixels of no more colours than that get exactly these. `rounds` says how often the palette is
   improved: 0 is the quickest, beyond 8 little changes. */
void sdpx_quantizer_start(sdpx_quantizer *quantizer);
void sdpx_quantizer_add(sdpx_quantizer *quantizer, const uint8_t *rgba, size_t pixels, unsigned least_alpha);
size_t sdpx_quantizer_palette(sdpx_quantizer *quantizer, uint8_t *rgb, size_t colors, int rounds);

/* Mapping: readies a palette of 1 ... 256 times RGB, its own or one of the caller; what was counted is gone. */
void sdpx_quantizer_use(sdpx_quantizer *quantizer, const uint8_t *rgb, size_t colors);

/* How much of the errors is handed on, 0 to 1; all, after a palette was readied. */
void sdpx_quantizer_diffuse(sdpx_quantizer *quantizer, double amount);

/* 16-bit numbers of `errors` for a picture of this width; zero before its first row. */
size_t sdpx_quantizer_errors(size_t width);

/* The nearest palette indices of row `y`; `clear_index` for pixels of less alpha. Rows come in order where errors are
   handed on; for other kinds `errors` may be null. */
void sdpx_quantizer_map(sdpx_quantizer *quantizer, uint8_t *indices, const uint8_t *rgba, size_t width, size_t y,
                        unsigned least_alpha, uint8_t clear_index, int dither, int16_t *errors);

#endif
