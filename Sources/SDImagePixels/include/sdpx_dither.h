/* sdpx_dither.h: pixels mapped to the indices of a palette, with dithering. */
#ifndef SDPX_DITHER_H
#define SDPX_DITHER_H

#include "sdpx_quantize.h"

/* Dithering: none; error diffusion (Floyd and Steinberg, every second row from the right); an ordered 8 by 8 pattern,
   which is stable in an animation. */
enum { SDPX_DITHER_NONE = 0, SDPX_DITHER_DIFFUSION = 1, SDPX_DITHER_ORDERED = 2 };

/* Prepares a palette of 1 ... 256 RGB entries, its own or one of the caller; discards the counts. */
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
